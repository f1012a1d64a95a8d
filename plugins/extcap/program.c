/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "places.h"
#include "program/executable.h"
#include "util/fail.h"

/* Records that a thread keeps before it writes them, in basic mode. The default of 1024 would be seconds of some threads. */
#define BASIC_RECORDS "8"

/* --- where the trace is -------------------------------------------------------------------------------------------------
 */

/* Sets p->trace and p->ovni. */
static bool place_trace(program *p, GError **error)
{
    g_autofree char *base = g_path_get_basename(p->path), *name = g_strconcat(base, ".trace", NULL);
    g_autofree char *folder = p->file && *p->file ? NULL : g_dir_make_tmp("wiretrace-XXXXXX", error);
    if (p->file && *p->file)
        p->trace = g_canonicalize_filename(p->file, NULL);
    else if (folder)
        p->trace = g_build_filename(folder, name, NULL);
    else
        return false;
    p->ovni = g_strconcat(p->trace, ".ovni", NULL);
    if (strchr(p->trace, ','))
        return fail_with(error, "%s: a comma separates settings of the recorders, and cannot be in the name of a trace",
                         p->trace);
    if (g_file_test(p->trace, G_FILE_TEST_EXISTS) || g_file_test(p->ovni, G_FILE_TEST_EXISTS))
        return fail_with(error, "%s is there already: no trace is ever overwritten", p->trace);
    return true;
}

/* --- its environment ----------------------------------------------------------------------------------------------------
 */

/* Returns whether a file has a text anywhere. */
static bool contains(const char *path, const char *text)
{
    g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, NULL);
    return file && g_mapped_file_get_length(file) &&
           memmem(g_mapped_file_get_contents(file), g_mapped_file_get_length(file), text, strlen(text));
}

static void set_default(char ***to, const char *variable, const char *value)
{
    *to = g_environ_setenv(*to, variable, value, FALSE);
}

/* The settings of recorders and runtimes. Without a recorder of ours, clang's runtime records in basic mode. */
static char **environment_of(program *p)
{
    char **to = g_get_environ();
    const char *before = g_environ_getenv(to, "WIRETRACE_RECORD");
    g_autofree char *settings = g_strconcat(before && *before ? before : "", before && *before ? "," : "", "file=", p->trace,
                                            NULL);
    g_autofree char *base = g_strconcat("xray_logfile_base=", p->trace, ".", NULL);
    g_autofree char *basic = g_strjoin(" ", "patch_premain=true", "xray_mode=xray-basic", base, NULL);
    set_default(&to, "OVNI_TRACEDIR", p->ovni);
    p->basic = contains(p->found, "XRAY_OPTIONS") && !contains(p->found, "WIRETRACE_RECORD");
    if (!p->basic) { /* it may also be a script that starts others */
        to = g_environ_setenv(to, "WIRETRACE_RECORD", settings, TRUE);
    } else {
        set_default(&to, "XRAY_OPTIONS", basic);
        set_default(&to, "XRAY_BASIC_OPTIONS", "func_duration_threshold_us=0 thread_buffer_size=" BASIC_RECORDS);
    }
    return to;
}

/* --- running ------------------------------------------------------------------------------------------------------------
 */

/* In the new process. Keys of the terminal are for whoever shows the capture; who is killed cannot end it. */
static void set_up(gpointer data)
{
    setsid();
    if (!((const program *)data)->leave)
        prctl(PR_SET_PDEATHSIG, SIGTERM);
}

/* Its words, as for exec(). NULL with *error. */
static char **words_of(const program *p, GError **error)
{
    g_auto(GStrv) arguments = NULL;
    if (p->arguments && *p->arguments && !g_shell_parse_argv(p->arguments, NULL, &arguments, error))
        return NULL;
    g_autoptr(GStrvBuilder) all = g_strv_builder_new();
    g_strv_builder_add(all, p->found);
    if (arguments)
        g_strv_builder_addv(all, (const char **)arguments);
    return g_strv_builder_end(all);
}

bool program_start(program *p, GError **error)
{
    g_autofree char *in_path = g_find_program_in_path(p->path);
    p->found = in_path ? g_canonicalize_filename(in_path, NULL) : NULL;
    if (!p->found)
        return fail_with(error, "there is no program %s", p->path);
    g_auto(GStrv) words = words_of(p, error);
    if (!words || !place_trace(p, error))
        return false;
    g_auto(GStrv) environment = environment_of(p);
    g_autofree char *output = g_strconcat(p->trace, PLACES_OUTPUT, NULL);
    const int out = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out < 0)
        return fail_with(error, "%s: %s", output, g_strerror(errno));
    const bool started = g_spawn_async_with_fds(p->folder && *p->folder ? p->folder : NULL, words, environment,
                                                G_SPAWN_DO_NOT_REAP_CHILD, set_up, p, &p->process, -1, out, out, error);
    close(out);
    return started;
}

void program_note(const program *p, const char *trace)
{
    g_autofree char *list = g_strconcat(trace, PLACES_OBJECTS, NULL);
    g_autoptr(executable) e = p->basic ? executable_open(p->found, NULL) : NULL;
    g_autofree char *build_id = e ? executable_build_id(e) : NULL;
    g_autofree char *text = g_strdup_printf("# objects 1\n0 0x0 %s %s\n", build_id ? build_id : "-", p->found);
    if (e)
        g_file_set_contents(list, text, -1, NULL);
}

bool program_has_ended(program *p)
{
    if (p->process && waitpid(p->process, NULL, WNOHANG) == p->process)
        p->process = 0;
    return !p->process;
}

void program_clear(program *p)
{
    if (p->process && !p->leave && !program_has_ended(p))
        kill(p->process, SIGTERM);
    g_clear_pointer(&p->trace, g_free);
    g_clear_pointer(&p->ovni, g_free);
    g_clear_pointer(&p->found, g_free);
}
