/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's file reader for all formats: recognition, interfaces, records in order of time, random access. Deals with
 * Wireshark's types and error codes; common/ knows what the bytes mean. */
#define WS_LOG_DOMAIN "Wiretrace"
#include "core/trace.h"
#include "reader.h"

#include <errno.h>
#include <wsutil/wslog.h>

#include "core/exported.h"
#include "file_types.h"
#include "handle.h"
#include "writer.h"
#include "core/opened_trace.h"
#include "core/record_sink.h"
#include "core/settings.h"
#include "util/fail.h"
#include "util/text.h"

_Static_assert(sizeof(record_context) <= sizeof(union wtap_pseudo_header), "the context fits beside the record");

/* Data of an open file, in wtap.priv. */
typedef struct reader_file {
    trace *trace;
    source *sequential, *random; /* `random` may be the same, or NULL */
    uint64_t size;               /* of the opened file, for progress; 0: do not move the handle */
    uint64_t total;              /* bytes of all records, in all files of the trace */
    uint64_t next_progress;      /* bytes of records after which the handle is moved again */
    uint64_t last;               /* handle of the last record, see reader_place_of() */
    uint64_t identity;           /* of the trace, see record_context */
    GHashTable *processes;       /* numbers of those that Wireshark has the name of; NULL: it has no names */
    char *program;               /* their name, or NULL */
    bool unpacked;               /* into a temporary file */
    char *again;                 /* path under which the file can be opened once more while it is open; NULL: it cannot be */
    int encap;
    GByteArray *before; /* tags and context before each record, if records are delivered in exported form; else NULL */
} reader_file;

static record_sink *given_to;

/* --- records ----------------------------------------------------------------------------------------------------------- */

/* For exported form: makes tags and context, with which a record is understood on its own. */
static size_t fill_before(reader_file *f, const record_context *c)
{
    const stream *s = trace_stream(f->trace, c->stream);
    if (!f->before)
        return 0;
    g_byte_array_set_size(f->before, 0);
    exported_append(f->before, c, s->name, s->description);
    return f->before->len;
}

/* Limits a time to what Wireshark holds, and marks it; that of an exported record also to 1970 and later, as capture files
 * have none before: such a record would appear at the end. */
static void set_time(record *r, bool in_exported)
{
    r->context.flags &= (uint8_t)~CONTEXT_TIME_CUT; /* of the previous record */
    if (in_exported && r->seconds < 0)
        r->seconds = r->nanoseconds = 0;
    else if (record_cut_time(&r->seconds, &r->nanoseconds, RECORD_TIME_MIN, RECORD_TIME_MAX))
        r->context.flags |= CONTEXT_TIME_CUT;
}

/* Adds the process and the thread of a record, for Wireshark's own fields and for capture files. */
static void add_process(wtap *wth, const record_context *c, wtap_rec *rec)
{
    reader_file *f = wth->priv;
    uint32_t process = 0, thread = 0;
    if (f->trace->format->process)
        f->trace->format->process(c, &process, &thread);
    if (!process)
        return;
    if (!rec->block)
        rec->block = wtap_block_create(WTAP_BLOCK_PACKET);
    compat_add_process(rec->block, process, thread);
    if (f->program && g_hash_table_add(f->processes, GUINT_TO_POINTER(process)))
        compat_name_process(wth, process, f->program);
}

static void fill_record(wtap *wth, walk *w, wtap_rec *rec, Buffer *buffer)
{
    reader_file *f = wth->priv;
    const uint8_t *data;
    record *r = &w->record;
    rec->ts.secs = (time_t)r->seconds;
    rec->ts.nsecs = r->nanoseconds;
    size_t length = walk_bytes(w, &data), before = fill_before(f, &r->context);
    if (before)
        length = MIN(length, EXPORTED_PACKET_MAX - before);
    compat_fill_record(rec, f->encap, buffer, before ? f->before->data : NULL, before, data, length);
    rec->presence_flags = WTAP_HAS_TS | WTAP_HAS_INTERFACE_ID;
    if (length < r->context.length)
        rec->presence_flags |= WTAP_HAS_CAP_LEN;
    rec->rec_header.packet_header.caplen = (uint32_t)(before + length);
    rec->rec_header.packet_header.len = (uint32_t)MIN(before + r->context.length, (uint64_t)G_MAXINT32);
    rec->rec_header.packet_header.interface_id = trace_interface(&r->context);
    if (before) /* for comments added by editcap */
        rec->block = wtap_block_create(WTAP_BLOCK_PACKET);
    else
        memcpy(&rec->rec_header.packet_header.pseudo_header, &r->context, sizeof r->context);
    if (before ? COMPAT_PROCESS_KEPT : COMPAT_PROCESS_SHOWN)
        add_process(wth, &r->context, rec);
}

