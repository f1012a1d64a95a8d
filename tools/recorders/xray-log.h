/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log of what is in the ring: it can be written at any moment, while threads record. */
#ifndef WIRETRACE_XRAY_LOG_H
#define WIRETRACE_XRAY_LOG_H

#include "xray-ring.h"

/* Buffers in the order of their beginnings; if some were overwritten, in that of the ring, which shows it. */
PLAIN size_t sort_buffers(void)
{
    const size_t taken = recording->next < buffer_max ? (size_t)recording->next : buffer_max;
    size_t count = 0;
    for (size_t i = 0; i < taken; i++) {
        size_t at = count;
        if (!__atomic_load_n(&buffers[i].begin, __ATOMIC_ACQUIRE))
            continue;
        for (; at > 0 && !recording->overwritten && buffers[sorted[at - 1]].begin > buffers[i].begin; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = (uint32_t)i;
        count++;
    }
    return count;
}

struct log {
    uint64_t bytes;
    size_t buffers;
    int error;
};

/* Writes a buffer without its extents. Returns its size, or -1. With a threshold, entries at its end may be taken back while
 * it is read: that end is copied until it has stayed the same. */
PLAIN int64_t write_records(struct output *o, off_t at, const struct buffer *b)
{
    enum { END = 256, TRIES = 1000 };
    char end[2 * END];
    uint32_t used = __atomic_load_n(&b->used, __ATOMIC_ACQUIRE), sure = 0;
    for (int i = 0; threshold && i < TRIES; i++) {
        const uint32_t undone = __atomic_load_n(&b->undone, __ATOMIC_ACQUIRE), from = used > END + sure ? used - END : sure;
        if (!output_write(o, at + sure, b->data + sure, from - sure))
            return -1;
        sure = from;
        used = __atomic_load_n(&b->used, __ATOMIC_ACQUIRE);
        const uint32_t rest = used > sure ? used - sure : 0;
        copy(end, b->data + sure, rest < sizeof end ? rest : sizeof end);
        if (undone == __atomic_load_n(&b->undone, __ATOMIC_ACQUIRE) && rest < sizeof end)
            return output_write(o, at + sure, end, rest) ? (int64_t)sure + rest : -1;
    }
    return output_write(o, at, b->data, used) ? (int64_t)used : -1;
}

PLAIN bool write_buffer(struct output *o, const struct buffer *b, struct log *l)
{
    char extents[METADATA];
    const uint64_t begin = __atomic_load_n(&b->begin, __ATOMIC_ACQUIRE);
    const int64_t size = write_records(o, (off_t)l->bytes + METADATA, b);
    put_metadata(extents, EXTENTS, (uint64_t)size, 8);
    if (size < 0 || !output_write(o, (off_t)l->bytes, extents, METADATA))
        return false;
    recording->progress++;
    if (begin && begin == __atomic_load_n(&b->begin, __ATOMIC_SEQ_CST)) /* else it is another one by now */
        l->bytes += METADATA + (uint64_t)size, l->buffers++;
    return true;
}

/* Writes what there is. What did not fit is not there in part. */
PLAIN struct log ring_write(struct output *o)
{
    enum { HEADER = 32 };
    char header[HEADER] = {5, 0, 1, 0, 3};
    struct log l = {HEADER, 0, 0};
    const size_t count = sort_buffers();
    put(header + 8, frequency(), 8);
    put(header + 16, buffer_size, 8);
    bool written = output_ready(o) && output_write(o, 0, header, HEADER);
    for (size_t i = 0; i < count && written; i++)
        written = write_buffer(o, buffers + sorted[i], &l);
    l.error = written ? 0 : errno;
    if (ftruncate(o->descriptor, (off_t)l.bytes) != 0 && written)
        l.error = errno;
    return l;
}

#endif
