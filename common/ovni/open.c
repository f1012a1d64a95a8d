/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening: turns files into streams with their identity (loom, process, thread, rank, application), clock offset and
 * order. Knows nothing of records: see framing.c. */
#include <errno.h>
#include <string.h>

#include "ovni/clocks.h"
#include "ovni/discover.h"
#include "ovni/framing.h"
#include "containers/hash.h"
#include "ovni/metadata.h"
#include "ovni/ovni.h"
#include "ovni/ranks.h"
#include "util/fail.h"
#include "util/text.h"
#include "util/regular_file.h"

/* What is known while a trace is opened. */
typedef struct {
    trace *trace;
    char *root;           /* NULL if the stream has no path */
    GHashTable *metadata; /* path relative to the root -> ovni_metadata */
    GHashTable *clocks;   /* clocks.h; may be NULL */
    bool offsets_applied;
    fault clocks_fault; /* of the clock table; FAULT_NONE if there is none */
    uint32_t clocks_value;
    unsigned missing; /* streams and metadata files that exist but cannot be read */
    int error;        /* of the first that the system had no means to open; 0: none */
    ovni_problems problems;
} opening;

static void opening_clear(opening *o)
{
    g_free(o->root);
    if (o->metadata)
        g_hash_table_destroy(o->metadata);
    g_clear_pointer(&o->clocks, g_hash_table_destroy);
    ovni_problems_clear(&o->problems);
}

static void opening_init(opening *o, trace *t, char *root)
{
    *o = (opening){.trace = t, .root = root};
    o->metadata = g_hash_table_new_full(hash_text, g_str_equal, g_free, ovni_metadata_free);
    if (root)
        o->clocks = ovni_clocks_load(root, &o->problems);
    o->clocks_fault = o->problems.fault;
    o->clocks_value = (uint32_t)MIN(o->problems.value, UINT32_MAX);
}

static void note_fault(opening *o, const char *name, fault f, uint64_t value)
{
    char words[160];
    ovni_problem(&o->problems, "%s: %s", name, fault_text(&ovni_faults, f, value, words, sizeof words));
}

static ovni_metadata *unreadable_metadata(int err)
{
    ovni_metadata *m = g_new0(ovni_metadata, 1);
    m->fault = FAULT_OVNI_METADATA;
    m->fault_value = (uint64_t)err;
    return m;
}

/* The metadata at a path, or NULL if there is none. Each file is read once, even if a thousand threads share it. */
static ovni_metadata *load_metadata(opening *o, const char *relative)
{
    gpointer known;
    if (!o->root || !relative)
        return NULL;
    if (g_hash_table_lookup_extended(o->metadata, relative, NULL, &known))
        return known;
    int err = 0;
    g_autofree char *path = g_build_filename(o->root, relative, NULL);
    ovni_metadata *m = ovni_metadata_load(path, &err);
    if (!m && err != ENOENT)
        m = unreadable_metadata(err);
    g_hash_table_insert(o->metadata, g_strdup(relative), m);
    return m;
}

/* The same, with what is wrong with it reported. */
static const ovni_metadata *metadata_of(opening *o, const char *relative)
{
    ovni_metadata *m = load_metadata(o, relative);
    if (m && !m->reported && m->fault)
        note_fault(o, relative, m->fault, m->fault_value);
    else if (m && !m->reported && m->problems)
        ovni_problem(&o->problems, "%s: %s", relative, m->problems);
    if (m)
        m->reported = true;
    return m;
}

#define OF_THREAD (OVNI_KNOWN_PROCESS | OVNI_KNOWN_THREAD)
#define OF_PROCESS (OVNI_KNOWN_RANK | OVNI_KNOWN_APP)

/* Copies those of the `wanted` values that `from` knows. */
static void learn(ovni_context *c, const ovni_context *from, int wanted)
{
    uint8_t which = from->known & (uint8_t)wanted;
    c->process = which & OVNI_KNOWN_PROCESS ? from->process : c->process;
    c->thread = which & OVNI_KNOWN_THREAD ? from->thread : c->thread;
    c->rank = which & OVNI_KNOWN_RANK ? from->rank : c->rank;
    c->app = which & OVNI_KNOWN_APP ? from->app : c->app;
    c->known |= which;
}

