/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into a Wireshark program (test/fuzz/wireshark). Replaces wtap_open_offline(), with which all of them open
 * files, so that the program reads mutated copies of a file without being started again for each. Environment:
 *   - MUTATE_FILES: the files that are changed in place, separated by ':'; each copy changes one of them
 *   - MUTATE_FROM, MUTATE_COUNT: the numbers of the copies; the same number always makes the same copy
 *   - MUTATE_WHOLE: if set, copies are not shortened so often: of an executable hardly anything would be left
 *   - MUTATE_FOUND: where copies are kept with which the program failed
 *   - MUTATE_MODE=fork: the program continues in a child for every copy, after its start-up
 *   - MUTATE_MODE=read: reads all copies here, all records and then some again, and exits
 *   - MUTATE_MODE=each: each call opens the next copy (sharkd)
 * Exit status for fork and read: 0, or 1 if anything was found. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <wireshark.h>
#include <ws_version.h>
#include <wiretap/wtap.h>

#define SECONDS_MAX 120u /* for one copy */
#define AGAIN_MAX 200u
/* Most copies consist only of the beginning: programs take a while to show thousands of records. */
#define SHORT 2048u

typedef wtap *(*opener)(const char *, unsigned, int *, char **, gboolean);

typedef struct original {
    char *path;
    char *data;
    gsize length;
} original;

static original *originals;
static unsigned original_count;
static uint64_t state;

static uint64_t next(void)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t below(size_t n)
{
    return n ? (size_t)(next() % n) : 0;
}

static void put_number(GByteArray *b, size_t at)
{
    static const int64_t numbers[] = {0,          1,         -1,        2,          16,    127,       128,
                                      255,        256,       32767,     65535,      65536, INT32_MAX, INT32_MIN,
                                      UINT32_MAX, INT64_MAX, INT64_MIN, 1000000000, 4095,  4096};
    int64_t n = numbers[below(G_N_ELEMENTS(numbers))] + (int64_t)below(3) - 1;
    size_t width = (size_t)1 << below(4);
    bool big = next() & 1;
    for (size_t i = 0; i < width && at + i < b->len; i++)
        b->data[at + i] = (uint8_t)((uint64_t)n >> 8 * (big ? width - 1 - i : i));
}

static void insert(GByteArray *b, size_t at, const uint8_t *data, size_t n)
{
    guint old = b->len;
    g_byte_array_set_size(b, old + (guint)n);
    memmove(b->data + at + n, b->data + at, old - at);
    memcpy(b->data + at, data, n);
}

static void mutate(GByteArray *b)
{
    uint8_t piece[256];
    size_t at = below(b->len), n = 1 + below(MIN(sizeof piece, b->len - at));
    switch (below(10)) {
    case 0:
    case 1:
    case 2:
        b->data[at] ^= (uint8_t)(1u << below(8));
        break;
    case 3:
        b->data[at] = (uint8_t)next();
        break;
    case 4:
    case 5:
        put_number(b, at);
        break;
    case 6:
        g_byte_array_remove_range(b, (guint)at, (guint)(1 + below(MIN(n, 64))));
        break;
    case 7: /* a piece of the file, repeated elsewhere */
        memcpy(piece, b->data + at, n);
        insert(b, below(b->len), piece, n);
        break;
    case 8:
        memset(b->data + at, (int)(next() & 1 ? 0 : next()), n);
        break;
    default:
        for (size_t i = 0; i < sizeof piece; i++)
            piece[i] = (uint8_t)next();
        insert(b, at, piece, 1 + below(32));
        break;
    }
}

/* Makes copy `number`, and restores the other files. */
static const original *make_copy(uint64_t number)
{
    static const original *changed;
    if (changed)
        g_file_set_contents_full(changed->path, changed->data, (gssize)changed->length, G_FILE_SET_CONTENTS_NONE, 0644,
                                 NULL);
    state = number;
    changed = &originals[below(original_count)];
    GByteArray *b = g_byte_array_new();
    size_t length = changed->length;
    if (length > SHORT && !getenv("MUTATE_WHOLE") && below(8))
        length = SHORT / 2 + below(SHORT / 2);
    g_byte_array_append(b, (const uint8_t *)changed->data, (guint)length);
    for (size_t i = 1 + (next() & 1 ? 0 : below(12)); i > 0 && b->len; i--)
        mutate(b);
    if (below(8) == 0)
        g_byte_array_set_size(b, (guint)below(b->len + 1));
    g_file_set_contents_full(changed->path, (const char *)b->data, (gssize)b->len, G_FILE_SET_CONTENTS_NONE, 0644, NULL);
    g_byte_array_free(b, TRUE);
    return changed;
}

static uint64_t number_from(const char *variable)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : 0;
}

static void load_originals(void)
{
    char **paths = g_strsplit(getenv("MUTATE_FILES"), ":", -1);
    original_count = g_strv_length(paths);
    originals = g_new0(original, original_count);
    for (unsigned i = 0; i < original_count; i++) {
        originals[i].path = g_strdup(paths[i]);
        if (!g_file_get_contents(paths[i], &originals[i].data, &originals[i].length, NULL))
            exit(2);
    }
    g_strfreev(paths);
}

