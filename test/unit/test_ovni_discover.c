/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole traces in a temporary directory: which files belong to a trace, in which order, and what their paths say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/trace.h"
#include "core/formats.h"
#include "ovni/context.h"
#include "ovni/discover.h"
#include "ovni_stream.h"

static char *scratch;

static char *full(const char *relative)
{
    return g_build_filename(scratch, relative, NULL);
}

static void write_bytes(const char *relative, const void *bytes, size_t length)
{
    char *path = full(relative), *folder = g_path_get_dirname(path);
    assert_int_equal(g_mkdir_with_parents(folder, 0700), 0);
    FILE *f = fopen(path, "wb"); /* GLib's function would wait for the disk, which takes long for thousands of files */
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    fclose(f);
    g_free(folder);
    g_free(path);
}

static void write_text(const char *relative, const char *text)
{
    write_bytes(relative, text, strlen(text));
}

/* A stream of events without payload with these clocks; 0 ends the list. */
static void write_stream(const char *relative, bool header, const uint64_t *clocks)
{
    GByteArray *b = g_byte_array_new();
    if (header)
        put_header(b, 1, false);
    for (; *clocks; clocks++)
        put_event(b, 0, "VSh", *clocks, false);
    write_bytes(relative, b->data, b->len);
    g_byte_array_free(b, TRUE);
}

