/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis/idle_time.h"

#include <glib.h>

#include "containers/frame_store.h"
#include "containers/hash.h"

typedef struct idle_thread {
    uint64_t thread;
    int64_t time; /* of its latest record, ns */
} idle_thread;

struct idle {
    GHashTable *threads;   /* idle_thread.thread -> idle_thread */
    idle_thread *last[16]; /* asked for last, by the lower bits of their numbers; NULL: none yet */
    bool keep;
    frames kept;        /* of uint32_t: 0: none, KEPT_LONG: in `longer`, else ns + 1 */
    GHashTable *longer; /* record -> uint64_t */
};

#define KEPT_LONG UINT32_MAX

idle *idle_new(bool keep)
{
    idle *i = g_new0(idle, 1);
    i->threads = g_hash_table_new_full(hash_number, g_int64_equal, NULL, g_free);
    i->longer = g_hash_table_new_full(hash_pointer, NULL, NULL, g_free);
    i->keep = keep;
    frames_init(&i->kept, sizeof(uint32_t));
    return i;
}

void idle_free(idle *i)
{
    if (!i)
        return;
    g_hash_table_destroy(i->threads);
    g_hash_table_destroy(i->longer);
    frames_clear(&i->kept);
    g_free(i);
}

/* A read filter gives the number of a record that it drops to the next one, so there may be an earlier result. */
static void idle_time_keep(idle *i, uint32_t record, bool known, uint64_t ns)
{
    bool fits = ns < KEPT_LONG - 1;
    if (!i->keep)
        return;
    frames_keep_number(&i->kept, record, !known ? 0 : fits ? (uint32_t)ns + 1 : KEPT_LONG);
    if (known && !fits)
        g_hash_table_insert(i->longer, GUINT_TO_POINTER(record), g_memdup2(&ns, sizeof ns));
}

/* NULL: this is its first record, and it has been added. */
static idle_thread *idle_time_thread_of(idle *i, uint64_t thread, int64_t time)
{
    idle_thread **last = &i->last[thread % G_N_ELEMENTS(i->last)], *t = *last;
    if (t && t->thread == thread)
        return t;
    t = *last = g_hash_table_lookup(i->threads, &thread);
    if (t)
        return t;
    t = *last = g_new(idle_thread, 1);
    *t = (idle_thread){thread, time};
    g_hash_table_insert(i->threads, &t->thread, t);
    return NULL;
}

bool idle_visit(idle *i, uint32_t record, uint64_t thread, int64_t time, uint64_t *ns)
{
    idle_thread *t = idle_time_thread_of(i, thread, time);
    bool known = t && time >= t->time;
    *ns = known ? (uint64_t)time - (uint64_t)t->time : 0;
    if (t)
        t->time = time;
    idle_time_keep(i, record, known, *ns);
    return known;
}

bool idle_find(const idle *i, uint32_t record, uint64_t *ns)
{
    uint32_t kept = frames_number(&i->kept, record);
    const uint64_t *longer = kept == KEPT_LONG ? g_hash_table_lookup(i->longer, GUINT_TO_POINTER(record)) : NULL;
    *ns = longer ? *longer : (uint64_t)kept - 1;
    return kept != 0;
}
