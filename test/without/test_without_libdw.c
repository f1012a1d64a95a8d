/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of structs in a build without libdw. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cacheray/members.h"

static void programs_tell_no_members(void **state)
{
    (void)state;
    const char *reason = NULL;
    assert_null(members_open("captures/cacheray/orders.elf", &(members_machine){true, false}, &reason));
    assert_string_equal(reason, "Wiretrace was built without libelf and libdw");
    members_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_tell_no_members)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
