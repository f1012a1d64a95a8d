/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures as statistics, with the file that one goes to: standard output in tshark; in Wireshark a file chosen by the user,
 * or a temporary one for the browser. */
#include "picture/picture.h"

#include <errno.h>

#include "host/menus.h"
#include "host/notices.h"
#include "host/printing.h"
#include "util/fail.h"
#include "util/math128.h"
#include "util/output_file.h"
#include "util/text.h"

static const picture_output *const outputs[] = {&picture_chrome, &picture_flame, &picture_callgrind};

/* A command for -z; never freed. */
typedef struct picture_command {
    const picture_source *source;
    const picture_output *output;
    statistic statistic;
} picture_command;

typedef struct picture_run {
    picture picture;
    const picture_output *output;
    char *path;        /* of the file; NULL: standard output */
    output_file *file; /* NULL: standard output, or finished */
    bool finished;
} picture_run;

/* --- writing ----------------------------------------------------------------------------------------------------------- */

static void write_text(picture *p)
{
    if (!p->error && fwrite(p->text->str, 1, p->text->len, p->file) != p->text->len)
        p->error = errno;
    g_string_truncate(p->text, 0);
}

void picture_flush(picture *p)
{
    if (text_is_piece(p->text))
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

static void name_cost(const span_source *from, const record_seen *seen, const void *tapped, const span *s, cost *c)
{
    span caller = {.call.begin = s->call.caller};
    const char *name = from->called(seen->pool, s).text;
    c->name = name ? name : "";
    c->place = from->place(tapped, s);
    if (!from->caller(tapped, s, &caller.function))
        return;
    name = from->called(seen->pool, &caller).text;
    c->caller = name ? name : "";
    c->caller_place = from->place(tapped, &caller);
}

bool picture_cost(const picture *p, const record_seen *seen, const void *tapped, uint32_t i, bool named, span *s, cost *c)
{
    *c = (cost){0};
    if (p->source->cost)
        return p->source->cost(p->state, seen, tapped, i, c);
    if (!p->source->spans->span(tapped, i, s))
        return false;
    c->counts = s->nests && s->call.state & CALL_TIMED ? span_count(s) : 0;
    c->self[COST_TIME] = span_active_self(s);
    c->total[COST_TIME] = s->call.duration - s->call.away;
    c->self[COST_COUNT] = span_count(s);
    if (named && c->counts)
        name_cost(p->source->spans, seen, tapped, s, c);
    return true;
}

/* --- the statistic ----------------------------------------------------------------------------------------------------- */

static void *picture_begin(const statistic_words *words, const void *how)
{
    const statistic_run *run = how;
    const picture_command *c = run->of->protocol;
    picture_run *r = g_new0(picture_run, 1);
    picture *p = &r->picture;
    r->output = c->output;
    *p = (picture){.source = c->source,
                   .state = c->source->start(),
                   .text = g_string_new(NULL),
                   .file = stdout,
                   .threads = statistic_words_has(words, "threads"),
                   .records = statistic_words_has(words, "records"),
                   .filtered = *run->filter};
    while (p->events < COST_EVENTS && p->source->events[p->events].word)
        p->events++;
    p->data = c->output->start(p);
    return r;
}

static bool picture_count(void *data, const counted_record *of)
{
    picture_run *r = data;
    const record_seen *seen = of->reader;
    if (r->finished)
        return true;
    if (!r->picture.looked++)
        nstime_delta(&r->picture.start, &seen->absolute, &seen->relative);
    r->output->record(&r->picture, seen, of->tapped);
    picture_flush(&r->picture);
    return true;
}

static void picture_free(void *data)
{
    picture_run *r = data;
    picture *p = &r->picture;
    r->output->free(p->data);
    p->source->free(p->state);
    g_string_free(p->text, TRUE);
    if (r->file)
        output_file_cancel(r->file);
    g_free(r->path);
    g_free(r);
}

static bool picture_check(const statistic_run *run _U_, GError **error)
{
    return menus_windows() || printing_alone(error);
}

/* Writes the rest, once. */
static void picture_finish(picture_run *r)
{
    picture *p = &r->picture;
    r->finished = true;
    r->output->finish(p);
    write_text(p);
    if (p->unknown)
        notices_say(NOTICE_FAILURE, "%s", STACKS_UNKNOWN_SUMS);
    const bool whole = r->file ? output_files_finish(&r->file, 1) : fflush(p->file) == 0;
    if (!whole && !p->error)
        p->error = errno;
    r->file = NULL;
}

static void report_file(const picture_run *r, GString *text)
{
    const picture *p = &r->picture;
    g_autofree char *url = r->output->browsed ? g_filename_to_uri(r->path, NULL, NULL) : NULL;
    if (p->error)
        g_string_append_printf(text, "%s cannot be written: %s\n", r->path, g_strerror(p->error));
    else if (!r->output->browsed)
        g_string_append_printf(text, "%s has been written, from %" PRIu64 " record%s.\n", r->path, p->looked,
                               p->looked == 1 ? "" : "s");
    else if (!url || !menus_windows()->browser_open_url(url))
        g_string_append_printf(text, "No browser could be opened. The page is %s\n", r->path);
}

static void picture_write(const statistic_run *run, GString *text)
{
    picture_run *r = run->data;
    if (r->finished)
        return;
    picture_finish(r);
    if (r->path) {
        report_file(r, text);
    } else if (r->picture.error) {
        notices_say(NOTICE_FAILURE, "%s: standard output cannot be written: %s", run->of->command,
                    g_strerror(r->picture.error));
    }
}

/* --- from the menu ----------------------------------------------------------------------------------------------------- */

enum { FIELD_FILE, FIELD_REPLACE };

/* A file that only the user can read; browsers show its name. */
static char *path_for_browser(const picture_command *c)
{
    g_autofree char *folder = g_dir_make_tmp("wiretrace-XXXXXX", NULL);
    return folder ? g_strdup_printf("%s/%s%s", folder, c->source->spans->tap, c->output->suffix) : NULL;
}

/* Programs write to standard output. */
static bool picture_open(const statistic_run *run, char *const *answers, GError **error)
{
    const picture_command *c = run->of->protocol;
    picture_run *r = run->data;
    if (!answers)
        return true;
    r->path = c->output->browsed ? path_for_browser(c) : g_strdup(answers[FIELD_FILE]);
    r->file = r->path ? output_file_open(r->path, !c->output->browsed && dialog_yes(answers[FIELD_REPLACE])) : NULL;
    if (!r->file)
        return fail_with(error, "%s cannot be written: %s", r->path ? r->path : "A temporary file", g_strerror(errno));
    r->picture.file = r->file->stream;
    return true;
}

static void picture_ask(void *which)
{
    const statistic *s = which;
    const picture_command *c = s->protocol;
    g_autofree char *name = g_strdup_printf("%s%s", c->source->spans->tap, c->output->suffix),
                    *path = g_build_filename(g_get_home_dir(), name, NULL);
    const dialog_field fields[] = {
        {"File to write:", path, NULL}, {"Replace an existing file (yes or no):", "no", NULL}, c->output->ask, {0}};
    dialog_open(s->title, c->output->browsed ? fields + 2 : fields, NULL, statistic_write_files, which);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static const counted counting = {
    .words = "threads, records", .begin = picture_begin, .count = picture_count, .free = picture_free};

/* Never freed. */
static void picture_register_one(const picture_source *s, const picture_output *o)
{
    picture_command *c = g_new0(picture_command, 1);
    c->source = s;
    c->output = o;
    c->statistic = (statistic){.tap = s->spans->tap,
                               .counts = &counting,
                               .command = g_strdup_printf("%s,%s", s->spans->tap, o->word),
                               .title = g_strdup_printf("%s %s", s->spans->title, o->title),
                               .protocol = c,
                               .check = picture_check,
                               .kind = STATISTIC_FILES,
                               .open = picture_open,
                               .write = picture_write,
                               .start = picture_ask};
    statistic_register(&c->statistic);
}

void picture_register(const picture_source *s)
{
    for (size_t i = 0; i < G_N_ELEMENTS(outputs); i++)
        picture_register_one(s, outputs[i]);
}