static void remove_tree(const char *path)
{
    GDir *d = g_file_test(path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open(path, 0, NULL);
    const char *name;
    while (d && (name = g_dir_read_name(d)) != NULL) {
        char *child = g_build_filename(path, name, NULL);
        remove_tree(child);
        g_free(child);
    }
    if (d)
        g_dir_close(d);
    g_remove(path);
}

static int make_scratch(void **state)
{
    (void)state;
    char *made = g_dir_make_tmp("ovni-XXXXXX", NULL);
    char *real = realpath(made, NULL);
    scratch = g_strdup(real);
    free(real);
    g_free(made);
    return 0;
}

static int drop_scratch(void **state)
{
    (void)state;
    remove_tree(scratch);
    g_free(scratch);
    return 0;
}

static void names_of_files(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        ovni_file_kind kind;
        ovni_era era;
        int32_t tid;
    } cases[] = {
        {"stream.obs", OVNI_FILE_EVENTS, OVNI_ERA_V3, 0},
        {"stream.json", OVNI_FILE_STREAM_METADATA, OVNI_ERA_V3, 0},
        {"metadata.json", OVNI_FILE_PROCESS_METADATA, OVNI_ERA_UNKNOWN, 0},
        {"thread.12", OVNI_FILE_EVENTS, OVNI_ERA_PLAIN, 12},
        {"thread.12.obs", OVNI_FILE_EVENTS, OVNI_ERA_V1, 12},
        {"thread.12.ovnistream", OVNI_FILE_EVENTS, OVNI_ERA_V1, 12},
        {"thread.12.json", OVNI_FILE_STREAM_METADATA, OVNI_ERA_V2, 12},
        {"thread.99999999999", OVNI_FILE_EVENTS, OVNI_ERA_PLAIN, 0},
        {"thread.prv", OVNI_FILE_FOREIGN, OVNI_ERA_UNKNOWN, 0},
        {"thread.", OVNI_FILE_FOREIGN, OVNI_ERA_UNKNOWN, 0},
        {"thread.12.pcf", OVNI_FILE_FOREIGN, OVNI_ERA_UNKNOWN, 0},
        {"thread.1x", OVNI_FILE_FOREIGN, OVNI_ERA_UNKNOWN, 0},
        {"xthread.1", OVNI_FILE_FOREIGN, OVNI_ERA_UNKNOWN, 0},
        {"cpu.prv", OVNI_FILE_FOREIGN, OVNI_ERA_UNKNOWN, 0},
        {"", OVNI_FILE_FOREIGN, OVNI_ERA_UNKNOWN, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        ovni_file_name f = ovni_file_name_read(cases[i].name);
        if (f.kind != cases[i].kind || f.era != cases[i].era || f.tid != cases[i].tid)
            fail_msg("%s", cases[i].name);
    }
}

static void check_root(const char *file, const char *root, const char *relative)
{
    char *path = full(file), *expected = *root ? full(root) : g_strdup(scratch), *rest;
    char *folder = g_path_get_dirname(path);
    g_mkdir_with_parents(folder, 0700);
    char *found = ovni_root(path, &rest);
    assert_string_equal(found, expected);
    assert_string_equal(rest, relative);
    g_free(found);
    g_free(rest);
    g_free(folder);
    g_free(path);
    g_free(expected);
}

static void roots(void **state)
{
    (void)state;
    check_root("r/loom.a/proc.1/thread.1/stream.obs", "r", "loom.a/proc.1/thread.1/stream.obs");
    check_root("r/loom.a/x/loom.b/thread.1", "r/loom.a/x", "loom.b/thread.1");
    check_root("r/loom.a/stream.obs", "r", "loom.a/stream.obs");
    check_root("q/a/b/stream.obs", "q/a", "b/stream.obs");
    write_text("t/clock-offsets.txt", "heading\n");
    check_root("t/a/b/c/stream.obs", "t", "a/b/c/stream.obs");
    check_root("t/a/b/c/d/stream.obs", "t", "a/b/c/d/stream.obs");
    check_root("t/a/b/c/d/e/stream.obs", "t/a/b/c/d", "e/stream.obs");
    write_text("t/a/b/clock-offsets.txt", "heading\n");
    check_root("t/a/b/c/stream.obs", "t/a/b", "c/stream.obs");
    char *rest, *path = full("nothing/here/stream.obs");
    assert_null(ovni_root(path, &rest));
    assert_null(rest);
    g_free(path);
    char *before = g_get_current_dir(), *there = full("r/loom.a/proc.1/thread.1");
    assert_int_equal(g_chdir(there), 0);
    char *root = ovni_root("stream.json", &rest), *expected = full("r");
    assert_string_equal(root, expected);
    assert_string_equal(rest, "loom.a/proc.1/thread.1/stream.json");
    assert_int_equal(g_chdir(before), 0);
    g_free(before);
    g_free(there);
    g_free(root);
    g_free(rest);
    g_free(expected);
}

static void places(void **state)
{
    (void)state;
    ovni_location p;
    ovni_location_read(&p, "loom.n1.0/proc.3/thread.4/stream.obs");
    assert_string_equal(p.name, "loom.n1.0/proc.3/thread.4");
    assert_string_equal(p.metadata, "loom.n1.0/proc.3/thread.4/stream.json");
    assert_null(p.process_metadata);
    assert_string_equal(p.loom, "n1.0");
    assert_true(p.identity.known == (OVNI_KNOWN_PROCESS | OVNI_KNOWN_THREAD) && p.identity.process == 3 &&
                p.identity.thread == 4);
    ovni_location_clear(&p);
    ovni_location_read(&p, "loom.n1/proc.3/thread.4.obs");
    assert_string_equal(p.name, "loom.n1/proc.3/thread.4");
    assert_string_equal(p.metadata, "loom.n1/proc.3/thread.4.json");
    assert_string_equal(p.process_metadata, "loom.n1/proc.3/metadata.json");
    assert_true(p.identity.process == 3 && p.identity.thread == 4);
    ovni_location_clear(&p);
    ovni_location_read(&p, "loom.n1/proc.3/metadata.json");
    assert_string_equal(p.name, "loom.n1/proc.3/metadata.json");
    assert_null(p.metadata);
    assert_null(p.process_metadata);
    assert_int_equal(p.identity.known, OVNI_KNOWN_PROCESS);
    ovni_location_clear(&p);
    ovni_location_read(&p, "a/proc.x/copy.bin");
    assert_string_equal(p.name, "a/proc.x/copy.bin");
    assert_true(!p.metadata && !p.process_metadata && !p.loom && !p.identity.known);
    ovni_location_clear(&p);
}

/* The records of a whole trace as lines "kind stream clock-offset". */
typedef struct {
    GString *lines;
    char *comment;
} whole;

static whole read_trace(format_id id, const char *relative)
{
    char *path = full(relative);
    int err = 0;
    source *s = source_path_new(path, &err);
    assert_non_null(s);
    trace_input in = {.path = path, .sequential = s, .random = s, .seekable = true};
    trace *t = trace_open(formats[id], &in, NULL);
    assert_non_null(t);
    whole r = {g_string_new(NULL), g_strdup(t->comment->str)};
    GArray *contexts = g_array_new(FALSE, FALSE, sizeof(record_context));
    for (walk *w; (w = trace_next(t)) != NULL;) {
        const record_context *c = &w->record.context;
        const ovni_context *o = ovni_context_of(c);
        g_array_append_val(contexts, *c);
        if (c->kind != OVNI_METADATA || !c->fault) /* an empty file is broken, too */
            assert_int_equal(c->kind == OVNI_MISSING, c->length == 0);
        assert_int_equal(c->kind == OVNI_MISSING, c->fault >= FAULT_OVNI_UNREADABLE);
        g_string_append_printf(r.lines, "%u %s %d.%d r%d a%d @%d e%d", c->kind, w->stream->name, o->process, o->thread,
                               o->known & OVNI_KNOWN_RANK ? o->rank : -1, o->known & OVNI_KNOWN_APP ? o->app : -1,
                               w->record.nanoseconds, o->era);
        g_string_append_printf(r.lines, " %s\n", w->stream->description ? w->stream->description : "-");
    }
    bool missing = strncmp(r.lines->str, "4 ", 2) == 0; /* missing files come first */
    assert_int_equal(t->incomplete, missing);
    for (guint n = 0; n < 2 * contexts->len; n++) { /* random access to every record, twice */
        const record_context *c = &g_array_index(contexts, record_context, (contexts->len - 1 - n / 2));
        walk *w = trace_read(t, trace_handle(c), &err);
        assert_non_null(w);
        assert_memory_equal(&w->record.context, c, sizeof *c);
    }
    g_array_free(contexts, TRUE);
    trace_close(t);
    source_close(s);
    g_free(path);
    return r;
}

static void check_trace(format_id id, const char *relative, const char *expected, const char *comment)
{
    whole r = read_trace(id, relative);
    assert_string_equal(r.lines->str, expected);
    if (!strstr(r.comment, comment))
        fail_msg("no '%s' in '%s'", comment, r.comment);
    g_string_free(r.lines, TRUE);
    g_free(r.comment);
}

#define CLOCKS(...) ((const uint64_t[]){__VA_ARGS__, 0})
#define NO_CLOCKS ((const uint64_t[]){0})

static void write_today(void)
{
    write_text("v3/clock-offsets.txt", "heading\n0 n1 0 0 0\n1 n2 -100 0 0\n");
    write_text("v3/loom.n1/proc.1/thread.1/stream.json",
               "{\"version\":3,\"ovni\":{\"tid\":11,\"pid\":10,\"loom\":\"n1.0\",\"rank\":3,\"app_id\":1}}");
    write_stream("v3/loom.n1/proc.1/thread.1/stream.obs", true, CLOCKS(20, 40));
    write_text("v3/loom.n2/proc.1/thread.1/stream.json", "{ broken");
    write_stream("v3/loom.n2/proc.1/thread.1/stream.obs", true, CLOCKS(115, 130));
    write_stream("v3/loom.n2/proc.1/thread.2/stream.obs", true, NO_CLOCKS);
    write_text("v3/loom.n2/proc.1/thread.2/metadata.json", "{}"); /* files that belong to nobody */
    write_text("v3/thread.prv", "#Paraver");
    write_text("v3/cfg/cpu/ovni.cfg", "x");
    write_text("v3/cfg/metadata.json", "{}");
    write_text("v3/stream.txt", "x");
}

static void a_trace_of_today(void **state)
{
    (void)state;
    write_today();
    static const char expected[] = "3 loom.n1/proc.1/thread.1/stream.json 10.11 r3 a1 @15 e5 n1.0\n"
                                   "3 loom.n2/proc.1/thread.1/stream.json 1.1 r-1 a-1 @15 e5 n2\n"
                                   "0 loom.n1/proc.1/thread.1 10.11 r3 a1 @15 e5 n1.0\n"
                                   "0 loom.n2/proc.1/thread.1 1.1 r-1 a-1 @15 e5 n2\n"
                                   "0 loom.n2/proc.1/thread.2 0.0 r-1 a-1 @15 e5 -\n"
                                   "1 loom.n2/proc.1/thread.1 1.1 r-1 a-1 @15 e5 n2\n"
                                   "1 loom.n1/proc.1/thread.1 10.11 r3 a1 @20 e5 n1.0\n"
                                   "1 loom.n2/proc.1/thread.1 1.1 r-1 a-1 @30 e5 n2\n"
                                   "1 loom.n1/proc.1/thread.1 10.11 r3 a1 @40 e5 n1.0\n";
    check_trace(FORMAT_ovni_trace, "v3/loom.n1/proc.1/thread.1/stream.json", expected, "of 2 hosts");
    check_trace(FORMAT_ovni_trace, "v3/loom.n2/proc.1/thread.1/stream.json", expected,
                "thread.1/stream.json: metadata is not");
    /* a stream opened alone is the same as in the whole trace */
    check_trace(FORMAT_ovni, "v3/loom.n2/proc.1/thread.1/stream.obs",
                "0 loom.n2/proc.1/thread.1 1.1 r-1 a-1 @15 e5 n2\n1 loom.n2/proc.1/thread.1 1.1 r-1 a-1 @15 e5 n2\n"
                "1 loom.n2/proc.1/thread.1 1.1 r-1 a-1 @30 e5 n2\n",
                "applied");
    check_trace(FORMAT_ovni, "v3/loom.n1/proc.1/thread.1/stream.obs",
                "0 loom.n1/proc.1/thread.1 10.11 r3 a1 @20 e5 n1.0\n1 loom.n1/proc.1/thread.1 10.11 r3 a1 @20 e5 n1.0\n"
                "1 loom.n1/proc.1/thread.1 10.11 r3 a1 @40 e5 n1.0\n",
                "no date");
}

static void offsets_can_be_disabled(void **state)
{
    (void)state;
    write_today();
    g_setenv("WIRETRACE_OVNI_CLOCK_OFFSETS", "0", TRUE);
    check_trace(FORMAT_ovni, "v3/loom.n2/proc.1/thread.1/stream.obs",
                "0 loom.n2/proc.1/thread.1 1.1 r-1 a-1 @115 e5 n2\n1 loom.n2/proc.1/thread.1 1.1 r-1 a-1 @115 e5 n2\n"
                "1 loom.n2/proc.1/thread.1 1.1 r-1 a-1 @130 e5 n2\n",
                "no date.");
    g_unsetenv("WIRETRACE_OVNI_CLOCK_OFFSETS");
}

/* All old layouts in one folder, as no real trace has them. */
static void traces_of_other_times(void **state)
{
    (void)state;
    write_text("old/loom.h/proc.1/metadata.json", "{\"version\":1,\"app_id\":4,\"rank\":2}");
    write_stream("old/loom.h/proc.1/thread.1", false, CLOCKS(10, 50));
    write_stream("old/loom.h/proc.1/thread.2", true, CLOCKS(20));
    write_stream("old/loom.h/proc.1/thread.3.ovnistream", true, CLOCKS(30));
    write_stream("old/loom.h/proc.2/thread.4.obs", true, CLOCKS(40));
    write_text("old/loom.h/proc.2/thread.4.json", "{\"version\":2,\"ovni\":{}}");
    write_stream("old/loom.h/proc.2/thread.5.obs", true, CLOCKS(45));
    write_text("old/loom.h/proc.3/metadata.json", "{}"); /* there is no event file beside it */
    static const char expected[] = "3 loom.h/proc.1/metadata.json 1.0 r2 a4 @10 e0 h\n"
                                   "3 loom.h/proc.2/thread.4.json 2.4 r-1 a-1 @10 e4 h\n"
                                   "0 loom.h/proc.1/thread.2 1.2 r2 a4 @10 e2 h\n"
                                   "0 loom.h/proc.1/thread.3 1.3 r2 a4 @10 e3 h\n"
                                   "0 loom.h/proc.2/thread.4 2.4 r-1 a-1 @10 e4 h\n"
                                   "0 loom.h/proc.2/thread.5 2.5 r-1 a-1 @10 e3 h\n"
                                   "1 loom.h/proc.1/thread.1 1.1 r2 a4 @10 e1 h\n"
                                   "1 loom.h/proc.1/thread.2 1.2 r2 a4 @20 e2 h\n"
                                   "1 loom.h/proc.1/thread.3 1.3 r2 a4 @30 e3 h\n"
                                   "1 loom.h/proc.2/thread.4 2.4 r-1 a-1 @40 e4 h\n"
                                   "1 loom.h/proc.2/thread.5 2.5 r-1 a-1 @45 e3 h\n"
                                   "1 loom.h/proc.1/thread.1 1.1 r2 a4 @50 e1 h\n";
    check_trace(FORMAT_ovni_trace, "old/loom.h/proc.1/metadata.json", expected, "no date.");
    check_trace(FORMAT_ovni_trace, "old/loom.h/proc.2/thread.4.json", expected, "no date.");
}

/* An unreadable stream does not affect the others. */
static void damage_costs_itself(void **state)
{
    (void)state;
    write_text("d/loom.a/proc.1/thread.1/stream.json", "{\"ovni\":{}}");
    write_stream("d/loom.a/proc.1/thread.1/stream.obs", true, CLOCKS(7, 9));
    write_text("d/loom.a/proc.1/thread.2/stream.obs", "garbage and more garbage");
    write_text("d/loom.a/proc.1/thread.3/stream.obs", "");
    write_text("d/loom.a/proc.1/thread.4/stream.obs", "ovn");
    char *link = full("d/loom.a/proc.1/thread.5"), *target = full("d/loom.a/proc.1/thread.1");
    assert_int_equal(symlink(target, link), 0); /* each folder is read once */
    check_trace(FORMAT_ovni_trace, "d/loom.a/proc.1/thread.1/stream.json",
                "3 loom.a/proc.1/thread.1/stream.json 1.1 r-1 a-1 @7 e5 a\n"
                "0 loom.a/proc.1/thread.1 1.1 r-1 a-1 @7 e5 a\n"
                "254 loom.a/proc.1/thread.4 0.0 r-1 a-1 @7 e5 -\n"
                "1 loom.a/proc.1/thread.1 1.1 r-1 a-1 @7 e5 a\n"
                "255 loom.a/proc.1/thread.2 0.0 r-1 a-1 @7 e5 -\n"
                "1 loom.a/proc.1/thread.1 1.1 r-1 a-1 @9 e5 a\n",
                "thread.2/stream.obs: no ovni header");
    g_free(link);
    g_free(target);
}

static void make_link(const char *relative, const char *target)
{
    char *link = full(relative), *to = full(target);
    assert_int_equal(symlink(to, link), 0);
    g_free(link);
    g_free(to);
}

/* Missing files, and things in their place, are records at the beginning. */
static void what_is_missing_is_reported(void **state)
{
    (void)state;
    write_text("m/loom.a/proc.1/thread.1/stream.json", "{\"version\":3,\"ovni\":{\"tid\":1,\"pid\":7,\"loom\":\"b\"}}");
    write_text("m/loom.a/proc.1/thread.2/stream.json", "{\"version\":3,\"ovni\":{\"tid\":2,\"pid\":7,\"loom\":\"b\"}}");
    write_stream("m/loom.a/proc.1/thread.2/stream.obs", true, CLOCKS(7));
    write_text("m/loom.a/proc.1/thread.3/note", "x");
    write_stream("m/loom.a/proc.2/thread.4.obs", true, CLOCKS(9));
    write_text("m/loom.a/proc.2/thread.5.json", "{\"version\":2,\"ovni\":{}}");
    write_text("m/loom.a/proc.2/other", "x"); /* foreign files and links are ignored */
    make_link("m/loom.a/proc.2/latest", "m/loom.a/proc.1");
    char *pipe = full("m/loom.a/proc.1/thread.3/stream.obs");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    g_free(pipe);
    check_trace(FORMAT_ovni_trace, "m/loom.a/proc.1/thread.1/stream.json",
                "4 loom.a/proc.1/thread.1 7.1 r-1 a-1 @7 e5 b\n"
                "4 loom.a/proc.1/thread.3 1.3 r-1 a-1 @7 e5 a\n"
                "4 loom.a/proc.2/thread.5 2.5 r-1 a-1 @7 e4 a\n"
                "3 loom.a/proc.1/thread.1/stream.json 7.1 r-1 a-1 @7 e5 b\n"
                "3 loom.a/proc.1/thread.2/stream.json 7.2 r-1 a-1 @7 e5 b\n"
                "3 loom.a/proc.2/thread.5.json 2.5 r-1 a-1 @7 e4 a\n"
                "0 loom.a/proc.1/thread.2 7.2 r-1 a-1 @7 e5 b\n"
                "0 loom.a/proc.2/thread.4 2.4 r-1 a-1 @7 e3 a\n"
                "1 loom.a/proc.1/thread.2 7.2 r-1 a-1 @7 e5 b\n"
                "1 loom.a/proc.2/thread.4 2.4 r-1 a-1 @9 e3 a\n",
                "loom.a/proc.1/thread.1: the event file of this stream is missing; loom.a/proc.1/thread.3: neither");
}

/* Since 1.11.0 only one thread of a process may have its rank, and another its application. */
static void numbers_of_the_process(void **state)
{
    (void)state;
    static const struct {
        const char *path, *numbers;
    } threads[] = {
        {"loom.a/1", "\"pid\":5,\"tid\":1,\"loom\":\"a\""},
        {"loom.a/2", "\"pid\":5,\"tid\":2,\"loom\":\"a\",\"rank\":7"},
        {"loom.a/3", "\"pid\":5,\"tid\":3,\"loom\":\"a\",\"rank\":8,\"app_id\":2"}, /* keeps its own */
        {"loom.a/4", "\"pid\":6,\"tid\":4,\"loom\":\"a\""},                         /* another process */
        {"loom.b/5", "\"pid\":5,\"tid\":5,\"loom\":\"b\""},                         /* another loom */
    };
    for (size_t i = 0; i < G_N_ELEMENTS(threads); i++) {
        char *json = g_strdup_printf("rank/%s/stream.json", threads[i].path);
        char *obs = g_strdup_printf("rank/%s/stream.obs", threads[i].path);
        char *text = g_strdup_printf("{\"version\":3,\"ovni\":{%s}}", threads[i].numbers);
        write_text(json, text);
        write_stream(obs, true, NO_CLOCKS);
        g_free(json);
        g_free(obs);
        g_free(text);
    }
    check_trace(FORMAT_ovni_trace, "rank/loom.a/1/stream.json",
                "3 loom.a/1/stream.json 5.1 r-1 a-1 @0 e5 a\n"
                "3 loom.a/2/stream.json 5.2 r7 a-1 @0 e5 a\n"
                "3 loom.a/3/stream.json 5.3 r8 a2 @0 e5 a\n"
                "3 loom.a/4/stream.json 6.4 r-1 a-1 @0 e5 a\n"
                "3 loom.b/5/stream.json 5.5 r-1 a-1 @0 e5 b\n"
                "0 loom.a/1 5.1 r7 a2 @0 e5 a\n"
                "0 loom.a/2 5.2 r7 a2 @0 e5 a\n"
                "0 loom.a/3 5.3 r8 a2 @0 e5 a\n"
                "0 loom.a/4 6.4 r-1 a-1 @0 e5 a\n"
                "0 loom.b/5 5.5 r-1 a-1 @0 e5 b\n",
                "no date");
}

/* Links to folders are followed if ovni gives them such names, and cannot lead in circles; others are not. */
static void which_links_are_followed(void **state)
{
    (void)state;
    write_text("outside/loom.z/proc.1/thread.1/stream.json", "{\"ovni\":{\"loom\":\"z\",\"pid\":9}}");
    write_stream("outside/loom.z/proc.1/thread.1/stream.obs", true, CLOCKS(1));
    write_text("outside/clock-offsets.txt", "heading\n0 a 1000 0 0\n");
    write_text("l/loom.a/thread.1/stream.json", "{\"ovni\":{}}");
    write_stream("l/loom.a/thread.1/stream.obs", true, CLOCKS(7));
    write_text("l/loom.a/thread.2/note", "x");
    write_stream("l/loom.a/thread.3/stream.obs", true, CLOCKS(8));
    write_stream("outside/loom.z/proc.1/other/stream.obs", true, CLOCKS(3)); /* not entered: no name of ovni's */
    make_link("l/loom.y", "l/loom.none");
    make_link("l/loom.z", "outside/loom.z");
    make_link("l/loom.zz", "outside/loom.z");                                               /* the same again */
    make_link("outside/loom.z/proc.1/thread.2", "l");                                       /* circle */
    make_link("l/loom.a/thread.2/stream.obs", "outside/loom.z/proc.1/thread.1/stream.obs"); /* events */
    make_link("l/loom.a/thread.3/stream.json", "outside/loom.z/proc.1/thread.1/stream.json");
    make_link("l/clock-offsets.txt", "outside/clock-offsets.txt");
    make_link("l/loom.a/loop", "l");
    static const char expected[] = "4 loom.a/thread.2 0.2 r-1 a-1 @1 e5 a\n"
                                   "4 loom.a/thread.3/stream.json 0.3 r-1 a-1 @1 e5 a\n"
                                   "4 loom.y 0.0 r-1 a-1 @1 e0 -\n"
                                   "3 loom.a/thread.1/stream.json 0.1 r-1 a-1 @1 e5 a\n"
                                   "3 loom.z/proc.1/thread.1/stream.json 9.1 r-1 a-1 @1 e5 z\n"
                                   "0 loom.a/thread.1 0.1 r-1 a-1 @1 e5 a\n"
                                   "0 loom.a/thread.3 0.3 r-1 a-1 @1 e5 a\n"
                                   "0 loom.z/proc.1/thread.1 9.1 r-1 a-1 @1 e5 z\n"
                                   "1 loom.z/proc.1/thread.1 9.1 r-1 a-1 @1 e5 z\n"
                                   "1 loom.a/thread.1 0.1 r-1 a-1 @7 e5 a\n"
                                   "1 loom.a/thread.3 0.3 r-1 a-1 @8 e5 a\n";
    check_trace(FORMAT_ovni_trace, "l/loom.a/thread.1/stream.json", expected, "clock-offsets.txt cannot be read");
    /* the same from elsewhere: through a link to the directory, around the loop, and by a relative path */
    make_link("elsewhere", "l/loom.a/thread.1");
    check_trace(FORMAT_ovni_trace, "elsewhere/stream.json", expected, "");
    check_trace(FORMAT_ovni_trace, "l/loom.z/proc.1/thread.1/stream.json", expected, "");
    check_trace(FORMAT_ovni_trace, "l/loom.zz/proc.1/thread.1/stream.json", expected, "");
    check_trace(FORMAT_ovni_trace, "l/loom.a/loop/loom.a/loop/loom.a/thread.1/stream.json", expected, "");
    char *before = g_get_current_dir(), *inside = full("l/loom.a/thread.3"), *all = scratch;
    assert_int_equal(chdir(inside), 0);
    scratch = g_strdup(".");
    check_trace(FORMAT_ovni_trace, "../thread.1/stream.json", expected, "");
    g_free(scratch);
    scratch = all;
    assert_int_equal(chdir(before), 0);
    g_free(before);
    g_free(inside);
}

static void write_rank(const char *folder, int process, const char *rank)
{
    g_autofree char *json = g_strdup_printf("%s/loom.%d/proc.%d/thread.1/stream.json", folder, process, process),
                    *events = g_strdup_printf("%s/loom.%d/proc.%d/thread.1/stream.obs", folder, process, process),
                    *text = g_strdup_printf("{\"version\":3,\"ovni\":{\"tid\":1,\"pid\":%d,\"loom\":\"%d\"%s}}", process,
                                            process, rank);
    write_text(json, text);
    write_stream(events, true, CLOCKS(7));
}

/* Opens the trace of process 1: how many streams it has, and what the comment says of ranks. */
static void check_ranks(const char *folder, unsigned streams, const char *expected)
{
    g_autofree char *path = g_strdup_printf("%s/loom.1/proc.1/thread.1/stream.json", folder);
    whole r = read_trace(FORMAT_ovni_trace, path);
    unsigned found = 0;
    for (const char *at = r.lines->str; (at = strstr(at, " e5 ")) != NULL; at++)
        found++;
    assert_int_equal(found, 3 * streams); /* metadata, header and an event */
    const char *ranks = strstr(r.comment, " ranks are");
    if (!expected != !ranks || (expected && !strstr(r.comment, expected)))
        fail_msg("%s: not %s in '%s'", folder, expected, r.comment);
    g_string_free(r.lines, TRUE);
    g_free(r.comment);
}

/* Folders of nodes belong together only if this gives each rank once, and nothing else. */
static void ranks_in_other_folders(void **state)
{
    (void)state;
    write_rank("g/all/n0/ovni", 1, ",\"rank\":0,\"nranks\":3,\"app_id\":1");
    check_ranks("g/all/n0/ovni", 1, "1 of 3 ranks");
    write_rank("g/all/n0/ovni", 2, ",\"rank\":1,\"nranks\":3,\"app_id\":2");
    check_ranks("g/all/n0/ovni", 2, "2 of 3 ranks");
    write_rank("g/all/n1/ovni", 3, ",\"rank\":2,\"nranks\":3,\"app_id\":3");
    check_ranks("g/all/n0/ovni", 3, NULL);
    write_text("g/all/n0/ovni/clock-offsets.txt", "heading\n0 1 0 0 0\n"); /* this is the root of a trace */
    check_ranks("g/all/n0/ovni", 2, "2 of 3 ranks");
    static const char *const others[] = {",\"rank\":0,\"nranks\":2", ",\"rank\":1,\"nranks\":3", ""};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        g_autofree char *here = g_strdup_printf("g/%zu/a", i), *there = g_strdup_printf("g/%zu/b", i);
        write_rank(here, 1, ",\"rank\":0,\"nranks\":2");
        write_rank(there, 2, others[i]);
        check_ranks(here, 1, "1 of 2 ranks");
    }
}

