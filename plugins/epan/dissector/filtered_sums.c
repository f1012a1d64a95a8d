/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/filtered_sums.h"

#include "dissector/record_fields.h"
#include "dissector/record_filters.h"

/* Of one thread. */
typedef struct filtered {
    const listener *of;
    const protocol *protocol;
    dfilter_t *filter; /* which has registers of its own */
    record_filters *filters;
    void *sums;
} filtered;

/* --- which filters ----------------------------------------------------------------------------------------------------- */

typedef struct known_to_threads {
    const protocol *protocol;
    bool analyses;
} known_to_threads;

/* They have numbers of records in their stream only, and no times. */
static bool is_known(void *data, const header_field_info *field)
{
    const known_to_threads *k = data;
    const bool ours = (unsigned)field->id - tree_first_info < tree_info_count;
    return ours && field->type != FT_FRAMENUM && !(tree_field_marks(field->id) & TREE_IS_ORDERED) &&
           (k->analyses || record_fields_are_plain(k->protocol, field->id));
}

bool filtered_sums_known(const listener *l, const protocol *p, bool analyses)
{
    return shortcuts_filter_fields(l->filter, is_known, &(known_to_threads){p, analyses});
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static void *filtered_begin(const void *data, unsigned share)
{
    const listener *l = data;
    filtered *f = g_new0(filtered, 1);
    g_autoptr(GPtrArray) one = g_ptr_array_new();
    f->of = l;
    f->protocol = l->filtered_for;
    f->filter = record_filters_compile(dfilter_text(l->filter));
    g_ptr_array_add(one, f->filter);
    f->filters = record_filters_new(one);
    f->sums = l->threads.how->begin(l->threads.data, share);
    return f;
}

static bool filtered_record(void *data, const counted_record *r)
{
    const filtered *f = data;
    record_filters_see(f->filters, f->protocol, record_fields_counted());
    return !record_filters_pass(f->filters, f->filter) || f->of->threads.how->record(f->sums, r);
}

static void filtered_end(void *data, const void *tapped)
{
    const filtered *f = data;
    f->of->threads.how->end(f->sums, tapped);
}

static void filtered_take(void *data, const void *sums)
{
    const listener *l = data;
    l->threads.how->take(l->threads.data, ((const filtered *)sums)->sums);
}

static void filtered_free(void *data)
{
    filtered *f = data;
    f->of->threads.how->free(f->sums);
    record_filters_free(f->filters);
    dfilter_free(f->filter);
    g_free(f);
}

parallel_listener filtered_sums(listener *l, const protocol *p)
{
    const parallel_sums *how = l->threads.how;
    l->filtered_for = p;
    l->filtered = (parallel_sums){.begin = filtered_begin,
                                  .record = filtered_record,
                                  .end = how->end ? filtered_end : NULL,
                                  .numbered = true,
                                  .final = how->final,
                                  .take = filtered_take,
                                  .free = filtered_free};
    return (parallel_listener){.how = &l->filtered, .data = l};
}
