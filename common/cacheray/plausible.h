/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks whether bytes look like a Cacheray record. The format has no magic number, so detection and resynchronisation
 * depend on these checks alone. Written for speed: reading a valid trace is mostly this function, so it is inlined, with the
 * pointer size as a constant if it is known. */
#ifndef WIRETRACE_CACHERAY_PLAUSIBLE_H
#define WIRETRACE_CACHERAY_PLAUSIBLE_H

#include "cacheray/layouts.h"

/* The first page is never mapped. */
#define CACHERAY_ADDRESS_MIN 0x1000u
/* Small numbers, kernel thread ids and pthread_self() pointers are all below 2^48. */
#define CACHERAY_THREAD_BITS 48
/* No single allocation is as large as 2^40 bytes. */
#define CACHERAY_REGION_BITS 40

/* On 64-bit machines addresses have 48 bits: the upper bits repeat bit 47 (user and kernel half). */
CACHERAY_INLINE bool cacheray_address_passes(uint64_t address, unsigned pointer)
{
    if (pointer == 8 && (address + (UINT64_C(1) << 47)) >> 48)
        return false;
    return address >= CACHERAY_ADDRESS_MIN;
}

/* What is checked of an access in addition to its address. */
CACHERAY_INLINE fault cacheray_check_rest(const cursor *c, size_t at, uint64_t address, unsigned pointer)
{
    const uint32_t sizes = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8 | 1u << 16;
    uint8_t size = (uint8_t)cacheray_value(c, at, CACHERAY_READ, CACHERAY_FIELD_SIZE, pointer);
    if (size > 16 || !(sizes >> size & 1))
        return FAULT_CACHERAY_SIZE;
    if (!(cursor_u8(c, at) & CACHERAY_UNALIGNED) && address & ((size < 8 ? size : 8u) - 1))
        return FAULT_CACHERAY_ALIGNMENT;
    uint64_t thread = cacheray_value(c, at, CACHERAY_READ, CACHERAY_FIELD_THREAD, pointer);
    return thread >> CACHERAY_THREAD_BITS ? FAULT_CACHERAY_THREAD : FAULT_NONE;
}

/* Returns whether this access did not happen: its thread was stopped between taking the place for the record and writing its
 * size, which comes last. Its address and thread may not be written either. Takes what cacheray_check_record() takes. */
static inline bool cacheray_access_missing(const cursor *c, size_t at, uint8_t kind, unsigned pointer)
{
    if (kind > CACHERAY_WRITE || cacheray_value(c, at, CACHERAY_READ, CACHERAY_FIELD_SIZE, pointer) != 0)
        return false;
    uint64_t address = cacheray_address(c, at, pointer);
    return (address == 0 || cacheray_address_passes(address, pointer)) &&
           !(cacheray_value(c, at, CACHERAY_READ, CACHERAY_FIELD_THREAD, pointer) >> CACHERAY_THREAD_BITS);
}

/* How many zeros begin at `at`. This many are not a record, but a place that was not written. */
CACHERAY_INLINE size_t cacheray_zeros_min(unsigned pointer)
{
    return cacheray_fixed_length(CACHERAY_RTTA_REMOVE, pointer);
}

static inline size_t cacheray_zeros(const cursor *c, size_t at)
{
    size_t end = at;
    while (end < c->length && c->data[end] == 0)
        end++;
    return end - at;
}

CACHERAY_INLINE fault cacheray_check_access(const cursor *c, size_t at, unsigned pointer)
{
    uint64_t address = cacheray_address(c, at, pointer);
    if (!cacheray_address_passes(address, pointer))
        return FAULT_CACHERAY_ADDRESS;
    return cacheray_check_rest(c, at, address, pointer);
}

/* Returns whether this is an access to the first page, as through a null pointer, and otherwise passes. Takes what
 * cacheray_check_record() takes. */
static inline bool cacheray_access_low(const cursor *c, size_t at, uint8_t kind, unsigned pointer)
{
    const uint64_t address = cacheray_address(c, at, pointer);
    return kind <= CACHERAY_WRITE && address < CACHERAY_ADDRESS_MIN && !cacheray_check_rest(c, at, address, pointer);
}

CACHERAY_INLINE fault cacheray_check_annotation(const cursor *c, size_t at, unsigned pointer)
{
    uint8_t tag = cursor_u8(c, at);
    uint64_t address = cacheray_address(c, at, pointer);
    uint8_t kind = tag & CACHERAY_KIND_MASK;
    /* free(NULL) is recorded as a remove */
    if (!cacheray_address_passes(address, pointer) && !(kind == CACHERAY_RTTA_REMOVE && address == 0))
        return FAULT_CACHERAY_ADDRESS;
    if (tag != kind)
        return FAULT_CACHERAY_FLAGS;
    if (cacheray_value(c, at, CACHERAY_RTTA_REMOVE, CACHERAY_FIELD_THREAD, pointer) >> CACHERAY_THREAD_BITS)
        return FAULT_CACHERAY_THREAD;
    if (tag == CACHERAY_RTTA_REMOVE)
        return FAULT_NONE;
    uint64_t elem_size = cacheray_value(c, at, CACHERAY_RTTA_ADD, CACHERAY_FIELD_ELEM_SIZE, pointer);
    uint64_t elem_count = cacheray_value(c, at, CACHERAY_RTTA_ADD, CACHERAY_FIELD_ELEM_COUNT, pointer);
    uint64_t name_length = cacheray_value(c, at, CACHERAY_RTTA_ADD, CACHERAY_FIELD_NAME_LENGTH, pointer);
    if (elem_size == 0 || (elem_size * elem_count) >> CACHERAY_REGION_BITS)
        return FAULT_CACHERAY_REGION;
    return name_length == 0 ? FAULT_CACHERAY_NAME : FAULT_NONE;
}

/* The first check that the record at `at` fails; the address is checked before everything that other runtimes might
 * legitimately do differently. Its kind must be one of CACHERAY_KINDS, and its fixed part must be within the cursor. A
 * type name is not examined. */
CACHERAY_INLINE fault cacheray_check(const cursor *c, size_t at, unsigned pointer)
{
    bool access = (cursor_u8(c, at) & CACHERAY_KIND_MASK) <= CACHERAY_WRITE;
    return access ? cacheray_check_access(c, at, pointer) : cacheray_check_annotation(c, at, pointer);
}

/* The same if the pointer size is not known at compile time. Also sets *length as cacheray_length() does. */
static inline fault cacheray_check_record(const cursor *c, size_t at, uint8_t kind, unsigned pointer, uint64_t *length)
{
    *length = cacheray_length(c, at, kind, pointer);
    return pointer == 8 ? cacheray_check(c, at, 8) : cacheray_check(c, at, 4);
}

#endif