static bool probe_path(const char *relative)
{
    char *path = full(relative), *bytes;
    gsize length;
    assert_true(g_file_get_contents(path, &bytes, &length, NULL));
    probe p = {(uint8_t *)bytes, MIN(length, PROBE_LENGTH), length <= PROBE_LENGTH, path};
    bool ours = ovni_trace_format.probe(&p);
    g_free(bytes);
    g_free(path);
    return ours;
}

static void which_metadata_is_claimed(void **state)
{
    (void)state;
    write_text("p/a/stream.json", "not json at all");
    write_stream("p/a/stream.obs", true, CLOCKS(1));
    assert_true(probe_path("p/a/stream.json")); /* broken metadata must not hide the events */
    write_text("p/b/stream.json", "{\"ovni\":{\"part\":\"thread\"}}");
    assert_true(probe_path("p/b/stream.json"));
    write_text("p/c/stream.json", "{\"title\":\"video\"}");
    assert_false(probe_path("p/c/stream.json"));
    write_text("p/c/stream.obs", "something else");
    assert_false(probe_path("p/c/stream.json"));
    write_text("p/d/metadata.json", "{\"version\":1}");
    assert_false(probe_path("p/d/metadata.json"));
    write_stream("p/d/thread.1.obs", true, NO_CLOCKS);
    assert_true(probe_path("p/d/metadata.json"));
    write_text("p/e/metadata.json", "");
    write_stream("p/e/thread.1", false, CLOCKS(1, 2));
    assert_true(probe_path("p/e/metadata.json"));
    write_text("p/f/metadata.json", "{}");
    write_text("p/f/thread.1", "a text");
    assert_false(probe_path("p/f/metadata.json"));
    write_text("p/loom.a/proc.1/metadata.json", "{}"); /* names of folders decide if the event file is too short */
    assert_false(probe_path("p/loom.a/proc.1/metadata.json"));
    write_text("p/loom.a/proc.1/thread.1", "");
    assert_true(probe_path("p/loom.a/proc.1/metadata.json"));
    write_bytes("p/loom.a/proc.1/thread.1", "\x0fOHx\x85\xc9\x7f", 7);
    assert_true(probe_path("p/loom.a/proc.1/metadata.json"));
    write_text("p/loom.a/proc.1/thread.1", "a text of its own");
    assert_false(probe_path("p/loom.a/proc.1/metadata.json"));
    write_text("p/g/thread.1.json", "{\"ovni\":{}}");
    assert_true(probe_path("p/g/thread.1.json"));
    write_text("p/g/thread.2.json", "{\"messages\":[]}");
    assert_false(probe_path("p/g/thread.2.json"));
    write_text("p/g/other.json", "{\"ovni\":{}}");
    assert_false(probe_path("p/g/other.json"));
    write_text("p/g/stream.json", "{\"ovni\":");
    assert_false(probe_path("p/g/stream.json"));
    write_text("p/loom.b/proc.1/thread.1/stream.json", "{\"ovni\":"); /* all that is left of a trace */
    assert_true(probe_path("p/loom.b/proc.1/thread.1/stream.json"));
    write_text("p/loom.b/proc.1/thread.1/other.json", "{\"ovni\":");
    assert_false(probe_path("p/loom.b/proc.1/thread.1/other.json"));
}

