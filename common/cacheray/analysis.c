/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/analysis.h"

#include <glib.h>

#include "cacheray/members/members.h"
#include "containers/frame_store.h"
#include "containers/hash.h"
#include "program/code_places.h"
#include "program/demangle.h"
#include "program/objects.h"
#include "util/text.h"

/* Kept per record. Everything else follows from this, from the numbers that some records have, and from the record's own
 * fields. */
typedef struct kept {
    uint8_t about; /* KEPT_SEEN, KEPT_OVERLAPS and KEPT_CONTENDED; above them the sharing */
    uint8_t level; /* cache level, and KEPT_EVICTS */
} kept;
enum { KEPT_SEEN = 1, KEPT_OVERLAPS = 2, KEPT_CONTENDED = 4, KEPT_SHARING_AT = 3 };
#define KEPT_EVICTS 0x80u

_Static_assert(sizeof(kept) + 3 * sizeof(uint32_t) + sizeof(uint64_t) <= 24, "at most 24 bytes per record");

struct cacheray_analysis {
    cacheray_options options;
    annotations *annotations;
    line_table *lines;
    members *members;  /* NULL: unknown */
    objects *objects;  /* NULL: the recorder has not listed them */
    GPtrArray *unused; /* of text: see cacheray_problems.binaries */
    GError *caches_error, *remap_error;
    GPtrArray *remap_lines;  /* of text, as of remap_read() */
    placing *placing;        /* NULL: nothing is moved */
    bool no_variables;       /* where they are is given wrongly */
    bool typeless;           /* a file has no types, which is reported */
    bool names_types;        /* a binary knows the type of at least one annotation */
    uint32_t unknown_struct; /* see cacheray_problems */
    caches *caches;          /* NULL: none */
    GArray *types;           /* uint32_t by annotation number - 1: result of members_type() */
    GStringChunk *texts;
    GHashTable *numbers; /* name -> number + 1 */
    GPtrArray *names;    /* names by number */
    GPtrArray *places;   /* by number: of an allocation, FILE:LINE; NULL: not known */
    code_places *code;   /* finds them */
    bool recorded;       /* names are as Wiretrace's recorder writes them */
    frames kept;         /* of kept */
    frames regions;      /* of uint32_t: annotation number */
    frames before;       /* of uint32_t: record of the previous access to the line */
    frames evicted;      /* of uint64_t: lines evicted; only with simulated caches */
    frames invalidated;  /* of uint32_t: copies removed; only with coherent ones */
};

static void G_GNUC_PRINTF(2, 3) note_unused(cacheray_analysis *a, const char *words, ...)
{
    va_list arguments;
    va_start(arguments, words);
    g_ptr_array_add(a->unused, g_strdup_vprintf(words, arguments));
    va_end(arguments);
}

/* Adds a file. `asked`: by the user, so problems are reported. */
static bool add_file(cacheray_analysis *a, const char *path, bool asked)
{
    const members_machine machine = {cacheray_pointer(a->options.layout) == 8, cacheray_big_endian(a->options.layout)};
    g_autoptr(GError) error = NULL;
    const bool added = members_add(a->members, path, &machine, &error);
    const char *problem = added ? members_missing(a->members) : error->message;
    if (problem && asked)
        note_unused(a, "%s: %s, so %s are not known", path, problem, added ? "members" : "members and variables");
    a->typeless |= problem != NULL;
    return added;
}

/* Applies cacheray.load_bias, which is that of the first file. False if it is not a number. */
static bool add_bias(cacheray_analysis *a, const char *path)
{
    const char *text = a->options.load_bias;
    char *end = NULL;
    uint64_t bias = g_ascii_strtoull(text, &end, 16);
    const bool number = !*end && g_ascii_isxdigit(*text);
    if (!number)
        note_unused(a, "%s: the load bias is not a hexadecimal number, so variables are unknown", path);
    else if (bias && members_fixed(a->members))
        note_unused(a, "%s: it is linked at fixed addresses, so the load bias is not used", path);
    else
        members_loaded(a->members, bias);
    return number;
}

/* Position-independent files are loaded at random addresses: their recorder knows where, or the user. All others are where
 * they were linked. */
