/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether bytes look like a Cacheray record. The format has no magic, so these checks are all there is to recognise a
 * trace, and to find back into one that is damaged. Written for speed: framing a sound trace is mostly this function,
 * so it is inlined with the byte order and pointer size of each layout as constants; the offsets are those of
 * layouts.c. */
#ifndef WIRETRACE_CACHERAY_PLAUSIBLE_H
#define WIRETRACE_CACHERAY_PLAUSIBLE_H

#include "cacheray.h"

/* A byte order and a pointer size that are known where these functions are called shall be constants inside of them. */
#define CACHERAY_INLINE static inline __attribute__((always_inline))

/* The first page is never mapped. */
#define CACHERAY_ADDRESS_MIN 0x1000u
/* Small numbers, kernel ids and pthread_self pointers all stay below. */
#define CACHERAY_THREAD_BITS 48
/* No region of one allocation is as large. */
#define CACHERAY_REGION_BITS 40

/* Bytes before a name, or of the whole record of another kind. */
static inline size_t cacheray_fixed_length(uint8_t kind, unsigned pointer)
{
    static const uint8_t after_address[CACHERAY_KINDS] = {10, 10, 21, 9};
    return after_address[kind] + (size_t)pointer;
}

/* Machines of 64 bits have addresses of 48: the upper bits repeat bit 47 (user and kernel half). */
CACHERAY_INLINE bool cacheray_address_passes(uint64_t address, unsigned pointer)
{
    if (pointer == 8 && (address + (UINT64_C(1) << 47)) >> 48)
        return false;
    return address >= CACHERAY_ADDRESS_MIN;
}

CACHERAY_INLINE fault cacheray_judge_access(const cursor *c, size_t at, unsigned pointer)
{
    const uint32_t sizes = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8 | 1u << 16;
    uint64_t address = cursor_uint(c, at + 1, pointer);
    uint8_t size = cursor_u8(c, at + 1 + pointer);
    if (!cacheray_address_passes(address, pointer))
        return FAULT_CACHERAY_ADDRESS;
    if (size > 16 || !(sizes >> size & 1))
        return FAULT_CACHERAY_SIZE;
    if (!(cursor_u8(c, at) & CACHERAY_UNALIGNED) && address & ((size < 8 ? size : 8u) - 1))
        return FAULT_CACHERAY_ALIGNMENT;
    return cursor_u64(c, at + 2 + pointer) >> CACHERAY_THREAD_BITS ? FAULT_CACHERAY_THREAD : FAULT_NONE;
}

CACHERAY_INLINE fault cacheray_judge_annotation(const cursor *c, size_t at, unsigned pointer)
{
    uint8_t tag = cursor_u8(c, at);
    uint64_t address = cursor_uint(c, at + 1, pointer);
    uint8_t kind = tag & CACHERAY_KIND_MASK;
    /* free(NULL) is recorded as it is called */
    if (!cacheray_address_passes(address, pointer) && !(kind == CACHERAY_RTTA_REMOVE && address == 0))
        return FAULT_CACHERAY_ADDRESS;
    if (tag != kind)
        return FAULT_CACHERAY_FLAGS;
    if (cursor_u64(c, at + 1 + pointer) >> CACHERAY_THREAD_BITS)
        return FAULT_CACHERAY_THREAD;
    if (tag == CACHERAY_RTTA_REMOVE)
        return FAULT_NONE;
    uint64_t elem_size = cursor_u32(c, at + 9 + pointer), elem_count = cursor_u32(c, at + 13 + pointer);
    if (elem_size == 0 || (elem_size * elem_count) >> CACHERAY_REGION_BITS)
        return FAULT_CACHERAY_REGION;
    return cursor_u32(c, at + 17 + pointer) == 0 ? FAULT_CACHERAY_NAME : FAULT_NONE;
}

/* The first check that the record at `at` fails; the address comes before all that other runtimes may well do. Its kind
 * must be one of the CACHERAY_KINDS and its fixed part must be within the cursor. The bytes of a name are not looked
 * at. */
CACHERAY_INLINE fault cacheray_judge(const cursor *c, size_t at, unsigned pointer)
{
    bool access = (cursor_u8(c, at) & CACHERAY_KIND_MASK) <= CACHERAY_WRITE;
    return access ? cacheray_judge_access(c, at, pointer) : cacheray_judge_annotation(c, at, pointer);
}

#endif
