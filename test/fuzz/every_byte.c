/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads every capture, cut at every byte and with every byte changed, in one process (reading.h says what is checked).
 * For cut copies of undamaged files also checks that a cut inside a record is reported, and that the records before the
 * cut stay the same. Time per copy is limited, and without sanitizers so is memory.
 *
 * every_byte [--every-format] [--step N] [--all-values] [--cuts] [--numbers] FILE|FOLDER...
 *   --every-format fails if no file has a certain format of the list; whole traces count through their files
 *   --step N       only every Nth length and byte, beginning at a different offset in each file
 *   --all-values   all 255 other values of a byte; otherwise each of its bits, and a few more
 *   --cuts         no changed bytes
 *   --numbers      instead of bytes, changes numbers of 2, 4 and 8 bytes at every offset, in both byte orders, to the
 *                  smallest and largest value, and to the lengths up to the end of the file, plus and minus one */
#include <glib.h>
#include <sys/resource.h>
#include <time.h>

#include "fuzz.h"
#include "reading.h"

/* The time that reading a copy may take in ns, with sanitizers on a busy machine: base, and per byte. */
#define TIME_BASE 100000000
#define TIME_PER_BYTE 50000
/* The memory that may be used in bytes: base, and per byte of the largest file. */
#define MEMORY_BASE (64u << 20)
#define MEMORY_PER_BYTE 4u

static size_t step = 1;
static bool all_values, only_cuts, numbers, every_format;

static struct {
    unsigned files, of[FORMAT_COUNT];
    uint64_t cuts, changes, bytes, largest;
    double slowest; /* ns per byte of a copy of 1000 bytes or more */
} done;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The records of a copy; NULL if no format claims it. */
static GArray *read_copy(const char *path, const uint8_t *data, size_t length)
{
    int64_t begin = now();
    const format *f = reading_recognise(path, data, length);
    GArray *all = f ? reading_check(f, path, data, length) : NULL;
    int64_t taken = now() - begin;
    FUZZ_CHECK(taken < TIME_BASE + (int64_t)length * TIME_PER_BYTE, "%s: %zu bytes take %" G_GINT64_FORMAT " ns", path,
               length, (gint64)taken);
    if (length >= 1000)
        done.slowest = MAX(done.slowest, (double)taken / (double)length);
    done.bytes += length;
    return all;
}

static int compare_offsets(const void *a, const void *b)
{
    const record *x = a, *y = b;
    return (x->context.offset > y->context.offset) - (x->context.offset < y->context.offset);
}

static bool is_unknown(const record_context *c)
{
    return c->kind >= KIND_PADDING;
}

/* In a damaged trace, the records after the damage depend on how much of it there is to resynchronise with. */
static bool is_damaged(const GArray *all)
{
    for (guint i = 0; i < all->len; i++)
        if (g_array_index(all, record, i).context.kind == KIND_UNKNOWN)
            return true;
    return false;
}

/* Both are in file order. */
static void check_cut(const char *path, const GArray *whole, const GArray *part, size_t length)
{
    const record_context *last = &g_array_index(part, record, part->len - 1).context;
    for (guint i = 0; i < whole->len; i++) {
        const record_context *c = &g_array_index(whole, record, i).context;
        if (c->offset + c->length > length) {
            bool inside = c->offset < length && !is_unknown(c);
            FUZZ_CHECK(!inside || last->flags & CONTEXT_TRUNCATED, "%s: cut at %zu is not reported", path, length);
            break;
        }
        const record_context *same = i < part->len ? &g_array_index(part, record, i).context : NULL;
        FUZZ_CHECK(is_unknown(c) ||
                       (same && same->offset == c->offset && same->length == c->length && same->kind == c->kind),
                   "%s: cut at %zu changes the record at %zu", path, length, (size_t)c->offset);
    }
}

static void check_cuts(const char *path, const uint8_t *data, size_t length, const GArray *whole)
{
    bool damaged = is_damaged(whole);
    for (size_t n = length % step; n < length; n += step) {
        uint8_t *copy = g_memdup2(data, n); /* exactly this long, for the sanitizer */
        GArray *part = n ? read_copy(path, copy, n) : NULL;
        if (part && part->len && !damaged) {
            qsort(part->data, part->len, sizeof(record), compare_offsets);
            check_cut(path, whole, part, n);
        }
        if (part)
            g_array_free(part, TRUE);
        g_free(copy);
        done.cuts++;
    }
}

static void check_change(const char *path, uint8_t *data, size_t length, size_t at, uint8_t value)
{
    uint8_t kept = data[at];
    if (value == kept)
        return;
    data[at] = value;
    GArray *all = read_copy(path, data, length);
    if (all)
        g_array_free(all, TRUE);
    data[at] = kept;
    done.changes++;
}

