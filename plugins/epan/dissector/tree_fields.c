/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/tree_fields.h"

#include <string.h>

#include "host/options.h"
#include "host/shortcuts.h"

static GHashTable *field_marks; /* number of a field -> its marks */

void tree_fields_register(int proto, hf_register_info *hf, int count)
{
    g_autofree unsigned *marks = g_new(unsigned, (gsize)count);
    if (!field_marks)
        field_marks = g_hash_table_new(NULL, NULL);
    for (int i = 0; i < count; i++)
        marks[i] = (unsigned)hf[i].hfinfo.parent;
    proto_register_field_array(proto, hf, count);
    for (int i = 0; i < count; i++)
        if (marks[i])
            g_hash_table_insert(field_marks, GINT_TO_POINTER(*hf[i].p_id), GUINT_TO_POINTER(marks[i]));
}

unsigned tree_field_marks(int hf)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(field_marks, GINT_TO_POINTER(hf)));
}

const header_field_info **tree_infos;
unsigned tree_first_info, tree_info_count;
bool tree_fields_alone;

/* Returns whether it is one of ours, which are then always referenced. Not if it prints a label, as protocols do. */
static bool note_printed(const char *name)
{
    bool ours = false;
    for (unsigned i = 0; i < tree_info_count; i++)
        if (strcmp(tree_infos[i]->abbrev, name) == 0 && tree_infos[i]->type != FT_PROTOCOL &&
            tree_infos[i]->type != FT_NONE) {
            ours = shortcuts_references_hold(tree_infos[i]);
            if (ours)
                tree_infos[i] = shortcuts_referenced(tree_infos[i]);
        }
    return ours;
}

/* All that tshark prints must be found by reference, or everything is added as in any visible tree. */
void tree_note_printed(void)
{
    g_autoptr(GPtrArray) names = options_fields();
    for (unsigned i = 0; i < tree_info_count; i++)
        tree_infos[i] = proto_registrar_get_nth(tree_first_info + i);
    tree_fields_alone = names;
    for (guint i = 0; names && i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        const bool known = note_printed(name) || g_str_has_prefix(name, "frame.") || g_str_has_prefix(name, "_ws.col.");
        tree_fields_alone = tree_fields_alone && known;
    }
}

void tree_note_fields(int first, int last)
{
    tree_first_info = (unsigned)first;
    tree_info_count = (unsigned)(last - first + 1);
    tree_infos = g_new(const header_field_info *, tree_info_count);
    for (unsigned i = 0; i < tree_info_count; i++)
        tree_infos[i] = proto_registrar_get_nth(tree_first_info + i);
}

void tree_reference(int hf)
{
    const header_field_info **field = &tree_infos[(unsigned)hf - tree_first_info];
    *field = shortcuts_referenced(*field);
}
