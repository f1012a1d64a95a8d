/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/clocks.h"

#include <errno.h>
#include <string.h>

#include "containers/hash.h"
#include "util/regular_file.h"
#include "core/settings.h"

/* There is one row per node, so this is enough for some hundred thousand nodes. */
#define CLOCKS_SIZE_MAX (16u << 20)

/* ovniemu reads this many bytes of a line, and then takes the next ones for another line. */
#define LINE_MAX_READ 1023u

enum { RANK, HOST, MEDIAN, MEAN, DEVIATION, FIELDS };

/* Accepts "-nan", which ovnisync writes as the deviation of a single sample. */
static bool is_decimal(const char *word)
{
    char *end;
    g_ascii_strtod(word, &end);
    return *word && !*end;
}

/* Converts a decimal number to an integer, cutting off the fraction. Exact if there is no exponent. */
static bool to_offset(const char *word, int64_t *offset)
{
    char *end;
    double d = g_ascii_strtod(word, &end);
    if (!*word || *end || !(d >= -0x1p63 && d < 0x1p63))
        return false;
    errno = 0;
    gint64 whole = g_ascii_strtoll(word, &end, 10);
    bool plain = end[strspn(end, ".0123456789")] == 0 && end != word && errno == 0;
    *offset = plain ? whole : (int64_t)d;
    return true;
}

/* Splits at blanks. Returns the number of words, of which the first FIELDS are stored. */
static unsigned split(char *line, char *words[FIELDS])
{
    unsigned n = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
        if (n < FIELDS)
            words[n] = word;
        n++;
    }
    return n;
}

static void read_row(GHashTable *offsets, char *line, unsigned number, ovni_problems *problems)
{
    char *words[FIELDS], *end;
    int64_t offset;
    unsigned n = split(line, words);
    if (n == 0)
        return;
    if (n < FIELDS || (g_ascii_strtoll(words[RANK], &end, 10), *end) || !to_offset(words[MEDIAN], &offset) ||
        !is_decimal(words[MEAN]) || !is_decimal(words[DEVIATION]))
        ovni_problem_fault(problems, FAULT_OVNI_CLOCKS_ROW, number);
    else if (g_hash_table_contains(offsets, words[HOST]))
        ovni_problem_fault(problems, FAULT_OVNI_CLOCKS_HOST, number);
    else
        g_hash_table_insert(offsets, g_strdup(words[HOST]), g_memdup2(&offset, sizeof offset));
}

GHashTable *ovni_clocks_parse(const char *text, size_t length, ovni_problems *problems)
{
    GHashTable *offsets = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    const char *end = text + length;
    for (unsigned number = 1; text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        const size_t n = (size_t)((stop ? stop : end) - text);
        for (size_t at = 0; at < n; at += LINE_MAX_READ)
            if (number > 1 || at) { /* the first line is a heading, whatever it contains */
                g_autofree char *line = g_strndup(text + at, MIN(n - at, LINE_MAX_READ));
                read_row(offsets, line, number, problems);
            }
        text += n + 1;
    }
    if (!g_hash_table_size(offsets))
        ovni_problem_fault(problems, FAULT_OVNI_CLOCKS_EMPTY, 0);
    return offsets;
}

/* 0: none; 1: that of the trace; 2: the file of this name. */
static int kind_of(const char *value)
{
    if (strcmp(value, "0") == 0 || g_ascii_strcasecmp(value, "false") == 0)
        return 0;
    return strcmp(value, "1") == 0 || g_ascii_strcasecmp(value, "true") == 0 ? 1 : 2;
}

/* A table that somebody has chosen has no bad row, as for `ovniemu -c`. Why a file cannot be read is reported when it is. */
static bool is_table(const char *path)
{
    size_t length;
    ovni_problems problems = {0};
    g_autofree char *text = regular_file_text(path, false, CLOCKS_SIZE_MAX, &length);
    if (text)
        g_hash_table_destroy(ovni_clocks_parse(text, length, &problems));
    const bool whole = !problems.count;
    ovni_problems_clear(&problems);
    return whole;
}

static bool is_usable(const char *value)
{
    return kind_of(value) < 2 || (g_file_test(value, G_FILE_TEST_IS_REGULAR) && is_table(value));
}

const setting ovni_clocks_setting = {
    .variable = OVNI_CLOCKS_VARIABLE,
    .preference = "ovni.clock_offsets",
    .is_usable = is_usable,
    .usable = "0, 1 or a table of clock offsets that is there",
};

char *ovni_clocks_path(const char *root)
{
    const char *value = settings_read(OVNI_CLOCKS_VARIABLE);
    const int kind = value ? kind_of(value) : 1;
    return kind == 2 ? g_strdup(value) : kind ? g_build_filename(root, OVNI_CLOCKS_FILE, NULL) : NULL;
}

GHashTable *ovni_clocks_load(const char *root, ovni_problems *problems)
{
    size_t length;
    g_autofree char *path = ovni_clocks_path(root);
    if (!path)
        return NULL;
    g_autofree char *text = regular_file_text(path, false, CLOCKS_SIZE_MAX, &length);
    int error = text ? 0 : errno;
    GHashTable *c = text ? ovni_clocks_parse(text, length, problems) : NULL;
    if (error == EFBIG)
        ovni_problem_fault(problems, FAULT_OVNI_CLOCKS_SIZE, CLOCKS_SIZE_MAX);
    else if (error && error != ENOENT)
        ovni_problem_fault(problems, FAULT_OVNI_CLOCKS, (uint64_t)error);
    return c;
}

char *ovni_clocks_host(const char *loom)
{
    return g_strndup(loom, strcspn(loom, "."));
}

bool ovni_clocks_find(GHashTable *c, const char *loom, int64_t *offset)
{
    if (!c || !loom)
        return false;
    g_autofree char *host = ovni_clocks_host(loom);
    const int64_t *found = g_hash_table_lookup(c, host);
    if (found)
        *offset = *found;
    return found != NULL;
}
