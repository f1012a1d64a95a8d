/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/trace_part.h"

#include <string.h>

#include "containers/hash.h"
#include "util/fail.h"
#include "util/text.h"

#define DECIMALS 9
#define SECOND 1000000000 /* nanoseconds */

/* Reads digits up to `end`, with up to nine after a point. */
static bool read_seconds(const char *text, const char *end, part_time *t)
{
    uint64_t whole = 0, decimals = 0;
    unsigned digits = 0, after = 0;
    for (; text < end && g_ascii_isdigit(*text); text++, digits++) {
        whole = whole * 10 + (uint64_t)g_ascii_digit_value(*text);
        if (whole > INT32_MAX)
            return false;
    }
    if (text < end && *text == '.')
        for (text++; text < end && g_ascii_isdigit(*text) && after < DECIMALS; text++, after++)
            decimals = decimals * 10 + (uint64_t)g_ascii_digit_value(*text);
    if (text != end || digits + after == 0)
        return false;
    for (; after < DECIMALS; after++)
        decimals *= 10;
    *t = (part_time){(int64_t)whole, (int32_t)decimals};
    return true;
}

static bool earlier(const part_time *a, const part_time *b)
{
    return a->seconds < b->seconds || (a->seconds == b->seconds && a->nanoseconds < b->nanoseconds);
}

static part_time negative(part_time t)
{
    return t.nanoseconds ? (part_time){-t.seconds - 1, SECOND - t.nanoseconds} : (part_time){-t.seconds, 0};
}

/* Reads a time up to `end`; one before the end of the trace has a minus sign. */
static bool read_time(const char *text, const char *end, bool from_end, part_time *t)
{
    if (!from_end)
        return read_seconds(text, end, t);
    if (*text != '-' || !read_seconds(text + 1, end, t))
        return false;
    *t = negative(*t);
    return true;
}

bool part_read_time(trace_part *p, const char *text)
{
    const bool from_end = *text == '-';
    const char *comma = strchr(text, ','), *end = text + strlen(text);
    part_time from, to = {INT64_MAX, 0};
    if (!read_time(text, comma ? comma : end, from_end, &from))
        return false;
    if (!(comma ? read_time(comma + 1, end, from_end, &to) : from_end) || !earlier(&from, &to))
        return false;
    p->timed = true;
    p->from_end = from_end;
    p->from = from;
    p->to = to;
    return true;
}

static bool read_share(trace_part *p, const char *text)
{
    guint64 share, shares;
    g_auto(GStrv) numbers = g_strsplit(text, "/", 3);
    if (g_strv_length(numbers) != 2 || !g_ascii_string_to_unsigned(numbers[1], 10, 1, PART_SHARES_MAX, &shares, NULL) ||
        !g_ascii_string_to_unsigned(numbers[0], 10, 1, shares, &share, NULL))
        return false;
    p->share = (uint32_t)share;
    p->shares = (uint32_t)shares;
    return true;
}

bool part_read_streams(trace_part *p, const char *text)
{
    if (read_share(p, text))
        return true;
    g_auto(GStrv) names = g_strsplit(text, ",", 0);
    g_autoptr(GHashTable) set = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    for (char **name = names; *name; name++)
        if (**name)
            g_hash_table_insert(set, g_strdup(*name), GINT_TO_POINTER(FALSE));
    if (g_hash_table_size(set) == 0)
        return false;
    p->names = g_steal_pointer(&set);
    return true;
}

static bool is_time(const char *value)
{
    trace_part unused = {.timed = false};
    return part_read_time(&unused, value);
}

static bool is_streams(const char *value)
{
    return strspn(value, ",") < strlen(value);
}

const setting part_time_setting = {
    .variable = "WIRETRACE_TIME",
    .preference = "time_range",
    .is_usable = is_time,
    .usable = "two times in seconds from the beginning such as 3.2,3.4, or before the end such as -1,-0.5 or -1",
};
const setting part_streams_setting = {
    .variable = "WIRETRACE_STREAMS",
    .preference = "streams",
    .is_usable = is_streams,
    .usable = "a share such as 1/8 or names of streams separated by commas",
};

trace_part *part_wanted(const char *protocol)
{
    trace_part *p = g_new0(trace_part, 1);
    const char *time = settings_value(&part_time_setting, protocol);
    const char *streams = settings_value(&part_streams_setting, protocol);
    bool some = time && part_read_time(p, time);
    some |= streams && part_read_streams(p, streams);
    if (!some)
        g_clear_pointer(&p, part_free);
    return p;
}

void part_free(trace_part *p)
{
    if (p && p->names)
        g_hash_table_destroy(p->names);
    g_free(p);
}

bool part_has_stream(const trace_part *p, uint32_t number, const char *name)
{
    if (p->shares)
        return number % p->shares == p->share - 1;
    if (!p->names)
        return true;
    if (!g_hash_table_contains(p->names, name))
        return false;
    g_hash_table_replace(p->names, g_strdup(name), GINT_TO_POINTER(TRUE));
    return true;
}

part_side part_side_of(const trace_part *p, int64_t seconds, int32_t nanoseconds)
{
    part_time since = {seconds - p->origin.seconds, nanoseconds - p->origin.nanoseconds};
    if (since.nanoseconds < 0) {
        since.nanoseconds += SECOND;
        since.seconds--;
    }
    return earlier(&since, &p->from) ? PART_BEFORE : earlier(&since, &p->to) ? PART_INSIDE : PART_AFTER;
}

static void append_time(const trace_part *p, part_time t, GString *text)
{
    if (p->from_end)
        t = negative(t);
    g_string_append_printf(text, "%" G_GINT64_FORMAT ".%09d", t.seconds, t.nanoseconds);
}

static void describe_times(const trace_part *p, GString *text)
{
    const bool open = p->from_end && p->to.seconds == INT64_MAX;
    g_string_append(text, " records from ");
    append_time(p, p->from, text);
    if (!open) {
        g_string_append(text, p->from_end ? " to " : " to before ");
        append_time(p, p->to, text);
    }
    g_string_append(text, p->from_end ? " seconds before its end" : " seconds after its beginning");
    g_string_append(text, open ? " on." : ".");
}

void part_describe(const trace_part *p, uint32_t chosen, uint32_t all, GString *text)
{
    g_string_append(text, "Only a part of the trace is open:");
    if (p->shares || p->names)
        g_string_append_printf(text, " %u of %u streams", chosen, all);
    if (p->shares)
        g_string_append_printf(text, " (share %u/%u)", p->share, p->shares);
    if (!p->timed)
        g_string_append_c(text, '.');
    else if (p->shares || p->names)
        g_string_append_c(text, ',');
    if (p->timed)
        describe_times(p, text);
}

bool part_complete(const trace_part *p, GError **error)
{
    GHashTableIter i;
    gpointer name, met;
    unsigned missing = 0;
    g_autofree char *shown = NULL;
    if (p->names)
        for (g_hash_table_iter_init(&i, p->names); g_hash_table_iter_next(&i, &name, &met);)
            if (!GPOINTER_TO_INT(met) && missing++ == 0)
                shown = text_show(name, -1);
    if (!missing)
        return true;
    if (missing == 1)
        return fail_with(error, "WIRETRACE_STREAMS asks for the stream '%s', which is not in this trace", shown);
    return fail_with(error, "WIRETRACE_STREAMS asks for %u streams that are not in this trace, such as '%s'", missing,
                     shown);
}