/* In folders that ovni names so, two whole events are enough, whatever follows them. */
static void damage_after_few_events(void **state)
{
    (void)state;
    static const char *const loom[] = {"p/loom.c/proc.1", "p/c/proc.1"};
    for (int i = 0; i < 2; i++) {
        g_autofree char *events = g_build_filename(loom[i], "thread.1", NULL),
                        *json = g_build_filename(loom[i], "metadata.json", NULL);
        write_text(json, "{\"version\":1}");
        write_stream(events, false, CLOCKS(1005, 1006, 1007, 1008, 1009, 1));
        assert_int_equal(probe_path(json), i == 0);
        whole r = read_trace(FORMAT_ovni_trace, json);
        assert_int_equal(strstr(r.lines->str, "1 loom.c/proc.1/thread.1 1.1 r-1 a-1 @1009 ") != NULL, i == 0);
        g_string_free(r.lines, TRUE);
        g_free(r.comment);
    }
}

/* A file of metadata is a record with the reason, however little there is of it. */
static void broken_metadata_is_a_record(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "{", "no"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        write_text("q/loom.a/proc.1/thread.1/stream.json", texts[i]);
        whole r = read_trace(FORMAT_ovni_trace, "q/loom.a/proc.1/thread.1/stream.json");
        assert_non_null(strstr(r.lines->str, "3 loom.a/proc.1/thread.1/stream.json "));
        assert_non_null(strstr(r.comment, "metadata is not valid JSON"));
        g_string_free(r.lines, TRUE);
        g_free(r.comment);
    }
}

