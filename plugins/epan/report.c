/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report.h"

#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

/* One report that listens. */
typedef struct report_run {
    const report *report;
    void *data;
} report_run;

bool report_take_word(const char **arguments, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*arguments, word, n) != 0 || ((*arguments)[n] != ',' && (*arguments)[n] != '\0'))
        return false;
    *arguments += n + ((*arguments)[n] == ',');
    return true;
}

/* --- what the tap calls ------------------------------------------------------------------------------------------------ */

static void run_reset(void *data)
{
    report_run *run = data;
    run->report->reset(run->data);
}

static tap_packet_status run_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                    tap_flags_t flags)
{
    (void)edt;
    (void)flags;
    report_run *run = data;
    return run->report->packet(run->data, pinfo, tapped) ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

static void run_draw(void *data)
{
    const report_run *run = data;
    GString *text = g_string_new(NULL);
    run->report->write(run->data, text);
    fputs(text->str, stdout);
    g_string_free(text, TRUE);
}

static void run_finish(void *data)
{
    report_run *run = data;
    run->report->free(run->data);
    g_free(run);
}

/* --- starting ---------------------------------------------------------------------------------------------------------- */

/* NULL and a message when the filter is wrong. */
static report_run *run_new(const report *r, const char *arguments, GString **error)
{
    report_run *run = g_new0(report_run, 1);
    run->report = r;
    run->data = r->start(r->protocol, &arguments);
    *error = register_tap_listener(r->tap, run, *arguments ? arguments : NULL, TL_REQUIRES_NOTHING, run_reset,
                                   run_packet, run_draw, run_finish);
    if (!*error)
        return run;
    run_finish(run);
    return NULL;
}

/* From -z: a filter that is wrong ends the program, as with Wireshark's own. */
static compat_stat_start start_from_command(const char *argument, void *which)
{
    const report *r = which;
    GString *error;
    argument += strlen(r->command);
    if (!run_new(r, *argument == ',' ? argument + 1 : argument, &error)) {
        fprintf(stderr, "Couldn't register the statistic: %s\n", error->str);
        g_string_free(error, TRUE);
        exit(1);
    }
    COMPAT_STAT_STARTED;
}

void report_register(const report *r)
{
    stat_tap_ui ui = {
        .group = REGISTER_STAT_GROUP_GENERIC,
        .cli_string = r->command,
        .tap_init_cb = start_from_command,
    };
    register_stat_tap_ui(&ui, (void *)(uintptr_t)r);
}
