/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,balance: the time that each rank or process was running outside MPI. */
#include "containers/hash.h"
#include "dissector/pdu.h"
#include "ovni/context.h"
#include "ovni/statistics-ovni.h"
#include "statistics/report.h"

typedef struct load {
    int64_t running, mpi; /* ns */
} load;

typedef struct balance {
    GHashTable *loads; /* "rank N" or "LOOM process N" -> load */
} balance;

static void *balance_start(const void *unused, const char **arguments)
{
    (void)unused;
    (void)arguments;
    balance *b = g_new0(balance, 1);
    b->loads = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    return b;
}

static void balance_reset(void *data)
{
    g_hash_table_remove_all(((balance *)data)->loads);
}

static load *load_of(balance *b, const packet_info *pinfo, const ovni_record *r)
{
    const ovni_context *c = ovni_context_of(r->context);
    const char *loom = pdu_stream_description(pinfo, r->context);
    char *key = c->known & OVNI_KNOWN_RANK ? g_strdup_printf("rank %d", c->rank)
                                           : g_strdup_printf("%s process %d", loom ? loom : "?", c->process);
    load *l = g_hash_table_lookup(b->loads, key);
    if (!l)
        g_hash_table_insert(b->loads, key, l = g_new0(load, 1));
    else
        g_free(key);
    return l;
}

/* The event that ends the running of a thread, or the outermost MPI function. */
static bool balance_packet(void *data, packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    const call *k = &r->known.region;
    if (!r->has_state || !r->event)
        return false;
    if (r->known.has_left && r->event->channels & OVNI_THREAD_STATE && r->known.left.state & CALL_TIMED) {
        const ovni_event *left = ovni_event_numbered(r->known.previous_function);
        if (!left || g_strcmp0(left->state, "Running") != 0)
            return false;
        load_of(data, pinfo, r)->running += (int64_t)r->known.left.duration;
        return true;
    }
    if (!(r->event->channels & OVNI_FUNCTION) || !ovni_ends_region(r, pinfo) || k->depth)
        return false;
    load_of(data, pinfo, r)->mpi += (int64_t)(k->duration - k->away);
    return true;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    size_t x = strlen(a), y = strlen(b);
    return x != y && g_str_has_prefix(a, "rank ") && g_str_has_prefix(b, "rank ") ? (x > y) - (x < y) : strcmp(a, b);
}

static void balance_write(const void *data, GString *text)
{
    const balance *b = data;
    GList *names = g_list_sort(g_hash_table_get_keys(b->loads), compare_names);
    int64_t most = 0, all = 0;
    g_string_append_printf(text, "%-32s %16s %16s %16s\n", "", "Running (ns)", "MPI (ns)", "Outside (ns)");
    for (const GList *n = names; n; n = n->next) {
        const load *l = g_hash_table_lookup(b->loads, n->data);
        int64_t outside = l->running - l->mpi;
        most = MAX(most, outside);
        all += outside;
        g_string_append_printf(text, "%-32s %16" PRId64 " %16" PRId64 " %16" PRId64 "\n", (const char *)n->data, l->running,
                               l->mpi, outside);
        report_flush(text);
    }
    if (most)
        g_string_append_printf(text, "balance: %.4f\n", (double)all / g_list_length(names) / (double)most);
    g_list_free(names);
}

static void balance_free(void *data)
{
    g_hash_table_destroy(((balance *)data)->loads);
    g_free(data);
}

static const report balance_report = {
    .tap = "ovni",
    .command = "ovni,balance",
    .title = "ovni Balance of Load",
    .start = balance_start,
    .reset = balance_reset,
    .packet = balance_packet,
    .write = balance_write,
    .free = balance_free,
};

void ovni_balance_register(void)
{
    report_register(&balance_report);
}
