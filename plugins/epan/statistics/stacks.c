/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/stacks.h"

#include "statistics/stack_tree.h"

typedef enum { FOLD_TIME, FOLD_SELF, FOLD_COUNT } fold_by;

typedef struct stacks {
    const stacks_protocol *protocol;
    stack_tree sums;
    fold_by by;
    bool threads; /* stacks begin with the thread */
    bool active;  /* leave out the time in which the owner was away */
} stacks;

void stacks_append_name(wmem_strbuf_t *text, const char *name, const char *semicolon)
{
    for (size_t plain; *name; name += plain) {
        plain = strcspn(name, ";");
        wmem_strbuf_append_len(text, name, plain);
        if (name[plain] == ';') {
            wmem_strbuf_append(text, semicolon);
            plain++;
        }
    }
}

void stacks_append(wmem_strbuf_t *text, const stacks_stack *s, unsigned most, stacks_name name)
{
    const unsigned n = s->n;
    char buffer[TEXT_PAIR];
    const size_t before = wmem_strbuf_get_len(text);
    const bool cut = s->left_out || n > most;
    const unsigned outer = cut ? MIN(n, most) / 2 : n, inner = cut ? n - outer : n;
    for (unsigned i = 0; i < n; i = i + 1 == outer && cut ? inner : i + 1) {
        if (i)
            wmem_strbuf_append_c(text, ';');
        if (i == inner && cut)
            wmem_strbuf_append(text, "...;");
        stacks_append_name(text, name(s->functions[i], buffer, sizeof buffer), ",");
        if (s->unwound && s->unwound[i])
            wmem_strbuf_append(text, STACKS_UNWOUND);
    }
    if (most > STACKS_SHORT && n > STACKS_SHORT && wmem_strbuf_get_len(text) - before > STACKS_BYTES) {
        wmem_strbuf_truncate(text, before);
        stacks_append(text, s, STACKS_SHORT, name);
    }
}

static void *stacks_start(const void *protocol, const char **arguments)
{
    stacks *s = g_new0(stacks, 1);
    s->protocol = protocol;
    stack_tree_init(&s->sums, 1);
    for (bool taken = true; taken;) {
        taken = true;
        if (report_take_word(arguments, "threads"))
            s->threads = true;
        else if (s->protocol->active && report_take_word(arguments, "active"))
            s->active = true;
        else if (report_take_word(arguments, "self"))
            s->by = FOLD_SELF;
        else if (report_take_word(arguments, "count"))
            s->by = FOLD_COUNT;
        else
            taken = report_take_word(arguments, "time");
    }
    return s;
}

static const char *stacks_unit(const void *data)
{
    const stacks *s = data;
    return s->by == FOLD_COUNT ? s->protocol->calls : s->protocol->unit;
}

static void stacks_reset(void *data)
{
    stack_tree_reset(&((stacks *)data)->sums);
}

static uint64_t fold_value(const stacks *s, const call *k)
{
    uint64_t away = s->active ? k->away : 0, self_paused = s->active ? k->self_paused : 0;
    switch (s->by) {
    case FOLD_COUNT:
        return 1;
    case FOLD_SELF:
        return k->state & CALL_SELF ? k->self - self_paused : 0;
    default:
        return k->duration - away;
    }
}

static char *fold(const stacks *s, packet_info *pinfo, const void *tapped, uint32_t i)
{
    wmem_strbuf_t *text = wmem_strbuf_new(pinfo->pool, NULL);
    if (s->threads) {
        s->protocol->append_thread(text, tapped);
        wmem_strbuf_append_c(text, ';');
    }
    s->protocol->append_stack(text, tapped, i, CALLS_STACK_MAX);
    return wmem_strbuf_finalize(text);
}

static bool stacks_packet(void *data, packet_info *pinfo, const void *tapped)
{
    stacks *s = data;
    uint64_t before = s->sums.counted;
    call k;
    for (uint32_t i = 0; s->protocol->ended(tapped, pinfo, i, &k); i++)
        if (k.state & CALL_TIMED)
            *stack_tree_of(&s->sums, fold(s, pinfo, tapped, i)) += fold_value(s, &k);
    return s->sums.counted != before;
}

typedef struct writing {
    GString *text, *stack;
} writing;

static void write_enter(void *data, const char *name, const uint64_t *numbers, bool first)
{
    (void)first;
    const writing *w = data;
    if (w->stack->len)
        g_string_append_c(w->stack, ';');
    g_string_append(w->stack, name);
    if (numbers)
        g_string_append_printf(w->text, "%s %" PRIu64 "\n", w->stack->str, numbers[0]);
    report_flush(w->text);
}

static void write_leave(void *data, const char *name)
{
    const writing *w = data;
    const gsize length = strlen(name);
    g_string_truncate(w->stack, w->stack->len > length ? w->stack->len - length - 1 : 0);
}

static void stacks_write(const void *data, GString *text)
{
    static const stack_tree_visitor visitor = {write_enter, write_leave};
    writing w = {text, g_string_new(NULL)};
    stack_tree_visit(&((const stacks *)data)->sums, &visitor, &w);
    g_string_free(w.stack, TRUE);
}

static void stacks_free(void *data)
{
    stack_tree_clear(&((stacks *)data)->sums);
    g_free(data);
}

void stacks_register(report *r, const stacks_protocol *p)
{
    *r = (report){
        .tap = p->tap,
        .command = p->command,
        .title = p->title,
        .words = p->active ? "By time, self or count; active; threads:" : "By time, self or count; threads:",
        .typed = "time",
        .protocol = p,
        .start = stacks_start,
        .unit = stacks_unit,
        .reset = stacks_reset,
        .packet = stacks_packet,
        .write = stacks_write,
        .free = stacks_free,
    };
    report_register(r);
}
