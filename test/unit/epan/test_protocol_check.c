/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of dissectors and formats that cannot work: each with what is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dissector/protocol_check.h"

static const void *look(dissection *d)
{
    return d;
}

static void add(dissection *d)
{
    (void)d;
}

static void inform(const dissection *d, info_text *info)
{
    (void)d;
    (void)info;
}

static const layout_row known_rows[] = {{.field = 0, .width = 4}}, unknown_rows[] = {{.field = 0, .width = 8}};
static const layout known = LAYOUT(known_rows, 4), unknown = LAYOUT(unknown_rows, 8);

static const layout *const *layouts(unsigned *count)
{
    static const layout *const all[] = {&known};
    *count = 1;
    return all;
}

static int tap, proto, fields[1];
static unsigned number;
static const value_string kinds[] = {{1, "Beat"}, {0, NULL}};
static const protocol_follower follower = {0};
static const protocol complete = {.name = "Beat",
                                  .column = "Beat",
                                  .filter = "beat",
                                  .tree = {.proto = &proto, .kinds = kinds, .fields = fields, .number = &number},
                                  .layouts = layouts,
                                  .record_size = 1,
                                  .look = look,
                                  .inform = inform,
                                  .add = add,
                                  .tap = &tap};

static void is_wrong(const protocol *p, const char *member)
{
    g_autoptr(GError) error = NULL;
    assert_false(protocol_check(p, &error));
    if (!strstr(error->message, member))
        fail_msg("%s is not about %s", error->message, member);
}

static void test_members(void **state)
{
    (void)state;
    assert_true(protocol_check(&complete, NULL));
    protocol p = complete;
    p.look = NULL;
    is_wrong(&p, " beat has no member look");
    p = complete;
    p.inform = NULL;
    is_wrong(&p, "member inform");
    p = complete;
    p.add = NULL;
    is_wrong(&p, "member add");
    p = complete;
    p.tap = NULL;
    assert_true(protocol_check(&p, NULL));
    p.follower = &follower;
    is_wrong(&p, "member tap,");
    p = complete;
    p.tree.number = NULL;
    is_wrong(&p, "member tree.number");
    p = complete;
    p.filter = NULL;
    is_wrong(&p, "dissector Beat has no member filter");
    p = complete;
    p.record_size = PROTOCOL_RECORD_MAX + 1;
    is_wrong(&p, "record_size");
    p.record_size = 0;
    is_wrong(&p, "member record_size");
    p.tap = NULL;
    assert_true(protocol_check(&p, NULL));
}

/* --- formats ----------------------------------------------------------------------------------------------------------- */

static uint64_t least(const record_context *c)
{
    return c->kind == 1 ? 12 : UINT64_MAX;
}

static uint64_t least_of_two(const record_context *c)
{
    return c->kind == 2 ? 8 : least(c);
}

static unsigned one_layout(const record_context *c, const layout *found[FORMAT_LAYOUTS_MAX])
{
    assert_int_equal(c->kind, 1); /* of others there are none */
    found[0] = &known;
    return 1;
}

static unsigned two_layouts(const record_context *c, const layout *found[FORMAT_LAYOUTS_MAX])
{
    found[1] = &unknown;
    return one_layout(c, found) + 1;
}

static bool probe_none(const probe *p)
{
    (void)p;
    return false;
}

static bool open_none(struct trace *t, const struct trace_input *in, GError **error)
{
    (void)t;
    (void)in;
    (void)error;
    return false;
}

static step_result step_none(struct walk *w)
{
    (void)w;
    return STEP_END;
}

static void no_time(struct walk *w)
{
    (void)w;
}

static const format fits = {.name = "beat",
                            .description = "Beat log",
                            .protocol = "beat",
                            .min_length = least,
                            .layouts = one_layout,
                            .probe = probe_none,
                            .open = open_none,
                            .step = step_none,
                            .time = no_time};

/* `problem` is reported of the format, shown by the dissectors. */
static void is_wrong_format(const format *f, size_t count, const char *problem)
{
    const protocol *const both[] = {&complete, &(protocol){.filter = "rest"}};
    g_autoptr(GError) error = NULL;
    assert_false(protocol_check_formats(both, count, &f, 1, &error));
    assert_string_equal(error->message, problem);
}

static void test_formats(void **state)
{
    (void)state;
    const protocol *const one[] = {&complete};
    const format *const twice[] = {&fits, &fits};
    assert_true(protocol_check_formats(one, 1, twice, 2, NULL));
    format f = fits;
    f.protocol = "beats";
    is_wrong_format(&f, 1, "the format beat has the protocol beats, but no dissector has this filter");
    f.protocol = NULL;
    is_wrong_format(&f, 1, "the format beat has no member protocol");
    f = fits;
    f.time = NULL;
    is_wrong_format(&f, 1, "the format beat has no member time");
    f = fits;
    f.min_length = least_of_two;
    is_wrong_format(&f, 1, "the dissector beat has no name for kind 2 of the format beat");
    f = fits;
    f.layouts = two_layouts;
    is_wrong_format(&f, 1, "the layouts of the dissector beat are without those of kind 1 of the format beat");
    is_wrong_format(&fits, 2, "the dissector rest has a filter that no format has as its protocol");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
