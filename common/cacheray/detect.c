/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognising a trace without a magic number, and its layout (docs/formats/cacheray.md, "Recognition"). Each layout is
 * tried on the first bytes; those that fail a check early are rejected. The limits were measured on half a million files
 * of other kinds. Damage further on is left to framing.c. */
#include "cacheray/plausible.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* What is required to accept a layout. */
typedef struct demand {
    unsigned whole64, whole32;     /* number of complete records that pass */
    unsigned damaged64, damaged32; /* the same if bytes follow that are not a record, or an odd record */
    unsigned odd; /* if not 0, odd records are allowed: one more record must pass, and at least as many as are odd, unless
                   * this many pass before the first odd one */
} demand;
static const demand demand_any_name = {2, 3, 8, 8, 0};
static const demand demand_trace_name = {1, 2, 2, 6, 6};
/* With a layout set by the user any beginning is accepted, except a single record of 13 bytes, as that may be part of any
 * file. */
static const demand demand_chosen_layout = {1, 2, 1, 1, 0};
static const demand demand_chosen_layout_trace_name = {1, 1, 1, 1, 1};
/* The same if the trace begins after other bytes. */
static const demand demand_begins_later = {2, 3, 2, 3, 6};

/* The smallest record has 13 bytes. */
#define RECORDS_MAX (PROBE_LENGTH / 13 + 1)

/* How far a layout gets. */
typedef struct attempt {
    unsigned records; /* complete records that pass */
    unsigned odd;     /* complete records that do not */
    unsigned valid;   /* those that pass before the first odd one */
    size_t covered;   /* bytes of both */
    bool failed;      /* something else follows, or an odd record that is not allowed */
    bool unwritten;   /* there are places that were not written: like a failure, but the attempt goes on */
    unsigned spread;  /* distinct values of address >> 16: in the wrong byte order, neighbouring addresses are far apart */
} attempt;

static bool printable(const uint8_t *name, size_t length)
{
    const char *s = (const char *)name, *end = s + length;
    if (!g_utf8_validate(s, (gssize)length, NULL))
        return false;
    for (; s < end; s = g_utf8_next_char(s))
        if (!g_unichar_isprint(g_utf8_get_char(s)))
            return false;
    return true;
}

typedef enum { NO_RECORD, CUT_RECORD, UNWRITTEN, ODD_RECORD, PASSING_RECORD } finding;

/* A name that does not end in the bytes looked at is evidence when so much of it is there and printable: foreign bytes that
 * pass the checks of the fields in front of it are not followed by that much text. */
#define NAME_BEGINNING 1024u

static bool has_long_name(const cursor *c, size_t at)
{
    size_t there = c->length - at;
    if (there < NAME_BEGINNING)
        return false;
    return printable(c->data + at, text_fitting((const char *)c->data + at, there, there - 1));
}

/* Where a record begins whose first bytes may be some of these zeros, or after them. */
static size_t after_zeros(const cursor *c, size_t at, size_t zeros, unsigned pointer)
{
    size_t end = at + zeros;
    for (size_t begin = end - pointer; begin < end; begin++) {
        uint8_t kind = cursor_u8(c, begin) & CACHERAY_KIND_MASK;
        if (cursor_has(c, begin, cacheray_fixed_length(kind, pointer)) && !cacheray_check(c, begin, pointer))
            return begin;
    }
    return end;
}

/* Bytes of a place at `at` that was not written (framing.c); 0: it was. */
static size_t unwritten(const cursor *c, size_t at, unsigned pointer)
{
    size_t zeros = cacheray_zeros(c, at), length = cacheray_fixed_length(CACHERAY_READ, pointer);
    if (zeros >= cacheray_zeros_min(pointer))
        return after_zeros(c, at, zeros, pointer) - at;
    uint8_t kind = cursor_u8(c, at) & CACHERAY_KIND_MASK;
    return cursor_has(c, at, length) && cacheray_access_missing(c, at, kind, pointer) ? length : 0;
}

/* What is at `at`; *length is that of a complete record, or up to the end of the bytes. A record cut off by the end of the
 * bytes proves nothing either way, unless its name is long. */
static finding find_record(const cursor *c, size_t at, unsigned pointer, size_t *length)
{
    uint8_t kind = cursor_u8(c, at) & CACHERAY_KIND_MASK;
    if (kind >= CACHERAY_KINDS)
        return NO_RECORD;
    if ((*length = unwritten(c, at, pointer)) > 0)
        return UNWRITTEN;
    *length = cacheray_fixed_length(kind, pointer);
    if (!cursor_has(c, at, *length))
        return CUT_RECORD;
    size_t fixed = *length;
    uint64_t whole;
    bool passes = cacheray_check_record(c, at, kind, pointer, &whole) == FAULT_NONE;
    if (!cursor_has(c, at, whole)) {
        *length = c->length - at;
        if (passes && kind == CACHERAY_RTTA_ADD && has_long_name(c, at + fixed))
            return PASSING_RECORD;
        return passes ? CUT_RECORD : NO_RECORD;
    }
    *length = (size_t)whole;
    return passes && printable(c->data + at + fixed, *length - fixed) ? PASSING_RECORD : ODD_RECORD;
}