static void set_metadata_fault(ovni_context *c, const ovni_metadata *m)
{
    c->beside = (uint8_t)m->fault;
    c->metadata_value = (uint32_t)m->fault_value;
}

/* Sets who wrote the stream. The JSON takes precedence over the path, which only older versions rely on. */
static void identify(opening *o, stream *s, const ovni_location *p, const ovni_metadata *own)
{
    static const ovni_metadata nothing;
    ovni_context *c = ovni_context_of(&s->base);
    const ovni_metadata *process = metadata_of(o, p->process_metadata);
    if (!own)
        own = &nothing;
    learn(c, &p->identity, OF_THREAD);
    learn(c, &own->identity, OF_THREAD | OF_PROCESS);
    if (process)
        learn(c, &process->identity, OF_PROCESS & ~c->known);
    if (own->fault == FAULT_OVNI_METADATA)
        set_metadata_fault(c, own);
    else if (process && process->fault == FAULT_OVNI_METADATA)
        set_metadata_fault(c, process);
    const char *loom = own->loom ? own->loom : p->loom;
    s->description = g_strdup(loom);
    if (ovni_clocks_find(o->clocks, loom, &c->clock_offset)) {
        c->known |= OVNI_KNOWN_CLOCK_OFFSET;
        o->offsets_applied = true;
    }
}

/* Adds a stream with its detail, but without a source. */
static stream *add_stream(opening *o, const ovni_location *p, const char *name)
{
    stream *s = trace_add_stream(o->trace, name);
    ovni_stream *detail = g_new0(ovni_stream, 1);
    stream_range whole = {.end = UINT64_MAX};
    stream_add_range(s, &whole);
    s->detail = detail;
    s->tie = s->number;
    ovni_context *c = ovni_context_of(&s->base);
    c->era = (uint8_t)p->file.era;
    c->clocks = (uint8_t)o->clocks_fault;
    c->clocks_value = o->clocks_value;
    if (p->file.kind == OVNI_FILE_EVENTS && p->file.era == OVNI_ERA_PLAIN)
        detail->enough = ovni_location_is_in_trace(p) ? OVNI_ENOUGH_IN_TRACE : OVNI_ENOUGH_NAMED;
    detail->begin = UINT64_MAX;
    return s;
}

static void add_events_identity(opening *o, stream *s, const ovni_location *p)
{
    const ovni_metadata *own = metadata_of(o, p->metadata);
    if (own && p->file.era == OVNI_ERA_V1)
        ovni_context_of(&s->base)->era = OVNI_ERA_V2;
    identify(o, s, p, own);
}

/* Returns whether metadata is missing. In other eras it is not always expected. */
static bool note_missing_metadata(opening *o, stream *s, const ovni_location *p, fault why)
{
    if (p->file.era != OVNI_ERA_V3 || metadata_of(o, p->metadata))
        return false;
    ovni_context_of(&s->base)->beside = why;
    note_fault(o, s->name, why, 0);
    return true;
}

/* Returns whether a call failed in this run, for reasons outside of the trace. */
static bool is_shortage(fault why, uint64_t value)
{
    const bool has_errno = why == FAULT_OVNI_UNREADABLE || why == FAULT_OVNI_FOLDER || why == FAULT_OVNI_METADATA ||
                           why == FAULT_OVNI_CLOCKS;
    return has_errno && (value == EMFILE || value == ENFILE || value == ENOMEM);
}

/* A part of the trace cannot be read. */
static void note_missing(opening *o, fault why, uint64_t value)
{
    o->missing++;
    if (!o->error && is_shortage(why, value))
        o->error = (int)value;
}

static void describe_clock(opening *o)
{
    GString *comment = o->trace->comment;
    g_string_append(comment, "The clock is CLOCK_MONOTONIC of the machine in nanoseconds; it has no date.");
    if (o->offsets_applied) {
        g_autofree char *path = ovni_clocks_path(o->root), *name = g_path_get_basename(path), *shown = text_show(name, -1);
        g_string_append_printf(comment, " Clock offsets of %u hosts from %s are applied.", g_hash_table_size(o->clocks),
                               shown);
    }
    ovni_problems_append(&o->problems, comment);
    ovni_problems_append(&o->problems, o->trace->warnings);
    if (o->clocks_fault == FAULT_OVNI_CLOCKS) /* then all times are wrong */
        note_missing(o, FAULT_OVNI_CLOCKS, o->clocks_value);
    o->trace->incomplete = o->missing != 0;
    o->trace->error = o->error;
}

