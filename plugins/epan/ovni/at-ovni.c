/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,at: what each thread was in at a moment, as ovniemu (common/ovni/emulator/emulator.h) would show it. The emulator sees every record,
 * whatever the filter. */
#include "host/hidden_records.h"
#include "ovni/statistics-ovni.h"
#include "statistics/report.h"

typedef struct moment_report {
    ovni_emulator *emulator;
    int64_t at;   /* ns since the first record */
    bool wrong;   /* no time was given */
    int64_t last; /* record that is shown, ns */
    bool *wanted; /* by row: a record of the thread has passed the filter, whenever */
    uint32_t rows;
} moment_report;

static void *at_start(const void *unused, const char **arguments)
{
    (void)unused;
    moment_report *m = g_new0(moment_report, 1);
    char *end;
    double seconds = g_ascii_strtod(*arguments, &end);
    m->wrong = end == *arguments || (*end && *end != ',') || !(seconds >= -1e9 && seconds <= 1e9);
    m->at = m->wrong ? 0 : (int64_t)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
    *arguments = m->wrong ? *arguments : *end ? end + 1 : end;
    m->emulator = ovni_emulator_new(OVNI_EMULATE_SHOWN);
    return m;
}

static void at_reset(void *data)
{
    moment_report *m = data;
    ovni_emulator_free(m->emulator);
    m->emulator = ovni_emulator_new(OVNI_EMULATE_SHOWN);
    g_free(m->wanted);
    m->wanted = NULL;
    m->rows = 0;
    m->last = 0;
}

/* Plays until then: what follows changes nothing. */
static void at_every(void *data, packet_info *pinfo, const void *tapped)
{
    moment_report *m = data;
    const ovni_record *r = tapped;
    m->last = MAX(m->last, picture_time(pinfo));
    if (!r->is_event || picture_time(pinfo) <= m->at)
        ovni_emulate(m->emulator, pinfo, r);
}

static bool at_packet(void *data, packet_info *pinfo, const void *tapped)
{
    moment_report *m = data;
    (void)pinfo;
    const ovni_record *r = tapped;
    int64_t row = r->is_event ? ovni_emulator_row(m->emulator, r->context->stream)
                              : -1; /* rows are known with the first event */
    if (row < 0)
        return false;
    if (!m->wanted && ovni_emulator_thread_count(m->emulator)) {
        m->rows = ovni_emulator_thread_count(m->emulator);
        m->wanted = g_new0(bool, m->rows);
    }
    if ((uint64_t)row < m->rows)
        m->wanted[row] = true;
    return true;
}

static void write_thread(const ovni_emulator *e, uint32_t row, GString *text)
{
    const ovni_emulated_thread *t = ovni_emulator_thread(e, row);
    const char *state = ovni_thread_state_name(t->state);
    const bool shows = state && t->state != OVNI_THREAD_DEAD;
    g_autofree char *cpu = t->cpu < 0 ? g_strdup("-") : ovni_cpu_words(ovni_emulator_cpu(e, (uint32_t)t->cpu)),
                    *states = shows ? ovni_emulator_stacks(e, row) : g_strdup("");
    g_string_append_printf(text, "%-24s %-9s %-12s %s\n", ovni_emulator_thread_name(e, row), state ? state : "unknown", cpu,
                           states);
}

static void at_write(const void *data, GString *text)
{
    const moment_report *m = data;
    const bool late = m->at > m->last && hidden_end_missing();
    if (m->wrong)
        g_string_append(text, "ovni,at needs a time in seconds: ovni,at,3.25\n");
    else if (late)
        g_string_append(text, "unknown: the moment is after the last record that has been read\n");
    else if (!ovni_emulator_has_threads(m->emulator))
        g_string_append(text, "Threads are known from the metadata of ovni 1.11 or later: open a stream.json\n");
    else
        g_string_append_printf(text, "%-24s %-9s %-12s %s\n", "Thread", "State", "CPU", "In");
    for (uint32_t row = 0; row < m->rows && !m->wrong && !late; row++)
        if (m->wanted[row]) {
            write_thread(m->emulator, row, text);
            report_flush(text);
        }
}

static void at_free(void *data)
{
    moment_report *m = data;
    ovni_emulator_free(m->emulator);
    g_free(m->wanted);
    g_free(m);
}

static const report at_report = {
    .tap = "ovni",
    .command = "ovni,at",
    .title = "ovni At a Moment",
    .words = "Seconds since the first record:",
    .typed = "0",
    .start = at_start,
    .reset = at_reset,
    .every = at_every,
    .context = ovni_tapped_context,
    .tapped = ovni_tapped_record,
    .packet = at_packet,
    .write = at_write,
    .free = at_free,
};

void ovni_at_register(void)
{
    report_register(&at_report);
}
