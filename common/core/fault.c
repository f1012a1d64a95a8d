/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/fault.h"

#include <glib.h>
#include <string.h>

#include "util/regular_file.h"

static const fault_row common_rows[] = {FAULTS(FAULT_ROW)};
_Static_assert(G_N_ELEMENTS(common_rows) <= FAULT_OWN, "there is room");

static const fault_row *fault_row_of(const fault_list *own, fault f)
{
    if (f < G_N_ELEMENTS(common_rows))
        return &common_rows[f];
    return own && f >= FAULT_OWN && f - FAULT_OWN < (int)own->count ? &own->rows[f - FAULT_OWN] : NULL;
}

const char *fault_name(const fault_list *own, fault f)
{
    const fault_row *row = fault_row_of(own, f);
    return row ? row->name : "";
}

fault fault_named(const fault_list *own, const char *name, size_t length)
{
    for (unsigned f = 0; f < FAULT_UNKNOWN; f++) {
        const fault_row *row = fault_row_of(own, (fault)f);
        if (row && strlen(row->name) == length && memcmp(row->name, name, length) == 0)
            return (fault)f;
    }
    return FAULT_UNKNOWN;
}

const char *fault_text(const fault_list *own, fault f, uint64_t value, char *text, size_t size)
{
    const fault_row *row = fault_row_of(own, f);
    const char *words = row ? row->words : "unknown fault", *hole = strpbrk(words, "#@");
    if (hole && *hole == '@')
        g_snprintf(text, size, "%.*s%s%s", (int)(hole - words), words, regular_file_problem((int)value), hole + 1);
    else if (hole)
        g_snprintf(text, size, "%.*s%" G_GINT64_FORMAT "%s", (int)(hole - words), words, (gint64)value, hole + 1);
    else
        g_strlcpy(text, words, size);
    return text;
}
