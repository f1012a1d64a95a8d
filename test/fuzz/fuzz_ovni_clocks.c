/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of clock offsets of ovni traces. */
#include "fuzz.h"
#include "ovni/clocks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    ovni_problems problems = {0};
    int64_t offset;
    GHashTable *c = ovni_clocks_parse((const char *)data, length, &problems);
    FUZZ_CHECK(g_hash_table_size(c) <= length, "more hosts than bytes");
    FUZZ_CHECK(g_hash_table_size(c) || problems.count, "an empty table is no problem");
    ovni_clocks_find(c, "node01.1", &offset);
    ovni_clocks_find(c, "", &offset);
    GString *comment = g_string_new(NULL);
    ovni_problems_append(&problems, comment);
    FUZZ_CHECK(g_utf8_validate(comment->str, (gssize)comment->len, NULL), "comment is no text");
    g_string_free(comment, TRUE);
    ovni_problems_clear(&problems);
    g_hash_table_destroy(c);
    return 0;
}
