/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/statistic.h"

#include <epan/tap.h>

#include <string.h>

#include "host/commands.h"
#include "host/listening.h"
#include "host/menus.h"
#include "host/notices.h"
#include "host/printing.h"
#include "showing/table.h"

/* --- listening --------------------------------------------------------------------------------------------------------- */

static void run_reset(void *data)
{
    statistic_run_begin(data);
}

static tap_packet_status run_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped,
                                    tap_flags_t flags _U_)
{
    return statistic_run_packet(data, pinfo, tapped);
}

static void every_hidden(void *data, const hidden_record *r)
{
    const statistic_run *run = data;
    const counted_record seen = record_counted(r->seen, run->of->from->tapped(r->seen, r->context, &r->bytes));
    run->of->counts->each_record(run->data, &seen);
}

/* Of what listens in addition to the run itself, which has a filter: false, as nothing is counted. */
static bool every_count(void *data, const counted_record *r)
{
    statistic_run *run = data;
    hidden_visit_until(&run->hidden, r->reader, NULL, run->of->from->context(r->tapped), every_hidden, run);
    run->of->counts->each_record(run->data, r);
    return false;
}

static tap_packet_status every_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped,
                                      tap_flags_t flags _U_)
{
    const record_seen seen = record_seen_of(pinfo);
    const counted_record r = record_counted(&seen, tapped);
    every_count(*(statistic_run **)data, &r);
    return TAP_PACKET_DONT_REDRAW;
}

static void run_finish(void *data)
{
    statistic_run_free(data);
}

/* --- threads ----------------------------------------------------------------------------------------------------------- */

/* Sums are a run of the same words with data of its own. */
static void *statistic_sums_begin(const void *data, unsigned share)
{
    statistic_run *sums = g_memdup2(data, sizeof *sums);
    sums->data = statistic_run_data(sums);
    sums->of->counts->share(sums->data, share);
    return sums;
}

static bool sums_record(void *data, const counted_record *r)
{
    const statistic_run *sums = data;
    const counted *c = sums->of->counts;
    c->count(sums->data, r);
    return !c->full || !c->full(sums->data);
}

static void sums_end(void *data, const void *tapped)
{
    const statistic_run *sums = data;
    if (sums->of->counts->end_stream)
        sums->of->counts->end_stream(sums->data, tapped);
}

static void sums_take(void *data, const void *sums)
{
    const statistic_run *run = data;
    run->of->counts->merge(run->data, ((const statistic_run *)sums)->data);
}

static void sums_free(void *data)
{
    statistic_run *sums = data;
    sums->of->counts->free(sums->data);
    g_free(sums);
}

static const parallel_sums sums = {.begin = statistic_sums_begin,
                                   .record = sums_record,
                                   .take = sums_take,
                                   .free = sums_free},
                           streamed = {.begin = statistic_sums_begin,
                                       .record = sums_record,
                                       .end = sums_end,
                                       .final = true,
                                       .take = sums_take,
                                       .free = sums_free};

/* How threads count for a run; NULL: they do not. */
static const parallel_sums *sums_of(const statistic_run *run)
{
    const counted *c = run->of->counts;
    return !c->merge ? NULL : run->kind != STATISTIC_STREAM ? &sums : statistic_has(run, "order:stream") ? &streamed : NULL;
}

/* --- writing ----------------------------------------------------------------------------------------------------------- */

void statistic_flush(GString *text)
{
    if (!menus_windows())
        printing_flush(text);
}

