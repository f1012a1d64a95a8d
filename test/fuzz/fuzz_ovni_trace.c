/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole ovni traces: finding the files, identifying the streams, merging all records, random access. The input consists
 * of files, each after "@@" and a letter that stands for its path: 'A' for the first one below. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "core/trace.h"
#include "core/formats.h"
#include "fuzz.h"
#include "ovni/framing.h"
#include "ovni/events/layout.h"
#include "reading.h"

#define AGAIN_MAX 24u
#define STREAMS_MAX 16u

static struct file {
    const char *path;
    char *full;
    const uint8_t *data; /* NULL: not in this input */
    size_t length;
    bool there;
} files[] = {
    {.path = "loom.a.1/proc.1/thread.1/stream.json"}, /* the first four can be opened */
    {.path = "loom.a.1/proc.2/metadata.json"},
    {.path = "loom.b.1/proc.3/thread.4.json"},
    {.path = "proc.5/metadata.json"},
    {.path = "loom.a.1/proc.1/thread.1/stream.obs"},
    {.path = "loom.a.1/proc.1/thread.2/stream.json"},
    {.path = "loom.a.1/proc.1/thread.2/stream.obs"},
    {.path = "loom.a.1/proc.2/thread.2"},
    {.path = "loom.a.1/proc.2/thread.3"},
    {.path = "loom.b.1/proc.3/metadata.json"},
    {.path = "loom.b.1/proc.3/thread.3.obs"},
    {.path = "loom.b.1/proc.3/thread.4.obs"},
    {.path = "clock-offsets.txt"},
};
#define OPENED 4u

static char *root;

static void remove_files(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        for (char *path = files[i].full; strlen(path) > strlen(root); *strrchr(path, '/') = 0)
            g_remove(path);
    g_rmdir(root);
}

static void make_folders(void)
{
    char *folder_made = g_strdup_printf("%s/wiretrace-fuzz-XXXXXX", g_get_tmp_dir());
    FUZZ_CHECK(g_mkdtemp(folder_made), "no folder");
    root = realpath(folder_made, NULL);
    g_free(folder_made);
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        files[i].full = g_build_filename(root, files[i].path, NULL);
        char *folder = g_path_get_dirname(files[i].full);
        FUZZ_CHECK(g_mkdir_with_parents(folder, 0700) == 0, "no folder %s", folder);
        g_free(folder);
    }
    atexit(remove_files);
}

static void read_input(const uint8_t *data, size_t length)
{
    struct file *now = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        files[i].data = NULL;
    for (const uint8_t *end = data + length, *next; data < end; data = next) {
        next = memmem(data, (size_t)(end - data), "@@", 2);
        next = next ? next : end;
        if (now)
            now->length = (size_t)(next - now->data);
        now = NULL;
        if (end - next < 3)
            break;
        if ((size_t)(next[2] - 'A') < G_N_ELEMENTS(files)) {
            now = &files[next[2] - 'A'];
            now->data = next + 3;
            now->length = 0;
        }
        next += 3;
    }
}

static void write_files(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        struct file *f = &files[i];
        if (!f->data && f->there)
            g_remove(f->full);
        f->there = f->data != NULL;
        FILE *out = f->data ? fopen(f->full, "wb") : NULL;
        if (out)
            fwrite(f->data, 1, f->length, out);
        FUZZ_CHECK(!out || fclose(out) == 0, "%s cannot be written", f->full);
    }
}

/* The file of a stream, by the path of its source. A stream for something missing has none. */
static const struct file *file_of(const stream *s)
{
    static const struct file missing = {.data = (const uint8_t *)"", .path = "what is missing"};
    if (((const ovni_stream *)s->detail)->shape == OVNI_SHAPE_MISSING)
        return &missing;
    const char *path = source_path_name(s->sequential);
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        if (strcmp(path, files[i].full) == 0)
            return &files[i];
    FUZZ_CHECK(false, "stream of another file, %s", path);
    return NULL;
}

static void check_record(walk *w)
{
    const record_context *c = &w->record.context;
    const struct file *f = file_of(w->stream);
    const uint8_t *bytes;
    size_t n = walk_bytes(w, &bytes);
    const bool empty = c->kind == OVNI_MISSING || (c->kind == OVNI_METADATA && f->length == 0);
    FUZZ_CHECK((c->length == 0) == empty && c->offset <= f->length && c->length <= f->length - c->offset,
               "record at %zu of %s", (size_t)c->offset, f->path);
    FUZZ_CHECK(n == MIN(c->length, RECORD_FRAME_MAX) && memcmp(bytes, f->data + c->offset, n) == 0, "other bytes at %zu",
               (size_t)c->offset);
    reading_decode(&w->record, bytes, n);
}

static GArray *read_all(trace *t)
{
    uint64_t at[STREAMS_MAX] = {0};
    GArray *all = g_array_new(FALSE, FALSE, sizeof(record));
    FUZZ_CHECK(t->streams->len <= G_N_ELEMENTS(files), "more streams than files");
    for (walk *w; (w = trace_next(t));) {
        check_record(w);
        g_array_append_val(all, w->record);
        const record_context *c = &w->record.context;
        FUZZ_CHECK(c->offset == at[c->stream], "record at %zu of stream %u", (size_t)c->offset, c->stream);
        at[c->stream] += c->length;
    }
    FUZZ_CHECK(t->merge.error == 0, "ends with error %d", t->merge.error);
    for (uint32_t i = 0; i < t->streams->len; i++)
        FUZZ_CHECK(at[i] == file_of(trace_stream(t, i))->length, "stream %u ends at %zu", i, (size_t)at[i]);
    trace_sequential_close(t);
    return all;
}

static void read_again(trace *t, const GArray *all)
{
    for (guint i = 0, k = 0; i < MIN(all->len, AGAIN_MAX); i++, k = (k + 7919) % all->len) {
        const record *one = &g_array_index(all, record, k);
        int err;
        walk *w = trace_read(t, trace_handle(&one->context), &err);
        FUZZ_CHECK(w && memcmp(&w->record.context, &one->context, sizeof one->context) == 0 &&
                       w->record.seconds == one->seconds && w->record.nanoseconds == one->nanoseconds,
                   "record at %zu is another one when read again", (size_t)one->context.offset);
        check_record(w);
    }
}

static void open_as(const format *f, const struct file *opened)
{
    probe p = {opened->data, MIN(opened->length, PROBE_LENGTH), opened->length < PROBE_LENGTH, opened->full};
    source *memory = source_memory_new(opened->data, opened->length);
    trace_input in = {opened->full, memory, memory, true};
    f->probe(&p);
    trace *t = trace_open(f, &in, NULL);
    FUZZ_CHECK(t && g_utf8_validate(t->comment->str, (gssize)t->comment->len, NULL), "cannot be opened, or says no text");
    if (f == &ovni_trace_format) {
        GArray *all = read_all(t);
        read_again(t, all);
        g_array_free(all, TRUE);
    }
    trace_close(t);
    source_close(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    if (!root)
        make_folders();
    read_input(data, length);
    write_files();
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        if (files[i].data && (i < OPENED ? length % OPENED == i : length % 8 == 0))
            open_as(i < OPENED ? &ovni_trace_format : &ovni_format, &files[i]);
    return 0;
}