static record_taken offer_record(const reader_file *f, walk *w)
{
    const record *r = &w->record;
    record_given given = {.context = &r->context, .trace = f->trace, .seconds = r->seconds, .nanoseconds = r->nanoseconds};
    given.bytes.big_endian = (r->context.flags & CONTEXT_BIG_ENDIAN) != 0;
    given.bytes.length = walk_bytes(w, &given.bytes.data);
    return given_to->record(&given);
}

static void end_records(void)
{
    if (given_to->end)
        given_to->end();
}

/* Wireshark shows progress by the position of its handle, from which nothing is read if we have our own descriptor. So it
 * is moved as far into the opened file as the records are into all files of the trace. Never to its begin: since 4.4
 * Wireshark divides by the position, if the first records take long. */
static void move_handle(wtap *wth, reader_file *f)
{
    int unused;
    double part = (double)f->trace->bytes_read / (double)f->total;
    file_seek(wth->fh, MAX((int64_t)(MIN(part, 1.0) * (double)f->size), 1), SEEK_SET, &unused);
    f->next_progress = f->trace->bytes_read + MAX(f->total / 256, 64u << 10);
}

/* Wireshark counts what its handle has read ahead, which for a small file is all of it. A handle that has read nothing
 * reports its true position. */
static void start_progress(wtap *wth, reader_file *f)
{
    int unused;
    f->total = MAX(trace_bytes(f->trace), MAX(f->size, 1));
    if (!f->size)
        return;
    file_seek(wth->fh, (int64_t)f->size + 1, SEEK_SET, &unused);
    move_handle(wth, f);
}

#define STREAM_STEP (UINT64_C(1) << TRACE_OFFSET_BITS)

/* Wireshark shows the end of the last record, its offset plus length, as the length of the file. With several streams,
 * handles begin at STREAM_STEP, and the last record gets a smaller offset, so that the sum is the size of all records. */
static int64_t reader_place_of(reader_file *f, const wtap_rec *rec, const record_context *c, bool last)
{
    uint64_t handle = trace_handle(c);
    if (f->trace->streams->len == 1)
        return (int64_t)handle;
    if (!last)
        return (int64_t)(handle + STREAM_STEP);
    f->last = handle;
    return (int64_t)(f->trace->bytes_read - MIN(f->trace->bytes_read, rec->rec_header.packet_header.caplen));
}

static uint64_t handle_at(const reader_file *f, uint64_t place)
{
    if (f->trace->streams->len == 1)
        return place;
    return place < STREAM_STEP ? f->last : place - STREAM_STEP;
}

static wsbool end_of_trace(reader_file *f, int *err, char **err_info)
{
    const merge *m = &f->trace->merge;
    end_records();
    opened_trace_find(f->identity)->ended = true;
    if (m->error && f->trace->streams->len > 1)
        ws_log(WS_LOG_DOMAIN, LOG_LEVEL_WARNING, "%s cannot be read to its end: %s", m->failed->name, g_strerror(m->error));
    int error = m->error ? m->error : f->trace->error;
    *err = error ? error : f->trace->cut || f->trace->incomplete ? WTAP_ERR_SHORT_READ : 0;
    *err_info = NULL;
    return FALSE;
}

/* The next record that Wireshark sees; NULL: the end. */
static walk *next_seen(reader_file *f, bool *last)
{
    for (;;) {
        walk *w = trace_next(f->trace);
        if (!w)
            return NULL;
        *last = merge_at_end(&f->trace->merge);
        if (*last)
            opened_trace_find(f->identity)->ended = !f->trace->part;
        set_time(&w->record, f->before != NULL);
        const record_taken taken = given_to->record ? offer_record(f, w) : RECORD_SEEN;
        if (taken != RECORD_TAKEN)
            return taken == RECORD_SEEN ? w : NULL;
    }
}