/* Directories deeper than the limit are reported in the comment. */
static void depth_is_limited(void **state)
{
    (void)state;
    GString *deep = g_string_new("n/loom.a/");
    for (int i = 0; i < 20; i++)
        g_string_append(deep, "x/");
    g_string_append(deep, "stream.obs");
    write_stream(deep->str, true, CLOCKS(1));
    write_text("n/loom.a/s/stream.json", "{\"ovni\":{}}");
    check_trace(FORMAT_ovni_trace, "n/loom.a/s/stream.json",
                "4 loom.a/s 0.0 r-1 a-1 @0 e5 a\n"
                "4 loom.a/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x 0.0 r-1 a-1 @0 e0 a\n"
                "3 loom.a/s/stream.json 0.0 r-1 a-1 @0 e5 a\n",
                "deeper than 16 levels");
    g_string_free(deep, TRUE);
}

/* Thousands of open streams: their headers in path order, then a round of the first events, then one of the second. */
static void thousands_of_streams(void **state)
{
    (void)state;
    enum { STREAMS = 4096 };
    char name[80];
    for (int i = 0; i < STREAMS; i++) {
        g_snprintf(name, sizeof name, "many/loom.a/proc.1/thread.%04d.obs", i);
        write_stream(name, true, CLOCKS(5, 6));
    }
    write_text("many/loom.a/proc.1/metadata.json", "{\"version\":1,\"app_id\":1}");
    gint64 before = g_get_monotonic_time();
    whole r = read_trace(FORMAT_ovni_trace, "many/loom.a/proc.1/metadata.json");
    print_message("%d streams: %" G_GINT64_FORMAT " ms\n", STREAMS, (g_get_monotonic_time() - before) / 1000);
    char **lines = g_strsplit(r.lines->str, "\n", -1);
    assert_int_equal(g_strv_length(lines), 1 + 3 * STREAMS + 1);
    for (int i = 0; i < STREAMS; i++) {
        g_snprintf(name, sizeof name, "0 loom.a/proc.1/thread.%04d 1.%d r-1 a1", i, i);
        assert_true(g_str_has_prefix(lines[1 + i], name));
    }
    for (int round = 1; round < 3; round++) { /* equal clocks are in the order of a heap */
        g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
        for (int i = 0; i < STREAMS; i++) {
            char *line = lines[1 + round * STREAMS + i];
            assert_true(g_str_has_prefix(line, "1 loom.a/proc.1/thread."));
            line[strlen("1 loom.a/proc.1/thread.0000")] = '\0';
            assert_true(g_hash_table_add(seen, line));
        }
    }
    g_strfreev(lines);
    g_string_free(r.lines, TRUE);
    g_free(r.comment);
}

