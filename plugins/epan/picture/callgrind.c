/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile in callgrind's format, for KCachegrind and callgrind_annotate: the cost of functions and of calls between
 * them. See "Callgrind Format Specification" in Valgrind's manual. */
#include "picture/picture.h"

#include "containers/hash.h"
#include "statistics/limit.h"
#include "util/math128.h"

/* Sums by key: "place\nname", and of edges "place\nname\nplace\nname": caller, callee. */
typedef struct sums {
    GHashTable *by_key; /* -> uint64_t[1 + events]: a count, and costs */
    uint64_t kept;      /* bytes */
    counting_limit limit;
} sums;

enum { ENTRY = 120 }; /* bytes of the hash table per key, without the key and its numbers */

typedef struct profile {
    sums functions, edges;
    GHashTable *file_numbers, *name_numbers; /* of names that are written already */
} profile;

/* The keys of what has no room. */
#define OTHERS "\n" TEXT_OTHERS
#define OTHER_EDGES OTHERS "\n" OTHERS

/* What calls the outermost calls. callgrind_annotate and Speedscope take what a function costs from its callers, if it has
 * any. */
static const char outside[] = "(no caller)";

static sums callgrind_sums_begin(void)
{
    return (sums){.by_key = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free), .limit = LIMIT_OF_BYTES};
}

static void *callgrind_start(const picture *p _U_)
{
    profile *f = g_new(profile, 1);
    f->functions = callgrind_sums_begin();
    f->edges = callgrind_sums_begin();
    f->file_numbers = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    f->name_numbers = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    return f;
}

static void callgrind_free(void *data)
{
    profile *f = data;
    g_hash_table_destroy(f->edges.by_key);
    g_hash_table_destroy(f->functions.by_key);
    g_hash_table_destroy(f->name_numbers);
    g_hash_table_destroy(f->file_numbers);
    g_free(f);
}

/* --- adding up --------------------------------------------------------------------------------------------------------- */

static void callgrind_add(picture *p, sums *to, const char *key, const char *otherwise, uint64_t count,
                          const uint64_t more[COST_EVENTS])
{
    const size_t size = (1 + p->events) * sizeof(uint64_t), bytes = strlen(key) + ENTRY + size;
    uint64_t *numbers = g_hash_table_lookup(to->by_key, key);
    to->limit.counted++;
    if (!numbers && limit_allows(&to->limit, to->kept + bytes))
        to->kept += bytes;
    else if (!numbers)
        numbers = g_hash_table_lookup(to->by_key, key = otherwise);
    if (!numbers)
        g_hash_table_insert(to->by_key, g_strdup(key), numbers = g_malloc0(size));
    numbers[0] = sum_saturated(numbers[0], count);
    picture_add(p, numbers + 1, more);
}