static wsbool reader_read(COMPAT_READ_PARAMETERS)
{
    reader_file *f = wth->priv;
    bool last;
    walk *w = next_seen(f, &last);
    if (!w)
        return end_of_trace(f, err, err_info);
    fill_record(wth, w, rec, COMPAT_READ_BUFFER);
    *data_offset = reader_place_of(f, rec, &w->record.context, last);
    if (f->size && f->trace->bytes_read >= f->next_progress)
        move_handle(wth, f);
    return TRUE;
}

static wsbool reader_seek_read(COMPAT_SEEK_PARAMETERS)
{
    reader_file *f = wth->priv;
    walk *w = trace_read(f->trace, handle_at(f, (uint64_t)seek_off), err);
    if (!w) {
        if (*err == 0) {
            *err = WTAP_ERR_BAD_FILE;
            /* the same words for every record: Wireshark shows this for each record it wants to display, but equal
             * messages only once */
            *err_info = g_strdup("the file has changed since it was opened");
        }
        return FALSE;
    }
    set_time(&w->record, f->before != NULL);
    fill_record(wth, w, rec, COMPAT_READ_BUFFER);
    return TRUE;
}

/* The files that have been read once. sharkd opens one after the other and closes none. */
static GPtrArray *read_once; /* of wtap*; NULL before the first */

/* Another file is opened, so these will hardly be asked for records again. If they are, they can. */
static void park_others(void)
{
    for (guint i = 0; read_once && i < read_once->len; i++) {
        wtap *other = g_ptr_array_index(read_once, i);
        const reader_file *f = other->priv;
        trace_random_close(f->trace);
        source_park(f->sequential, other->pathname);
    }
}

static void reader_sequential_close(wtap *wth)
{
    const reader_file *f = wth->priv;
    end_records();
    trace_sequential_close(f->trace);
    if (!read_once)
        read_once = g_ptr_array_new();
    g_ptr_array_remove_fast(read_once, wth);
    g_ptr_array_add(read_once, wth);
}

static void reader_free_file(reader_file *f)
{
    opened *o = f->trace ? opened_trace_find(f->identity) : NULL;
    if (o && o->trace == f->trace) {
        o->trace = NULL;
        if (f->unpacked) { /* the descriptor may become that of another file */
            g_free(o->path);
            o->path = g_strdup("");
        }
    }
    if (f->trace)
        trace_close(f->trace);
    if (f->random != f->sequential)
        source_close(f->random);
    source_close(f->sequential);
    if (f->before)
        g_byte_array_free(f->before, TRUE);
    g_clear_pointer(&f->processes, g_hash_table_destroy);
    g_free(f->program);
    g_free(f->again);
}

static void reader_close(wtap *wth)
{
    if (read_once)
        g_ptr_array_remove_fast(read_once, wth);
    reader_free_file(wth->priv); /* libwiretap frees priv itself */
}

/* --- opening ----------------------------------------------------------------------------------------------------------- */

/* Releases before 4.6 do not publish struct wtap: compares our declaration with the exported getters before relying on
 * it. */
static bool layout_is_right(wtap *wth)
{
    const int mark = 0x5754;
    int type = wth->file_type_subtype, encap = wth->file_encap, precision = wth->file_tsprec;
    unsigned snapshot = wth->snapshot_length;
    if (wtap_file_type_subtype(wth) != type || wtap_file_encap(wth) != encap || wtap_file_tsprec(wth) != precision ||
        wtap_snapshot_length(wth) != snapshot)
        return false;
    wth->file_type_subtype = mark;
    wth->snapshot_length = (unsigned)mark + 1;
    wth->file_encap = mark + 2;
    wth->file_tsprec = mark + 3;
    bool same = wtap_file_type_subtype(wth) == mark && wtap_snapshot_length(wth) == (unsigned)mark + 1 &&
                wtap_file_encap(wth) == mark + 2 && wtap_file_tsprec(wth) == mark + 3;
    wth->file_type_subtype = type;
    wth->snapshot_length = snapshot;
    wth->file_encap = encap;
    wth->file_tsprec = precision;
    return same;
}

