/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON files of ovni traces, for streams and for processes. */
#include <glib.h>

#include "fuzz.h"
#include "ovni/metadata.h"
#include "ovni/names.h"

static void note_name(void *data, const ovni_metadata_item *s)
{
    GHashTable *n = data;
    FUZZ_CHECK((!s->text || g_utf8_validate(s->text, -1, NULL)) && (!s->key || g_utf8_validate(s->key, -1, NULL)),
               "no text");
    if (s->kind == OVNI_ITEM_MARK_TITLE)
        ovni_names_add(n, OVNI_NAMED_MARK, s->number, 0, s->text);
    else if (s->kind == OVNI_ITEM_MARK_LABEL)
        ovni_names_add(n, OVNI_NAMED_VALUE, s->number, (uint64_t)s->value, s->text);
    else if (s->kind == OVNI_ITEM_COUNTER)
        ovni_names_add(n, OVNI_NAMED_COUNTER, s->number, 1, s->text);
    ovni_names_find(n, OVNI_NAMED_MARK, s->number, 0);
    ovni_names_find(n, OVNI_NAMED_VALUE, s->number, (uint64_t)s->value);
    ovni_names_find(n, OVNI_NAMED_COUNTER, s->number, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const char *text = (const char *)data;
    ovni_metadata m;
    ovni_metadata_parse(&m, text, length);
    FUZZ_CHECK(m.fault < FAULT_OVNI_END && m.fault_at <= length, "fault %d at %zu", m.fault, (size_t)m.fault_at);
    FUZZ_CHECK(!m.fault || (!m.identity.known && !m.loom), "broken metadata says something");
    size_t extent = ovni_metadata_extent(text, length);
    FUZZ_CHECK(extent <= length && (extent || m.fault), "extent %zu", extent);
    if (!m.fault) {
        GHashTable *names = ovni_names_new();
        ovni_metadata_visit(text, length, note_name, names);
        g_hash_table_destroy(names);
    }
    ovni_metadata_clear(&m);
    return 0;
}
