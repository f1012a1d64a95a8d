/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/context.h"
#include "threads.h"

#include <glib.h>

#include "hash.h"
#include "layout.h"
#include "sorted.h"

/* What holds from a record on. */
typedef struct {
    uint32_t frame;
    int32_t cpu;
    uint8_t state;
    bool cpu_known;
    bool unsorted;
} change;

_Static_assert(sizeof(change) == 12, "12 bytes per change");

struct ovni_thread {
    GArray *changes; /* in order of records; when they are not kept, the last one */
    uint32_t process;
    uint32_t losses;
    char *loom;
    bool process_known;
    int32_t pid;
};

struct ovni_threads {
    bool keep;
    GHashTable *streams;   /* number of the stream -> ovni_thread */
    GHashTable *processes; /* "pid loom" -> number of the process */
    GHashTable *threads;   /* "tid pid loom", "tid loom" -> ovni_thread */
    uint32_t process_count;
};

const char *ovni_thread_state_name(uint8_t state)
{
    static const char *const names[OVNI_THREAD_STATES] = {NULL, "running", "paused", "cooling", "warming", "dead"};
    return state < OVNI_THREAD_STATES ? names[state] : NULL;
}

uint64_t ovni_event_clock(const cursor *bytes)
{
    return ovni_clock_at(bytes, 0) ^ UINT64_C(1) << 63;
}

static void free_thread(gpointer p)
{
    ovni_thread *thread = p;
    g_array_free(thread->changes, TRUE);
    g_free(thread->loom);
    g_free(thread);
}

ovni_threads *ovni_threads_new(bool keep)
{
    ovni_threads *t = g_new0(ovni_threads, 1);
    t->keep = keep;
    t->streams = g_hash_table_new_full(NULL, NULL, NULL, free_thread);
    t->processes = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    t->threads = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    return t;
}

void ovni_threads_free(ovni_threads *t)
{
    if (!t)
        return;
    g_hash_table_destroy(t->threads);
    g_hash_table_destroy(t->processes);
    g_hash_table_destroy(t->streams);
    g_free(t);
}

/* --- who is who -------------------------------------------------------------------------------------------------------- */

static char *in_process(int32_t tid, int32_t pid, const char *loom)
{
    return g_strdup_printf("%d %d %s", tid, pid, loom);
}

static char *in_loom(int32_t number, const char *loom)
{
    return g_strdup_printf("%d %s", number, loom);
}

uint32_t ovni_threads_process(ovni_threads *t, const ovni_context *c, const char *loom)
{
    if (!(c->known & OVNI_KNOWN_PROCESS))
        return ++t->process_count; /* shared with nobody */
    char *key = in_loom(c->process, loom ? loom : "");
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(t->processes, key));
    if (number) {
        g_free(key);
        return number;
    }
    number = ++t->process_count;
    g_hash_table_insert(t->processes, key, GUINT_TO_POINTER(number));
    return number;
}

/* The first thread of a name keeps it. */
static void name_thread(ovni_threads *t, char *key, ovni_thread *thread)
{
    if (g_hash_table_contains(t->threads, key))
        g_free(key);
    else
        g_hash_table_insert(t->threads, key, thread);
}

ovni_thread *ovni_threads_find(const ovni_threads *t, uint32_t stream)
{
    return g_hash_table_lookup(t->streams, GUINT_TO_POINTER(stream));
}

ovni_thread *ovni_threads_of(ovni_threads *t, uint32_t stream, const ovni_context *c, const char *loom)
{
    ovni_thread *thread = ovni_threads_find(t, stream);
    if (thread)
        return thread;
    thread = g_new0(ovni_thread, 1);
    thread->changes = g_array_new(FALSE, FALSE, sizeof(change));
    thread->loom = g_strdup(loom ? loom : "");
    thread->process_known = (c->known & OVNI_KNOWN_PROCESS) != 0;
    thread->pid = c->process;
    thread->process = ovni_threads_process(t, c, loom);
    if (c->known & OVNI_KNOWN_THREAD) {
        if (thread->process_known)
            name_thread(t, in_process(c->thread, thread->pid, thread->loom), thread);
        name_thread(t, in_loom(c->thread, thread->loom), thread);
    }
    g_hash_table_insert(t->streams, GUINT_TO_POINTER(stream), thread);
    return thread;
}

uint32_t ovni_thread_process(const ovni_thread *thread)
{
    return thread->process;
}

void ovni_thread_lost(ovni_thread *thread)
{
    thread->losses++;
}

uint32_t ovni_thread_losses(const ovni_thread *thread)
{
    return thread->losses;
}