static void add_asked(cacheray_analysis *a, const char *path, bool first)
{
    uint64_t load;
    code_places_add(a->code, path, path);
    if (!add_file(a, path, true))
        return;
    if (first && *a->options.load_bias)
        a->no_variables = !add_bias(a, path);
    else if (!members_fixed(a->members) && a->objects && objects_load_of(a->objects, path, &load))
        members_loaded(a->members, load);
}

static void add_recorded(cacheray_analysis *a, const object *x)
{
    const bool program = x->number == 0;
    code_places_add(a->code, x->file, x->path);
    if (!add_file(a, x->file, program))
        return;
    if (program && *a->options.load_bias)
        a->no_variables = !add_bias(a, x->file);
    else
        members_loaded(a->members, x->load);
}

static void add_all_recorded(cacheray_analysis *a)
{
    objects_find(a->objects);
    objects_check_overlap(a->objects);
    for (guint i = 0; i < a->objects->all->len; i++) {
        const object *x = &g_array_index(a->objects->all, object, i);
        if (x->file)
            add_recorded(a, x);
    }
}

static void start_members(cacheray_analysis *a)
{
    g_auto(GStrv) asked = g_strsplit(a->options.binary, ";", -1);
    a->objects = a->options.trace ? objects_read(a->options.trace) : NULL;
    a->members = members_new();
    for (guint i = 0; asked[i]; i++)
        if (*g_strstrip(asked[i]))
            add_asked(a, asked[i], i == 0);
    if (a->objects && !*a->options.binary)
        add_all_recorded(a);
    if (!members_any(a->members))
        g_clear_pointer(&a->members, members_close);
}

static void start_placing(cacheray_analysis *a)
{
    if (!a->members || !*a->options.remap)
        return;
    remap *r = remap_read(a->options.remap, a->remap_lines, &a->remap_error);
    if (r)
        a->placing = placing_new(r, a->members, a->remap_lines);
    if (a->placing && !placing_moves(a->placing))
        g_clear_pointer(&a->placing, placing_free);
}

static void start_caches(cacheray_analysis *a)
{
    caches_config config;
    if (!*a->options.caches)
        return;
    if (!caches_read(a->options.caches, &config, &a->caches_error))
        return;
    config.coherent = a->options.coherence;
    config.no_write_allocate = a->options.no_write_allocate;
    a->caches = caches_new(&config);
}

cacheray_analysis *cacheray_analysis_new(const cacheray_options *o)
{
    cacheray_analysis *a = g_new0(cacheray_analysis, 1);
    a->options = *o;
    a->annotations = annotations_new();
    a->lines = lines_new(o->line_size);
    a->types = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    a->texts = g_string_chunk_new(4096);
    a->numbers = g_hash_table_new(hash_text, g_str_equal);
    a->names = g_ptr_array_new();
    a->places = g_ptr_array_new_with_free_func(g_free);
    a->code = code_places_new();
    a->remap_lines = g_ptr_array_new_with_free_func(g_free);
    a->unused = g_ptr_array_new_with_free_func(g_free);
    frames_init(&a->kept, sizeof(kept));
    frames_init(&a->regions, sizeof(uint32_t));
    frames_init(&a->before, sizeof(uint32_t));
    frames_init(&a->evicted, sizeof(uint64_t));
    frames_init(&a->invalidated, sizeof(uint32_t));
    start_members(a);
    start_placing(a);
    start_caches(a);
    return a;
}

void cacheray_analysis_free(cacheray_analysis *a)
{
    if (!a)
        return;
    annotations_free(a->annotations);
    lines_free(a->lines);
    members_close(a->members);
    caches_free(a->caches);
    placing_free(a->placing);
    g_clear_pointer(&a->objects, objects_free);
    g_ptr_array_free(a->unused, TRUE);
    g_clear_error(&a->caches_error);
    g_clear_error(&a->remap_error);
    g_ptr_array_free(a->remap_lines, TRUE);
    g_array_free(a->types, TRUE);
    g_hash_table_destroy(a->numbers);
    g_ptr_array_free(a->names, TRUE);
    g_ptr_array_free(a->places, TRUE);
    code_places_free(a->code);
    g_string_chunk_free(a->texts);
    frames_clear(&a->kept);
    frames_clear(&a->regions);
    frames_clear(&a->before);
    frames_clear(&a->evicted);
    frames_clear(&a->invalidated);
    g_free(a);
}

