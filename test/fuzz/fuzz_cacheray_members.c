/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executables that name the members of structs in Cacheray traces, through libdw. */
#include <glib.h>

#include "cacheray/members.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static const char *const names[] = {"struct.node", "struct.order", "counters", "struct.t", "union.u", "class.ns::c.3"};
    const char *reason = NULL;
    members *m = members_open(fuzz_file(data, length), &reason);
    FUZZ_CHECK(m || reason, "refused without a reason");
    for (size_t i = 0; m && i < G_N_ELEMENTS(names); i++) {
        uint32_t type = members_type(m, names[i], 16u << i);
        for (uint32_t offset = 0; type && offset < 64; offset += 4) {
            const char *name = members_at(m, type, offset);
            FUZZ_CHECK(name && g_utf8_validate(name, -1, NULL), "member is no text");
        }
    }
    members_close(m);
    return 0;
}
