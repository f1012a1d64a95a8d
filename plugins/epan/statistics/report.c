/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/report.h"

#include "host/dialog.h"
#include "host/hidden_records.h"
#include "host/listening.h"
#include "host/menus.h"
#include "host/printing.h"
#include "host/notices.h"
#include "statistics/rows_print.h"
#include "statistics/statistic.h"

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

/* A running report. It ends with its window if there are windows, otherwise with the program. */
typedef struct report_run {
    const report *report;
    void *data;
    char *arguments;
    const char *filter; /* the last of them; may be empty */
    char *title;        /* with the arguments */
    const rows_column *columns;
    unsigned column_count;
    rows_words asked;
    funnel_text_window_t *window;
    hidden_reader *hidden;   /* what `every` has seen of hidden records; NULL: nothing yet */
    struct report_run *self; /* its address identifies the listener to every record */
    bool counting; /* packets are being counted; the window does not exist yet, so that it cannot be closed meanwhile */
} report_run;

bool report_take_word(const char **arguments, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*arguments, word, n) != 0 || ((*arguments)[n] != ',' && (*arguments)[n] != '\0'))
        return false;
    *arguments += n + ((*arguments)[n] == ',');
    return true;
}

/* Takes the words at the front of the arguments that all statistics with rows take. */
static void take_words(report_run *run, const char **arguments)
{
    if (!run->columns)
        return;
    g_autofree char *error = rows_words_take_all(&run->asked, run->columns, run->column_count, arguments, NULL, NULL);
    if (error && !menus_windows())
        statistic_refuse(run->report->command, run->columns, run->column_count, run->report->own, error);
}

/* Begins with nothing counted. Returns the filter. */
static const char *start(report_run *run)
{
    const report *r = run->report;
    const char *arguments = run->arguments;
    take_words(run, &arguments);
    run->data = r->start(r->protocol, &arguments);
    take_words(run, &arguments);
    if (r->ask)
        r->ask(run->data, &run->asked);
    return arguments;
}

/* --- tap callbacks ----------------------------------------------------------------------------------------------------- */

static void run_reset(void *data)
{
    report_run *run = data;
    g_clear_pointer(&run->hidden, hidden_free);
    run->report->free(run->data);
    start(run);
}

