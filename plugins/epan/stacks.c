/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks.h"

#include "sums.h"

typedef enum { FOLD_TIME, FOLD_SELF, FOLD_COUNT } fold_by;

typedef struct stacks {
    const stacks_protocol *protocol;
    sums sums; /* of folded stacks */
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

void stacks_append(wmem_strbuf_t *text, const uint32_t *functions, unsigned n, uint32_t left_out, stacks_name name)
{
    char buffer[TEXT_PAIR];
    for (unsigned i = 0; i < n; i++) {
        if (i)
            wmem_strbuf_append_c(text, ';');
        if (i == CALLS_STACK_OUTER && left_out)
            wmem_strbuf_append(text, "...;");
        stacks_append_name(text, name(functions[i], buffer, sizeof buffer), ",");
    }
}

static void *stacks_start(const void *protocol, const char **arguments)
{
    stacks *s = g_new0(stacks, 1);
    s->protocol = protocol;
    sums_init(&s->sums, 1);
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
    sums_reset(&((stacks *)data)->sums);
}

static uint64_t fold_value(const stacks *s, const call *k)
{
    uint64_t away = s->active ? k->away : 0, self_away = s->active ? k->self_away : 0;
    switch (s->by) {
    case FOLD_COUNT:
        return 1;
    case FOLD_SELF:
        return k->state & CALL_SELF ? k->self - self_away : 0;
    default:
        return k->duration - away;
    }
}

static const char *fold(const stacks *s, packet_info *pinfo, const void *tapped, uint32_t i)
{
    wmem_strbuf_t *text = wmem_strbuf_new(pinfo->pool, NULL);
    if (s->threads) {
        s->protocol->append_thread(text, tapped);
        wmem_strbuf_append_c(text, ';');
    }
    s->protocol->append_stack(text, tapped, i);
    return wmem_strbuf_get_str(text);
}

static bool stacks_packet(void *data, packet_info *pinfo, const void *tapped)
{
    stacks *s = data;
    uint64_t before = s->sums.counted;
    call k;
    for (uint32_t i = 0; s->protocol->ended(tapped, pinfo, i, &k); i++)
        if (k.state & CALL_TIMED)
            *sums_of(&s->sums, fold(s, pinfo, tapped, i), SUMS_OTHERS) += fold_value(s, &k);
    return s->sums.counted != before;
}

static void stacks_write(const void *data, GString *text)
{
    const stacks *s = data;
    GList *keys = sums_keys(&s->sums, NULL);
    for (const GList *k = keys; k; k = k->next) {
        g_string_append_printf(text, "%s %" PRIu64 "\n", (const char *)k->data, *sums_look(&s->sums, k->data));
        report_flush(text);
    }
    g_list_free(keys);
}

static void stacks_free(void *data)
{
    sums_clear(&((stacks *)data)->sums);
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
