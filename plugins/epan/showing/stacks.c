/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/stacks.h"

#include "host/notices.h"
#include "util/math128.h"

typedef enum { FOLD_SELF, FOLD_TIME, FOLD_COUNT } fold_by;

typedef struct stacks {
    const span_source *from;
    stack_tree sums;
    fold_by by;
    bool threads; /* stacks begin with the thread */
    bool active;  /* leave out the time in which the owner was away */
} stacks;

void stacks_append_name(GString *text, const char *name, const char *semicolon)
{
    for (size_t plain; *name; name += plain) {
        plain = strcspn(name, ";");
        g_string_append_len(text, name, (gssize)plain);
        if (name[plain] == ';') {
            g_string_append(text, semicolon);
            plain++;
        }
    }
}

unsigned stacks_append_piece(GString *text, const stack_piece *piece, const shown_name *function)
{
    if (piece->kind == STACKS_LEFT_OUT) {
        g_string_append(text, "...");
        return 0;
    }
    const char *mark = piece->kind == STACKS_UNWOUND_FUNCTION   ? STACKS_UNWOUND
                       : piece->kind == STACKS_PERHAPS_FUNCTION ? STACKS_PERHAPS
                                                                : "";
    stacks_append_name(text, function->text, ",");
    if (*mark)
        g_string_append(text, mark);
    return function->remark + (unsigned)strlen(mark);
}

static unsigned add_functions(const stacks_stack *s, unsigned from, unsigned to, stack_piece *pieces)
{
    for (unsigned i = from; i < to; i++)
        *pieces++ = (stack_piece){STACKS_FUNCTION + (s->marks ? s->marks[i] : CALL_HAS_END), s->functions[i]};
    return to - from;
}

unsigned stacks_pieces(const stacks_stack *s, unsigned most, stack_piece *pieces)
{
    const unsigned n = s->n;
    const bool cut = s->left_out || n > most;
    const unsigned outer = cut ? MIN(n, most) / 2 : n, inner = cut ? n - outer : n;
    unsigned count = add_functions(s, 0, outer, pieces);
    if (cut)
        pieces[count++] = (stack_piece){STACKS_LEFT_OUT, 0};
    return count + add_functions(s, inner, n, pieces + count);
}

unsigned stacks_whole(const span_source *from, stack_tree *t, const void *tapped, const span *s, bool thread,
                      stack_piece pieces[STACKS_PIECES])
{
    const unsigned above = thread ? 1 : 0;
    pieces[0] = from->thread(tapped);
    t->owner = pieces[0].id;
    unsigned n = from->stack(tapped, s, CALLS_STACK_MAX, pieces + above);
    if (n > STACKS_SHORT && n + stack_tree_bytes(t, pieces + above, n, tapped) > STACKS_BYTES)
        n = from->stack(tapped, s, STACKS_SHORT, pieces + above);
    return above + n;
}

static void *stacks_begin(const statistic_words *words, const void *how)
{
    stacks *s = g_new0(stacks, 1);
    s->from = ((const statistic_run *)how)->of->protocol;
    s->by = statistic_words_has(words, "time") ? FOLD_TIME : statistic_words_has(words, "count") ? FOLD_COUNT : FOLD_SELF;
    s->threads = statistic_words_has(words, "threads");
    s->active = statistic_words_has(words, "active");
    stack_tree_init(&s->sums, 1, s->from->name);
    return s;
}

static const char *stacks_unit(const statistic_run *run)
{
    const stacks *s = run->data;
    return s->by == FOLD_COUNT ? s->from->many : s->from->unit;
}

static uint64_t fold_value(const stacks *s, const span *one)
{
    const call *k = &one->call;
    uint64_t away = s->active ? k->away : 0, self_paused = s->active ? k->self_paused : 0;
    switch (s->by) {
    case FOLD_COUNT:
        return span_count(one);
    case FOLD_TIME:
        return k->duration - away;
    default:
        return k->state & CALL_SELF ? k->self - self_paused : 0;
    }
}

static void stacks_add_number(uint64_t *to, const uint64_t *from)
{
    *to = sum_saturated(*to, *from);
}

static bool stacks_count(void *data, const counted_record *r)
{
    stacks *s = data;
    const void *tapped = r->tapped;
    uint64_t before = s->sums.limit.counted;
    stack_piece pieces[STACKS_PIECES];
    span one;
    for (uint32_t i = 0; s->from->span(tapped, i, &one); i++)
        if (one.nests && one.call.state & CALL_TIMED) {
            const unsigned n = stacks_whole(s->from, &s->sums, tapped, &one, s->threads, pieces);
            const uint64_t value = fold_value(s, &one);
            stacks_add_number(stack_tree_of(&s->sums, pieces, n, tapped), &value);
        }
    return s->sums.limit.counted != before;
}

static void stacks_free(void *data)
{
    stack_tree_clear(&((stacks *)data)->sums);
    g_free(data);
}

static void stacks_merge(void *data, const void *other)
{
    stack_tree_merge(&((stacks *)data)->sums, &((const stacks *)other)->sums, stacks_add_number);
}

static void stacks_share(void *data, unsigned share)
{
    limit_share(&((stacks *)data)->sums.limit, share);
}

static bool stacks_full(const void *data)
{
    return ((const stacks *)data)->sums.limit.full;
}

/* --- the statistic ----------------------------------------------------------------------------------------------------- */

static void stacks_write(const statistic_run *run, GString *text)
{
    if (stack_tree_write(&((const stacks *)run->data)->sums, text, statistic_flush))
        notices_say(NOTICE_FAILURE, "%s", STACKS_UNKNOWN_SUMS);
}

static const dialog_field asks[] = {{"Active time only (yes or no):", "no", "active"}, /* for some formats */
                                    {"Values (self, time or count):", "self", "%s"},
                                    {"Each thread on its own (yes or no):", "no", "threads"},
                                    {0}};

#define STACKS_COUNTED(own_words) \
    { \
        .words = (own_words), .begin = stacks_begin, .count = stacks_count, .merge = stacks_merge, .share = stacks_share, \
        .full = stacks_full, .free = stacks_free \
    }
static const counted plain = STACKS_COUNTED("threads, self|count|time"),
                     pausing = STACKS_COUNTED("threads, active, self|count|time");

void stacks_register(const span_source *from)
{
    statistic *s = wmem_new(wmem_epan_scope(), statistic);
    *s = (statistic){
        .tap = from->tap,
        .counts = from->pauses ? &pausing : &plain,
        .command = wmem_strdup_printf(wmem_epan_scope(), "%s,stacks", from->tap),
        .title = wmem_strdup_printf(wmem_epan_scope(), "%s Stacks", from->title),
        .protocol = from,
        .kind = STATISTIC_TEXT,
        .write = stacks_write,
        .unit = stacks_unit,
        .asks = from->pauses ? asks : asks + 1,
    };
    statistic_register(s);
}