static int cacheray_detect_compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static attempt try_layout(const uint8_t *head, size_t length, cacheray_layout l, const demand *d)
{
    cursor c = {head, MIN(length, PROBE_LENGTH), cacheray_big_endian(l)};
    unsigned pointer = cacheray_pointer(l);
    uint64_t places[RECORDS_MAX];
    attempt a = {0};
    for (size_t n = 0; a.covered < c.length; a.covered += n) {
        finding f = find_record(&c, a.covered, pointer, &n);
        a.failed = f == NO_RECORD || (f == ODD_RECORD && !d->odd);
        if (a.failed || f == CUT_RECORD)
            break;
        a.unwritten |= f == UNWRITTEN;
        if (f == PASSING_RECORD)
            places[a.records++] = cacheray_address(&c, a.covered, pointer) >> 16;
        else if (f == ODD_RECORD && a.odd++ == 0)
            a.valid = a.records;
    }
    qsort(places, a.records, sizeof *places, cacheray_detect_compare_numbers);
    for (unsigned i = 0; i < a.records; i++)
        a.spread += i == 0 || places[i] != places[i - 1];
    return a;
}

static bool accepted(const attempt *a, cacheray_layout l, const demand *d)
{
    bool wide = cacheray_pointer(l) == 8;
    unsigned whole = wide ? d->whole64 : d->whole32, damaged = wide ? d->damaged64 : d->damaged32;
    if (a->odd > 0 && a->valid < d->odd)
        whole = MAX(whole + 1, a->odd);
    return a->records >= whole && ((!a->failed && !a->unwritten) || a->records >= damaged);
}

static bool cacheray_detect_better(const attempt *a, const attempt *b)
{
    if (a->failed != b->failed)
        return b->failed;
    if (a->covered != b->covered)
        return a->covered > b->covered;
    if (a->odd != b->odd)
        return a->odd < b->odd;
    return a->spread < b->spread;
}

/* Names that the tools use: NAME.trace and NAME.trace.N. */
static bool trace_name(const char *path)
{
    return path && g_regex_match_simple("\\.trace(\\.[0-9]+)?\\z", path, G_REGEX_RAW, 0);
}

/* The layout set by the user, or CACHERAY_LAYOUTS. */
static cacheray_layout chosen_layout(void)
{
    const char *name = getenv(CACHERAY_LAYOUT_VARIABLE);
    unsigned l = 0;
    while (l < CACHERAY_LAYOUTS && (!name || strcmp(name, cacheray_layout_names[l]) != 0))
        l++;
    return (cacheray_layout)l;
}

/* The layout of a file with this beginning, or CACHERAY_LAYOUTS if none meets the demand. */
static cacheray_layout detect(const uint8_t *head, size_t length, const demand *d)
{
    cacheray_layout best = CACHERAY_LAYOUTS;
    attempt of_best = {0};
    for (unsigned i = 0; i < CACHERAY_LAYOUTS; i++) {
        cacheray_layout l = (cacheray_layout)i;
        attempt a = try_layout(head, length, l, d);
        if (accepted(&a, l, d) && (best == CACHERAY_LAYOUTS || cacheray_detect_better(&a, &of_best))) {
            best = l;
            of_best = a;
        }
    }
    return best;
}

static const demand *demand_for(const char *path)
{
    return trace_name(path) ? &demand_trace_name : &demand_any_name;
}

static const demand *demand_for_chosen(const char *path)
{
    return trace_name(path) ? &demand_chosen_layout_trace_name : &demand_chosen_layout;
}

/* Returns whether records in this layout begin anywhere in these bytes: a part of a trace may begin inside a record. */
static bool begins_later(const uint8_t *head, size_t length, cacheray_layout l)
{
    for (size_t at = 1; at < length; at++) {
        attempt a = try_layout(head + at, length - at, l, &demand_begins_later);
        if (accepted(&a, l, &demand_begins_later))
            return true;
    }
    return false;
}

bool cacheray_probe(const probe *p)
{
    cacheray_layout chosen = chosen_layout();
    if (chosen == CACHERAY_LAYOUTS)
        return detect(p->head, p->length, demand_for(p->path)) != CACHERAY_LAYOUTS;
    const demand *d = demand_for_chosen(p->path);
    attempt a = try_layout(p->head, p->length, chosen, d);
    return accepted(&a, chosen, d) || (trace_name(p->path) && begins_later(p->head, p->length, chosen));
}

/* The layout for a file opened as a trace, even if it is not recognised. */
static cacheray_layout layout_to_read(const uint8_t *head, size_t length, const char *path)
{
    static const demand nothing = {0, 0, 0, 0, 0};
    cacheray_layout l = chosen_layout();
    if (l == CACHERAY_LAYOUTS)
        l = detect(head, length, demand_for(path));
    return l == CACHERAY_LAYOUTS ? detect(head, length, &nothing) : l;
}

static size_t read_head(source *s, uint8_t *head)
{
    int err = 0;
    int64_t n = source_read(s, 0, head, PROBE_LENGTH, &err);
    return n > 0 ? (size_t)n : 0; /* an error will be reported when the first record is read */
}

bool cacheray_open(trace *t, const trace_input *in, GError **error)
{
    uint8_t head[PROBE_LENGTH];
    size_t length = read_head(in->sequential, head);
    cacheray_layout l = layout_to_read(head, length, in->path);
    stream *s = trace_add_stream(t, "memory");
    stream_range whole = {.begin = 0, .end = UINT64_MAX};
    (void)error; /* never fails: whatever is not a record is shown as unknown bytes */
    s->sequential = in->sequential;
    s->random = in->random;
    cacheray_context_of(&s->base)->layout = (uint8_t)l;
    s->base.flags = cacheray_big_endian(l) ? CONTEXT_BIG_ENDIAN : 0;
    stream_add_range(s, &whole);
    g_string_append_printf(t->comment,
                           "Cacheray trace in layout %s (%s-endian, %d-bit addresses); the format has no clock, so the "
                           "time of a record is its number in microseconds.",
                           cacheray_layout_names[l], cacheray_big_endian(l) ? "big" : "little", cacheray_pointer(l) * 8);
    return true;
}
