/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fault.h"

#include "regular.h"

#include <glib.h>
#include <string.h>

static const char *const fault_words[FAULT_COUNT] = {
#define X(name, text) [name] = text,
    FAULTS(X)
#undef X
};

static const char *const fault_names[FAULT_COUNT] = {
#define X(name, text) [name] = #name,
    FAULTS(X)
#undef X
};

const char *fault_name(fault f)
{
    return (unsigned)f < FAULT_COUNT ? fault_names[f] : "";
}

fault fault_named(const char *name, size_t length)
{
    unsigned f = 0;
    while (f < FAULT_COUNT && (strlen(fault_names[f]) != length || memcmp(fault_names[f], name, length) != 0))
        f++;
    return (fault)f;
}

const char *fault_text(fault f, uint64_t value, char *text, size_t size)
{
    const char *words = (unsigned)f < FAULT_COUNT ? fault_words[f] : "unknown fault";
    const char *hole = strpbrk(words, "#@");
    if (hole && *hole == '@')
        g_snprintf(text, size, "%.*s%s%s", (int)(hole - words), words, regular_problem((int)value), hole + 1);
    else if (hole)
        g_snprintf(text, size, "%.*s%" G_GINT64_FORMAT "%s", (int)(hole - words), words, (gint64)value, hole + 1);
    else
        g_strlcpy(text, words, size);
    return text;
}