/* For "/loom.x", or one folder deep, the root of the trace is "/"; other folders there are not searched. */
static void whole_system_is_not_searched(void **state)
{
    (void)state;
    write_stream("w/stream.obs", true, CLOCKS(1));
    write_text("w/stream.json", "{\"ovni\":{}}");
    char *opened = full("w/stream.json"), *events = full("w/stream.obs");
    size_t first = 1 + strcspn(opened + 1, "/") + 1; /* the folder that is entered, and the slashes around its name */
    ovni_files files;
    ovni_files_find(&files, "/", opened + 1, OVNI_ENTRIES_MAX);
    assert_true(g_ptr_array_find_with_equal_func(files.events, events + 1, g_str_equal, NULL));
    for (guint i = 0; i < files.events->len + files.metadata->len; i++) {
        const char *path = g_ptr_array_index(i < files.events->len ? files.events : files.metadata,
                                             i < files.events->len ? i : i - files.events->len);
        if (strchr(path, '/') && !g_str_has_prefix(path, "loom."))
            assert_int_equal(strncmp(path, opened + 1, first - 1), 0);
    }
    assert_true(files.narrowed);
    ovni_files_clear(&files);
    g_free(opened);
    g_free(events);
}

/* Only what has a path can have files beside it. */
static void without_path(void **state)
{
    (void)state;
    source *s = source_memory_new("{}", 2);
    trace_input in = {.path = NULL, .sequential = s, .random = s, .seekable = true};
    g_autoptr(GError) error = NULL;
    assert_null(trace_open(&ovni_trace_format, &in, &error));
    assert_non_null(strstr(error->message, "must be opened by its path"));
    source_close(s);
    assert_false(ovni_trace_format.probe(&(probe){.head = (const uint8_t *)"{}", .length = 2, .whole = true}));
}

