/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile in callgrind's format, for KCachegrind and callgrind_annotate: the cost of functions and of calls between
 * them. See "Callgrind Format Specification" in Valgrind's manual. */
#include "picture/picture.h"

#include "containers/hash.h"
#include "statistics/stack_tree.h"
#include "util/math128.h"

/* What a stack of the trees consists of: where a function is, and its name; of an edge those of the caller, then those of
 * the callee. */
enum { PLACE, NAME, CALLEE_PLACE, CALLEE, PARTS };

typedef struct profile {
    stack_tree functions, edges;             /* numbers of a stack: a count, and costs */
    GHashTable *texts;                       /* text of a part -> source_place, of which pieces have the address */
    GHashTable *file_numbers, *name_numbers; /* of names that are written already */
} profile;

/* What calls the outermost calls. callgrind_annotate and Speedscope take what a function costs from its callers, if it has
 * any. */
static const char outside[] = "(no caller)";

static unsigned append_part(const void *data _U_, const stack_piece *piece, GString *name)
{
    g_string_append(name, ((const source_place *)(uintptr_t)piece->id)->text);
    return 0;
}

static void *callgrind_start(const picture *p)
{
    profile *f = g_new0(profile, 1);
    stack_tree_init(&f->functions, 1 + p->events, append_part);
    stack_tree_init(&f->edges, 1 + p->events, append_part);
    f->texts = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    f->file_numbers = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    f->name_numbers = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    return f;
}

static void callgrind_free(void *data)
{
    profile *f = data;
    stack_tree_clear(&f->functions);
    stack_tree_clear(&f->edges);
    g_hash_table_destroy(f->texts);
    g_hash_table_destroy(f->name_numbers);
    g_hash_table_destroy(f->file_numbers);
    g_free(f);
}

/* --- adding up --------------------------------------------------------------------------------------------------------- */

/* False: the text is new, and there is no room. */
static bool set_piece(const profile *f, const stack_tree *to, stack_piece *piece, unsigned part, source_place of)
{
    const source_place *kept = g_hash_table_lookup(f->texts, of.text ? of.text : "");
    if (!kept && to->limit.full)
        return false;
    if (!kept) {
        of.text = g_strdup(of.text ? of.text : "");
        kept = g_memdup2(&of, sizeof of);
        g_hash_table_insert(f->texts, (gpointer)(uintptr_t)of.text, (gpointer)(uintptr_t)kept);
    }
    *piece = (stack_piece){part, (uintptr_t)kept};
    return true;
}

/* A stack of no pieces is that of TEXT_OTHERS. */
static void callgrind_add(picture *p, stack_tree *to, const source_place *parts, unsigned n, uint64_t count,
                          const uint64_t more[COST_EVENTS])
{
    stack_piece pieces[PARTS];
    bool known = true;
    for (unsigned i = 0; i < n && known; i++)
        known = set_piece(p->data, to, &pieces[i], i, parts[i]);
    uint64_t *numbers = stack_tree_of(to, pieces, known ? n : 0, NULL);
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
        if (!c.caller && !p->source->cost)
            c.caller = outside;
        const source_place parts[] = {c.caller_place, {.text = c.caller}, c.place, {.text = c.name}};
        callgrind_add(p, &f->functions, parts + CALLEE_PLACE, PARTS - CALLEE_PLACE, c.counts, c.self);
        if (c.caller)
            callgrind_add(p, &f->edges, parts, PARTS, c.counts, c.total);
    }
}

/* --- writing ----------------------------------------------------------------------------------------------------------- */

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

/* Returns its line. */
static unsigned callgrind_append_function(picture *p, const char *prefix, const char *place, const char *name)
{
    const profile *f = p->data;
    const source_place *at = g_hash_table_lookup(f->texts, place);
    g_autofree char *file = at && at->file ? g_strndup(place, at->file) : g_strdup(place);
    g_string_append_printf(p->text, "%s%s", prefix, *prefix ? "fi" : "fl");
    callgrind_append_name(p->text, f->file_numbers, file);
    g_string_append_printf(p->text, "%sfn", prefix);
    callgrind_append_name(p->text, f->name_numbers, name);
    return at ? at->line : 0;
}

/* A walk through a tree. */
typedef struct visiting {
    picture *picture;
    const char *parts[PARTS];
    unsigned depth;
    bool edges;
    unsigned event;
    uint64_t sum; /* of that event */
} visiting;

/* A function, or one with an outgoing edge: a caller need not have ended itself. */
static void callgrind_write(picture *p, const char *const *parts, bool edge, const uint64_t *numbers)
{
    const unsigned line = callgrind_append_function(p, "", parts[PLACE], parts[NAME]);
    if (edge) {
        const unsigned to = callgrind_append_function(p, "c", parts[CALLEE_PLACE], parts[CALLEE]);
        g_string_append_printf(p->text, "calls=%" PRIu64 " %u\n", numbers[0], to);
    }
    append_costs(p, line, numbers + 1);
    picture_flush(p);
}

static void enter_part(void *data, shown_name name, const uint64_t *numbers, bool first _U_)
{
    static const char *const others[PARTS] = {"", TEXT_OTHERS, "", TEXT_OTHERS};
    visiting *v = data;
    v->parts[v->depth++] = name.text;
    if (numbers)
        callgrind_write(v->picture, v->depth == 1 ? others : v->parts, v->edges, numbers);
}

static void leave_part(void *data, shown_name name _U_)
{
    ((visiting *)data)->depth--;
}

static void callgrind_write_all(picture *p, const stack_tree *all, bool edges)
{
    static const stack_tree_visitor visitor = {enter_part, leave_part};
    visiting v = {.picture = p, .edges = edges};
    stack_tree_visit(all, &visitor, &v);
}

static void add_to_total(void *data, shown_name name _U_, const uint64_t *numbers, bool first _U_)
{
    visiting *v = data;
    if (numbers)
        v->sum = sum_saturated(v->sum, picture_shown(v->picture, v->event, numbers[1 + v->event]));
}

static void pass_part(void *data _U_, shown_name name _U_)
{
}

/* The sum of what the functions themselves cost, as written. */
static uint64_t total_of(picture *p, unsigned event)
{
    static const stack_tree_visitor visitor = {add_to_total, pass_part};
    visiting v = {.picture = p, .event = event};
    stack_tree_visit(&((const profile *)p->data)->functions, &visitor, &v);
    p->unknown |= v.sum == UINT64_MAX;
    return v.sum;
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
    callgrind_write_all(p, &f->functions, false);
    callgrind_write_all(p, &f->edges, true);
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
