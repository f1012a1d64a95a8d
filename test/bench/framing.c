/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measures the shared code without Wireshark, as seconds for all records of a file: framing (trace_next), framing and
 * decoding (every row of each record's layout), and copying the same bytes in memory.
 *   framing FILE [RUNS]       prints: records, bytes, then seconds of the fastest run of each */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cacheray/cacheray.h"
#include "core/formats.h"
#include "ovni/events/layout.h"
#include "ovni/ovni.h"
#include "xray/xray.h"

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void decode_record(walk *w)
{
    uint64_t values[MAX((int)XRAY_FIELD_COUNT, MAX((int)CACHERAY_FIELDS, (int)OVNI_FIELD_COUNT))];
    const record_context *r = &w->record.context;
    const uint8_t *data;
    size_t length = walk_bytes(w, &data);
    const cursor c = {data, length, (r->flags & CONTEXT_BIG_ENDIAN) != 0};
    switch (r->format) {
    case FORMAT_cacheray:
        if (r->kind < CACHERAY_KINDS)
            cacheray_read((cacheray_layout)cacheray_context_of(r)->layout, r->kind, &c, values);
        break;
    case FORMAT_ovni:
    case FORMAT_ovni_trace:
        if (r->kind == OVNI_EVENT)
            layout_values(&ovni_event_layout, &c, values);
        else if (r->kind == OVNI_JUMBO)
            layout_values(&ovni_jumbo_layout, &c, values);
        break;
    default:
        xray_read(r, &c, values);
        break;
    }
    __asm__ volatile("" : : "m"(values)); /* so that nothing is optimised away */
}

typedef struct counts {
    uint64_t records, bytes;
    volatile uint64_t sum; /* so that nothing measured is optimised away */
} counts;

static trace *open_bytes(const char *path, source *s, const uint8_t *data, size_t length)
{
    probe p = {.head = data, .length = MIN(length, PROBE_LENGTH), .whole = length <= PROBE_LENGTH, .path = path};
    trace_input in = {.path = path, .sequential = s, .random = s, .seekable = true};
    for (unsigned i = 0; i < FORMAT_COUNT; i++) {
        g_autoptr(GError) error = NULL;
        if (!formats[i]->probe(&p))
            continue;
        trace *t = trace_open(formats[i], &in, &error);
        if (!t)
            fprintf(stderr, "%s: %s\n", path, error->message);
        return t;
    }
    fprintf(stderr, "%s: no trace\n", path);
    return NULL;
}

/* Seconds for reading the whole trace, including opening it; negative if it cannot be opened. */
static double walk_once(const char *path, const uint8_t *data, size_t length, bool decode, counts *n)
{
    source *s = source_memory_new(data, length);
    double begin = seconds_now();
    trace *t = open_bytes(path, s, data, length);
    if (!t) {
        source_close(s);
        return -1;
    }
    uint64_t records = 0, bytes = 0, sum = 0;
    for (uint32_t i = 0; i < t->streams->len; i++) {
        walk w;
        walk_init(&w, t, trace_stream(t, i), false);
        for (; walk_next(&w) == STEP_RECORD; records++) {
            bytes += w.record.context.length;
            sum += w.record.order;
            if (decode)
                decode_record(&w);
        }
        walk_clear(&w);
    }
    *n = (counts){records, bytes, sum};
    double end = seconds_now();
    trace_close(t);
    source_close(s);
    return end - begin;
}

static double copy_once(const uint8_t *data, size_t length)
{
    uint8_t *copy = g_malloc(length);
    memset(copy, 1, length); /* maps its pages before the measurement */
    double begin = seconds_now();
    memcpy(copy, data, length);
    double end = seconds_now();
    counts used = {.sum = copy[length / 2]};
    (void)used.sum;
    g_free(copy);
    return end - begin;
}

int main(int argc, char **argv)
{
    gchar *data;
    gsize length;
    GError *error = NULL;
    int runs = argc > 2 ? atoi(argv[2]) : 5;
    if (argc < 2 || runs < 1 || !g_file_get_contents(argv[1], &data, &length, &error)) {
        fprintf(stderr, "%s\n", error ? error->message : "usage: framing FILE [RUNS]");
        return 2;
    }
    double best[3] = {1e9, 1e9, 1e9};
    counts n = {0};
    for (int run = 0; run < runs; run++) {
        double took[3] = {walk_once(argv[1], (uint8_t *)data, length, false, &n),
                          walk_once(argv[1], (uint8_t *)data, length, true, &n), copy_once((uint8_t *)data, length)};
        if (took[0] < 0)
            return 1;
        for (int i = 0; i < 3; i++)
            best[i] = MIN(best[i], took[i]);
    }
    printf("%" PRIu64 " %" PRIu64 " %.9f %.9f %.9f\n", n.records, n.bytes, best[0], best[1], best[2]);
    g_free(data);
    return 0;
}