static void check_changes(const char *path, uint8_t *data, size_t length)
{
    static const uint8_t others[] = {0x00, 0x7f, 0xff};
    for (size_t at = length % step; at < length; at += step) {
        uint8_t was = data[at];
        for (unsigned v = 0; all_values && v < 256; v++)
            check_change(path, data, length, at, (uint8_t)v);
        for (unsigned bit = 0; !all_values && bit < 8; bit++)
            check_change(path, data, length, at, (uint8_t)(was ^ 1u << bit));
        for (size_t i = 0; !all_values && i < sizeof others; i++)
            check_change(path, data, length, at, others[i]);
    }
}

static void check_number(const char *path, uint8_t *data, size_t length, size_t at, unsigned width, uint64_t number)
{
    uint8_t kept[8];
    memcpy(kept, data + at, width);
    for (int big = 0; big < 2; big++) {
        for (unsigned i = 0; i < width; i++)
            data[at + i] = (uint8_t)(number >> 8 * (big ? width - 1 - i : i));
        GArray *all = read_copy(path, data, length);
        if (all)
            g_array_free(all, TRUE);
        done.changes++;
    }
    memcpy(data + at, kept, width);
}

static void check_numbers(const char *path, uint8_t *data, size_t length)
{
    for (unsigned width = 2; width <= 8; width *= 2)
        for (size_t at = length % step; at + width <= length; at += step) {
            uint64_t left = length - at - width, sign = UINT64_C(1) << (8 * width - 1);
            const uint64_t values[] = {0, 1, sign - 1, sign, 2 * sign - 1, left - 1, left, left + 1};
            for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
                check_number(path, data, length, at, width, values[i]);
        }
}

static void check_file(const char *full)
{
    char *contents, *name = g_path_get_basename(full);
    char *path = g_build_filename("/none", name, NULL); /* without its neighbours */
    gsize length = 0;
    if (g_file_get_contents(full, &contents, &length, NULL)) {
        uint8_t *data = (uint8_t *)contents;
        GArray *whole = length ? read_copy(path, data, length) : NULL;
        if (whole) {
            qsort(whole->data, whole->len, sizeof(record), compare_offsets);
            if (!numbers)
                check_cuts(full, data, length, whole);
            if (numbers)
                check_numbers(path, data, length);
            else if (!only_cuts)
                check_changes(path, data, length);
            done.files++;
            if (whole->len)
                done.of[g_array_index(whole, record, 0).context.format]++;
            g_array_free(whole, TRUE);
            done.largest = MAX(done.largest, length);
        }
        g_free(contents);
    }
    g_free(path);
    g_free(name);
}

static void check_path(const char *path)
{
    GDir *dir = g_dir_open(path, 0, NULL);
    if (!dir) {
        check_file(path);
        return;
    }
    for (const char *name; (name = g_dir_read_name(dir));) {
        char *inner = g_build_filename(path, name, NULL);
        check_path(inner);
        g_free(inner);
    }
    g_dir_close(dir);
}

static void check_memory(uint64_t before)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    uint64_t peak = (uint64_t)usage.ru_maxrss * 1024;
    printf("%.1f MB of memory above the start\n", (double)(peak - before) / 1e6);
#ifndef __SANITIZE_ADDRESS__
    FUZZ_CHECK(peak - before <= MEMORY_BASE + MEMORY_PER_BYTE * done.largest, "too much memory");
#endif
}

/* Whether there was a file of each format. */
static bool all_read(void)
{
    bool all = true;
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (!formats[i]->many_files && !done.of[i]) {
            printf("no file of %s has been read\n", formats[i]->description);
            all = false;
        }
    return all;
}

int main(int argc, char **argv)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--step") == 0 && i + 1 < argc)
            step = MAX((size_t)strtoul(argv[i + 1], NULL, 10), 1), i++;
        else if (strcmp(argv[i], "--all-values") == 0)
            all_values = true;
        else if (strcmp(argv[i], "--every-format") == 0)
            every_format = true;
        else if (strcmp(argv[i], "--cuts") == 0)
            only_cuts = true;
        else if (strcmp(argv[i], "--numbers") == 0)
            numbers = true;
        else
            check_path(argv[i]);
    printf("%u files: %" G_GUINT64_FORMAT " cuts and %" G_GUINT64_FORMAT
           " changed bytes, %.1f MB read, at most %.0f ns/byte\n",
           done.files, (guint64)done.cuts, (guint64)done.changes, (double)done.bytes / 1e6, done.slowest);
    check_memory((uint64_t)usage.ru_maxrss * 1024);
    return done.files && (!every_format || all_read()) ? 0 : 1;
}