/* The thread that another one speaks of: of the same process, else of the same loom; NULL if it has not begun. */
static ovni_thread *other_thread(const ovni_threads *t, const ovni_thread *thread, int32_t tid)
{
    ovni_thread *other = NULL;
    if (thread->process_known) {
        char *key = in_process(tid, thread->pid, thread->loom);
        other = g_hash_table_lookup(t->threads, key);
        g_free(key);
    }
    if (!other) {
        char *key = in_loom(tid, thread->loom);
        other = g_hash_table_lookup(t->threads, key);
        g_free(key);
    }
    return other;
}

/* --- states and CPUs --------------------------------------------------------------------------------------------------- */

static const change *last_change(const ovni_thread *thread)
{
    static const change none;
    return thread->changes->len ? &g_array_index(thread->changes, change, thread->changes->len - 1) : &none;
}

static void add_change(const ovni_threads *t, ovni_thread *thread, const change *c)
{
    if (!t->keep)
        g_array_set_size(thread->changes, 0);
    g_array_append_val(thread->changes, *c);
}

static void set_state(const ovni_threads *t, ovni_thread *thread, uint32_t frame, uint8_t state)
{
    change c = *last_change(thread);
    c.frame = frame;
    c.state = state;
    add_change(t, thread, &c);
}

static void set_cpu(const ovni_threads *t, ovni_thread *thread, uint32_t frame, int32_t cpu)
{
    change c = *last_change(thread);
    if (thread->changes->len && c.frame == frame) { /* the same event sets both */
        change *last = &g_array_index(thread->changes, change, thread->changes->len - 1);
        last->cpu = cpu;
        last->cpu_known = true;
        return;
    }
    c.frame = frame;
    c.cpu = cpu;
    c.cpu_known = true;
    add_change(t, thread, &c);
}

static void set_unsorted(const ovni_threads *t, ovni_thread *thread, uint32_t frame, bool unsorted)
{
    change c = *last_change(thread);
    c.frame = frame;
    c.unsorted = unsorted;
    add_change(t, thread, &c);
}

static bool is_sort_region(const ovni_event *event)
{
    return event->mcv[0] == 'O' && event->mcv[1] == 'U' && event->role != OVNI_POINT;
}

static uint8_t state_set(const ovni_event *event)
{
    switch (event->mcv[2]) {
    case 'x':
    case 'r':
        return OVNI_THREAD_RUNNING;
    case 'p':
        return OVNI_THREAD_PAUSED;
    case 'c':
        return OVNI_THREAD_COOLING;
    case 'w':
        return OVNI_THREAD_WARMING;
    case 'e':
        return OVNI_THREAD_DEAD;
    default:
        return OVNI_THREAD_UNKNOWN;
    }
}

void ovni_threads_visit(ovni_threads *t, ovni_thread *thread, uint32_t frame, const ovni_event *event,
                         const cursor *bytes)
{
    if (is_sort_region(event))
        set_unsorted(t, thread, frame, event->role == OVNI_PUSH);
    if (!(event->channels & (OVNI_THREAD_STATE | OVNI_ON_CPU)) || bytes->length < OVNI_EVENT_SIZE)
        return;
    if (event->channels & OVNI_THREAD_STATE)
        set_state(t, thread, frame, state_set(event));
    bool sets_cpu = event->channels & OVNI_ON_CPU || event->mcv[2] == 'x';
    bool other = event->mcv[1] == 'A' && event->mcv[2] == 'r';
    ovni_arguments a;
    ovni_value v, cpu = {0}, tid = {0};
    ovni_arguments_init(&a, event, bytes);
    bool known = sets_cpu && ovni_arguments_next(&a, &cpu) && cpu.id == OVNI_CPU;
    if (known && other) {
        known = ovni_arguments_next(&a, &v) && v.id == OVNI_TID;
        tid = v;
    }
    ovni_thread *whose = known && other ? other_thread(t, thread, (int32_t)tid.number) : thread;
    if (known && whose)
        set_cpu(t, whose, frame, (int32_t)cpu.number);
}

/* The last change at or before a record, or NULL. */
static const change *change_at(const ovni_thread *thread, uint32_t frame)
{
    size_t before = SORTED_COUNT(thread->changes->len, i, g_array_index(thread->changes, change, i).frame <= frame);
    return before ? &g_array_index(thread->changes, change, before - 1) : NULL;
}

void ovni_thread_at(const ovni_thread *thread, uint32_t frame, ovni_thread_now *now)
{
    const change *c = change_at(thread, frame);
    *now = (ovni_thread_now){0};
    if (!c)
        return;
    now->state = c->state;
    now->cpu_known = c->cpu_known;
    now->cpu = c->cpu;
    now->unsorted = c->unsorted;
}
