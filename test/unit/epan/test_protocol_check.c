/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of dissectors and formats that cannot work: each with what is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dissector/protocol_check.h"

static void look(dissection *d)
{
    (void)d;
}

static void inform(const dissection *d, info_text *info)
{
    (void)d;
    (void)info;
}

static const void *tapped(const dissection *d)
{
    return d;
}

static int tap, ett;
static const protocol_follower follower = {0};
static const protocol complete = {.name = "Beat",
                                  .column = "Beat",
                                  .filter = "beat",
                                  .ett = &ett,
                                  .look = look,
                                  .inform = inform,
                                  .add = look,
                                  .tapped = tapped,
                                  .tap = &tap};

static void is_wrong(const protocol *p, const char *member)
{
    char *problem = protocol_check(p);
    assert_non_null(problem);
    if (!strstr(problem, member))
        fail_msg("%s is not about %s", problem, member);
    g_free(problem);
}

static void test_members(void **state)
{
    (void)state;
    assert_null(protocol_check(&complete));
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
    p.tapped = NULL;
    is_wrong(&p, "member tapped");
    p.tap = NULL;
    assert_null(protocol_check(&p));
    p.follower = &follower;
    is_wrong(&p, "member tap,");
    p = complete;
    p.ett = NULL;
    is_wrong(&p, "member ett");
    p = complete;
    p.filter = NULL;
    is_wrong(&p, "dissector Beat has no member filter");
    p = complete;
    p.record_size = PROTOCOL_RECORD_MAX + 1;
    is_wrong(&p, "record_size");
}

static void test_formats(void **state)
{
    (void)state;
    const format fits = {.name = "beat", .protocol = "beat"}, other = {.name = "beats", .protocol = "beats"},
                 none = {.name = "x"};
    const protocol *const both[] = {&complete, &(protocol){.filter = "rest"}};
    char *problem = protocol_check_formats(both, 1, (const format *const[]){&fits, &fits}, 2);
    assert_null(problem);
    problem = protocol_check_formats(both, 1, (const format *const[]){&fits, &other}, 2);
    assert_string_equal(problem, "the format beats has the protocol beats, but no dissector has this filter");
    g_free(problem);
    problem = protocol_check_formats(both, 1, (const format *const[]){&none}, 1);
    assert_string_equal(problem, "the format x has the protocol NULL, but no dissector has this filter");
    g_free(problem);
    problem = protocol_check_formats(both, 2, (const format *const[]){&fits}, 1);
    assert_string_equal(problem, "the dissector rest has a filter that no format has as its protocol");
    g_free(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