/* Names come from paths and may have any bytes, but must be UTF-8 to be shown. */
static void add_name(wtap_block_t block, unsigned option, const char *name)
{
    g_autofree char *valid = text_show(name, -1);
    wtap_block_add_string_option(block, option, valid, strlen(valid));
}

/* Adds an interface per stream, with its name. Its time resolution is an option only when written to a capture file, and
 * no other interfaces have options: Wireshark doubles the memory for them, and a trace may have very many interfaces. */
static void add_interface(wtap *wth, const stream *s, int encap)
{
    wtap_block_t block = wtap_block_create(WTAP_BLOCK_IF_ID_AND_INFO);
    wtapng_if_descr_mandatory_t *m = (wtapng_if_descr_mandatory_t *)wtap_block_get_mandatory_data(block);
    m->wtap_encap = encap;
    m->time_units_per_second = 1000000000;
    m->tsprecision = WTAP_TSPREC_NSEC;
    m->snap_len = encap == WTAP_ENCAP_WIRESHARK_UPPER_PDU ? EXPORTED_PACKET_MAX : RECORD_FRAME_MAX;
    m->num_stat_entries = 0;
    m->interface_statistics = NULL;
    add_name(block, OPT_IDB_NAME, s->name);
    if (s->description)
        add_name(block, OPT_IDB_DESCRIPTION, s->description);
    if (encap == WTAP_ENCAP_WIRESHARK_UPPER_PDU)
        wtap_block_add_uint8_option(block, OPT_IDB_TSRESOL, 9);
    g_array_append_val(wth->interface_data, block);
}

static void describe_file(wtap *wth, const trace *t, int encap)
{
    uint32_t interfaces = MIN(t->streams->len, TRACE_INTERFACES_MAX);
    for (uint32_t i = 0; i < interfaces; i++)
        add_interface(wth, trace_stream(t, i), encap);
    wtap_block_t section = g_array_index(wth->shb_hdrs, wtap_block_t, 0);
    if (t->comment->len)
        wtap_block_add_string_option(section, OPT_COMMENT, t->comment->str, t->comment->len);
    const char *application = t->format->description;
    wtap_block_add_string_option(section, OPT_SHB_USERAPPL, application, strlen(application));
}

/* Chooses the sources. False if the input cannot be decompressed. */
static bool choose_sources(wtap *wth, reader_file *f, const format *row, const probe *p, trace_input *in, GError **error)
{
    bool pipe = wth->ispipe || !p->path;
    f->sequential = handle_own_descriptor(wth);
    if (f->sequential)
        f->again = g_strdup(p->path);
    else if (row->wants_seek && !pipe && !(f->sequential = handle_unpack(wth, p->head, p->length, &f->again, error)))
        return false;
    f->unpacked = f->again && wtap_get_compression_type(wth) != 0;
    in->seekable = f->sequential != NULL;
    if (in->seekable) {
        f->random = wth->random_fh ? f->sequential : NULL;
        f->size = wth->random_fh && wtap_get_compression_type(wth) == 0 ? f->sequential->size : 0;
    } else {
        f->sequential = handle_source_new(wth->fh, p->head, p->length, !pipe);
        f->random = wth->random_fh ? handle_source_new(wth->random_fh, p->head, 0, true) : NULL;
    }
    in->path = p->path;
    in->only_once = pipe;
    in->sequential = f->sequential;
    in->random = f->random;
    return true;
}

/* Prints warnings on the terminal, since not all programs show records, or all of them. */
static void warn_about(const trace *t)
{
    if (t->warnings->len)
        ws_log(WS_LOG_DOMAIN, LOG_LEVEL_WARNING, "%s", t->warnings->str + strspn(t->warnings->str, " "));
}

