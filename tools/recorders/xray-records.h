/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What XRay calls: a record for each call and event, and for the first one of a library its line in the list of objects. */
#ifndef WIRETRACE_XRAY_RECORDS_H
#define WIRETRACE_XRAY_RECORDS_H

#include <dlfcn.h>

#include "xray-ring.h"

/* --- libraries --------------------------------------------------------------------------------------------------- */
#ifdef DLFO_EH_SEGMENT_TYPE
extern int _dl_find_object(void *, struct dl_find_object *) __attribute__((weak)); /* since glibc 2.35; it takes no lock */

/* The first record of a library, whose code is at `at`: its line, while it is loaded. */
PLAIN void library_seen(unsigned number, const void *at)
{
    static struct text t; /* too large for a stack */
    static bool used;
    struct dl_find_object found;
    if (!_dl_find_object || __atomic_test_and_set(&used, __ATOMIC_ACQUIRE))
        return;
    if (!recording->seen[number] && _dl_find_object((void *)at, &found) == 0) {
        const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)found.dlfo_map_start;
        char path[PATH_MAX + 1] = "";
        const char *name = found.dlfo_link_map->l_name;
        t.length = 0;
        name += strncmp(name, "./", 2) == 0 ? 2 : 0;
        if (*name != '/' && syscall(SYS_getcwd, path, sizeof path) > 0)
            path[strlen(path)] = '/';
        copy(path + strlen(path), name, strnlen(name, PATH_MAX - strlen(path)));
        text_object(&t, number, found.dlfo_link_map->l_addr, (const ElfW(Phdr) *)((const char *)head + head->e_phoff),
                    head->e_phnum, path);
        if (t.length < LINE_MAX_BYTES)
            copy(recording->lines[number], t.bytes, t.length + 1);
        recording->seen[number] = true;
    }
    __atomic_clear(&used, __ATOMIC_RELEASE);
}
#else
PLAIN void library_seen(unsigned number, const void *at)
{
    (void)number, (void)at;
}
#endif

/* --- records ----------------------------------------------------------------------------------------------------- */
/* A record that is being written. */
struct writing {
    struct buffer *buffer;
    char *at;
    uint64_t now;
};

PLAIN inline struct buffer *record_buffer(struct writing *w, int32_t *cpu)
{
    struct buffer *b;
    if (__builtin_expect(self.busy, 0))
        buffer_take(self.buffer, true);
    self.busy = true;
    do { /* what interrupts this comes before it in time */
        b = __atomic_load_n(&self.buffer, __ATOMIC_RELAXED);
        w->now = ticks(cpu);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (b != __atomic_load_n(&self.buffer, __ATOMIC_RELAXED));
    return b;
}

PLAIN void record_cpu(struct writing *w, int32_t cpu)
{
    put_metadata(w->at, NEW_CPU, (uint64_t)cpu, 2);
    put(w->at + 3, w->now, 8);
    w->at += METADATA;
    w->buffer->cpu = cpu, w->buffer->last = w->now, w->buffer->open = 0;
}

/* Returns whether there is room for a record of so many bytes in the buffer of the thread. */
PLAIN inline bool record_begin(struct writing *w, size_t size)
{
    int32_t cpu;
    struct buffer *b = record_buffer(w, &cpu);
    if (__builtin_expect(!b || b->used + METADATA + size > b->room, 0))
        b = PREAMBLE + METADATA + size > buffer_size ? NULL : buffer_take(b, false);
    if (__builtin_expect(!b, 0)) {
        __atomic_fetch_add(PREAMBLE + METADATA + size > buffer_size ? &recording->too_large : &recording->lost, 1,
                           __ATOMIC_RELAXED);
        self.busy = false;
        return false;
    }
    w->buffer = b;
    w->at = b->data + b->used;
    if (__builtin_expect(cpu != b->cpu || w->now - b->last > INT32_MAX, 0))
        record_cpu(w, cpu);
    return true;
}

PLAIN inline void record_end(struct writing *w)
{
    struct buffer *b = w->buffer;
    b->last = w->now;
    __atomic_store_n(&b->used, (uint32_t)(w->at - b->data), __ATOMIC_RELEASE);
    if (__builtin_expect(!b->begin, 0))
        __atomic_store_n(&b->begin, w->now, __ATOMIC_RELEASE);
    self.busy = false;
    if (__builtin_expect(b != __atomic_load_n(&self.buffer, __ATOMIC_RELAXED), 0))
        buffer_release(b);
}

/* Takes back the entry of a call that was too short. */
PLAIN void record_undo(struct writing *w)
{
    uint32_t since;
    w->at -= 8;
    __builtin_memcpy(&since, w->at + 4, sizeof since);
    w->buffer->open--;
    __atomic_store_n(&w->buffer->undone, w->buffer->undone + 1, __ATOMIC_RELEASE);
    w->now = w->buffer->last - since; /* of the record before it */
    record_end(w);
}

PLAIN inline void put_call(struct writing *w, int32_t function, unsigned kind)
{
    const uint32_t head = (uint32_t)function << 4 | kind << 1;
    put(w->at, head | (w->now - w->buffer->last) << 32, 8);
    w->at += 8;
}

PLAIN inline void record_call(int32_t function, unsigned kind, const uint64_t *argument, const void *from)
{
    const unsigned library = (uint32_t)function >> 24;
    struct writing w;
    if (!record_begin(&w, argument ? 8 + METADATA : 8))
        return;
    if (__builtin_expect(library && !recording->seen[library], 0))
        library_seen(library, from);
    if (threshold && (kind == EXIT || kind == TAIL)) {
        if (w.buffer->open && w.now - w.buffer->last < threshold) {
            record_undo(&w);
            return;
        }
        w.buffer->open = 0;
    }
    put_call(&w, function, kind);
    if (argument) {
        put_metadata(w.at, ARGUMENT, *argument, 8);
        w.at += METADATA;
    }
    if (threshold && kind != EXIT && kind != TAIL)
        w.buffer->open = argument ? 0 : w.buffer->open + 1;
    record_end(&w);
}

PLAIN void record_event(int kind, unsigned type, const void *bytes, size_t size)
{
    struct writing w;
    if (size > buffer_size)
        size = buffer_size; /* does not fit either */
    if (!record_begin(&w, METADATA + size))
        return;
    put_metadata(w.at, kind, size, 4);
    put(w.at + 5, w.now - w.buffer->last, 4);
    put(w.at + 9, type, 2);
    copy(w.at + METADATA, (const char *)bytes, size);
    w.at += METADATA + size;
    w.buffer->open = 0;
    record_end(&w);
}

/* What XRay calls. */
PLAIN void on_call(int32_t function, int kind)
{
    record_call(function, kind == ENTER_ARGUMENT ? ENTER : (unsigned)kind, NULL, __builtin_return_address(0));
}

PLAIN void on_argument(int32_t function, int kind, uint64_t argument)
{
    const bool enters = kind == ENTER || kind == ENTER_ARGUMENT;
    record_call(function, enters ? ENTER_ARGUMENT : (unsigned)kind, enters ? &argument : NULL, __builtin_return_address(0));
}

PLAIN void on_event(void *bytes, size_t size)
{
    record_event(CUSTOM, 0, bytes, size);
}

PLAIN void on_typed_event(size_t type, const void *bytes, size_t size)
{
    record_event(TYPED, (unsigned)type, bytes, size);
}

#endif
