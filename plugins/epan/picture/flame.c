/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flame graph as a single HTML page that loads nothing: the stacks with their costs, and the libraries that draw them
 * (page/). */
#include "picture.h"

#include "sums.h"

#include "json_text.h"

/* Includes a file in the plugin, with a NUL after it. */
#define EMBED(name, file) \
    __asm__(".pushsection .rodata\n.global " #name "\n.hidden " #name "\n" #name ":\n.incbin \"" PICTURE_PAGE "/" file \
            "\"\n.byte 0\n.popsection"); \
    extern const char name[]

EMBED(page_html, "flame.html");
EMBED(page_d3, "d3.min.js");
EMBED(page_flamegraph, "d3-flamegraph.min.js");

/* Sums of folded stacks, with a column for each cost of the source. */
static void *flame_start(const picture *p)
{
    sums *stacks = g_new(sums, 1);
    sums_init(stacks, p->events);
    return stacks;
}

static void flame_free(void *data)
{
    sums_clear(data);
    g_free(data);
}

static void flame_record(picture *p, packet_info *pinfo, const void *tapped)
{
    cost c = {0};
    for (uint32_t i = 0; p->source->cost(p->state, pinfo, tapped, i, &c); i++, c = (cost){0}) {
        if (!c.name)
            continue;
        wmem_strbuf_t *text = wmem_strbuf_new(pinfo->pool, NULL);
        if (p->threads) {
            p->source->stacks->append_thread(text, tapped);
            wmem_strbuf_append_c(text, ';');
        }
        p->source->stacks->append_stack(text, tapped, i);
        picture_add(p, sums_of(p->data, wmem_strbuf_get_str(text), SUMS_OTHERS), c.self);
    }
}

/* --- the stacks as a tree: [name, [values], [children]] ---------------------------------------------------------------- */

/* Puts the stacks inside a stack directly after it: ';' comes before all characters of names. */
static int compare_stacks(gconstpointer a, gconstpointer b)
{
    const unsigned char *x = a, *y = b;
    while (*x && *x == *y)
        x++, y++;
    int left = *x == ';' ? 1 : *x > 0 ? *x + 1 : 0, right = *y == ';' ? 1 : *y > 0 ? *y + 1 : 0;
    return left - right;
}

/* How many names two stacks have in common at the beginning. */
static guint common_names(char **a, char **b)
{
    guint n = 0;
    while (a && a[n] && b[n] && strcmp(a[n], b[n]) == 0)
        n++;
    return n;
}

/* Begins a node; its values are those of the stack that ends with it, if there is one. */
static void open_node(picture *p, const char *name, bool first, const uint64_t *costs)
{
    GString *text = p->text;
    g_string_append(text, first ? "\n[" : ",\n[");
    json_text_append(text, name);
    g_string_append(text, ",[");
    for (unsigned n = 0, e = 0; e < p->events; e++)
        if (p->seen[e])
            g_string_append_printf(text, "%s%" PRIu64, n++ ? "," : "", costs ? picture_shown(p, e, costs[e]) : 0);
    g_string_append(text, "],[");
}

static void write_tree(picture *p)
{
    GList *keys = sums_keys(p->data, compare_stacks);
    char **before = NULL;
    bool first = true; /* among its siblings */
    for (const GList *k = keys; k; k = k->next) {
        char **names = g_strsplit(k->data, ";", -1);
        guint n = common_names(before, names), depth = before ? g_strv_length(before) : 0;
        first = first || depth == n;
        for (; depth > n; depth--, first = false)
            g_string_append(p->text, "]]");
        for (; names[n]; n++, first = true)
            open_node(p, names[n], first, names[n + 1] ? NULL : sums_look(p->data, k->data));
        first = false;
        g_strfreev(before);
        before = names;
        picture_flush(p);
    }
    for (guint depth = before ? g_strv_length(before) : 0; depth > 0; depth--)
        g_string_append(p->text, "]]");
    g_strfreev(before);
    g_list_free(keys);
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
            titles[n++] = s->events[e].title;
    g_string_append(p->text, "{\"title\":");
    json_text_append(p->text, s->title);
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

/* Writes the page with `@data` and other placeholders filled in. */
static void flame_finish(picture *p)
{
    const char *rest = page_html;
    for (const char *at; (at = strchr(rest, '@')); rest = at) {
        g_string_append_len(p->text, rest, at - rest);
        if (g_str_has_prefix(at, "@d3@"))
            g_string_append(p->text, page_d3), at += strlen("@d3@");
        else if (g_str_has_prefix(at, "@flamegraph@"))
            g_string_append(p->text, page_flamegraph), at += strlen("@flamegraph@");
        else if (g_str_has_prefix(at, "@data@"))
            write_data(p), at += strlen("@data@");
        else
            g_string_append_c(p->text, *at++);
    }
    g_string_append(p->text, rest);
}

const picture_output picture_flame = {
    .word = "flame",
    .title = "Flame Graph",
    .suffix = ".html",
    .browsed = true,
    .start = flame_start,
    .record = flame_record,
    .finish = flame_finish,
    .free = flame_free,
};
