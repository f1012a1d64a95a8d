/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/context.h"
#include "ovni/threads.h"

#include <glib.h>

#include "containers/hash.h"
#include "ovni/events/layout.h"
#include "containers/binary_search.h"

/* The state of a thread from this frame on. */
typedef struct {
    uint64_t clock;
    uint32_t frame;
    ovni_thread_now now;
} change;

_Static_assert(sizeof(change) <= 24, "24 bytes per change, fewer where numbers of 64 bits are aligned to 4");

/* When the state of a thread changed, and how many ns it had been running by then. */
typedef struct {
    uint64_t clock, ran;
} turn;

/* How many changes per thread are enough for events in sort regions if not all are kept. */
enum { PAST = 256 };

typedef struct {
    uint32_t stream;
    ovni_thread *thread; /* NULL: none yet */
} stream_thread;

enum { LAST_THREADS = 64 };

struct ovni_threads {
    bool keep;
    GHashTable *streams;   /* stream number -> ovni_thread */
    GHashTable *processes; /* "pid loom" -> process number */
    GHashTable *threads;   /* "tid pid loom" and "tid loom" -> ovni_thread */
    uint32_t process_count;
    stream_thread *last; /* those found last, by the lower bits of their numbers */
};

const char *ovni_thread_state_name(uint8_t state)
{
    static const char *const names[OVNI_THREAD_STATES] = {NULL, "running", "paused", "dead", "cooling", "warming"};
    return state < OVNI_THREAD_STATES ? names[state] : NULL;
}

uint64_t ovni_event_clock(const cursor *bytes)
{
    return (uint64_t)ovni_clock_at(bytes, 0) ^ UINT64_C(1) << 63;
}

static void ovni_threads_free_thread(gpointer p)
{
    ovni_thread *thread = p;
    g_array_free(thread->changes, TRUE);
    if (thread->turns)
        g_array_free(thread->turns, TRUE);
    g_free(thread->loom);
    g_free(thread);
}

ovni_threads *ovni_threads_new(bool keep)
{
    ovni_threads *t = g_new0(ovni_threads, 1);
    t->keep = keep;
    t->last = g_new0(stream_thread, LAST_THREADS);
    t->streams = g_hash_table_new_full(NULL, NULL, NULL, ovni_threads_free_thread);
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
    g_free(t->last);
    g_free(t);
}

/* --- identities -------------------------------------------------------------------------------------------------------- */

/* Keys: a process or thread in a loom, and a thread in a process. */
static char *ovni_threads_in_loom(int32_t number, const char *loom)
{
    return g_strdup_printf("%d %s", number, loom);
}

static char *in_process(int32_t tid, int32_t pid, const char *loom)
{
    return g_strdup_printf("%d %d %s", tid, pid, loom);
}

uint32_t ovni_threads_process(ovni_threads *t, const ovni_context *c, const char *loom)
{
    if (!(c->known & OVNI_KNOWN_PROCESS))
        return ++t->process_count; /* not shared with any other thread */
    g_autofree char *key = ovni_threads_in_loom(c->process, loom ? loom : "");
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(t->processes, key));
    if (!number) {
        number = ++t->process_count;
        g_hash_table_insert(t->processes, g_steal_pointer(&key), GUINT_TO_POINTER(number));
    }
    return number;
}

/* If several threads have the same key, the first one keeps it. */
static void name_thread(ovni_threads *t, char *key, ovni_thread *thread)
{
    if (g_hash_table_contains(t->threads, key))
        g_free(key);
    else
        g_hash_table_insert(t->threads, key, thread);
}

ovni_thread *ovni_threads_find(const ovni_threads *t, uint32_t stream)
{
    stream_thread *last = &t->last[stream % LAST_THREADS];
    if (!last->thread || last->stream != stream)
        *last = (stream_thread){stream, g_hash_table_lookup(t->streams, GUINT_TO_POINTER(stream))};
    return last->thread;
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
    thread->offset = c->clock_offset;
    thread->process = ovni_threads_process(t, c, loom);
    if (c->known & OVNI_KNOWN_THREAD) {
        if (thread->process_known)
            name_thread(t, in_process(c->thread, thread->pid, thread->loom), thread);
        name_thread(t, ovni_threads_in_loom(c->thread, thread->loom), thread);
    }
    g_hash_table_insert(t->streams, GUINT_TO_POINTER(stream), thread);
    return thread;
}

/* The thread that an event of another thread refers to: in the same process, or else in the same loom. NULL if it is
 * unknown. */
static ovni_thread *other_thread(const ovni_threads *t, const ovni_thread *thread, int32_t tid)
{
    g_autofree char *near = in_process(tid, thread->pid, thread->loom), *far = ovni_threads_in_loom(tid, thread->loom);
    ovni_thread *other = thread->process_known ? g_hash_table_lookup(t->threads, near) : NULL;
    return other ? other : g_hash_table_lookup(t->threads, far);
}

/* --- states and CPUs --------------------------------------------------------------------------------------------------- */

/* The change at a frame, to be modified; a new one is a copy of the one before. */
static ovni_thread_now *change_at(const ovni_threads *t, ovni_thread *thread, uint32_t frame, uint64_t clock)
{
    GArray *all = thread->changes;
    change c = {.frame = 0};
    if (all->len)
        c = g_array_index(all, change, all->len - 1);
    if (c.frame != frame) {
        c.frame = frame;
        c.clock = clock;
        if (!t->keep && all->len == 2 * PAST)
            g_array_remove_range(all, 0, PAST);
        g_array_append_val(all, c);
    }
    return &g_array_index(all, change, all->len - 1).now;
}

