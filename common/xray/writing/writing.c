/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/writing/writing.h"

#include "util/fail.h"

void xray_make(const xray_log *log, uint8_t kind, const uint64_t values[XRAY_FIELD_COUNT], uint8_t *made)
{
    record_context c = {.kind = kind, .flags = log->big_endian ? CONTEXT_BIG_ENDIAN : 0};
    *xray_context_of(&c) = (xray_context){.version = log->version, .type = log->type};
    const layout *body = xray_body_layout(&c);
    memset(made, 0, body->length);
    if (kind == XRAY_HEADER)
        layout_put(xray_lead_layout(&c), values, log->big_endian, made);
    else
        made[0] = xray_metadata_byte(kind, log->big_endian);
    layout_put(body, values, log->big_endian, made);
}

void xray_put(uint8_t *made, enum xray_layout_id l, enum xray_field field, uint64_t value, bool big_endian)
{
    const layout_row *r = xray_row(l, field);
    cursor_put(made + r->offset, value, r->width, big_endian);
}

void xray_copy_init(xray_copy *x)
{
    x->spool = spool_new();
}

void xray_copy_clear(xray_copy *x)
{
    spool_free(x->spool);
}

/* --- what can be in one log -------------------------------------------------------------------------------------------- */

static void xray_writing_begin(xray_copy *x, const record_context *c)
{
    x->begun = true;
    x->like = *c;
    x->log = (xray_log){.version = xray_context_of(c)->version,
                        .type = xray_context_of(c)->type,
                        .big_endian = c->flags & CONTEXT_BIG_ENDIAN,
                        .frequency = xray_context_of(c)->frequency,
                        .buffer_size = xray_context_of(c)->buffer_size,
                        .flags = xray_context_of(c)->flags & XRAY_HEADER_FLAGS,
                        .base_tsc = xray_context_of(c)->base_tsc,
                        .base_seconds = xray_context_of(c)->base_seconds,
                        .base_nanoseconds = xray_context_of(c)->base_nanoseconds};
    xray_clock_recognise(&x->log, x->log.base_tsc);
}

/* Counters with a date are comparable, whatever markers there are. */
static bool xray_writing_same_clock(const xray_copy *x, const xray_context *c)
{
    const xray_log *log = &x->log;
    return c->frequency == log->frequency &&
           (xray_clock_has_date(log) || (c->base_tsc == log->base_tsc && c->base_seconds == log->base_seconds &&
                                         c->base_nanoseconds == log->base_nanoseconds));
}

static bool xray_writing_check(const xray_copy *x, uint16_t type, const write_record *r, GError **error)
{
    const xray_context *c = xray_context_of(r->context), *like = xray_context_of(&x->like);
    if (c->type != type)
        return fail_with(error, "A record of %s mode: save it with -F %s.",
                         type == XRAY_TYPE_FDR ? "basic" : "flight data recorder",
                         type == XRAY_TYPE_FDR ? "xray-basic" : "xray-fdr");
    if (c->version != like->version)
        return fail_with(error, "Records of the XRay versions %u and %u cannot be saved in one log.", like->version,
                         c->version);
    if ((r->context->flags ^ x->like.flags) & CONTEXT_BIG_ENDIAN)
        return fail_with(error, "Records of both byte orders cannot be saved in one XRay log.");
    if (c->base_seconds < 0 || c->base_seconds > INT64_C(1) << 41 || c->base_nanoseconds < 0 ||
        c->base_nanoseconds >= 1000000000)
        return fail_with(error, "The clock of the log is invalid.");
    if (!xray_writing_same_clock(x, c) || c->buffer_size != like->buffer_size ||
        (c->flags ^ like->flags) & XRAY_HEADER_FLAGS)
        return fail_with(error, "Records of two XRay logs with different headers or clocks cannot be saved in one log.");
    return true;
}

bool xray_copy_accept(xray_copy *x, uint16_t type, const write_record *r, GError **error)
{
    int64_t seconds;
    int32_t nanoseconds;
    if (!x->begun)
        xray_writing_begin(x, r->context);
    if (!xray_writing_check(x, type, r, error))
        return false;
    xray_clock_time(&x->log, xray_context_of(r->context)->time_tsc, &seconds, &nanoseconds);
    bool is_own = !(r->context->flags & CONTEXT_TIME_CUT); /* otherwise it says nothing about the counter */
    if (is_own && (r->seconds != seconds || r->nanoseconds != nanoseconds))
        return fail_with(error,
                         "The time of the record has been changed: an XRay log has counters only, and one clock for all.");
    if (r->context->kind == XRAY_HEADER && r->length == XRAY_HEADER_LENGTH && !x->has_header) {
        memcpy(x->header, r->data, XRAY_HEADER_LENGTH);
        x->has_header = true;
    }
    return true;
}

bool xray_copy_cut(xray_copy *x, GError **error)
{
    if (x->has_cut)
        return fail_with(error, "Only the last record of a log can be cut: leave out the others (xray.kind < 253).");
    x->has_cut = true;
    return true;
}

void xray_copy_header(const xray_copy *x, uint8_t header[XRAY_HEADER_LENGTH])
{
    const xray_log *log = &x->log;
    if (x->has_header)
        memcpy(header, x->header, XRAY_HEADER_LENGTH);
    else
        xray_make(log, XRAY_HEADER,
                  XRAY_VALUES([XRAY_FIELD_VERSION] = log->version, [XRAY_FIELD_TYPE] = log->type,
                              [XRAY_FIELD_CONSTANT_TSC] = log->flags & 1, [XRAY_FIELD_NONSTOP_TSC] = log->flags >> 1 & 1,
                              [XRAY_FIELD_FREQUENCY] = log->frequency, [XRAY_FIELD_BUFFER_SIZE] = log->buffer_size),
                  header);
}

/* --- the spool --------------------------------------------------------------------------------------------------------- */

bool xray_copy_keep(xray_copy *x, sink *out, GByteArray *bytes, uint64_t *at)
{
    *at = spool_length(x->spool);
    out->error = spool_append(x->spool, bytes->data, bytes->len);
    if (out->error)
        out->problem = spool_problem(x->spool, out->error);
    g_byte_array_set_size(bytes, 0);
    return out->error == 0;
}

bool xray_copy_put(const xray_copy *x, sink *out, uint64_t at, uint64_t length)
{
    uint8_t chunk[16 << 10];
    while (length) {
        size_t n = (size_t)MIN(length, sizeof chunk);
        out->error = spool_read(x->spool, at, chunk, n);
        if (out->error)
            out->problem = spool_problem(x->spool, out->error);
        if (out->error || !sink_put(out, chunk, n))
            return false;
        at += n;
        length -= n;
    }
    return true;
}
