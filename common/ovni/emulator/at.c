/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/emulator/at.h"

#include "ovni/states.h"

const rows_column ovni_at_columns[OVNI_AT_COLUMNS] = {
    [OVNI_AT_THREAD] = {"Thread", ROWS_TEXT, ROWS_EACH},
    [OVNI_AT_STATE] = {"State", ROWS_TEXT, ROWS_EACH},
    [OVNI_AT_CPU] = {"CPU", ROWS_TEXT, ROWS_EACH},
    [OVNI_AT_IN] = {"In", ROWS_TEXT, ROWS_EACH},
};

struct ovni_at {
    ovni_emulator *emulator;
    int64_t moment;
    int64_t last; /* record, ns */
    bool *wanted; /* by row; NULL: rows are not known yet */
    uint32_t rows;
};

ovni_at *ovni_at_new(int64_t moment)
{
    ovni_at *a = g_new0(ovni_at, 1);
    a->emulator = ovni_emulator_new(OVNI_EMULATE_SHOWN);
    a->moment = moment;
    return a;
}

void ovni_at_free(void *at)
{
    ovni_at *a = at;
    if (!a)
        return;
    ovni_emulator_free(a->emulator);
    g_free(a->wanted);
    g_free(a);
}

/* What follows the moment changes nothing. */
void ovni_at_play(ovni_at *a, int64_t now, const ovni_played *p)
{
    a->last = MAX(a->last, now);
    if (now <= a->moment || !ovni_states_is_event(p->context, p->bytes))
        ovni_emulator_play(a->emulator, p);
}

/* Rows are known with the first event. */
bool ovni_at_count(ovni_at *a, uint32_t stream)
{
    const int64_t row = ovni_emulator_row(a->emulator, stream);
    if (row < 0)
        return false;
    if (!a->wanted && ovni_emulator_thread_count(a->emulator)) {
        a->rows = ovni_emulator_thread_count(a->emulator);
        a->wanted = g_new0(bool, a->rows);
    }
    if ((uint64_t)row < a->rows)
        a->wanted[row] = true;
    return true;
}

bool ovni_at_is_late(const ovni_at *a)
{
    return a->moment > a->last;
}

bool ovni_at_known(const ovni_at *a)
{
    return ovni_emulator_thread_count(a->emulator) > 0;
}

static void ovni_at_fill_row(const ovni_emulator *e, uint32_t row, rows *to)
{
    const ovni_emulated_thread *t = ovni_emulator_thread(e, row);
    const char *state = ovni_thread_state_name(t->state);
    const bool shows = state && t->state != OVNI_THREAD_DEAD;
    g_autofree char *cpu = t->cpu < 0 ? g_strdup("-") : ovni_emulator_cpu_name(e, (uint32_t)t->cpu),
                    *states = shows ? ovni_emulator_stacks(e, row) : g_strdup("");
    rows_cell *cells = rows_add(to);
    cells[OVNI_AT_THREAD] = rows_text(to, ovni_emulator_thread_name(e, row));
    cells[OVNI_AT_STATE] = rows_lasting_text(state ? state : "unknown");
    cells[OVNI_AT_CPU] = rows_text(to, cpu);
    cells[OVNI_AT_IN] = rows_text(to, states);
}

void ovni_at_fill(const ovni_at *a, rows *to)
{
    for (uint32_t row = 0; row < a->rows; row++)
        if (a->wanted[row])
            ovni_at_fill_row(a->emulator, row, to);
}

/* --- as a statistic ------------------------------------------------------------------------------------------------------
 */

static const char seconds_word[] = "SECONDS";

bool ovni_at_moment(const statistic_words *words, int64_t *moment)
{
    const char *text = statistic_words_text(words, seconds_word);
    char *end;
    const double seconds = text ? g_ascii_strtod(text, &end) : -1;
    const bool can = seconds >= 0 && seconds <= 1e9 && *end == '\0';
    *moment = can ? (int64_t)(seconds * 1e9 + 0.5) : 0;
    return can;
}

static void *at_begin(const statistic_words *words, const void *how)
{
    (void)how;
    int64_t moment;
    ovni_at_moment(words, &moment);
    return ovni_at_new(moment);
}

static void at_see(void *data, const counted_record *r)
{
    const ovni_played p = ovni_emulator_played(r->tapped);
    ovni_at_play(data, r->time, &p);
}

static bool at_count(void *data, const counted_record *of)
{
    const ovni_tapped *r = of->tapped;
    return r->is_event && ovni_at_count(data, r->context->stream);
}

static void at_fill(void *data, const void *how, rows *to)
{
    (void)how;
    ovni_at_fill(data, to);
}

const counted ovni_at_counted = {.columns = ovni_at_columns,
                                 .column_count = OVNI_AT_COLUMNS,
                                 .words = seconds_word,
                                 .begin = at_begin,
                                 .each_record = at_see,
                                 .count = at_count,
                                 .fill = at_fill,
                                 .free = ovni_at_free};