bool cacheray_analysis_recorded(const cacheray_analysis *a)
{
    return a->objects || a->recorded;
}

bool cacheray_analysis_kept(const cacheray_analysis *a)
{
    return a->options.keep;
}

cacheray_problems cacheray_analysis_problems(const cacheray_analysis *a)
{
    return (cacheray_problems){.binaries = a->unused,
                               .notices = a->objects ? a->objects->notices : NULL,
                               .caches = a->caches_error ? a->caches_error->message : NULL,
                               .remap = a->remap_error ? a->remap_error->message : NULL,
                               .remap_lines = a->remap_lines,
                               .no_members = !a->members,
                               .no_bias = a->members && !a->no_variables && members_unplaced(a->members),
                               .unknown_struct = a->names_types ? 0 : a->unknown_struct};
}

unsigned cacheray_analysis_levels(const cacheray_analysis *a)
{
    return a->caches ? caches_of(a->caches)->count : 0;
}

const caches_config *cacheray_analysis_caches(const cacheray_analysis *a)
{
    return a->caches ? caches_of(a->caches) : NULL;
}

const annotation *cacheray_analysis_region(const cacheray_analysis *a, uint32_t number)
{
    return annotations_get(a->annotations, number);
}

bool cacheray_analysis_remaps(const cacheray_analysis *a)
{
    return a->placing != NULL;
}

struct_parts *cacheray_analysis_parts(const cacheray_analysis *a, uint32_t type)
{
    return a->members && type ? parts_of(a->members, type) : NULL;
}

static void place_region(const cacheray_analysis *a, placing *p, uint32_t number)
{
    const annotation *region = annotations_get(a->annotations, number);
    const uint32_t type = g_array_index(a->types, uint32_t, number - 1);
    placing_add(p, g_ptr_array_index(a->names, region->name), type, type ? members_size(a->members, type) : 0, region->start,
                annotation_length(region));
}

struct_parts *cacheray_analysis_declared(const cacheray_analysis *a, uint32_t type, const struct_parts *pieces)
{
    return a->members && type && pieces ? parts_declared(a->members, type, pieces) : NULL;
}

placing *cacheray_analysis_try(const cacheray_analysis *a, const char *line, uint32_t regions)
{
    if (!a->members)
        return NULL;
    g_autofree char *text = g_strdup(line);
    g_autoptr(GPtrArray) wrong = g_ptr_array_new_with_free_func(g_free);
    placing *p = placing_new(remap_parse(text, wrong), a->members, wrong);
    if (wrong->len)
        g_clear_pointer(&p, placing_free);
    for (uint32_t number = 1; p && number <= regions; number++)
        place_region(a, p, number);
    return p;
}

static bool find_variable_at(const cacheray_analysis *a, uint64_t address, members_variable *found)
{
    return a->members && !a->no_variables && members_variable_at(a->members, address, found);
}

uint64_t cacheray_analysis_place(const cacheray_analysis *a, placing *p, uint32_t number, uint64_t address)
{
    members_variable found;
    p = p ? p : a->placing;
    if (number)
        return placing_in_region(p, number, annotations_get(a->annotations, number)->start, address);
    if (!find_variable_at(a, address, &found) || !found.type)
        return address;
    return placing_in_variable(p, &found, members_size(a->members, found.type), address);
}

void cacheray_analysis_finish(cacheray_analysis *a)
{
    if (!a->options.keep)
        return;
    lines_free(a->lines);
    a->lines = lines_new(a->options.line_size);
}

/* --- names ------------------------------------------------------------------------------------------------------------- */

/* The number of a type name, which is stored only once. */
static guint new_number(cacheray_analysis *a, const char *name, char *place)
{
    char *text = g_string_chunk_insert(a->texts, name);
    g_ptr_array_add(a->names, text);
    g_ptr_array_add(a->places, place);
    g_hash_table_insert(a->numbers, text, GUINT_TO_POINTER(a->names->len));
    return a->names->len;
}

struct showing {
    code_places *code;
    char *line; /* with its folder, of the place itself */
};

