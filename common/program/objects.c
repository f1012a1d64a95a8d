/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/objects.h"

#include <string.h>

#include "program/executable.h"
#include "util/regular_file.h"
#include "util/text.h"

#define SUFFIX ".objects"
#define FIRST_LINE "# objects 1"
#define TEXT_MOST (4u << 20) /* bytes of the file */
#define NUMBER_MAX 4095u     /* more than any format has */
#define REPORTS_MAX 10u      /* of the recorder; further ones are counted */

/* --- reading ----------------------------------------------------------------------------------------------------------- */

/* The text after a number to this base and a blank; NULL: there is none. */
static const char *take_number(const char *at, unsigned base, uint64_t *number)
{
    char *end;
    if (!at || !g_ascii_isxdigit(*at))
        return NULL;
    *number = g_ascii_strtoull(at, &end, base);
    return *end == ' ' ? end + 1 : NULL;
}

/* The text after a build id or '-' and a blank. */
static const char *take_build_id(const char *at, char **id)
{
    size_t digits = at ? strspn(at, "0123456789abcdef") : 0;
    if (at && at[0] == '-' && at[1] == ' ')
        return at + 2;
    if (digits < 4 || digits % 2 || digits > 2 * EXECUTABLE_BUILD_ID_MAX || at[digits] != ' ')
        return NULL;
    *id = g_strndup(at, digits);
    return at + digits + 1;
}

/* A path with \xNN for bytes that would break the line; NULL: it is not one. */
static char *take_path(const char *at)
{
    GString *path = g_string_new(NULL);
    bool valid = at && *at == '/';
    for (; valid && *at; at++) {
        valid = *at != '\\' || (at[1] == 'x' && g_ascii_isxdigit(at[2]) && g_ascii_isxdigit(at[3]));
        if (valid && *at == '\\') {
            int byte = g_ascii_xdigit_value(at[2]) << 4 | g_ascii_xdigit_value(at[3]);
            valid = byte != 0;
            g_string_append_c(path, (char)byte);
            at += 3;
        } else {
            g_string_append_c(path, *at);
        }
    }
    return g_string_free(path, !valid);
}

static void object_clear(void *data)
{
    object *x = data;
    g_free(x->build_id);
    g_free(x->path);
    g_free(x->file);
}

/* NUMBER 0xLOAD BUILDID PATH. False if the line is not one, or has the number of another. */
static bool read_line(objects *o, const char *line)
{
    object x = {0};
    uint64_t number = 0;
    const char *at = take_number(line, 10, &number);
    at = at && g_str_has_prefix(at, "0x") ? take_number(at + 2, 16, &x.load) : NULL;
    x.path = take_path(take_build_id(at, &x.build_id));
    x.number = (uint32_t)MIN(number, UINT32_MAX);
    bool valid = x.path && number <= NUMBER_MAX &&
                 (!o->all->len || number > g_array_index(o->all, object, o->all->len - 1).number);
    if (valid)
        g_array_append_val(o->all, x);
    else
        object_clear(&x);
    return valid;
}

/* Takes ownership of a sentence. */
static void notice(objects *o, char *sentence)
{
    g_autofree char *own = sentence;
    g_ptr_array_add(o->notices, text_show_all(own));
}

/* A loss, or whatever else the recorder reports. */
static void read_report(objects *o, const char *text, unsigned *reports)
{
    if (++*reports <= REPORTS_MAX)
        notice(o, g_strdup_printf("The recorder reports: %s", text));
}

static void read_lines(objects *o, const char *path, char **lines)
{
    unsigned reports = 0, wrong = 0, first_wrong = 0;
    for (unsigned n = 1; lines[n]; n++) {
        if (g_str_has_prefix(lines[n], "# "))
            read_report(o, lines[n] + 2, &reports);
        else if (!read_line(o, lines[n]) && (*lines[n] || lines[n + 1]) && ++wrong == 1)
            first_wrong = n + 1;
    }
    if (reports > REPORTS_MAX)
        notice(o, g_strdup_printf("The recorder reports %u further losses: %s", reports - REPORTS_MAX, path));
    if (wrong)
        notice(o, g_strdup_printf("%s: line %u is not as recorders write it%s, so it is not used", path, first_wrong,
                                  wrong > 1 ? " (nor are others)" : ""));
}

/* --- finding the files ------------------------------------------------------------------------------------------------- */

/* How well a file is the object that was traced. */
typedef enum { NO_FILE, OTHER_BUILD, UNKNOWN_BUILD, SAME_BUILD } fit;

static void object_span(object *x, const executable *e)
{
    x->begin = UINT64_MAX;
    x->end = 0;
    executable_span(e, &x->begin, &x->end);
}

/* Tries a file, unless one is found already; the better result becomes *best. Takes ownership of `path`. */
static void try_file(object *x, char *path, bool named, fit *best)
{
    g_autofree char *own = path;
    g_autoptr(executable) e = x->file ? NULL : executable_open(path, NULL);
    if (!e)
        return;
    g_autofree char *id = executable_build_id(e);
    fit found = g_strcmp0(id, x->build_id) != 0 ? OTHER_BUILD : id ? SAME_BUILD : named ? UNKNOWN_BUILD : NO_FILE;
    *best = MAX(*best, found);
    if (found < UNKNOWN_BUILD)
        return;
    object_span(x, e);
    x->file = g_steal_pointer(&own);
}