/* A table of clocks that names machines of another trace. */
static void clocks_of_others(void **state)
{
    (void)state;
    write_text("c/loom.a/proc.1/thread.1/stream.json", "{\"version\":3,\"ovni\":{\"tid\":1,\"pid\":1,\"loom\":\"a\"}}");
    write_stream("c/loom.a/proc.1/thread.1/stream.obs", true, CLOCKS(7));
    write_text("c/clock-offsets.txt", "rank hostname offset_median offset_mean offset_std\n0 other 5.0 5.0 0.0\n");
    char *path = full("c/loom.a/proc.1/thread.1/stream.json");
    source *s = source_memory_new("{}", 2);
    trace_input in = {.path = path, .sequential = s, .random = s, .seekable = true};
    trace *t = trace_open(&ovni_trace_format, &in, NULL);
    assert_non_null(t);
    assert_int_equal(ovni_context_of(&trace_stream(t, 0)->base)->clocks, FAULT_OVNI_CLOCKS_LOOM);
    assert_int_equal(ovni_context_of(&trace_stream(t, 0)->base)->clocks_value, 1);
    trace_close(t);
    source_close(s);
    g_free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_path),
        cmocka_unit_test(clocks_of_others),
        cmocka_unit_test(names_of_files),
        cmocka_unit_test(roots),
        cmocka_unit_test(places),
        cmocka_unit_test(a_trace_of_today),
        cmocka_unit_test(offsets_can_be_disabled),
        cmocka_unit_test(traces_of_other_times),
        cmocka_unit_test(damage_costs_itself),
        cmocka_unit_test(what_is_missing_is_reported),
        cmocka_unit_test(numbers_of_the_process),
        cmocka_unit_test(which_links_are_followed),
        cmocka_unit_test(ranks_in_other_folders),
        cmocka_unit_test(which_metadata_is_claimed),
        cmocka_unit_test(damage_after_few_events),
        cmocka_unit_test(broken_metadata_is_a_record),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(whole_system_is_not_searched),
        cmocka_unit_test(thousands_of_streams),
    };
    return cmocka_run_group_tests(tests, make_scratch, drop_scratch);
}
