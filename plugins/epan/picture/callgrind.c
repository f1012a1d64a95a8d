/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile in callgrind's format, for KCachegrind and callgrind_annotate: the cost of functions and of calls between
 * them. See "Callgrind Format Specification" in Valgrind's manual. */
#include "picture/picture.h"

#include "containers/hash.h"
#include "statistics/sums.h"

/* Keys are "place\nname", and of edges "place\nname\nplace\nname": caller, callee. The numbers are a count, and costs. */
typedef struct profile {
    sums functions, edges;
    GHashTable *file_numbers, *name_numbers; /* of names that are written already */
} profile;

/* The keys of what has no room. */
#define OTHERS "\n" SUMS_OTHERS
#define OTHER_EDGES OTHERS "\n" OTHERS

/* What calls the outermost calls. callgrind_annotate and Speedscope take what a function costs from its callers, if it has any. */
static const char outside[] = "(no caller)";

static void *callgrind_start(const picture *p)
{
    profile *f = g_new(profile, 1);
    sums_init(&f->functions, 1 + p->events);
    sums_init(&f->edges, 1 + p->events);
    f->file_numbers = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    f->name_numbers = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    return f;
}

static void callgrind_free(void *data)
{
    profile *f = data;
    sums_clear(&f->edges);
    sums_clear(&f->functions);
    g_hash_table_destroy(f->name_numbers);
    g_hash_table_destroy(f->file_numbers);
    g_free(f);
}

/* --- adding up --------------------------------------------------------------------------------------------------------- */

static void add(picture *p, sums *to, const char *key, const char *otherwise, const uint64_t more[COST_EVENTS])
{
    uint64_t *numbers = sums_of(to, key, otherwise);
    numbers[0]++;
    picture_add(p, numbers + 1, more);
}

static void callgrind_record(picture *p, packet_info *pinfo, const void *tapped)
{
    profile *f = p->data;
    cost c = {0};
    for (uint32_t i = 0; p->source->cost(p->state, pinfo, tapped, i, &c); i++, c = (cost){0}) {
        if (!c.name)
            continue;
        const char *own = wmem_strdup_printf(pinfo->pool, "%s\n%s", c.place ? c.place : "", c.name);
        add(p, &f->functions, own, OTHERS, c.self);
        if (!c.caller && p->source->callers)
            c.caller = outside;
        if (c.caller) {
            const char *caller_place = c.caller_place && c.caller != outside ? c.caller_place : "";
            add(p, &f->edges, wmem_strdup_printf(pinfo->pool, "%s\n%s\n%s", caller_place, c.caller, own), OTHER_EDGES,
                c.total);
        }
    }
}

/* --- writing ----------------------------------------------------------------------------------------------------------- */

/* Splits `file:line`; the line is 0 if there is none. Types with a namespace have colons too. */
static unsigned take_line(const picture *p, char *place)
{
    char *colon = p->source->lines ? strrchr(place, ':') : NULL;
    if (!colon)
        return 0;
    *colon = '\0';
    return (unsigned)strtoul(colon + 1, NULL, 10);
}

/* Readers add up what a function costs from its own costs and those of its calls, which an event must therefore have. */
static bool has_event(const picture *p, unsigned event)
{
    return p->seen[event] && !p->source->events[event].plain;
}

static void append_costs(picture *p, unsigned line, const uint64_t *costs)
{
    g_string_append_printf(p->text, "%u", line);
    for (unsigned e = 0; e < p->events; e++)
        if (has_event(p, e))
            g_string_append_printf(p->text, " %" PRIu64, picture_shown(p, e, costs[e]));
    g_string_append_c(p->text, '\n');
}

/* A name has a number in brackets, with which alone it is written later. So no name can be taken for a number. */
static void append_name(GString *text, GHashTable *numbers, const char *name)
{
    unsigned number = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, name));
    g_string_append_printf(text, "=(%u)", number ? number : g_hash_table_size(numbers) + 1);
    if (!number) {
        g_hash_table_insert(numbers, g_strdup(name), GUINT_TO_POINTER(g_hash_table_size(numbers) + 1));
        g_string_append_printf(text, " %s", *name ? name : "???");
    }
    g_string_append_c(text, '\n');
}

static void append_function(picture *p, const char *prefix, const char *file, const char *name)
{
    profile *f = p->data;
    g_string_append_printf(p->text, "%s%s", prefix, *prefix ? "fi" : "fl");
    append_name(p->text, f->file_numbers, file);
    g_string_append_printf(p->text, "%sfn", prefix);
    append_name(p->text, f->name_numbers, name);
}

/* Writes a function with its outgoing edges. A caller need not have ended itself. */
static void write_function(picture *p, const char *key)
{
    const profile *f = p->data;
    char **part = g_strsplit(key, "\n", 2);
    unsigned line = take_line(p, part[0]);
    append_function(p, "", part[0], part[1]);
    append_costs(p, line, sums_look(&f->functions, key) + 1);
    g_strfreev(part);
}

static void write_edge(picture *p, const char *key)
{
    const profile *f = p->data;
    const uint64_t *numbers = sums_look(&f->edges, key);
    char **part = g_strsplit(key, "\n", 4);
    unsigned from = take_line(p, part[0]), to = take_line(p, part[2]);
    append_function(p, "", part[0], part[1]);
    append_function(p, "c", part[2], part[3]);
    g_string_append_printf(p->text, "calls=%" PRIu64 " %u\n", numbers[0], to);
    append_costs(p, from, numbers + 1);
    g_strfreev(part);
}

static void write_all(picture *p, const sums *all, void (*write)(picture *p, const char *key))
{
    GList *keys = sums_keys(all, NULL);
    for (const GList *k = keys; k; k = k->next) {
        write(p, k->data);
        picture_flush(p);
    }
    g_list_free(keys);
}

/* The sum of what the functions themselves cost, as written. */
static uint64_t total_of(const picture *p, const GList *functions, unsigned event)
{
    uint64_t sum = 0;
    for (const GList *k = functions; k; k = k->next)
        sum += picture_shown(p, event, sums_look(&((const profile *)p->data)->functions, k->data)[1 + event]);
    return sum;
}

/* Without the totals callgrind_annotate would add up inclusive costs. */
static void write_header(picture *p)
{
    GString *words = g_string_new("events:"), *totals = g_string_new("summary:");
    GList *functions = sums_keys(&((const profile *)p->data)->functions, NULL);
    g_string_append(p->text, "# callgrind format\nversion: 1\ncreator: Wiretrace\npositions: line\n");
    for (unsigned e = 0; e < p->events; e++)
        if (has_event(p, e)) {
            g_string_append_printf(p->text, "event: %s : %s\n", p->source->events[e].word, p->source->events[e].title);
            g_string_append_printf(words, " %s", p->source->events[e].word);
            g_string_append_printf(totals, " %" PRIu64, total_of(p, functions, e));
        }
    g_string_append_printf(p->text, "%s\n%s\n\n", words->str, totals->str);
    g_list_free(functions);
    g_string_free(totals, TRUE);
    g_string_free(words, TRUE);
}

static void callgrind_finish(picture *p)
{
    const profile *f = p->data;
    write_header(p);
    write_all(p, &f->functions, write_function);
    write_all(p, &f->edges, write_edge);
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
