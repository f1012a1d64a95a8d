/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a Cacheray trace (docs/formats/cacheray.md): accesses, beginnings and ends of named regions. */
#ifndef WIRETRACE_CACHERAY_RECORDS_H
#define WIRETRACE_CACHERAY_RECORDS_H

#include "places.h"

enum { READ = 0, WRITE = 1, ADD = 2, REMOVE = 3, ATOMIC = 0x40, UNALIGNED = 0x80 };

/* Records, in the byte order of the machine. */
struct access_record {
    uint8_t tag;
    uintptr_t address;
    uint8_t size;
    uint64_t thread;
} __attribute__((packed));
struct remove_record {
    uint8_t tag;
    uintptr_t address;
    uint64_t thread;
} __attribute__((packed));
struct add_record {
    uint8_t tag;
    uintptr_t address;
    uint64_t thread;
    uint32_t element_size, element_count, length;
    char name[];
} __attribute__((packed));

static unsigned frames_named = 1; /* callers of an allocation */
static uint64_t threads, annotations, annotation_bytes;
static __thread uint64_t number; /* of the thread, from 1; 0: none yet */

/* --- accesses ------------------------------------------------------------------------------------------------------ */

static uint64_t own_number(void)
{
    if (!number)
        number = ADD_TO(threads, 1) + 1;
    return number - 1;
}

/* The last store makes it a record: before that it has size 0, which is not an access. */
static inline struct access_record *put_access(uint8_t tag, uintptr_t address, unsigned size)
{
    struct access_record *r = (struct access_record *)place(sizeof *r);
    if (!r)
        return NULL;
    r->tag = tag;
    r->address = address;
    r->thread = number ? number - 1 : own_number();
    LOOP;
    r->size = (uint8_t)size;
    return r;
}

/* What a compiler takes to be aligned may not be, such as a cast pointer to bytes. */
static inline void note(uint8_t tag, const volatile void *address, unsigned size)
{
    put_access(tag | ((uintptr_t)address % (size < 8 ? size : 8) ? UNALIGNED : 0), (uintptr_t)address, size);
}

/* Largest pieces at `address` of a range: aligned, and at most 16 bytes. */
static unsigned piece(uintptr_t address, size_t left)
{
    unsigned n = 16;
    while (n > left || address % (n < 8 ? n : 8))
        n /= 2;
    return n;
}

static void put_range(uint8_t tag, uintptr_t address, size_t size)
{
    for (unsigned n; size > 0; address += n, size -= n)
        put_access(tag, address, n = piece(address, size));
}

/* gcc has no other call for an unaligned access. */
static void note_range(uint8_t tag, const volatile void *address, size_t size)
{
    if (size && size <= 16 && !(size & (size - 1)))
        put_access(tag | (piece((uintptr_t)address, size) < size ? UNALIGNED : 0), (uintptr_t)address, (unsigned)size);
    else
        put_range(tag, (uintptr_t)address, size);
}

/* --- regions ------------------------------------------------------------------------------------------------------- */

static uint8_t *place_annotation(size_t bytes)
{
    uint8_t *at = place(bytes);
    if (at) {
        ADD_TO(annotations, 1);
        ADD_TO(annotation_bytes, bytes);
    }
    return at;
}

/* Records have 32 bits for each: a larger region has fewer, larger elements, and is rounded up. */
static void fit_elements(size_t *size, size_t *count)
{
    for (; *size > UINT32_MAX; *size = *size / 2 + *size % 2)
        *count *= 2;
    for (; *count > UINT32_MAX; *count = *count / 2 + *count % 2)
        *size *= 2;
}

struct part {
    const char *text;
    size_t length;
};

/* The name is all parts, one after the other. The tag is stored last. */
static void put_add(uintptr_t address, size_t size, size_t count, const struct part *parts, unsigned part_count)
{
    size_t length = 0;
    for (unsigned i = 0; i < part_count; i++)
        length += parts[i].length;
    struct add_record *r = (struct add_record *)place_annotation(sizeof *r + length);
    if (!r)
        return;
    fit_elements(&size, &count);
    char *at = r->name;
    for (unsigned i = 0; i < part_count; at += parts[i++].length)
        copy_bytes(at, parts[i].text, parts[i].length);
    r->address = address;
    r->thread = own_number();
    r->element_size = size ? (uint32_t)size : 1;
    r->element_count = (uint32_t)count;
    r->length = (uint32_t)length;
    LOOP;
    r->tag = ADD;
}

static struct remove_record *put_remove(uintptr_t address)
{
    struct remove_record *r = (struct remove_record *)place_annotation(sizeof *r);
    if (!r)
        return NULL;
    r->address = address;
    r->thread = own_number();
    LOOP;
    r->tag = REMOVE;
    return r;
}

/* "malloc in fill+0x1c < main+0x30" */
static void put_allocation(const char *what, uintptr_t caller, uintptr_t stack, uintptr_t address, size_t size, size_t count)
{
    const struct frame *frames[FRAMES_MOST];
    struct part parts[2 + 2 * FRAMES_MOST] = {{what, strlen(what)}, {" ", 1}};
    const unsigned named = find_callers(frames, frames_named, caller, stack);
    unsigned n = 2;
    for (unsigned i = 0; i < named; i++) {
        const size_t skipped = i > 0 && frames[i]->text[0] == 'i' ? 3 : 0; /* "in " is written once */
        if (i > 0)
            parts[n++] = (struct part){" < ", 3};
        parts[n++] = (struct part){frames[i]->text + skipped, frames[i]->length - skipped};
    }
    put_add(address, size, count, parts, named ? n : 1);
}

#endif