/* What dissectors may ask of the trace. */
static void publish_open_trace(reader_file *f, const probe *p, const wtap *wth, bool seekable)
{
    trace *t = f->trace;
    f->identity = t->streams->len ? trace_stream(t, 0)->base.trace : 0;
    opened *o = opened_trace_new(f->identity);
    o->exported = f->before != NULL;
    o->trace = seekable && !o->exported ? t : NULL;
    o->path = o->exported ? NULL : g_strdup(f->again);
    o->name = o->exported ? NULL : g_strdup(p->path);
    o->timed = t->part && t->part->timed;
    o->sequential = !o->exported && !o->timed && !wth->random_fh;
    o->protocol = t->format->protocol;
    o->bytes = MAX(trace_bytes(t), seekable ? f->sequential->size : 0);
    for (uint32_t i = 0; i < t->streams->len; i++)
        o->left_out += trace_stream(t, i)->left_out;
}

/* Frees what is there of a file that cannot be opened, and says why. */
static wtap_open_return_val give_up(reader_file *f, bool chosen, GError *error, int *err, char **err_info)
{
    const int failure = f->sequential ? f->sequential->error : 0;
    g_autofree char *words = fail_words(error);
    *err = !chosen ? WTAP_ERR_INTERNAL : failure ? failure : WTAP_ERR_UNSUPPORTED;
    *err_info = failure ? NULL : g_steal_pointer(&words);
    reader_free_file(f);
    g_free(f);
    return WTAP_OPEN_ERROR;
}

/* What Wireshark calls from now on. */
static void take_over(wtap *wth, reader_file *f, const format *row)
{
    wth->priv = f;
    wth->file_type_subtype = file_types_number(formats_number(row));
    wth->file_encap = f->encap;
    wth->file_tsprec = WTAP_TSPREC_NSEC;
    wth->snapshot_length = 0;
    wth->subtype_read = reader_read;
    wth->subtype_seek_read = reader_seek_read;
    wth->subtype_sequential_close = reader_sequential_close;
    wth->subtype_close = reader_close;
}

static wtap_open_return_val open_trace(wtap *wth, const format *row, const probe *p, int *err, char **err_info)
{
    reader_file *f = g_new0(reader_file, 1);
    trace_input in = {0};
    GError *error = NULL;
    if (settings_switch(EXPORTED_VARIABLE, false)) /* for programs that write capture files but do not dissect */
        f->before = g_byte_array_new();
    f->encap = f->before ? WTAP_ENCAP_WIRESHARK_UPPER_PDU : file_types_encapsulation(formats_number(row));
    const bool chosen = choose_sources(wth, f, row, p, &in, &error);
    if (chosen)
        f->trace = trace_open(row, &in, &error);
    if (!f->trace)
        return give_up(f, chosen, error, err, err_info);
    park_others();
    trace_identify(f->trace, p->head, p->length);
    publish_open_trace(f, p, wth, in.seekable);
    start_progress(wth, f);
    if (COMPAT_PROCESS_SHOWN && row->program && p->path) {
        f->program = row->program(p->path);
        f->processes = g_hash_table_new(NULL, NULL);
        compat_make_processes(wth);
    }
    take_over(wth, f, row);
    describe_file(wth, f->trace, f->encap);
    warn_about(f->trace);
    return WTAP_OPEN_MINE;
}

static wtap_open_return_val open_if_mine(wtap *wth, format_id id, int *err, char **err_info)
{
    uint8_t head[PROBE_LENGTH];
    const format *row = formats[id];
    int n = file_read(head, sizeof head, wth->fh);
    if (n < 0) { /* a short or damaged compressed file is left for others to report */
        int failure = file_error(wth->fh, err_info);
        if (failure <= 0)
            return WTAP_OPEN_NOT_MINE;
        *err = failure;
        return WTAP_OPEN_ERROR;
    }
    if (!layout_is_right(wth)) {
        *err = WTAP_ERR_INTERNAL;
        *err_info = g_strdup("wiretrace was built for another layout of Wireshark's file handles");
        return WTAP_OPEN_ERROR;
    }
    probe p = {.head = head,
               .length = (size_t)n,
               .whole = (size_t)n < sizeof head,
               .path = strcmp(wth->pathname, "-") == 0 ? NULL : wth->pathname};
    if (!row->probe(&p))
        return WTAP_OPEN_NOT_MINE;
    return open_trace(wth, row, &p, err, err_info);
}