static place_shown show_frame(void *data, const place_name *frame)
{
    struct showing *s = data;
    g_autofree char *symbol = g_strndup(frame->name, frame->length), *function = NULL;
    char *line = code_places_line(s->code, frame, &function);
    place_shown shown = {.line = line ? g_path_get_basename(line) : NULL};
    if (frame->in_function || function)
        shown.name = demangle(frame->in_function ? symbol : function);
    if (!frame->in_function && function && !shown.name)
        shown.name = g_steal_pointer(&function);
    if (!s->line)
        s->line = line;
    else
        g_free(line);
    return shown;
}

/* The place of an allocation gets a readable name, and one name for all places in a line. */
static guint place_number(cacheray_analysis *a, const char *name)
{
    struct showing s = {a->code, NULL};
    g_autofree char *full = place_name_show(name, show_frame, &s), *shown = text_show_within(full, -1, TEXT_LONG);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(a->numbers, shown));
    if (!number)
        number = new_number(a, shown, g_steal_pointer(&s.line));
    g_free(s.line);
    g_hash_table_insert(a->numbers, g_string_chunk_insert(a->texts, name), GUINT_TO_POINTER(number));
    return number;
}

static char *text_of_name(const char *bytes, size_t length)
{
    if (text_is_safe(bytes, length))
        return text_show_within(bytes, (ptrdiff_t)length, TEXT_LONG);
    g_autofree char *escaped = text_escape(bytes, length);
    return text_show_within(escaped, -1, TEXT_LONG);
}

static uint32_t name_number(cacheray_analysis *a, const char *bytes, int length)
{
    g_autofree char *name = text_of_name(bytes ? bytes : "", bytes ? (size_t)length : 0);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(a->numbers, name));
    place_name p;
    if (!number && place_name_read(name, &p)) {
        a->recorded = true;
        number = place_number(a, name);
    }
    return (number ? number : new_number(a, name, NULL)) - 1;
}

static bool is_struct(const char *name)
{
    return g_str_has_prefix(name, "struct.") || g_str_has_prefix(name, "class.") || g_str_has_prefix(name, "union.");
}

static void cacheray_analysis_note_type(cacheray_analysis *a, const cacheray_tapped *v, uint32_t frame)
{
    if (!a->members)
        return;
    const char *name = g_ptr_array_index(a->names, v->region.name);
    uint32_t type = members_type(a->members, name, v->region.elem_size);
    g_array_append_val(a->types, type);
    if (a->placing)
        place_region(a, a->placing, v->number);
    a->names_types |= type != 0;
    if (!type && *a->options.binary && !a->typeless && !a->names_types && !a->unknown_struct && is_struct(name))
        a->unknown_struct = frame;
}

/* `left`: bytes of the region or variable from the access on. */
static void find_members(const cacheray_analysis *a, cacheray_tapped *v, uint64_t left)
{
    if (v->layout)
        v->covered = members_covered(a->members, v->layout, v->offset, MIN(MAX(v->size, 1), left));
    v->member = v->covered.count ? v->covered.name : NULL;
}

/* Finds the variable for an access without an annotation. */
static void find_variable(const cacheray_analysis *a, cacheray_tapped *v)
{
    members_variable found;
    if (!find_variable_at(a, v->address, &found))
        return;
    v->variable = found.name;
    v->index = found.index;
    v->offset = found.offset;
    v->many = found.count > 1;
    v->base = found.start;
    v->layout = found.type;
    find_members(a, v, found.start + found.count * found.stride - v->address);
    v->type_name = found.type_name;
    if (a->placing && found.type)
        v->placed = placing_in_variable(a->placing, &found, members_size(a->members, found.type), v->address);
}

/* --- visiting ---------------------------------------------------------------------------------------------------------- */

static void visit_annotation(cacheray_analysis *a, cacheray_tapped *v, uint32_t frame)
{
    if (v->kind == CACHERAY_RTTA_ADD) {
        v->overlaps = annotations_overlap(a->annotations, v->address, annotation_length(&v->region));
        v->region.start = v->address;
        v->region.added = frame;
        v->region.name = name_number(a, v->name, v->name_length);
        v->number = annotations_add(a->annotations, &v->region);
        cacheray_analysis_note_type(a, v, frame);
    } else if (v->kind == CACHERAY_RTTA_REMOVE) {
        v->number = annotations_remove(a->annotations, v->address, frame);
    } else {
        v->number = annotations_find(a->annotations, v->address, &v->overlaps);
    }
}