static tap_packet_status run_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped,
                                    tap_flags_t flags _U_)
{
    report_run *run = data;
    return run->report->packet(run->data, pinfo, tapped) ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

static void window_closed(void *data)
{
    report_run *run = data;
    if (run->self)
        remove_tap_listener(&run->self);
    remove_tap_listener(run); /* also calls run_finish() */
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
static void show(const funnel_ops_t *ops, report_run *run, const char *text)
{
    if (!run->window) {
        run->window = ops->new_text_window(ops->ops_id, run->title);
        ops->set_close_cb(run->window, window_closed, run);
        add_copy_button(ops, run->window);
    }
    ops->clear_text(run->window);
    ops->append_text(run->window, *text ? text : "Nothing in this file, or under this filter, is counted here.\n");
}

#define FLUSH_FROM (64u << 10)

void report_flush(GString *text)
{
    if (!menus_windows() && text->len >= FLUSH_FROM)
        printing_flush(text);
}

static void every_hidden(void *data, packet_info *hidden, const record_context *c, const cursor *bytes)
{
    report_run *run = data;
    run->report->every(run->data, hidden, run->report->tapped(hidden, c, bytes));
}

/* Listens in addition to the run itself, which has a filter. */
static tap_packet_status every_packet(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped,
                                      tap_flags_t flags _U_)
{
    report_run *run = *(report_run **)data;
    hidden_visit_until(&run->hidden, pinfo, run->report->context(tapped), every_hidden, run);
    run->report->every(run->data, pinfo, tapped);
    return TAP_PACKET_DONT_REDRAW;
}

static void write_rows(const report_run *run, GString *text)
{
    enum { WINDOW_WIDTH = 72 }; /* of Wireshark's window for texts, in characters; it would break lines anywhere */
    static const rows_words none;
    const bool windows = menus_windows() != NULL;
    const rows_words *words = windows ? &none : &run->asked;
    const report *of = run->report;
    const rows_heading heading = {.title = windows ? NULL : of->title,
                                  .filter = of->filtered && *run->filter ? run->filter : NULL,
                                  .usual = words->order == ROWS_OWN_ORDER ? of->usual : NULL,
                                  .command = of->command};
    const rows_page window = {.folded = WINDOW_WIDTH}, page = windows ? window : statistic_page();
    rows *r = rows_new(run->columns, run->column_count);
    const char *problem = of->fill(run->data, r);
    rows_sort(r, &(rows_sorting){.order = words->order, .column = words->sorted_by});
    rows_drop_below(r, words->least);
    if (problem && words->form != ROWS_AS_TEXT) {
        notices_print(problem);
    } else if (problem) {
        g_string_append_printf(text, "%s\n", problem);
    } else if (words->form != ROWS_AS_TEXT) {
        rows_print(r, words, &heading, &page, printing_flush);
    } else {
        rows_append_text(text, r, words, &heading, &page, report_flush);
        if (of->after)
            of->after(run->data, text);
    }
    rows_free(r);
}

static void run_draw(void *data)
{
    report_run *run = data;
    const funnel_ops_t *ops = menus_windows();
    if (run->counting)
        return;
    GString *text = g_string_new(NULL);
    const char *unknown = hidden_problem();
    if (!unknown && run->report->every && hidden_streams_missing())
        unknown = hidden_part_text();
    if (unknown)
        g_string_append_printf(text, "%s: %s\n", run->report->instead ? run->report->instead : "unknown", unknown);
    else if (run->columns)
        write_rows(run, text);
    else
        run->report->write(run->data, text);
    if (ops)
        show(ops, run, text->str);
    else
        printing_flush(text);
    g_string_free(text, TRUE);
}

static void run_finish(void *data)
{
    report_run *run = data;
    run->report->free(run->data);
    hidden_free(run->hidden);
    g_free(run->arguments);
    g_free(run->title);
    g_free(run);
}

/* --- starting ---------------------------------------------------------------------------------------------------------- */

/* NULL with a message if the filter is invalid. */
static report_run *run_new(const report *r, const char *arguments, GString **error)
{
    report_run *run = g_new0(report_run, 1);
    run->report = r;
    run->arguments = g_strdup(arguments);
    run->columns = r->fixed_columns;
    run->column_count = r->fixed_count;
    if (r->columns)
        run->columns = r->columns(arguments, &run->column_count);
    run->filter = start(run);
    const char *unit = r->unit ? r->unit(run->data) : NULL;
    run->title = g_strconcat(r->title, unit ? " (" : "", unit ? unit : "", unit ? ")" : "", *arguments ? ": " : "",
                             arguments, NULL);
    *error = listening_add(r->tap, run, *run->filter ? run->filter : NULL, run_reset, run_packet, run_draw, run_finish);
    if (*error) {
        run_finish(run);
        return NULL;
    }
    listening_sums(run, r->parallel, run->data);
    if (r->every) { /* after the other one, so it is asked first */
        run->self = run;
        *error = listening_add(r->tap, &run->self, NULL, NULL, every_packet, NULL, NULL);
    }
    return run;
}

/* In Wireshark the file has been read already. */
static void count_now(const funnel_ops_t *ops, report_run *run)
{
    run->counting = true;
    ops->retap_packets(ops->ops_id);
    run->counting = false;
    run_draw(run);
}

/* From -z: an invalid filter ends the program, as with Wireshark's own statistics. */
static compat_stat_start start_from_command(const char *argument, void *which)
{
    const report *r = which;
    const funnel_ops_t *ops = menus_windows();
    GString *error;
    argument += strlen(r->command);
    report_run *run = run_new(r, *argument == ',' ? argument + 1 : argument, &error);
    if (!run) {
        fprintf(stderr, "Couldn't register the statistic: %s\n", error->str);
        g_string_free(error, TRUE);
        exit(1);
    }
    if (ops)
        count_now(ops, run);
    COMPAT_STAT_STARTED;
}

/* --- from the menu ----------------------------------------------------------------------------------------------------- */

static void start_from_dialog(const char *words, const char *filter, char *const *answers _U_, void *which)
{
    const report *r = which;
    GString *error;
    g_autofree char *arguments = g_strjoin(*words && *filter ? "," : "", words, filter, NULL);
    report_run *run = run_new(r, arguments, &error);
    if (run) {
        count_now(menus_windows(), run);
        return;
    }
    dialog_say(r->title, error->str);
    g_string_free(error, TRUE);
}

static void ask(void *which)
{
    const report *r = which;
    dialog_open(r->title, r->asks, start_from_dialog, which);
}

void report_register(const report *r)
{
    stat_tap_ui ui = {
        .group = REGISTER_STAT_GROUP_GENERIC,
        .cli_string = r->command,
        .tap_init_cb = start_from_command,
    };
    void *which = (void *)(uintptr_t)r;
    register_stat_tap_ui(&ui, which);
    menus_add(r->tap, r->title, ask, which);
}