/* A text that is sorted in another order has all columns. */
static void statistic_write_rows(const statistic_run *run, GString *text)
{
    enum { WINDOW_WIDTH = 72 }; /* of Wireshark's window for texts, in characters; it would break lines anywhere */
    static const rows_words none;
    const bool windows = menus_windows() != NULL;
    const rows_words *words = windows ? &none : &run->words.asked;
    const statistic *s = run->of;
    g_autofree char *note = words->form == ROWS_AS_TEXT ? notices_take_remarks() : NULL;
    const rows_heading heading = {.title = windows ? NULL : run->heading,
                                  .filter = *run->filter ? run->filter : NULL,
                                  .usual = s->table || words->order == ROWS_OWN_ORDER ? s->usual : NULL,
                                  .command = s->command,
                                  .note = note,
                                  .filtered = s->filtered};
    const rows_page window = {.folded = WINDOW_WIDTH}, page = windows ? window : printing_page(false, s->folds);
    const rows_sorting by = statistic_run_sorting(run);
    rows *r = statistic_run_rows(run);
    rows_sort(r, &by);
    rows_drop_below(r, words->least);
    if (words->form == ROWS_AS_TEXT) {
        rows_append_text(text, r, words, &heading, &page, statistic_flush);
        if (s->after)
            s->after(run, text);
    } else {
        if (r->missing)
            notices_say(NOTICE_WARNING, "%s", r->missing);
        rows_print(r, words, printing_flush);
    }
    rows_free(r);
}

/* Why it cannot be known what is shown at the end, in a sentence; NULL: it can. */
static char *unknown_why(const statistic_run *run)
{
    const statistic *s = run->of;
    const char *part = hidden_problem();
    g_autoptr(GError) error = NULL;
    if (!part && statistic_sees_every(run) && hidden_streams_missing())
        part = hidden_part_text();
    if (part)
        return g_strdup_printf("%s: %s", s->verdict_if_unknown ? s->verdict_if_unknown : "unknown", part);
    return !s->known || s->known(run, &error) ? NULL : g_strdup(error->message);
}

/* People see it in place of what is not known; programs get no rows. */
static void write_unknown(const statistic_run *run, const char *why, GString *text)
{
    if (run->words.asked.form == ROWS_AS_TEXT)
        g_string_append_printf(text, "%s\n", why);
    else if (!hidden_problem()) /* which has been reported */
        notices_say(NOTICE_WARNING, "%s", why);
}

/* What is written while records are read is empty where it is not known, which has been reported. */
static void write_run(const statistic_run *run, GString *text)
{
    const bool at_the_end = run->kind == STATISTIC_ROWS || run->kind == STATISTIC_TEXT;
    g_autofree char *why = at_the_end ? unknown_why(run) : NULL;
    if (why)
        write_unknown(run, why, text);
    else if (run->kind == STATISTIC_ROWS)
        statistic_write_rows(run, text);
    else
        run->of->write(run, text);
}

/* --- the window of a text ---------------------------------------------------------------------------------------------- */

void statistic_stop(void *data)
{
    statistic_run *run = data;
    if (statistic_sees_every(run))
        remove_tap_listener(&run->self);
    remove_tap_listener(run);
}

static wsbool copy_all(funnel_text_window_t *window, void *data _U_)
{
    const funnel_ops_t *ops = menus_windows();
    GString *text = g_string_new(ops->get_text(window));
    ops->copy_to_clipboard(text);
    g_string_free(text, TRUE);
    return true;
}

/* The button is freed with its window. */
static void add_copy_button(const funnel_ops_t *ops, funnel_text_window_t *window)
{
    funnel_bt_t *button = g_new0(funnel_bt_t, 1);
    button->tw = window;
    button->func = copy_all;
    button->free_fcn = g_free;
    ops->add_button(window, button, "Copy");
}

/* Appends the text, since setting it would treat `<...>` in C++ function names as HTML. */
static void statistic_show(const funnel_ops_t *ops, statistic_run *run, const char *text)
{
    if (!run->window) {
        run->window = ops->new_text_window(ops->ops_id, run->title);
        ops->set_close_cb(run->window, statistic_stop, run);
        add_copy_button(ops, run->window);
    }
    ops->clear_text(run->window);
    ops->append_text(run->window, *text ? text : "Nothing in this file, or under this filter, is counted here.\n");
}