/* --- read -------------------------------------------------------------------------------------------------------------- */

#if WIRESHARK_VERSION_MAJOR > 4 || WIRESHARK_VERSION_MINOR > 4
#define READ(wth, rec, buf, err, info, offset) wtap_read(wth, rec, err, info, offset)
#define SEEK(wth, offset, rec, buf, err, info) wtap_seek_read(wth, offset, rec, err, info)
#define REC_INIT(rec) wtap_rec_init(rec, 1514)
#else
#define READ(wth, rec, buf, err, info, offset) wtap_read(wth, rec, buf, err, info, offset)
#define SEEK(wth, offset, rec, buf, err, info) wtap_seek_read(wth, offset, rec, buf, err, info)
#define REC_INIT(rec) wtap_rec_init(rec)
#endif

/* Returns the number of records, or -1 if some cannot be read again. */
static int64_t read_all(wtap *wth)
{
    wtap_rec rec;
    Buffer buf;
    int err;
    char *info = NULL;
    int64_t offset;
    GArray *offsets = g_array_new(FALSE, FALSE, sizeof offset);
    REC_INIT(&rec);
    ws_buffer_init(&buf, 1514);
    while (READ(wth, &rec, &buf, &err, &info, &offset))
        g_array_append_val(offsets, offset);
    g_free(info);
    info = NULL;
    wtap_sequential_close(wth);
    bool good = true;
    for (guint i = 0, k = 0; i < MIN(offsets->len, AGAIN_MAX) && good; i++, k = (k + 7919) % offsets->len)
        good = SEEK(wth, g_array_index(offsets, int64_t, k), &rec, &buf, &err, &info);
    g_free(info);
    int64_t n = good ? (int64_t)offsets->len : -1;
    g_array_free(offsets, TRUE);
    ws_buffer_free(&buf);
    wtap_rec_cleanup(&rec);
    return n;
}

static void keep(const original *changed, uint64_t number, const char *why)
{
    char *name = g_path_get_basename(changed->path), *contents;
    char *path = g_strdup_printf("%s/%s-%" G_GUINT64_FORMAT, getenv("MUTATE_FOUND"), name, (guint64)number);
    gsize length;
    if (g_file_get_contents(changed->path, &contents, &length, NULL))
        g_file_set_contents(path, contents, (gssize)length, NULL);
    fprintf(stderr, "MUTATE: copy %" G_GUINT64_FORMAT " of %s: %s; kept as %s\n", (guint64)number, changed->path, why, path);
}

static void finish(uint64_t copies, uint64_t read, uint64_t found)
{
    fprintf(stderr,
            "MUTATE: %" G_GUINT64_FORMAT " copies, %" G_GUINT64_FORMAT " read to the end, %" G_GUINT64_FORMAT " found\n",
            (guint64)copies, (guint64)read, (guint64)found);
    _exit(found != 0);
}

static void read_copies(opener open, const char *file, uint64_t from, uint64_t count)
{
    uint64_t claimed = 0, found = 0;
    for (uint64_t i = from; i < from + count; i++) {
        int err;
        char *info = NULL;
        const original *changed = make_copy(i);
        alarm(SECONDS_MAX);
        wtap *wth = open(file, WTAP_TYPE_AUTO, &err, &info, TRUE);
        g_free(info);
        if (!wth)
            continue;
        if (read_all(wth) < 0) {
            keep(changed, i, "a record cannot be read again");
            found++;
        }
        wtap_close(wth);
        claimed++;
    }
    finish(count, claimed, found);
}

/* --- fork -------------------------------------------------------------------------------------------------------------- */

static bool is_child;

/* The last call of a program, after the file is closed. Undoing its start-up would take longer than most copies. */
WS_DLL_PUBLIC void epan_cleanup(void)
{
    if (is_child) {
        fflush(NULL);
        _exit(0);
    }
    ((void (*)(void))dlsym(RTLD_NEXT, "epan_cleanup"))();
}

/* Returns in the children, after making the copy. */
static void fork_copies(uint64_t from, uint64_t count)
{
    uint64_t valid = 0, found = 0;
    for (uint64_t i = from; i < from + count; i++) {
        const original *changed = make_copy(i);
        int status;
        pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS_MAX);
            is_child = true;
            return;
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            exit(2);
        /* what tshark returns for damaged and cut files; 1 is for options that cannot be used */
        if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2 || WEXITSTATUS(status) == 14)) {
            valid++;
            continue;
        }
        keep(changed, i, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "fails");
        found++;
    }
    finish(count, valid, found);
}

WS_DLL_PUBLIC wtap *wtap_open_offline(const char *file, unsigned type, int *err, char **err_info, gboolean do_random)
{
    static uint64_t number;
    opener open = (opener)dlsym(RTLD_NEXT, "wtap_open_offline");
    const char *mode = getenv("MUTATE_MODE");
    if (!originals)
        load_originals();
    uint64_t from = number_from("MUTATE_FROM"), count = number_from("MUTATE_COUNT");
    if (g_strcmp0(mode, "read") == 0)
        read_copies(open, file, from, count);
    else if (g_strcmp0(mode, "fork") == 0)
        fork_copies(from, count);
    else
        make_copy(from + number++);
    return open(file, type, err, err_info, do_random);
}
