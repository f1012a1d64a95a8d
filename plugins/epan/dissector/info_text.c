/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/info_text.h"

#include <epan/column-info.h>

#include "util/text.h"

const char *info_keep(const record_seen *seen, const info_text *t)
{
    return wmem_memdup(seen->pool, t->text, t->length + 1);
}

void info_add_some(info_text *t, const char *words, size_t n)
{
    size_t room = sizeof t->text - 1 - t->length;
    if (G_UNLIKELY(n > room))
        n = text_fitting(words, n, room);
    memcpy(t->text + t->length, words, n);
    t->length += n;
    t->text[t->length] = '\0';
}

void info_add_uint(info_text *t, uint64_t value)
{
    char digits[24], *end = digits + sizeof digits, *at = text_digits(end, value, 10);
    info_add_some(t, at, (size_t)(end - at));
}

void info_add_int(info_text *t, int64_t value)
{
    if (value < 0)
        info_add(t, "-");
    info_add_uint(t, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void info_add_name(info_text *t, const char *name)
{
    enum { BEFORE = INFO_NAME_MAX / 3, AFTER = INFO_NAME_MAX - BEFORE - 3 };
    if (strnlen(name, INFO_NAME_MAX + 1) <= INFO_NAME_MAX) {
        info_add(t, name);
        return;
    }
    const size_t length = strlen(name);
    const char *rest = name + length - AFTER;
    while (((guint8)*rest & 0xc0) == 0x80) /* not within a character */
        rest++;
    info_add_some(t, name, text_fitting(name, length, BEFORE));
    info_add(t, "…");
    info_add(t, rest);
}

void info_indent(info_text *t, uint32_t depth)
{
    enum { LEVELS = 12 }; /* so that a name begins in the first window */
    for (uint32_t i = 0; i < MIN(depth, LEVELS); i++)
        info_add(t, "  ");
    if (depth <= LEVELS)
        return;
    info_add(t, "[");
    info_add_uint(t, depth);
    info_add(t, "] ");
}

void info_add_duration(info_text *t, uint64_t ns)
{
    char text[TEXT_TIME];
    info_add(t, text_time(text, ns));
}

bool info_has_column(const record_seen *seen, const char *field)
{
    const column_info *all = seen->packet->cinfo;
    for (int i = all->col_first[COL_CUSTOM]; i >= 0 && i <= all->col_last[COL_CUSTOM]; i++) {
        const col_item_t *column = &all->columns[i];
        if (column->col_fmt == COL_CUSTOM && column->col_custom_fields && strcmp(column->col_custom_fields, field) == 0)
            return true;
    }
    return false;
}

void info_add_hex(info_text *t, uint64_t value)
{
    char digits[24], *end = digits + sizeof digits, *at = text_digits(end, value, 16);
    info_add(t, "0x");
    info_add_some(t, at, (size_t)(end - at));
}