bool ovni_stream_open(trace *t, const trace_input *in, GError **error)
{
    (void)error; /* never fails: what cannot be read is in the comment */
    opening o;
    g_auto(ovni_location) p = {0};
    g_autofree char *path = in->path ? text_unpacked(in->path) : NULL, *relative = NULL;
    opening_init(&o, t, path ? ovni_root(path, &relative) : NULL);
    if (path && !relative)
        relative = g_path_get_basename(path);
    if (relative)
        ovni_location_read(&p, relative);
    stream *s = add_stream(&o, &p, p.name ? p.name : "stream");
    s->sequential = in->sequential;
    s->random = in->random;
    add_events_identity(&o, s, &p);
    note_missing_metadata(&o, s, &p, FAULT_OVNI_NO_METADATA);
    describe_clock(&o);
    opening_clear(&o);
    return true;
}

/* Replaces the content of a stream by a single record that says why it cannot be read. */
static void set_missing(opening *o, stream *s, fault why, uint64_t value)
{
    ovni_stream *detail = s->detail;
    if (s->owns_source)
        source_close(s->sequential);
    s->sequential = s->random = source_memory_new("", 0);
    s->owns_source = true;
    detail->shape = OVNI_SHAPE_MISSING;
    detail->fault = why;
    detail->fault_value = value;
    note_fault(o, s->name, why, value);
    note_missing(o, why, value);
}

static stream *add_file(opening *o, const ovni_location *p, const char *relative)
{
    int err = 0;
    g_autofree char *path = g_build_filename(o->root, relative, NULL);
    stream *s = add_stream(o, p, p->name);
    s->sequential = s->random = source_path_new(path, &err);
    s->owns_source = s->sequential != NULL;
    if (!s->owns_source)
        set_missing(o, s, FAULT_OVNI_UNREADABLE, (uint64_t)err);
    return s;
}

static bool is_missing(const stream *s)
{
    return ((const ovni_stream *)s->detail)->shape == OVNI_SHAPE_MISSING;
}

static void ovni_open_add_metadata(opening *o, const char *relative)
{
    g_auto(ovni_location) p;
    ovni_location_read(&p, relative);
    stream *s = add_file(o, &p, relative);
    ovni_stream *detail = s->detail;
    s->framing = true;
    if (is_missing(s)) {
        ovni_metadata *unreadable = unreadable_metadata((int)detail->fault_value);
        unreadable->reported = true; /* as a stream */
        g_hash_table_insert(o->metadata, g_strdup(relative), unreadable);
    } else {
        const ovni_metadata *m = metadata_of(o, relative);
        detail->shape = OVNI_SHAPE_METADATA;
        if (m && m->fault) {
            detail->fault = m->fault;
            detail->fault_value = m->fault_value;
            detail->fault_at = (uint32_t)m->fault_at;
            if (m->fault == FAULT_OVNI_METADATA)
                note_missing(o, m->fault, m->fault_value);
        }
    }
    identify(o, s, &p, metadata_of(o, relative));
}

/* Reads the first bytes for the byte order and the first clock. */
static void peek(opening *o, stream *s, const char *relative)
{
    g_auto(window) w;
    window_init(&w, s->sequential);
    size_t n = ovni_stream_look(s, &w);
    if (w.error)
        set_missing(o, s, FAULT_OVNI_UNREADABLE, (uint64_t)w.error);
    else if (n && ((ovni_stream *)s->detail)->shape == OVNI_SHAPE_FOREIGN)
        ovni_problem(&o->problems, "%s: no ovni header", relative);
}

static void add_events(opening *o, const char *relative)
{
    g_auto(ovni_location) p;
    ovni_location_read(&p, relative);
    stream *s = add_file(o, &p, relative);
    if (is_missing(s) || !note_missing_metadata(o, s, &p, FAULT_OVNI_UNDECLARED))
        add_events_identity(o, s, &p);
    if (!is_missing(s))
        peek(o, s, relative);
}