static void callgrind_record(picture *p, const record_seen *seen, const void *tapped)
{
    profile *f = p->data;
    span s;
    cost c;
    for (uint32_t i = 0; picture_cost(p, seen, tapped, i, true, &s, &c); i++) {
        if (!c.counts)
            continue;
        const char *own = wmem_strdup_printf(seen->pool, "%s\n%s", c.place ? c.place : "", c.name);
        callgrind_add(p, &f->functions, own, OTHERS, c.counts, c.self);
        if (!c.caller && !p->source->cost)
            c.caller = outside;
        if (c.caller) {
            const char *caller_place = c.caller_place && c.caller != outside ? c.caller_place : "";
            callgrind_add(p, &f->edges, wmem_strdup_printf(seen->pool, "%s\n%s\n%s", caller_place, c.caller, own),
                          OTHER_EDGES, c.counts, c.total);
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
static void callgrind_append_name(GString *text, GHashTable *numbers, const char *name)
{
    unsigned number = GPOINTER_TO_UINT(g_hash_table_lookup(numbers, name));
    g_string_append_printf(text, "=(%u)", number ? number : g_hash_table_size(numbers) + 1);
    if (!number) {
        g_hash_table_insert(numbers, g_strdup(name), GUINT_TO_POINTER(g_hash_table_size(numbers) + 1));
        g_string_append_printf(text, " %s", *name ? name : "???");
    }
    g_string_append_c(text, '\n');
}

static void callgrind_append_function(picture *p, const char *prefix, const char *file, const char *name)
{
    profile *f = p->data;
    g_string_append_printf(p->text, "%s%s", prefix, *prefix ? "fi" : "fl");
    callgrind_append_name(p->text, f->file_numbers, file);
    g_string_append_printf(p->text, "%sfn", prefix);
    callgrind_append_name(p->text, f->name_numbers, name);
}

/* Writes a function with its outgoing edges. A caller need not have ended itself. */
static void callgrind_write_function(picture *p, const char *key, const uint64_t *numbers)
{
    char **part = g_strsplit(key, "\n", 2);
    unsigned line = take_line(p, part[0]);
    callgrind_append_function(p, "", part[0], part[1]);
    append_costs(p, line, numbers + 1);
    g_strfreev(part);
}

static void callgrind_write_edge(picture *p, const char *key, const uint64_t *numbers)
{
    char **part = g_strsplit(key, "\n", 4);
    unsigned from = take_line(p, part[0]), to = take_line(p, part[2]);
    callgrind_append_function(p, "", part[0], part[1]);
    callgrind_append_function(p, "c", part[2], part[3]);
    g_string_append_printf(p->text, "calls=%" PRIu64 " %u\n", numbers[0], to);
    append_costs(p, from, numbers + 1);
    g_strfreev(part);
}

static int callgrind_compare_keys(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b);
}

static void callgrind_write_all(picture *p, const sums *all,
                                void (*write)(picture *p, const char *key, const uint64_t *numbers))
{
    g_autoptr(GList) keys = g_list_sort(g_hash_table_get_keys(all->by_key), callgrind_compare_keys);
    for (const GList *k = keys; k; k = k->next) {
        write(p, k->data, g_hash_table_lookup(all->by_key, k->data));
        picture_flush(p);
    }
}

/* The sum of what the functions themselves cost, as written. */
static uint64_t total_of(picture *p, unsigned event)
{
    uint64_t sum = 0;
    gpointer numbers;
    GHashTableIter all;
    g_hash_table_iter_init(&all, ((const profile *)p->data)->functions.by_key);
    while (g_hash_table_iter_next(&all, NULL, &numbers))
        sum = sum_saturated(sum, picture_shown(p, event, ((const uint64_t *)numbers)[1 + event]));
    p->unknown |= sum == UINT64_MAX;
    return sum;
}

/* Without the totals callgrind_annotate would add up inclusive costs. */
static void callgrind_write_header(picture *p)
{
    GString *words = g_string_new("events:"), *totals = g_string_new("summary:");
    g_string_append(p->text, "# callgrind format\nversion: 1\ncreator: Wiretrace\npositions: line\n");
    for (unsigned e = 0; e < p->events; e++)
        if (has_event(p, e)) {
            g_string_append_printf(p->text, "event: %s : %s\n", picture_event(p, e)->word, picture_event(p, e)->title);
            g_string_append_printf(words, " %s", picture_event(p, e)->word);
            g_string_append_printf(totals, " %" PRIu64, total_of(p, e));
        }
    g_string_append_printf(p->text, "%s\n%s\n\n", words->str, totals->str);
    g_string_free(totals, TRUE);
    g_string_free(words, TRUE);
}

/* Readers refuse a file without an event, which one with nothing to show would be. */
static void ensure_event(picture *p)
{
    bool any = false;
    for (unsigned e = 0; e < p->events; e++)
        any |= has_event(p, e);
    p->seen[0] |= !any;
}

static void callgrind_finish(picture *p)
{
    const profile *f = p->data;
    ensure_event(p);
    callgrind_write_header(p);
    callgrind_write_all(p, &f->functions, callgrind_write_function);
    callgrind_write_all(p, &f->edges, callgrind_write_edge);
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
