/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that move members of structs. */
#include <glib.h>

#include "cacheray/remap/remap.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static char a[] = "a", b[] = "b", c[] = "c", both[] = "b|c", *one[] = {a, NULL}, *two[] = {b, c, NULL};
    static struct_part all[] = {{.names = one, .shown = a, .offset = 0, .size = 4},
                                {.names = two, .shown = both, .offset = 8, .size = 8}};
    const struct_parts parts = {24, G_N_ELEMENTS(all), all, 8};
    GError *error = NULL;
    const remap_struct *s;
    g_autoptr(GPtrArray) wrong = g_ptr_array_new_with_free_func(g_free);
    remap *r = remap_read(fuzz_file(data, length), wrong, &error);
    FUZZ_CHECK(!r == !!error, "refused without a reason");
    g_clear_error(&error);
    for (unsigned i = 0; r && (s = remap_at(r, i)); i++) {
        remap_layout *l = remap_apply(s, &parts, &error);
        FUZZ_CHECK(!l == !!error, "refused without a reason");
        for (uint32_t at = 0; l && at < parts.size; at++)
            FUZZ_CHECK(remap_offset(l, 24 + at) - l->new_size < l->new_size, "byte %u is outside", at);
        g_clear_error(&error);
        g_free(l);
    }
    remap_free(r);
    return 0;
}