/* Adds what the search found to be missing: a stream, metadata or a folder. */
static void add_missing(opening *o, const ovni_missing *m)
{
    g_auto(ovni_location) p;
    ovni_location_read(&p, m->path);
    stream *s = add_stream(o, &p, p.file.kind == OVNI_FILE_FOREIGN ? m->path : p.name);
    if (p.file.kind == OVNI_FILE_EVENTS)
        add_events_identity(o, s, &p);
    else
        identify(o, s, &p, NULL);
    s->framing = p.file.kind != OVNI_FILE_EVENTS;
    set_missing(o, s, m->fault, m->value);
}

/* "PID LOOM" of a stream, or NULL if unknown. */
static char *ovni_open_process_of(const stream *s)
{
    bool known = ovni_context_of(&s->base)->known & OVNI_KNOWN_PROCESS;
    return known ? g_strdup_printf("%d %s", ovni_context_of(&s->base)->process, s->description ? s->description : "") : NULL;
}

static bool has_events(const stream *s)
{
    return ((const ovni_stream *)s->detail)->shape != OVNI_SHAPE_METADATA;
}

/* Rank and application belong to a process, but since 1.11.0 possibly only one of its threads has them in its metadata:
 * they apply to the other threads as well. A metadata record shows only what its own file says. */
static void share_numbers(trace *t)
{
    g_autoptr(GHashTable) processes = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free); /* "PID LOOM" ->
                                                                                                      * ovni_context */
    for (int pass = 0; pass < 2; pass++)
        for (guint i = 0; i < t->streams->len; i++) {
            stream *s = trace_stream(t, i);
            g_autofree char *process = has_events(s) ? ovni_open_process_of(s) : NULL;
            ovni_context *own = ovni_context_of(&s->base),
                         *numbers = process ? g_hash_table_lookup(processes, process) : NULL;
            if (pass == 1 && numbers)
                learn(own, numbers, OF_PROCESS & ~own->known);
            else if (pass == 0 && numbers)
                learn(numbers, own, OF_PROCESS & ~numbers->known);
            else if (pass == 0 && process)
                g_hash_table_insert(processes, g_strdup(process), g_memdup2(own, sizeof *own));
        }
}

/* Records without any clock get the time of the first event of the trace. */
static void share_start(trace *t)
{
    int64_t start = 0;
    bool known = false;
    for (guint i = 0; i < t->streams->len; i++) {
        const ovni_stream *s = trace_stream(t, i)->detail;
        if (s->start_known && (!known || s->start < start)) {
            start = s->start;
            known = true;
        }
    }
    for (guint i = 0; i < t->streams->len; i++)
        ((ovni_stream *)trace_stream(t, i)->detail)->start = start;
}

/* How many hosts of the clock table have no loom in the trace. */
static unsigned unused_clocks(const opening *o)
{
    g_autoptr(GHashTable) used = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    for (guint i = 0; o->clocks && i < o->trace->streams->len; i++) {
        const char *loom = trace_stream(o->trace, i)->description;
        g_autofree char *host = loom ? ovni_clocks_host(loom) : NULL;
        if (host && g_hash_table_contains(o->clocks, host))
            g_hash_table_add(used, g_steal_pointer(&host));
    }
    return o->clocks ? g_hash_table_size(o->clocks) - g_hash_table_size(used) : 0;
}

/* A fault of the table itself comes first. */
static void note_unused_clocks(opening *o)
{
    unsigned unused = unused_clocks(o);
    if (!unused || o->clocks_fault)
        return;
    ovni_problem_fault(&o->problems, FAULT_OVNI_CLOCKS_LOOM, unused);
    for (guint i = 0; i < o->trace->streams->len; i++) {
        ovni_context *c = ovni_context_of(&trace_stream(o->trace, i)->base);
        c->clocks = FAULT_OVNI_CLOCKS_LOOM;
        c->clocks_value = unused;
    }
}

#define SWAP(a, b) \
    do { \
        __typeof__(a) kept = a; \
        a = b; \
        b = kept; \
    } while (0)

static void count_ranks(opening *o, const ovni_files *files, ovni_ranks *r)
{
    ovni_ranks_init(r);
    for (guint i = 0; i < files->metadata->len; i++) {
        g_auto(ovni_location) p;
        const char *path = g_ptr_array_index(files->metadata, i);
        const ovni_metadata *m = load_metadata(o, path);
        ovni_location_read(&p, path);
        if (m)
            ovni_ranks_add(r, &p, m);
    }
}

