/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The analysis of a trace as all who read records use it: events, metadata and what is neither, visited and found again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "ovni/context.h"
#include "ovni/session.h"

static unsigned looked_up;

static const char *name_of(const ovni_tapped *r)
{
    return r->reader;
}

static const char *loom_of(const ovni_tapped *r)
{
    (void)r;
    looked_up++;
    return "loom.a";
}

/* Reads an event of 12 bytes, of which `length` are there. */
static ovni_tapped read_event(ovni_session *s, uint32_t number, uint8_t kind, const char *mcv, uint8_t clock, size_t length)
{
    static uint8_t bytes[12];
    static record_context c;
    ovni_tapped r = {.reader = "thread.1"};
    memcpy(bytes, (uint8_t[]){0, (uint8_t)mcv[0], (uint8_t)mcv[1], (uint8_t)mcv[2], clock}, 5);
    c = (record_context){.kind = kind, .stream = 3};
    *ovni_context_of(&c) = (ovni_context){.era = OVNI_ERA_V3, .known = OVNI_KNOWN_THREAD, .thread = 7};
    ovni_session_read(s, &r, &c, number, &(cursor){bytes, length, false});
    return r;
}

static void events(void **state)
{
    (void)state;
    ovni_session s = {.name_of = name_of, .loom_of = loom_of};
    span ended;
    looked_up = 0;
    ovni_tapped r = read_event(&s, 1, OVNI_EVENT, "VAr", 10, 12);
    assert_true(r.is_event);
    assert_string_equal(r.mcv, "VAr");
    assert_non_null(r.event);
    assert_null(s.states);
    ovni_session_visit(&r, true);
    assert_true(r.has_state && r.known.has_region);
    assert_false(ovni_session_span(&r, 0, &ended));
    assert_string_equal(ovni_session_stream(&r), "thread.1");
    r = read_event(&s, 2, OVNI_EVENT, "VAR", 25, 12);
    ovni_session_visit(&r, true);
    assert_true(ovni_session_span(&r, 0, &ended));
    assert_int_equal(ended.call.duration, 15);
    assert_int_equal(ended.call.begin, 1);
    assert_false(ovni_session_span(&r, 1, &ended));
    assert_int_equal(looked_up, 1); /* once for the stream */
    ovni_tapped again = read_event(&s, 2, OVNI_EVENT, "VAR", 25, 12);
    ovni_session_find(&again);
    assert_true(again.has_state);
    assert_true(ovni_session_span(&again, 0, &ended));
    assert_int_equal(ended.call.duration, 15);
    ovni_session_end(&s);
    assert_null(s.states);
}

/* A record that is cut, or no event, changes nothing; a stream without a name has one that says so. */
static void others(void **state)
{
    (void)state;
    ovni_session s = {0};
    for (size_t length = 0; length < 12; length++) {
        ovni_tapped r = read_event(&s, 1, OVNI_EVENT, "VAr", 10, length);
        assert_false(r.is_event);
        assert_null(r.event);
        assert_string_equal(r.mcv, "");
        ovni_session_visit(&r, false);
        assert_false(r.has_state);
    }
    ovni_tapped header = read_event(&s, 1, OVNI_HEADER, "ovn", 'i', 8);
    ovni_session_visit(&header, false);
    assert_false(header.has_state);
    assert_string_equal(ovni_session_stream(&header), "?");
    assert_null(ovni_session_loom(&header));
    ovni_session_end(&s);
}

/* Labels of types come with metadata, which have the whole record. */
static void metadata(void **state)
{
    (void)state;
    static const char text[] = "{\"version\":3,\"ovni\":{\"part\":\"thread\",\"tid\":7,\"pid\":1,\"loom\":\"loom.a\"}}";
    ovni_session s = {.loom_of = loom_of};
    record_context c = {.kind = OVNI_METADATA, .stream = 3};
    *ovni_context_of(&c) = (ovni_context){.era = OVNI_ERA_V3};
    ovni_tapped r = {0};
    looked_up = 0;
    ovni_session_read(&s, &r, &c, 1, &(cursor){(const uint8_t *)text, strlen(text), false});
    ovni_session_visit(&r, false);
    assert_false(r.has_state);
    assert_non_null(s.states);
    assert_int_equal(looked_up, 1);
    ovni_session_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(events), cmocka_unit_test(others), cmocka_unit_test(metadata)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