static bool is_sort_region(const ovni_event *event)
{
    return event->mcv[0] == 'O' && event->mcv[1] == 'U' && event->role != OVNI_POINT;
}

uint8_t ovni_thread_state_after(const ovni_event *event)
{
    static const uint8_t states[128] = {
        ['x'] = OVNI_THREAD_RUNNING, ['r'] = OVNI_THREAD_RUNNING, ['p'] = OVNI_THREAD_PAUSED,
        ['c'] = OVNI_THREAD_COOLING, ['w'] = OVNI_THREAD_WARMING, ['e'] = OVNI_THREAD_DEAD,
    };
    return states[event->mcv[2] & 0x7f];
}

/* The time up to `clock` that counts, ns. */
static uint64_t ovni_threads_time_at(const ovni_thread *thread, ovni_track track, uint64_t clock)
{
    const bool counts = ovni_thread_state_counts(thread->state, track);
    return thread->time[track] + (counts && clock > thread->since ? clock - thread->since : 0);
}

static void note_turn(ovni_thread *thread, turn t)
{
    if (thread->turns->len == 2 * PAST) {
        g_array_remove_range(thread->turns, 0, PAST);
        thread->turns_from = g_array_index(thread->turns, turn, 0).clock;
    }
    g_array_append_val(thread->turns, t);
}

/* To be called before the state changes. Turns are noted from the second one on, as most threads of very many have one. */
static void count_until(ovni_thread *thread, uint64_t clock)
{
    const turn before = {thread->since, thread->time[OVNI_TRACK_RUNNING]};
    for (ovni_track track = OVNI_TRACK_RUNNING; track < OVNI_TRACKS; track++)
        thread->time[track] = ovni_threads_time_at(thread, track, clock);
    thread->since = clock;
    if (!thread->turns && thread->state) {
        thread->turns = g_array_new(FALSE, FALSE, sizeof(turn));
        note_turn(thread, before);
    }
    if (thread->turns)
        note_turn(thread, (turn){clock, thread->time[OVNI_TRACK_RUNNING]});
}

uint64_t ovni_thread_paused(const ovni_thread *thread, ovni_track track, uint64_t clock)
{
    return track == OVNI_TRACK_ANY ? 0 : clock - ovni_threads_time_at(thread, track, clock);
}

uint64_t ovni_thread_end(const ovni_thread *thread, ovni_track track, uint64_t clock)
{
    return track != OVNI_TRACK_ANY && thread->state == OVNI_THREAD_DEAD ? thread->since : clock;
}

void ovni_threads_visit(ovni_threads *t, ovni_thread *thread, uint32_t frame, const ovni_event *event, const cursor *bytes)
{
    bool region = is_sort_region(event);
    if ((!region && !(event->channels & (OVNI_THREAD_STATE | OVNI_ON_CPU))) || bytes->length < OVNI_EVENT_SIZE)
        return;
    uint64_t clock = ovni_event_clock(bytes);
    if (region)
        change_at(t, thread, frame, clock)->unsorted = event->role == OVNI_PUSH;
    if (event->channels & OVNI_THREAD_STATE) {
        change_at(t, thread, frame, clock)->state = ovni_thread_state_after(event);
        count_until(thread, clock);
        thread->state = ovni_thread_state_after(event);
    }
    bool sets_cpu = event->channels & OVNI_ON_CPU || event->mcv[2] == 'x';
    bool other = event->mcv[1] == 'A' && event->mcv[2] == 'r';
    ovni_arguments a;
    ovni_value cpu, tid = {0};
    ovni_arguments_init(&a, event, bytes);
    if (!sets_cpu || !ovni_arguments_next(&a, &cpu) || cpu.id != OVNI_CPU ||
        (other && (!ovni_arguments_next(&a, &tid) || tid.id != OVNI_TID)))
        return;
    ovni_thread *whose = other ? other_thread(t, thread, (int32_t)tid.number) : thread;
    if (whose) {
        ovni_thread_now *now = change_at(t, whose, frame, clock);
        now->cpu = (int32_t)cpu.number;
        now->cpu_known = true;
    }
}

static const change *change_number(const ovni_thread *thread, size_t i)
{
    return &g_array_index(thread->changes, change, i);
}

/* Looks back until the clock, but not past where it went back. */
uint64_t ovni_thread_ran(const ovni_thread *thread, uint64_t clock)
{
    if (!thread->turns || clock >= thread->since)
        return ovni_threads_time_at(thread, OVNI_TRACK_RUNNING, clock);
    const turn *turns = (const turn *)(void *)thread->turns->data;
    guint next = thread->turns->len;
    for (next--; next && turns[next - 1].clock > clock && turns[next - 1].clock <= turns[next].clock;)
        next--;
    const turn *last = &turns[next ? next - 1 : 0];
    return last->ran + MIN(clock - MIN(last->clock, clock), turns[next].ran - last->ran);
}

/* The state at an earlier clock, from the first `before` changes. */
static ovni_thread_now past(const ovni_thread *thread, size_t before, uint64_t clock)
{
    size_t until = BINARY_SEARCH(before, i, change_number(thread, i)->clock <= clock);
    ovni_thread_now then = until ? change_number(thread, until - 1)->now : (ovni_thread_now){0};
    then.unsorted = true;
    return then;
}

ovni_thread_now ovni_thread_at(const ovni_thread *thread, uint32_t frame, uint64_t clock)
{
    size_t before = BINARY_SEARCH(thread->changes->len, i, change_number(thread, i)->frame <= frame);
    if (!before)
        return (ovni_thread_now){0};
    const change *last = change_number(thread, before - 1);
    return last->now.unsorted && clock < last->clock ? past(thread, before, clock) : last->now;
}