/* How many directory entries are read where the rest of a trace may be. */
#define NEAR_ENTRIES_MAX 20000u

/* Looks for the rest of a trace below another root. Takes it if there are more ranks of the same run, and nothing else.
 * Returns whether to look further above. */
static bool try_root(opening *o, ovni_files *files, char **relative, const char *root)
{
    opening above;
    ovni_files found;
    g_auto(ovni_ranks) here, there;
    g_autofree char *path = g_build_filename(o->root + strlen(root) + 1, *relative, NULL);
    opening_init(&above, o->trace, g_strdup(root));
    ovni_files_find(&found, root, path, NEAR_ENTRIES_MAX);
    count_ranks(o, files, &here);
    count_ranks(&above, &found, &there);
    const bool same = !found.missing->len && ovni_ranks_are_one_run(&there);
    if (same && ovni_ranks_found(&there) > ovni_ranks_found(&here)) {
        SWAP(*o, above);
        SWAP(*files, found);
        SWAP(*relative, path);
    }
    ovni_files_clear(&found);
    opening_clear(&above);
    return same;
}

/* Looms of one run may be in several folders, such as those of nodes that each have written their own. */
static void find_other_folders(opening *o, ovni_files *files, char **relative)
{
    g_auto(ovni_ranks) r;
    g_autofree char *table = g_build_filename(o->root, OVNI_CLOCKS_FILE, NULL), *root = g_path_get_dirname(o->root);
    count_ranks(o, files, &r);
    bool on = ovni_ranks_found(&r) < ovni_ranks_declared(&r) && ovni_ranks_are_one_run(&r) &&
              !g_file_test(table, G_FILE_TEST_EXISTS);
    for (int i = 0; on && i < OVNI_LEVELS_ABOVE && strcmp(root, "/") != 0; i++) {
        on = try_root(o, files, relative, root);
        char *above = g_path_get_dirname(root);
        g_free(root);
        root = above;
    }
}

static void note_missing_ranks(opening *o, const ovni_files *files)
{
    g_auto(ovni_ranks) r;
    count_ranks(o, files, &r);
    if (ovni_ranks_found(&r) >= ovni_ranks_declared(&r))
        return;
    ovni_problem(&o->problems, OVNI_MISSING_RANKS, ovni_ranks_found(&r), ovni_ranks_declared(&r));
    for (guint i = 0; i < o->trace->streams->len; i++) {
        ovni_context *c = ovni_context_of(&trace_stream(o->trace, i)->base);
        c->ranks = ovni_ranks_found(&r);
        c->all_ranks = ovni_ranks_declared(&r);
    }
}

bool ovni_trace_open(trace *t, const trace_input *in, GError **error)
{
    g_autofree char *relative = NULL;
    char *root = in->path ? ovni_root(in->path, &relative) : NULL;
    if (!root)
        return fail_with(error, "the directory of the trace cannot be found: the metadata must be opened by its path");
    opening o;
    ovni_files files;
    opening_init(&o, t, root);
    ovni_files_find(&files, root, relative, OVNI_ENTRIES_MAX);
    find_other_folders(&o, &files, &relative);
    if (files.narrowed)
        ovni_problem(&o.problems, "the trace is in /, of which only loom.* and the folder of the opened file were searched");
    for (guint i = 0; i < files.metadata->len; i++)
        ovni_open_add_metadata(&o, g_ptr_array_index(files.metadata, i));
    for (guint i = 0; i < files.events->len; i++)
        add_events(&o, g_ptr_array_index(files.events, i));
    for (guint i = 0; i < files.missing->len; i++)
        add_missing(&o, g_ptr_array_index(files.missing, i));
    share_start(t);
    share_numbers(t);
    note_missing_ranks(&o, &files);
    note_unused_clocks(&o);
    describe_clock(&o);
    ovni_files_clear(&files);
    opening_clear(&o);
    return true;
}

void ovni_close(trace *t)
{
    for (guint i = 0; i < t->streams->len; i++)
        g_clear_pointer(&trace_stream(t, i)->detail, g_free);
}