static void cacheray_analysis_keep(cacheray_analysis *a, const cacheray_tapped *v, uint32_t frame)
{
    kept *k = frames_keep(&a->kept, frame);
    k->about = (uint8_t)(KEPT_SEEN | (v->overlaps ? KEPT_OVERLAPS : 0) | (lines_contended(&v->line) ? KEPT_CONTENDED : 0) |
                         v->line.sharing << KEPT_SHARING_AT);
    k->level = v->cache.level;
    frames_keep_number(&a->regions, frame, v->number);
    frames_keep_number(&a->before, frame, v->line.before);
    frames_keep_number(&a->invalidated, frame, v->cache.invalidated);
    if (v->cache.evicts) {
        k->level |= KEPT_EVICTS;
        *(uint64_t *)frames_keep(&a->evicted, frame) = v->cache.evicted;
    }
}

/* Completes the view with what follows from the annotation. */
static void cacheray_analysis_settle(cacheray_analysis *a, cacheray_tapped *v)
{
    v->has_cache = v->is_access && a->caches && !v->cold;
    v->placed = v->address;
    if (!v->number) {
        if (v->is_access)
            find_variable(a, v);
        return;
    }
    v->region = *annotations_get(a->annotations, v->number);
    v->type = g_ptr_array_index(a->names, v->region.name);
    v->place = g_ptr_array_index(a->places, v->region.name);
    if (v->is_access) {
        uint64_t distance = v->address - v->region.start;
        v->index = (uint32_t)(distance / v->region.elem_size);
        v->offset = (uint32_t)(distance % v->region.elem_size);
        v->base = v->region.start;
        if (a->members) {
            v->layout = g_array_index(a->types, uint32_t, v->number - 1);
            find_members(a, v, annotation_length(&v->region) - distance);
        }
        if (a->placing)
            v->placed = placing_in_region(a->placing, v->number, v->base, v->address);
        v->many = v->region.elem_count > 1;
    }
}

void cacheray_analysis_visit(cacheray_analysis *a, uint32_t frame, cacheray_tapped *v)
{
    if (v->kind >= CACHERAY_KINDS)
        return;
    if (a->options.annotations)
        visit_annotation(a, v, frame);
    cacheray_analysis_settle(a, v);
    if (v->touches) {
        line_touch access = {v->placed, v->thread, frame, v->size, v->kind == CACHERAY_WRITE};
        lines_touch(a->lines, &access, &v->line);
    }
    if (v->has_cache)
        caches_access(a->caches, v->placed, v->size, v->thread, v->kind == CACHERAY_WRITE, &v->cache);
    if (a->options.keep)
        cacheray_analysis_keep(a, v, frame);
}

/* --- looking up -------------------------------------------------------------------------------------------------------- */

/* Returns whether the annotation still covers the record's address: the file may have changed since it was visited. */
static bool still_covers(const cacheray_analysis *a, uint32_t number, uint64_t address)
{
    const annotation *region = annotations_get(a->annotations, number);
    return address - region->start < annotation_length(region);
}

bool cacheray_analysis_find(cacheray_analysis *a, uint32_t frame, cacheray_tapped *v)
{
    const kept *k = a->options.keep ? frames_find(&a->kept, frame) : NULL;
    if (!k || !k->about || v->kind >= CACHERAY_KINDS)
        return false;
    uint32_t number = frames_number(&a->regions, frame);
    v->number = v->is_access && number && !still_covers(a, number, v->address) ? 0 : number;
    v->overlaps = k->about & KEPT_OVERLAPS;
    v->line.before = frames_number(&a->before, frame);
    v->line.sharing = k->about >> KEPT_SHARING_AT;
    v->line.touched[0].contended = k->about & KEPT_CONTENDED;
    v->cache.invalidated = frames_number(&a->invalidated, frame);
    v->cache.level = k->level & 0x7f;
    v->cache.evicts = k->level & KEPT_EVICTS;
    if (v->cache.evicts)
        v->cache.evicted = *(uint64_t *)frames_find(&a->evicted, frame);
    cacheray_analysis_settle(a, v);
    if (v->is_access)
        lines_place(a->options.line_size, v->placed, v->size, &v->line);
    return true;
}