static void run_draw(void *data)
{
    statistic_run *run = data;
    const funnel_ops_t *ops = menus_windows();
    if (run->counting)
        return;
    g_autoptr(GString) text = g_string_new(NULL);
    write_run(run, text);
    if (ops)
        statistic_show(ops, run, text->str);
    else
        printing_flush(text);
}

/* --- starting ---------------------------------------------------------------------------------------------------------- */

/* Counts, and draws at the end. False if the filter is invalid: then the run does nothing. */
static bool listen(statistic_run *run, GError **error)
{
    const statistic *s = run->of;
    const char *tap = listening_tap(s->tap, s->plain && !s->plain(run) ? NULL : s->records);
    statistic_run_begin(run);
    const tap_reset_cb reset = run->kind == STATISTIC_FILES ? NULL : run_reset;
    const listening_calls calls = {reset, run_packet, run_draw, run_finish, s->counts->count, &run->data},
                          every = {.packet = every_packet, .count = every_count, .counted = (void **)&run->self};
    if (!listening_add(tap, run, *run->filter ? run->filter : NULL, s->needs_tree, &calls, error))
        return false;
    listening_sums(run, sums_of(run), run);
    return !statistic_sees_every(run) || /* after the other one, so it is asked first */
           listening_add(tap, &run->self, NULL, false, &every, error);
}

/* In Wireshark the file has been read already. */
void statistic_count(statistic_run *run)
{
    const funnel_ops_t *ops = menus_windows();
    run->counting = true;
    ops->retap_packets(ops->ops_id);
    run->counting = false;
}

statistic_run *statistic_listen(statistic *s, const char *arguments, GError **error)
{
    statistic_run *run = statistic_run_new(s);
    if (statistic_run_take(run, arguments, error) && listen(run, error))
        return run;
    statistic_run_free(run);
    return NULL;
}

static bool statistic_show_text(statistic_run *run, const char *arguments, GError **error)
{
    if (!listen(run, error)) {
        statistic_run_free(run);
        return false;
    }
    const char *unit = run->of->unit ? run->of->unit(run) : NULL;
    run->title = g_strconcat(run->of->title, unit ? " (" : "", unit ? unit : "", unit ? ")" : "", *arguments ? ": " : "",
                             arguments, NULL);
    statistic_count(run);
    run_draw(run);
    return true;
}

/* `begin`: opens a window of Wireshark's. */
static bool start_in_window(statistic *s, const char *arguments, void (*begin)(const char *window, const char *command),
                            GError **error)
{
    statistic_run *run = statistic_run_new(s);
    if (!statistic_run_take(run, arguments, error)) {
        statistic_run_free(run);
        return false;
    }
    if (!s->table || run->kind != STATISTIC_ROWS)
        return statistic_show_text(run, arguments, error);
    g_autofree char *window = g_strjoin(*run->filter ? "," : "", s->state.ui.cli_string, run->filter, NULL);
    table_show(run);
    begin(window, s->command);
    return true;
}

void statistic_start(statistic *s, const char *words, const char *filter)
{
    g_autofree char *arguments = g_strjoin(*words && *filter ? "," : "", words, filter, NULL);
    g_autoptr(GError) error = NULL;
    if (!start_in_window(s, arguments, menus_start, &error))
        dialog_say(s->title, error->message);
}

