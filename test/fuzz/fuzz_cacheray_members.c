/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executables and type files with members of structs and variables for Cacheray traces. */
#include <glib.h>

#include "cacheray/members/members.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static const char *const names[] = {"struct.node", "struct.order", "counters", "struct.t", "union.u", "class.ns::c.3"};
    g_autoptr(GError) error = NULL;
    static const members_machine machine = {.wide = true, .big_endian = false};
    members_variable found;
    members *m = members_open(fuzz_file(data, length), &machine, &error);
    FUZZ_CHECK(!m == !!error, "refused without a reason");
    for (size_t i = 0; m && i < G_N_ELEMENTS(names); i++) {
        uint32_t type = members_type(m, names[i], 16u << i);
        for (uint32_t offset = 0; type && offset < 64; offset += 4) {
            const char *name = members_at(m, type, offset)->text;
            FUZZ_CHECK(name && g_utf8_validate(name, -1, NULL), "member is no text");
        }
    }
    for (uint64_t address = 0; m && address < 0x1000000; address += 0x1001)
        if (members_variable_at(m, address, &found))
            FUZZ_CHECK(g_utf8_validate(found.name, -1, NULL), "variable is no text");
    members_close(m);
    return 0;
}
