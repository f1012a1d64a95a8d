/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every capture, cut at many lengths and with bytes flipped, in one process: each byte of the file is in exactly one record,
 * whole records stay what they were, a cut inside a record is reported, and any record can be read again in any order.
 * Usage: test_captures FOLDER... (default: the captures of the source tree). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "formats.h"

#ifndef CAPTURES
#define CAPTURES "captures"
#endif

static char **folders;
static unsigned files, openings;

typedef struct seen {
    uint64_t handle;
    record record;
} seen;

/* Offsets and lengths tile the file; a handle names one record. */
static int compare_offsets(const void *a, const void *b)
{
    const seen *x = a, *y = b;
    return (x->record.context.offset > y->record.context.offset) - (x->record.context.offset < y->record.context.offset);
}

static void check_tiles(GArray *all, size_t length, const char *path)
{
    uint64_t at = 0;
    g_array_sort(all, compare_offsets);
    for (guint i = 0; i < all->len; i++) {
        const record_context *c = &g_array_index(all, seen, i).record.context;
        if (c->offset != at || c->length == 0)
            fail_msg("%s cut at %zu: record at %" G_GUINT64_FORMAT ", expected at %" G_GUINT64_FORMAT, path, length,
                     c->offset, at);
        at += c->length;
    }
    if (at != length)
        fail_msg("%s cut at %zu: records hold %" G_GUINT64_FORMAT " bytes", path, length, at);
}

/* Random access gives what reading on gave, in an order that jumps. */
static void check_again(trace *t, const GArray *all, const char *path, size_t length)
{
    guint step = 7919;
    for (guint i = 0, k = 0; i < MIN(all->len, 400); i++, k = (k + step) % all->len) {
        const seen *s = &g_array_index(all, seen, k);
        int err;
        const uint8_t *data;
        walk *w = trace_read(t, s->handle, &err);
        if (!w || memcmp(&w->record.context, &s->record.context, sizeof(record_context)) != 0 ||
            w->record.seconds != s->record.seconds || w->record.nanoseconds != s->record.nanoseconds)
            fail_msg("%s cut at %zu: record at %" G_GUINT64_FORMAT " differs when read again", path, length,
                     s->record.context.offset);
        walk_bytes(w, &data);
    }
}

static const format *recognise(const char *path, const uint8_t *data, size_t length)
{
    probe p = {data, MIN(length, PROBE_LENGTH), length < PROBE_LENGTH, path};
    for (int i = 0; i < FORMAT_OVNI_TRACE; i++)
        if (formats[i].probe(&p))
            return &formats[i];
    return NULL;
}

/* Reads `length` bytes as a file. Returns whether they were recognised. */
static bool read_cut(const char *path, const uint8_t *data, size_t length)
{
    const format *f = recognise(path, data, length);
    if (!f)
        return false;
    source *s = source_memory_new(data, length);
    trace_input in = {path, s, s, true};
    char *reason = NULL;
    trace *t = trace_open(f, &in, &reason);
    if (t) {
        GArray *all = g_array_new(FALSE, TRUE, sizeof(seen));
        for (walk *w; (w = trace_next(t));) {
            seen one = {trace_handle(&w->record.context), w->record};
            const uint8_t *bytes;
            assert_int_equal(walk_bytes(w, &bytes), MIN(w->record.context.length, RECORD_FRAME_MAX));
            g_array_append_val(all, one);
        }
        trace_sequential_close(t);
        check_tiles(all, length, path);
        check_again(t, all, path, length);
        g_array_free(all, TRUE);
        trace_close(t);
    }
    g_free(reason);
    source_close(s);
    openings++;
    return true;
}

/* Bytes that may be read of copies of one file: short files are cut everywhere, long ones here and there. */
#define BUDGET 500000u

/* Cuts at about even steps, and flips of single bits with a fixed sequence. */
static void check_file(const char *path)
{
    char *contents;
    gsize length;
    if (!g_file_get_contents(path, &contents, &length, NULL))
        return;
    uint8_t *data = (uint8_t *)contents;
    if (length < 400000 && read_cut(path, data, length)) {
        files++;
        size_t copies = MAX(BUDGET / length, 12);
        for (size_t n = 1; n < length; n += 1 + length / copies)
            read_cut(path, data, n);
        GRand *rand = g_rand_new_with_seed((guint32)length);
        for (size_t i = 0; i < copies / 4; i++) {
            size_t at = (size_t)g_rand_int_range(rand, 0, (gint32)length);
            uint8_t kept = data[at];
            data[at] ^= (uint8_t)(1u << g_rand_int_range(rand, 0, 8));
            read_cut(path, data, length);
            data[at] = kept;
        }
        g_rand_free(rand);
    }
    g_free(contents);
}

static void check_folder(const char *folder)
{
    GDir *dir = g_dir_open(folder, 0, NULL);
    if (!dir)
        return;
    for (const char *name; (name = g_dir_read_name(dir));) {
        char *path = g_build_filename(folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            check_folder(path);
        else
            check_file(path);
        g_free(path);
    }
    g_dir_close(dir);
}

static void every_capture(void **state)
{
    (void)state;
    for (char **f = folders; *f; f++)
        check_folder(*f);
    print_message("%u files, opened %u times\n", files, openings);
    assert_true(files > 0);
}

int main(int argc, char **argv)
{
    static char *standard[] = {CAPTURES, NULL};
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_capture)};
    folders = argc > 1 ? argv + 1 : standard;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