/* The filter is tried first, so that a file to be replaced stays as it is if the filter is invalid. */
void statistic_write_files(const char *words, const char *filter, char *const *answers, void *which)
{
    statistic *s = which;
    g_autofree char *arguments = g_strjoin(*words && *filter ? "," : "", words, filter, NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    statistic_run *run = statistic_listen(s, arguments, &error);
    if (run && s->open(run, answers, &error)) {
        statistic_count(run);
        s->write(run, text);
    } else {
        g_string_printf(text, "%s\n", error->message);
    }
    if (run)
        statistic_stop(run);
    if (text->len)
        dialog_say(s->title, text->str);
}

/* Wireshark starts what has been asked for one after the other, and this window next. */
static void request(const char *window, const char *command)
{
    menus_request(window, command);
}

static void start_from_argument(statistic *s, const char *arguments)
{
    g_autoptr(GError) error = NULL;
    if (!s->open && start_in_window(s, arguments, request, &error))
        return;
    if (s->open || (s->start && !*arguments))
        s->start(s);
    else
        dialog_say(s->title, error->message);
}

/* Ends the program with what is wrong, and says which words and columns there are, as Wireshark's own statistics do. */
static void statistic_refuse(const statistic_run *run, const char *error)
{
    const statistic *s = run->of;
    g_auto(GStrv) words = g_strsplit(s->counts->words ? s->counts->words : "", "|", -1);
    g_autofree char *own = s->counts->words ? g_strjoinv(", ", words) : NULL,
                    *help = rows_words_help(run->columns, run->column_count, own);
    notices_refuse("%s: %s%s %s", s->command, error, g_str_has_suffix(error, ".") ? "" : ".", help);
}

static compat_stat_start statistic_start_from_command(const char *argument, void *which)
{
    statistic *s = which;
    argument += strlen(s->also && g_str_has_prefix(argument, s->also) ? s->also : s->command);
    argument += *argument == ',';
    if (menus_windows()) {
        start_from_argument(s, argument);
        COMPAT_STAT_STARTED;
    }
    GError *error = NULL;
    statistic_run *run = statistic_run_new(s);
    if (!statistic_run_take(run, argument, &error) || !listen(run, &error) || (s->open && !s->open(run, NULL, &error)))
        statistic_refuse(run, error->message);
    COMPAT_STAT_STARTED;
}

/* --- the menu ---------------------------------------------------------------------------------------------------------- */

typedef struct menu_entry {
    statistic *statistic;
    const char *words;
} menu_entry;

static void start_from_menu(void *data)
{
    const menu_entry *e = data;
    statistic_start(e->statistic, e->words, "");
}

void statistic_add_entry(statistic *s, const char *title, const char *words)
{
    menu_entry *e = wmem_new(wmem_epan_scope(), menu_entry);
    *e = (menu_entry){s, words};
    menus_add(s->tap, title, start_from_menu, e);
}

static void statistic_start_from_dialog(const char *words, const char *filter, char *const *answers _U_, void *which)
{
    statistic_start(which, words, filter);
}

static void statistic_ask(void *which)
{
    const statistic *s = which;
    dialog_open(s->title, s->asks, NULL, statistic_start_from_dialog, which);
}

static GPtrArray *with_rows; /* of statistic */

char *statistic_commands(const char *protocol)
{
    GString *commands = g_string_new(NULL);
    for (unsigned i = 0; with_rows && i < with_rows->len; i++) {
        const char *command = ((const statistic *)with_rows->pdata[i])->command;
        const size_t n = strlen(protocol);
        if (strncmp(command, protocol, n) == 0 && !g_ascii_isalnum(command[n]))
            g_string_append_printf(commands, "%s%s", commands->len ? ", " : "", command);
    }
    return g_string_free(commands, FALSE);
}

void statistic_register(statistic *s)
{
    if (!with_rows)
        with_rows = g_ptr_array_new();
    if (s->kind == STATISTIC_ROWS || s->kind == STATISTIC_STREAM)
        g_ptr_array_add(with_rows, s);
    if (s->table)
        table_register(s);
    /* started here, since Wireshark's tables know only one form, and take all words for a filter */
    stat_tap_ui ui = {.group = s->table ? MENUS_GROUP : REGISTER_STAT_GROUP_GENERIC,
                      .cli_string = s->command,
                      .tap_init_cb = statistic_start_from_command};
    commands_register(&ui, s);
    ui.cli_string = s->also;
    if (s->also)
        commands_register(&ui, s);
    if (s->kind == STATISTIC_STREAM)
        return;
    if (s->start || !s->table)
        menus_add(s->tap, s->title, s->start ? s->start : statistic_ask, s);
    else
        statistic_add_entry(s, s->title, "");
}
