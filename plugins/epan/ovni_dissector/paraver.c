/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z ovni,paraver,FOLDER and Statistics > ovni > Export for Paraver: the files that ovniemu writes
 * (common/ovni/emulator/paraver.h), of the records that pass the filter. The emulator sees every record. */
#include "host/commands.h"
#include "host/dialog.h"
#include "host/hidden_records.h"
#include "host/listening.h"
#include "host/menus.h"
#include "host/notices.h"
#include "ovni_dissector/counting.h"

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

#include <stdlib.h>

#include "ovni/emulator/paraver.h"
#include "util/fail.h"
#include "util/text.h"

static const char command[] = "ovni,paraver";
static const char *const names[] = {"ovni Export for Paraver"};

typedef struct export
{
    ovni_emulator *emulator;
    ovni_paraver *files; /* NULL: written, or given up */
    char *folder;
    struct export *self; /* its address stands for what listens to every record */
}
export;

static tap_packet_status ovni_paraver_every_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_,
                                                   const void *tapped, tap_flags_t flags _U_)
{
    const export *x = *(export **)data;
    if (x->files) {
        const ovni_played p = ovni_played_of(pinfo, tapped);
        ovni_emulator_play(x->emulator, &p);
    }
    return TAP_PACKET_DONT_REDRAW;
}

static tap_packet_status ovni_paraver_packet(void *data, packet_info *pinfo _U_, epan_dissect_t *edt _U_,
                                             const void *tapped _U_, tap_flags_t flags _U_)
{
    const export *x = data;
    if (x->files)
        ovni_paraver_write(x->files, x->emulator);
    return TAP_PACKET_REDRAW;
}

static void export_free(void *data)
{
    export *x = data;
    if (x->files)
        ovni_paraver_cancel(x->files);
    ovni_emulator_free(x->emulator);
    g_free(x->folder);
    g_free(x);
}

/* Writes what is left. */
static bool ovni_paraver_shown_finish(export *x, GError **error)
{
    bool written = false;
    const char *part = hidden_part_text();
    bool known = !part && ovni_emulator_has_metadata(x->emulator);
    if (known)
        written = ovni_paraver_finish(x->files, x->emulator, error);
    else
        ovni_paraver_cancel(x->files);
    x->files = NULL;
    if (part)
        return fail_with(error, "%s: nothing is written", part);
    return known ? written : fail_with(error, "there are no metadata of ovni 1.11 or later: open a stream.json");
}

static void ovni_paraver_draw(void *data)
{
    export *x = data;
    g_autoptr(GError) error = NULL;
    if (x->files && !ovni_paraver_shown_finish(x, &error))
        notices_say(NOTICE_FAILURE, "%s: %s", command, error->message);
}

/* NULL: the filter is invalid, or a file cannot be made. The filter is tried first. */
static export *export_new(const char *folder, bool replace, bool all_models, const char *filter, bool draws, GError **error)
{
    export *x = g_new0(export, 1);
    x->emulator = ovni_emulator_new(OVNI_EMULATE_ALL);
    if (all_models)
        ovni_emulator_enable_all(x->emulator);
    x->folder = g_strdup(folder);
    x->self = x;
    const char *tap = listening_tap("ovni", OVNI_RECORDS_TAP);
    if (!listening_add(tap, x, *filter ? filter : NULL, false, NULL, ovni_paraver_packet, draws ? ovni_paraver_draw : NULL,
                       export_free, error)) {
        export_free(x);
        return NULL;
    }
    const bool listens = listening_add(tap, &x->self, NULL, false, NULL, ovni_paraver_every_packet, NULL, NULL, error);
    x->files = listens ? ovni_paraver_open(folder, replace, error) : NULL;
    if (x->files)
        return x;
    if (listens)
        remove_tap_listener(&x->self);
    remove_tap_listener(x);
    return NULL;
}

static void ovni_paraver_ask(void *unused);

/* ovni,paraver[,replace][,models:all],FOLDER[,FILTER], the words in any order */
static compat_stat_start ovni_paraver_start_from_command(const char *argument, void *unused _U_)
{
    if (menus_windows()) {
        ovni_paraver_ask(NULL);
        COMPAT_STAT_STARTED;
    }
    argument += strlen(command);
    argument += *argument == ',';
    bool replace = false, all_models = false;
    for (bool taken = true; taken;) {
        const bool again = text_take_word(&argument, "replace"), all = text_take_word(&argument, OVNI_ALL_MODELS);
        replace = replace || again;
        all_models = all_models || all;
        taken = again || all;
    }
    size_t n = strcspn(argument, ",");
    g_autofree char *folder = g_strndup(argument, n);
    g_autoptr(GError) error = NULL;
    if (n == 0)
        fail_with(&error, "the folder is missing: ovni,paraver,FOLDER");
    else
        export_new(folder, replace, all_models, argument[n] ? argument + n + 1 : "", true, &error);
    if (error) {
        fprintf(stderr, "%s: %s\n", command, error->message);
        exit(1);
    }
    COMPAT_STAT_STARTED;
}

/* --- from the menu ------------------------------------------------------------------------------------------------- */

enum { FIELD_FOLDER, FIELD_REPLACE, FIELD_MODELS };

static void ovni_paraver_start_from_dialog(const char *words _U_, const char *filter, char *const *answers, void *unused _U_)
{
    const funnel_ops_t *ops = menus_windows();
    g_autoptr(GError) error = NULL;
    export *x = export_new(answers[FIELD_FOLDER], dialog_yes(answers[FIELD_REPLACE]), dialog_yes(answers[FIELD_MODELS]),
                           filter, false, &error);
    if (x) {
        ops->retap_packets(ops->ops_id);
        ovni_paraver_shown_finish(x, &error);
    }
    g_autofree char *text = error ? g_strdup_printf("%s\n", error->message)
                                  : g_strdup_printf("thread.prv and cpu.prv, with .pcf and .row, have been written to %s.\n",
                                                    answers[FIELD_FOLDER]);
    dialog_say(names[0], text);
    if (x) {
        remove_tap_listener(&x->self);
        remove_tap_listener(x);
    }
}

static void ovni_paraver_ask(void *unused)
{
    g_autofree char *folder = g_build_filename(g_get_home_dir(), "paraver", NULL);
    const dialog_field fields[] = {{"Folder to write to:", folder, NULL},
                                   {"Replace existing files (yes or no):", "no", NULL},
                                   {"Also models that no thread requires (yes or no):", "no", NULL},
                                   {0}};
    dialog_open(names[0], fields, NULL, ovni_paraver_start_from_dialog, unused);
}

void ovni_paraver_register(void)
{
    stat_tap_ui ui = {
        .group = REGISTER_STAT_GROUP_GENERIC, .cli_string = command, .tap_init_cb = ovni_paraver_start_from_command};
    commands_register(&ui, NULL);
    menus_add("ovni", names[0], ovni_paraver_ask, NULL);
}
