/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fault.h"

#include <glib.h>
#include <string.h>

static const char *const fault_words[FAULT_COUNT] = {
#define X(name, text) [name] = text,
    FAULTS(X)
#undef X
};

const char *fault_text(fault f, uint64_t value, char *text, size_t size)
{
    const char *words = (unsigned)f < FAULT_COUNT ? fault_words[f] : "unknown fault";
    const char *hole = strchr(words, '#');
    if (hole)
        g_snprintf(text, size, "%.*s%" G_GINT64_FORMAT "%s", (int)(hole - words), words, (gint64)value, hole + 1);
    else
        g_strlcpy(text, words, size);
    return text;
}
