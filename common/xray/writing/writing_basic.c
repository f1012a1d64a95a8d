/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving records of basic mode. They do not depend on each other, so a log of some of them is just these in file order.
 * Records arrive thread by thread, and are kept in runs that were adjacent in the file. */
#include "xray/writing/writing.h"

#include "util/fail.h"

/* Consecutive records of a thread in the file. */
typedef struct run {
    uint64_t offset; /* of the first record, in its file */
    uint64_t at;     /* offset in the spool */
    uint32_t length, number;
} run;

typedef struct thread {
    GByteArray *bytes; /* of the current run */
    uint64_t offset, end;
    uint64_t function_tsc; /* of the last function record */
    bool has_function;
} thread;

typedef struct basic_writer {
    xray_copy copy;
    GHashTable *threads;            /* xray_thread_key() -> thread */
    GPtrArray *arrived;             /* the same threads, in order of arrival */
    GArray *runs;                   /* of run */
    bool by_arrival;                /* records come from several files, so offsets mean nothing */
    uint8_t cut[XRAY_BASIC_LENGTH]; /* a cut record goes to the end of the log */
    size_t cut_length;
} basic_writer;

static void xray_writing_basic_thread_free(gpointer p)
{
    thread *t = p;
    g_byte_array_free(t->bytes, TRUE);
    g_free(t);
}

static void *basic_begin(void)
{
    basic_writer *w = g_new0(basic_writer, 1);
    xray_copy_init(&w->copy);
    w->threads = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, xray_writing_basic_thread_free);
    w->arrived = g_ptr_array_new();
    w->runs = g_array_new(FALSE, FALSE, sizeof(run));
    return w;
}

static void basic_end(void *state)
{
    basic_writer *w = state;
    g_hash_table_destroy(w->threads);
    g_ptr_array_free(w->arrived, TRUE);
    g_array_free(w->runs, TRUE);
    xray_copy_clear(&w->copy);
    g_free(w);
}

static thread *xray_writing_basic_thread_of(basic_writer *w, const xray_context *x)
{
    const hash_pair key = xray_thread_key(x->known, x->process, x->thread);
    thread *t = g_hash_table_lookup(w->threads, &key);
    if (!t) {
        t = g_new0(thread, 1);
        t->bytes = g_byte_array_new();
        g_hash_table_insert(w->threads, g_memdup2(&key, sizeof key), t);
        g_ptr_array_add(w->arrived, t);
    }
    return t;
}

static bool xray_writing_basic_end_run(basic_writer *w, sink *out, thread *t)
{
    run r = {.offset = t->offset, .length = t->bytes->len, .number = w->runs->len};
    if (r.length == 0)
        return true;
    if (!xray_copy_keep(&w->copy, out, t->bytes, &r.at))
        return false;
    g_array_append_val(w->runs, r);
    return true;
}

/* Returns whether the call of an argument is saved: the last function record of the thread. `previous` 0: it is in an
 * earlier part of the thread, or the runtime has dropped it. */
static bool call_is_saved(const thread *t, const xray_context *x)
{
    return x->previous == 0 || (t->has_function && t->function_tsc == x->tsc);
}

static bool keep_cut(basic_writer *w, const write_record *r, GError **error)
{
    if (!xray_copy_cut(&w->copy, error))
        return false;
    memcpy(w->cut, r->data, r->length);
    w->cut_length = r->length;
    return true;
}

static bool basic_record(void *state, sink *out, const write_record *r, GError **error)
{
    basic_writer *w = state;
    const record_context *c = r->context;
    if (!xray_copy_accept(&w->copy, XRAY_TYPE_BASIC, r, error))
        return false;
    if (c->kind == XRAY_HEADER)
        return true;
    if (r->length < XRAY_BASIC_LENGTH)
        return keep_cut(w, r, error);
    thread *t = xray_writing_basic_thread_of(w, xray_context_of(c));
    if (c->kind == XRAY_CALL_ARGUMENT && !call_is_saved(t, xray_context_of(c)))
        return fail_with(error,
                         "A call argument belongs to the entry before it: save both (xray.kind == 4 || xray.kind == 22).");
    if (xray_is_function(c->kind)) {
        t->has_function = true;
        t->function_tsc = xray_context_of(c)->tsc;
    }
    if (c->offset < t->end)
        w->by_arrival = true;
    if (c->offset != t->end || t->bytes->len >= XRAY_PIECE) {
        if (!xray_writing_basic_end_run(w, out, t))
            return false;
        t->offset = c->offset;
    }
    g_byte_array_append(t->bytes, r->data, (guint)r->length);
    t->end = c->offset + c->length;
    return true;
}

static int compare_offsets(gconstpointer a, gconstpointer b)
{
    const run *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static bool basic_finish(void *state, sink *out)
{
    basic_writer *w = state;
    uint8_t header[XRAY_HEADER_LENGTH];
    if (!w->copy.begun)
        return true;
    for (guint i = 0; i < w->arrived->len; i++)
        if (!xray_writing_basic_end_run(w, out, g_ptr_array_index(w->arrived, i)))
            return false;
    if (!w->by_arrival)
        g_array_sort(w->runs, compare_offsets);
    xray_copy_header(&w->copy, header);
    if (!sink_put(out, header, sizeof header))
        return false;
    for (guint n = 0; n < w->runs->len; n++) {
        const run *r = &g_array_index(w->runs, run, n);
        if (!xray_copy_put(&w->copy, out, r->at, r->length))
            return false;
    }
    return sink_put(out, w->cut, w->cut_length);
}

const write_ops xray_basic_write = {basic_begin, basic_record, basic_finish, basic_end};