static fit find_file(object *x, const char *folder)
{
    g_autofree char *base = g_path_get_basename(x->path);
    fit best = NO_FILE;
    try_file(x, g_strdup(x->path), true, &best);
    try_file(x, g_build_filename(folder, base, NULL), false, &best);
    if (x->build_id)
        try_file(x, g_strdup_printf(EXECUTABLE_DEBUG_ROOT "/.build-id/%.2s/%s.debug", x->build_id, x->build_id + 2), false,
                 &best);
    return best;
}

static const char *words_of(fit f)
{
    if (f == OTHER_BUILD)
        return "These objects are another build than the one that was traced, so their names are not used: ";
    if (f == UNKNOWN_BUILD)
        return "Whether these objects are the ones that were traced is not known, as they have no build id: ";
    return "These objects of the traced program are missing, so their names are not known: ";
}

void objects_find(objects *o)
{
    GString *names[SAME_BUILD + 1];
    for (unsigned f = NO_FILE; f <= SAME_BUILD; f++)
        names[f] = g_string_new(NULL);
    for (guint i = 0; i < o->all->len; i++) {
        object *x = &g_array_index(o->all, object, i);
        GString *list = names[find_file(x, o->folder)];
        g_string_append_printf(list, "%s%s", list->len ? ", " : "", x->path);
    }
    for (unsigned f = NO_FILE; f <= SAME_BUILD; f++) {
        g_autofree char *list = g_string_free(names[f], FALSE);
        if (f < SAME_BUILD && *list)
            notice(o, g_strconcat(words_of((fit)f), list, NULL));
    }
}

/* --- the file ---------------------------------------------------------------------------------------------------------- */

/* The file beside a trace, or beside what a compressed one was; NULL: neither is there. */
static char *beside(const char *trace_path, char **path)
{
    g_autofree char *unpacked = text_unpacked(trace_path);
    const char *const traces[] = {trace_path, unpacked};
    char *text = NULL;
    size_t length;
    for (unsigned i = 0; i < G_N_ELEMENTS(traces) && !text; i++) {
        g_free(*path);
        *path = g_strconcat(traces[i], SUFFIX, NULL);
        text = regular_file_text(*path, true, TEXT_MOST, &length);
    }
    return text;
}

objects *objects_read(const char *trace_path)
{
    g_autofree char *path = NULL, *text = beside(trace_path, &path);
    if (!text)
        return NULL;
    objects *o = g_new0(objects, 1);
    o->folder = g_path_get_dirname(trace_path);
    o->all = g_array_new(FALSE, FALSE, sizeof(object));
    g_array_set_clear_func(o->all, object_clear);
    o->notices = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    if (strcmp(lines[0] ? lines[0] : "", FIRST_LINE) != 0)
        notice(o, g_strdup_printf("%s: line 1 is not '%s', so the file is not used", path, FIRST_LINE));
    else
        read_lines(o, path, lines);
    return o;
}

void objects_free(objects *o)
{
    g_array_free(o->all, TRUE);
    g_ptr_array_free(o->notices, TRUE);
    g_free(o->folder);
    g_free(o);
}

/* --- asking ------------------------------------------------------------------------------------------------------------ */

char **objects_files(const objects *o)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    bool any = false;
    for (guint i = 0; i < o->all->len; i++) {
        const object *x = &g_array_index(o->all, object, i);
        while (files->len < x->number)
            g_ptr_array_add(files, g_strdup(""));
        g_ptr_array_add(files, g_strdup(x->file ? x->file : ""));
        any |= x->file != NULL;
    }
    g_ptr_array_add(files, NULL);
    char **all = (char **)g_ptr_array_free(files, !any);
    return any ? all : NULL;
}

/* Returns whether two paths have the same last part. */
static bool same_name(const char *a, const char *b)
{
    g_autofree char *x = g_path_get_basename(a), *y = g_path_get_basename(b);
    return strcmp(x, y) == 0;
}

bool objects_load_of(const objects *o, const char *file, uint64_t *load)
{
    g_autoptr(executable) e = executable_open(file, NULL);
    g_autofree char *id = e ? executable_build_id(e) : NULL;
    const object *best = NULL;
    for (guint i = 0; i < o->all->len; i++) {
        const object *x = &g_array_index(o->all, object, i);
        bool same = id && g_strcmp0(id, x->build_id) == 0;
        if (same || (!best && same_name(file, x->path)))
            best = x;
        if (same)
            break;
    }
    if (best)
        *load = best->load;
    return best != NULL;
}

/* NULL: it is not there, or has no build id. */
static const char *build_of(const objects *o, uint32_t number)
{
    for (guint i = 0; o && i < o->all->len; i++) {
        const object *x = &g_array_index(o->all, object, i);
        if (x->number == number)
            return x->build_id;
    }
    return NULL;
}

bool objects_differ(const objects *a, const objects *b, uint32_t number)
{
    const char *x = build_of(a, number), *y = build_of(b, number);
    return x && y && strcmp(x, y) != 0;
}

static bool overlap(const object *a, const object *b)
{
    return a->file && b->file && a->load + a->begin < b->load + b->end && b->load + b->begin < a->load + a->end;
}

void objects_check_overlap(objects *o)
{
    for (guint i = 0; i < o->all->len; i++)
        for (guint k = i + 1; k < o->all->len; k++) {
            const object *a = &g_array_index(o->all, object, i), *b = &g_array_index(o->all, object, k);
            if (!overlap(a, b) || strcmp(a->file, b->file) == 0)
                continue;
            notice(o,
                   g_strdup_printf(
                       "%s and %s were at the same addresses, one after the other: a variable there may be of the other one",
                       a->file, b->file));
            return;
        }
}
