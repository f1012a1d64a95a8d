/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile in callgrind's format, for KCachegrind and callgrind_annotate: the cost of functions and of calls between
 * them. See "Callgrind Format Specification" in Valgrind's manual. */
#include "picture.h"

#include "hash.h"

typedef struct spent {
    uint64_t count, cost[COST_EVENTS];
} spent;

/* Keys are "place\nname", and of edges "place\nname\nplace\nname": caller, callee. */
typedef struct profile {
    GHashTable *functions, *edges; /* -> spent */
    uint64_t kept, counted;
    unsigned events;
    bool seen[COST_EVENTS]; /* events without any cost are omitted: they may not have been measured */
} profile;

#define KEPT_MAX (40u << 20)
#define KEPT_PER_COST 16u
#define ENTRY 192u
#define OTHERS "\n(others)"

static void *callgrind_start(const picture *p)
{
    profile *f = g_new0(profile, 1);
    f->functions = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    f->edges = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    while (f->events < COST_EVENTS && p->source->events[f->events].word)
        f->events++;
    return f;
}

static void callgrind_free(void *data)
{
    profile *f = data;
    g_hash_table_destroy(f->edges);
    g_hash_table_destroy(f->functions);
    g_free(f);
}

/* --- adding up --------------------------------------------------------------------------------------------------------- */

static bool has_room(profile *f, const char *key)
{
    uint64_t bytes = strlen(key) + ENTRY;
    if (f->kept + bytes > KEPT_MAX + f->counted * KEPT_PER_COST)
        return false;
    f->kept += bytes;
    return true;
}

static void add(profile *f, GHashTable *sums, const char *key, const char *otherwise, const uint64_t more[COST_EVENTS])
{
    spent *s = g_hash_table_lookup(sums, key);
    if (!s && !has_room(f, key))
        s = g_hash_table_lookup(sums, key = otherwise);
    if (!s)
        g_hash_table_insert(sums, g_strdup(key), s = g_new0(spent, 1));
    s->count++;
    for (unsigned e = 0; e < f->events; e++) {
        s->cost[e] += more[e];
        f->seen[e] = f->seen[e] || more[e];
    }
}

static void callgrind_record(picture *p, packet_info *pinfo, const void *tapped)
{
    profile *f = p->data;
    cost c = {0};
    for (uint32_t i = 0; p->source->cost(p->state, pinfo, tapped, i, &c); i++, c = (cost){0}) {
        if (!c.name)
            continue;
        f->counted++;
        const char *own = wmem_strdup_printf(pinfo->pool, "%s\n%s", c.place ? c.place : "", c.name);
        add(f, f->functions, own, OTHERS, c.self);
        if (c.caller) {
            const char *caller_place = c.caller_place ? c.caller_place : "";
            add(f, f->edges, wmem_strdup_printf(pinfo->pool, "%s\n%s\n%s", caller_place, c.caller, own), OTHERS OTHERS,
                c.total);
        }
    }
}

/* --- writing ----------------------------------------------------------------------------------------------------------- */

/* Splits `file:line`; the line is 0 if there is none. */
static unsigned take_line(char *place)
{
    char *colon = strrchr(place, ':');
    if (!colon)
        return 0;
    *colon = '\0';
    return (unsigned)strtoul(colon + 1, NULL, 10);
}

static void append_costs(picture *p, unsigned line, const spent *s)
{
    const profile *f = p->data;
    g_string_append_printf(p->text, "%u", line);
    for (unsigned e = 0; e < f->events; e++)
        if (f->seen[e])
            g_string_append_printf(p->text, " %" PRIu64, picture_shown(p, e, s->cost[e]));
    g_string_append_c(p->text, '\n');
}

static void append_function(GString *text, const char *prefix, const char *file, const char *name)
{
    g_string_append_printf(text, "%s%s=%s\n%sfn=%s\n", prefix, *prefix ? "fi" : "fl", *file ? file : "???", prefix, name);
}

/* Writes a function with its outgoing edges. A caller need not have ended itself. */
static void write_function(picture *p, const char *key)
{
    const profile *f = p->data;
    char **part = g_strsplit(key, "\n", 2);
    unsigned line = take_line(part[0]);
    append_function(p->text, "", part[0], part[1]);
    append_costs(p, line, g_hash_table_lookup(f->functions, key));
    g_strfreev(part);
}

static void write_edge(picture *p, const char *key)
{
    const profile *f = p->data;
    const spent *s = g_hash_table_lookup(f->edges, key);
    char **part = g_strsplit(key, "\n", 4);
    unsigned from = take_line(part[0]), to = take_line(part[2]);
    append_function(p->text, "", part[0], part[1]);
    append_function(p->text, "c", part[2], part[3]);
    g_string_append_printf(p->text, "calls=%" PRIu64 " %u\n", s->count, to);
    append_costs(p, from, s);
    g_strfreev(part);
}

static int compare_keys(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b);
}

static void write_all(picture *p, GHashTable *sums, void (*write)(picture *p, const char *key))
{
    GList *keys = g_list_sort(g_hash_table_get_keys(sums), compare_keys);
    for (const GList *k = keys; k; k = k->next) {
        write(p, k->data);
        picture_flush(p);
    }
    g_list_free(keys);
}

static void callgrind_finish(picture *p)
{
    const profile *f = p->data;
    g_string_append(p->text, "# callgrind format\nversion: 1\ncreator: Wiretrace\npositions: line\n");
    GString *words = g_string_new("events:");
    for (unsigned e = 0; e < f->events; e++)
        if (f->seen[e]) {
            g_string_append_printf(p->text, "event: %s : %s\n", p->source->events[e].word, p->source->events[e].title);
            g_string_append_printf(words, " %s", p->source->events[e].word);
        }
    g_string_append_printf(p->text, "%s\n\n", words->str);
    g_string_free(words, TRUE);
    write_all(p, f->functions, write_function);
    write_all(p, f->edges, write_edge);
}

const picture_output picture_callgrind = {
    .word = "callgrind",
    .title = "Callgrind Profile",
    .suffix = ".callgrind",
    .start = callgrind_start,
    .record = callgrind_record,
    .finish = callgrind_finish,
    .free = callgrind_free,
};
