/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts a picture, from -z or a menu, with the file that it goes to: standard output in tshark; in Wireshark a file
 * chosen by the user, or a temporary one for the browser. */
#include "picture/picture.h"

#include <errno.h>
#include <stdlib.h>

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

#include "host/commands.h"
#include "host/dialog.h"
#include "host/listening.h"
#include "host/menus.h"
#include "host/notices.h"
#include "host/printing.h"
#include "statistics/rows_words.h"
#include "util/math128.h"
#include "util/output_file.h"
#include "util/text.h"

static const picture_output *const outputs[] = {&picture_chrome, &picture_flame, &picture_callgrind};

/* A command for -z; never freed. */
typedef struct picture_command {
    const picture_source *source;
    const picture_output *output;
    char *command, *title;
} picture_command;

typedef struct picture_run {
    picture picture;
    const picture_command *command;
    char *path;        /* of the file; NULL: standard output */
    output_file *file; /* NULL: standard output, or finished */
    bool retapping, finished;
} picture_run;

/* --- writing ----------------------------------------------------------------------------------------------------------- */

#define FLUSH_FROM (64u << 10)

static void write_text(picture *p)
{
    if (!p->error && fwrite(p->text->str, 1, p->text->len, p->file) != p->text->len)
        p->error = errno;
    g_string_truncate(p->text, 0);
}

void picture_flush(picture *p)
{
    if (p->text->len >= FLUSH_FROM)
        write_text(p);
}

void picture_add(picture *p, uint64_t *to, const uint64_t more[COST_EVENTS])
{
    for (unsigned e = 0; e < p->events; e++) {
        to[e] = sum_saturated(to[e], more[e]);
        p->seen[e] = p->seen[e] || more[e];
    }
}

const cost_event *picture_event(const picture *p, unsigned event)
{
    static const cost_event ticks = {"ticks", "Time (ticks)", .plain = false};
    return !p->source->cost && event == COST_TIME && spans_unclocked(p->source->spans) ? &ticks : &p->source->events[event];
}

uint64_t picture_shown(picture *p, unsigned event, uint64_t sum)
{
    const uint64_t shown = sum != UINT64_MAX && !p->source->cost && event == COST_TIME
                               ? spans_nanoseconds(p->source->spans, sum)
                               : sum;
    p->unknown |= shown == UINT64_MAX;
    return shown;
}

static void name_cost(const span_source *from, const packet_info *pinfo, const void *tapped, const span *s, cost *c)
{
    span caller = {.call.begin = s->call.caller};
    const char *name = from->called(pinfo, s);
    c->name = name ? name : "";
    c->place = from->place(tapped, s);
    if (!from->caller(tapped, s, &caller.function))
        return;
    name = from->called(pinfo, &caller);
    c->caller = name ? name : "";
    c->caller_place = from->place(tapped, &caller);
}

bool picture_cost(const picture *p, packet_info *pinfo, const void *tapped, uint32_t i, bool named, span *s, cost *c)
{
    *c = (cost){0};
    if (p->source->cost)
        return p->source->cost(p->state, pinfo, tapped, i, c);
    if (!p->source->spans->span(tapped, i, s))
        return false;
    c->counts = s->nests && s->call.state & CALL_TIMED ? span_count(s) : 0;
    c->self[COST_TIME] = span_active_self(s);
    c->total[COST_TIME] = s->call.duration - s->call.away;
    c->self[COST_COUNT] = span_count(s);
    if (named && c->counts)
        name_cost(p->source->spans, pinfo, tapped, s, c);
    return true;
}

int64_t picture_time(const packet_info *pinfo)
{
    int64_t ns;
    if (__builtin_mul_overflow((int64_t)pinfo->rel_ts.secs, INT64_C(1000000000), &ns) ||
        __builtin_add_overflow(ns, pinfo->rel_ts.nsecs, &ns))
        return pinfo->rel_ts.secs < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

/* --- tap callbacks ---------------------------------------------------------------------------------------------------- */

static tap_packet_status picture_run_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped,
                                            tap_flags_t flags _U_)
{
    picture_run *run = data;
    if (!run->finished) {
        if (!run->picture.looked++)
            nstime_delta(&run->picture.start, &pinfo->abs_ts, &pinfo->rel_ts);
        run->command->output->record(&run->picture, pinfo, tapped);
        picture_flush(&run->picture);
    }
    return TAP_PACKET_REDRAW;
}

/* Writes the rest, once. */
static void picture_finish(picture_run *run)
{
    picture *p = &run->picture;
    run->finished = true;
    run->command->output->finish(p);
    write_text(p);
    if (p->unknown)
        notices_say(NOTICE_FAILURE, "%s", STACKS_UNKNOWN_SUMS);
    const bool whole = run->file ? output_files_finish(&run->file, 1) : fflush(p->file) == 0;
    if (!whole && !p->error)
        p->error = errno;
    run->file = NULL;
}

static void picture_run_draw(void *data)
{
    picture_run *run = data;
    if (run->path || run->finished)
        return;
    picture_finish(run);
    if (!run->picture.error)
        return;
    notices_say(NOTICE_FAILURE, "%s: standard output cannot be written: %s", run->command->command,
                g_strerror(run->picture.error));
}

static void run_free(void *data)
{
    picture_run *run = data;
    picture *p = &run->picture;
    run->command->output->free(p->data);
    p->source->free(p->state);
    g_string_free(p->text, TRUE);
    if (run->file)
        output_file_cancel(run->file);
    g_free(run->path);
    g_free(run);
}

/* --- starting ---------------------------------------------------------------------------------------------------------- */

static bool picture_take(void *data, const char *word, bool *taken, GError **error _U_)
{
    picture *p = data;
    const bool threads = strcmp(word, "threads") == 0, records = strcmp(word, "records") == 0;
    p->threads |= threads;
    p->records |= records;
    *taken = threads || records;
    return true;
}

