/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/trace_part.h"

#include <string.h>

#include "containers/hash.h"
#include "util/fail.h"
#include "util/text.h"

#define DECIMALS 9

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

bool part_read_time(trace_part *p, const char *text)
{
    part_time from, to;
    const char *comma = strchr(text, ',');
    if (!comma || !read_seconds(text, comma, &from) || !read_seconds(comma + 1, comma + strlen(comma), &to) ||
        !earlier(&from, &to))
        return false;
    p->timed = true;
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
    .usable = "two times in seconds from the beginning such as 3.2,3.4",
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
    part_time since = {seconds - p->beginning.seconds, nanoseconds - p->beginning.nanoseconds};
    if (since.nanoseconds < 0) {
        since.nanoseconds += 1000000000;
        since.seconds--;
    }
    return earlier(&since, &p->from) ? PART_BEFORE : earlier(&since, &p->to) ? PART_INSIDE : PART_AFTER;
}

static void trace_part_append_time(const part_time *t, GString *text)
{
    g_string_append_printf(text, "%" G_GINT64_FORMAT ".%09d", t->seconds, t->nanoseconds);
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
    if (p->timed) {
        g_string_append(text, " records from ");
        trace_part_append_time(&p->from, text);
        g_string_append(text, " to before ");
        trace_part_append_time(&p->to, text);
        g_string_append(text, " seconds after its beginning.");
    }
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