/* Wireshark's callbacks have no user data, so there are two small functions per format. */
#define FORMAT(name) \
    static wtap_open_return_val open_##name(wtap *wth, int *err, char **err_info) \
    { \
        return open_if_mine(wth, FORMAT_##name, err, err_info); \
    } \
    static int can_write_##name(int encap) \
    { \
        return writer_can_write(FORMAT_##name, encap); \
    }
#include FORMATS_LIST
#undef FORMAT

static const struct {
    wtap_open_return_val (*open)(wtap *, int *, char **);
    int (*can_write)(int);
} callbacks[FORMAT_COUNT] = {
#define FORMAT(name) [FORMAT_##name] = {open_##name, can_write_##name},
#include FORMATS_LIST
#undef FORMAT
};

/* --- registration ------------------------------------------------------------------------------------------------------ */

static const struct supported_option_type section_options[] = {
    {OPT_COMMENT, MULTIPLE_OPTIONS_SUPPORTED},
    {OPT_SHB_USERAPPL, ONE_OPTION_SUPPORTED},
};
static const struct supported_option_type interface_options[] = {
    {OPT_IDB_NAME, ONE_OPTION_SUPPORTED},
    {OPT_IDB_DESCRIPTION, ONE_OPTION_SUPPORTED},
    {OPT_IDB_TSRESOL, ONE_OPTION_SUPPORTED},
};
static const struct supported_block_type blocks[] = {
    {WTAP_BLOCK_SECTION, ONE_BLOCK_SUPPORTED, OPTION_TYPES_SUPPORTED(section_options)},
    {WTAP_BLOCK_IF_ID_AND_INFO, MULTIPLE_BLOCKS_SUPPORTED, OPTION_TYPES_SUPPORTED(interface_options)},
    {WTAP_BLOCK_PACKET, MULTIPLE_BLOCKS_SUPPORTED, NO_OPTIONS_SUPPORTED},
};

static int reader_encapsulation_of(const char *protocol)
{
    int encap = wtap_name_to_encap(protocol);
    if (encap >= 0)
        return encap;
    g_autofree char *description = g_strdup_printf("%s record", protocol);
    return wtap_register_encap_type(description, protocol);
}

/* Makes Wireshark's Open dialog show files of this format as "All Capture Files". It takes extensions, separated by
 * blanks: "log" becomes the pattern "*.log". One that begins with a blank therefore also adds whole names, beside "*.",
 * which matches nothing. */
static void register_for_dialogs(const format *row)
{
    struct file_extension_info info = {.name = row->description, .is_capture_file = TRUE};
    g_autofree char *names = row->file_names ? g_strconcat(" ", row->file_names, NULL) : NULL;
    const char *first = row->extension ? row->extension : names, *second = row->extension ? names : NULL;
    g_autofree char *both = g_strjoin(";", first, second, NULL);
    info.extensions = g_intern_string(both); /* Wireshark keeps the pointer */
    if (first)
        wtap_register_file_type_extension(&info);
}

void reader_register(void)
{
    /* Wireshark keeps pointers to both */
    static struct file_type_subtype_info types[FORMAT_COUNT];
    static struct open_info opens[FORMAT_COUNT];
    given_to = record_sink_shared();
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const int encapsulation = reader_encapsulation_of(formats[i]->protocol);
        types[i].description = formats[i]->description;
        types[i].name = formats[i]->name;
        types[i].default_file_extension = formats[i]->extension;
        types[i].num_supported_blocks = G_N_ELEMENTS(blocks);
        types[i].supported_blocks = blocks;
        types[i].can_write_encap = formats[i]->write ? callbacks[i].can_write : NULL;
        types[i].dump_open = formats[i]->write ? writer_open : NULL;
        file_types_set((format_id)i, wtap_register_file_type_subtype(&types[i]), encapsulation);
        /* as "magic", after the built-in ones: some built-in heuristics report binary records as damaged files */
        opens[i].name = formats[i]->description;
        opens[i].type = OPEN_INFO_MAGIC;
        opens[i].open_routine = callbacks[i].open;
        wtap_register_open_info(&opens[i], FALSE);
        register_for_dialogs(formats[i]);
    }
}