/* Has no file yet. NULL if a word or the filter is invalid. */
static picture_run *run_new(const picture_command *c, const char *arguments, GError **error)
{
    picture_run *run = g_new0(picture_run, 1);
    picture *p = &run->picture;
    run->command = c;
    *p = (picture){.source = c->source, .state = c->source->start(), .text = g_string_new(NULL)};
    while (p->events < COST_EVENTS && p->source->events[p->events].word)
        p->events++;
    p->data = c->output->start(p);
    const bool taken = rows_words_take_all(&(rows_words){0}, NULL, 0, &arguments, picture_take, p, error);
    p->filtered = taken && *arguments;
    if (taken && listening_add(c->source->spans->tap, run, *arguments ? arguments : NULL, false, NULL, picture_run_packet,
                               picture_run_draw, run_free, error))
        return run;
    run_free(run);
    return NULL;
}

static void picture_fail(const picture_command *c, const char *reason)
{
    fprintf(stderr, "%s: %s\n", c->command, reason);
    exit(1);
}

static void picture_ask(void *which);

/* Starts from -z. Wireshark has no standard output, so there it opens a dialog. */
static compat_stat_start picture_start_from_command(const char *argument, void *which)
{
    const picture_command *c = which;
    GError *error = NULL;
    if (menus_windows()) {
        picture_ask(which);
        COMPAT_STAT_STARTED;
    }
    if (!printing_alone(&error))
        picture_fail(c, error->message);
    argument += strlen(c->command);
    picture_run *run = run_new(c, *argument == ',' ? argument + 1 : argument, &error);
    if (!run)
        picture_fail(c, error->message);
    run->picture.file = stdout;
    COMPAT_STAT_STARTED;
}

/* --- from the menu ----------------------------------------------------------------------------------------------------- */

enum { FIELD_FILE, FIELD_REPLACE };

static void picture_say(const picture_command *c, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void picture_say(const picture_command *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    dialog_say(c->title, text);
}

/* A file that only the user can read; browsers show its name. */
static char *path_for_browser(const picture_command *c)
{
    g_autofree char *folder = g_dir_make_tmp("wiretrace-XXXXXX", NULL);
    return folder ? g_strdup_printf("%s/%s%s", folder, c->source->spans->tap, c->output->suffix) : NULL;
}

static bool picture_open_file(picture_run *run, char *const *answers)
{
    const picture_command *c = run->command;
    run->path = c->output->browsed ? path_for_browser(c) : g_strdup(answers[FIELD_FILE]);
    run->file = run->path ? output_file_open(run->path, !c->output->browsed && dialog_yes(answers[FIELD_REPLACE])) : NULL;
    run->picture.file = run->file ? run->file->stream : NULL;
    return run->file;
}

/* In Wireshark the file has been read already. Wireshark shows the progress. */
static void run_now(const funnel_ops_t *ops, picture_run *run)
{
    const picture_command *c = run->command;
    ops->retap_packets(ops->ops_id);
    picture_finish(run);
    if (run->picture.error)
        picture_say(c, "%s cannot be written: %s\n", run->path, g_strerror(run->picture.error));
    else if (c->output->browsed) {
        char *url = g_filename_to_uri(run->path, NULL, NULL);
        if (!url || !ops->browser_open_url(url))
            picture_say(c, "No browser could be opened. The page is %s\n", run->path);
        g_free(url);
    } else
        picture_say(c, "%s has been written, from %" PRIu64 " record%s.\n", run->path, run->picture.looked,
                    run->picture.looked == 1 ? "" : "s");
    remove_tap_listener(run); /* also frees it */
}

/* Tries the filter first, so that a file to be replaced stays as it is if the filter is invalid. */
static void picture_start_from_dialog(const char *words, const char *filter, char *const *answers, void *which)
{
    const picture_command *c = which;
    GError *error = NULL;
    g_autofree char *arguments = g_strjoin(*words && *filter ? "," : "", words, filter, NULL);
    picture_run *run = run_new(c, arguments, &error);
    if (!run) {
        picture_say(c, "%s\n", error->message);
        g_error_free(error);
    } else if (picture_open_file(run, answers)) {
        run_now(menus_windows(), run);
    } else {
        picture_say(c, "%s cannot be written: %s\n", run->path ? run->path : "A temporary file", g_strerror(errno));
        remove_tap_listener(run);
    }
}

static void picture_ask(void *which)
{
    const picture_command *c = which;
    g_autofree char *name = g_strdup_printf("%s%s", c->source->spans->tap, c->output->suffix),
                    *path = g_build_filename(g_get_home_dir(), name, NULL);
    const dialog_field fields[] = {
        {"File to write:", path, NULL}, {"Replace an existing file (yes or no):", "no", NULL}, c->output->ask, {0}};
    dialog_open(c->title, c->output->browsed ? fields + 2 : fields, NULL, picture_start_from_dialog, which);
}

static void picture_register_one(const picture_source *s, const picture_output *o)
{
    picture_command *c = g_new0(picture_command, 1);
    *c = (picture_command){s, o, .command = g_strdup_printf("%s,%s", s->spans->tap, o->word)};
    c->title = g_strdup_printf("%s %s", s->spans->title, o->title);
    stat_tap_ui ui = {
        .group = REGISTER_STAT_GROUP_GENERIC, .cli_string = c->command, .tap_init_cb = picture_start_from_command};
    commands_register(&ui, c);
    menus_add(s->spans->tap, c->title, picture_ask, c);
}

void picture_register(const picture_source *s)
{
    for (size_t i = 0; i < G_N_ELEMENTS(outputs); i++)
        picture_register_one(s, outputs[i]);
}
