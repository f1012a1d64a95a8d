/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flame graph as a single HTML page that loads nothing: the stacks with their costs, and what draws them (page/). */
#include "picture/picture.h"

#include "statistics/stack_tree.h"

#include "util/json_text.h"

#include <string.h>

/* The page is in the plugin, with a NUL after it. */
__asm__(".pushsection .rodata\n.global page_html\n.hidden page_html\npage_html:\n.incbin \"" PICTURE_PAGE
        "/flame.html\"\n.byte 0\n.popsection");
extern const char page_html[];

#define DATA "@data@"

/* Sums of folded stacks, with a column for each cost of the source. */
static void *flame_start(const picture *p)
{
    stack_tree *stacks = g_new(stack_tree, 1);
    stack_tree_init(stacks, p->events, p->source->spans->name);
    return stacks;
}

static void flame_free(void *data)
{
    stack_tree_clear(data);
    g_free(data);
}

static void flame_record(picture *p, const record_seen *seen, const void *tapped)
{
    stack_piece pieces[STACKS_PIECES];
    span s;
    cost c;
    for (uint32_t i = 0; picture_cost(p, seen, tapped, i, false, &s, &c); i++) {
        if (!c.counts)
            continue;
        const unsigned n = stacks_whole(p->source->spans, p->data, tapped, &s, p->threads, pieces);
        picture_add(p, stack_tree_of(p->data, pieces, n, tapped), c.self);
    }
}

/* --- the stacks as a tree: [name, [values], [children], label]
 * ------------------------------------------------------------- */

typedef struct drawing {
    picture *picture;
    uint64_t before[COST_EVENTS]; /* sums of the nodes that are drawn already */
} drawing;

/* The cost of a node, so that rounding does not add up: all nodes together are the rounded sum. */
static uint64_t rounded(drawing *d, unsigned event, uint64_t more)
{
    picture *p = d->picture;
    const bool fits = more < UINT64_MAX - d->before[event];
    if (!fits) /* all nodes together do not fit: a new sum begins */
        d->before[event] = 0;
    const uint64_t before = picture_shown(p, event, d->before[event]);
    d->before[event] += more;
    return picture_shown(p, event, d->before[event]) - before;
}

static void draw_enter(void *data, shown_name name, const uint64_t *costs, bool first)
{
    drawing *d = data;
    const picture *p = d->picture;
    GString *text = p->text;
    g_string_append(text, first ? "\n[" : ",\n[");
    json_text_append(text, name.text);
    g_string_append(text, ",[");
    for (unsigned n = 0, e = 0; e < p->events; e++)
        if (p->seen[e])
            g_string_append_printf(text, "%s%" PRIu64, n++ ? "," : "", costs ? rounded(d, e, costs[e]) : 0);
    g_string_append(text, "],[");
}

static void draw_leave(void *data, shown_name name)
{
    const drawing *d = data;
    const picture_source *s = d->picture->source;
    g_autofree char *label = s->label ? s->label(&name) : NULL;
    g_string_append(d->picture->text, "]");
    if (label && strcmp(label, name.text) != 0) {
        g_string_append(d->picture->text, ",");
        json_text_append(d->picture->text, label);
    }
    g_string_append(d->picture->text, "]");
    picture_flush(d->picture);
}

static void write_tree(picture *p)
{
    static const stack_tree_visitor visitor = {draw_enter, draw_leave};
    drawing d = {.picture = p};
    stack_tree_visit(p->data, &visitor, &d);
}

/* --- the page ---------------------------------------------------------------------------------------------------------- */

static void write_texts(picture *p, const char *const *texts, unsigned n)
{
    g_string_append_c(p->text, '[');
    for (unsigned i = 0; i < n && texts[i]; i++) {
        g_string_append(p->text, i ? "," : "");
        json_text_append(p->text, texts[i]);
    }
    g_string_append_c(p->text, ']');
}

static void write_data(picture *p)
{
    const picture_source *s = p->source;
    const char *titles[COST_EVENTS] = {0};
    for (unsigned n = 0, e = 0; e < p->events; e++)
        if (p->seen[e])
            titles[n++] = picture_event(p, e)->title;
    g_string_append(p->text, "{\"title\":");
    json_text_append(p->text, s->spans->title);
    g_string_append_printf(p->text, ",\n\"above\":%d,\n\"events\":", p->threads);
    write_texts(p, titles, COST_EVENTS);
    for (unsigned i = 0; s->filters[i].begins; i++) {
        g_string_append(p->text, i ? ",\n[" : ",\n\"filters\":[[");
        json_text_append(p->text, s->filters[i].begins);
        g_string_append_c(p->text, ',');
        write_texts(p, s->filters[i].depths, G_N_ELEMENTS(s->filters[i].depths));
        g_string_append_c(p->text, ']');
    }
    g_string_append(p->text, "],\n\"stacks\":[");
    write_tree(p);
    g_string_append(p->text, "]}");
}

static void flame_finish(picture *p)
{
    const char *at = strstr(page_html, DATA);
    g_string_append_len(p->text, page_html, at - page_html);
    write_data(p);
    g_string_append(p->text, at + strlen(DATA));
}

const picture_output picture_flame = {
    .word = "flame",
    .title = "Flame Graph",
    .suffix = ".html",
    .browsed = true,
    .ask = {"Each thread on its own (yes or no):", "no", "threads"},
    .start = flame_start,
    .record = flame_record,
    .finish = flame_finish,
    .free = flame_free,
};
