/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line tables can be read without the rest of the debug information: each unit has its length, and each row an address.
 * So a single pass finds the lines of all functions. Where the rest is there, too, the place of a function that somebody
 * asks for is that of its declaration. */
#include "program/source_lines.h"

#include "containers/binary_search.h"
#include "containers/hash.h"
#include "program/addresses.h"
#include "program/declared_places.h"
#include "program/line_table.h"
#include "util/text.h"

#define PACKED_RATIO_MAX 1032u /* the maximum of zlib */

enum {
    UNKNOWN,
    BETWEEN,
    EXACT
}; /* how well a line fits a function: only from the row before it, or from a row for its
    * address */

typedef struct line_location {
    const char *path; /* borrowed from known_paths */
    uint64_t address; /* of the function */
    size_t table;     /* offset of its unit */
    uint32_t line;
    uint8_t quality;
} line_location;

/* A single copy of each path. In a sane file all paths together are smaller than the file. */
typedef struct known_paths {
    GHashTable *shown; /* path -> as it is shown */
    uint64_t budget;   /* how many bytes may still be stored */
} known_paths;

struct source_lines {
    line_location *places; /* in the order of the original list */
    known_paths paths;
    executable *file; /* with the tables */
    line_sections sections;
    declared_places *declared; /* NULL: there are none */
    bool declared_tried;
    line_files *files; /* of the unit at `files_of`; NULL: none has been needed */
    uint64_t files_of;
};

/* --- from rows to functions -------------------------------------------------------------------------------------------- */

typedef struct match {
    size_t row; /* index in search.functions */
    uint32_t file, line;
} match;

typedef struct search {
    addresses functions;
    line_location *best; /* for each row of `functions`; for functions with the same address only the first is used */
    known_paths *paths;
    /* for the current unit */
    size_t table;
    GArray *matches;
    line_row first, last; /* of the current address: the first row with a line, and the last row */
    bool open;            /* there is a previous row */
} search;

static void search_match(search *s, size_t row, uint8_t quality, const line_row *found)
{
    if (found->line == 0 || quality <= s->best[row].quality)
        return;
    match m = {row, found->file, found->line};
    s->best[row].quality = quality;
    s->best[row].table = s->table;
    g_array_append_val(s->matches, m);
}

/* The rows so far describe the code from the address of the last one to `end`: the function that begins there, and the
 * first other one that begins in between. */
static void search_addresses(search *s, uint64_t end)
{
    size_t row = addresses_from(&s->functions, s->last.address);
    if (row == s->functions.count || s->functions.rows[row].address >= end)
        return;
    if (s->functions.rows[row].address == s->last.address) {
        search_match(s, row, EXACT, &s->first);
        row = addresses_from(&s->functions, s->last.address + 1);
    }
    if (row < s->functions.count && s->functions.rows[row].address < end)
        search_match(s, row, BETWEEN, &s->last);
}

static void search_row(const line_row *row, void *data)
{
    search *s = data;
    bool same = s->open && row->address == s->last.address;
    if (s->open)
        search_addresses(s, row->address);
    if (!same || s->first.line == 0)
        s->first = *row;
    s->last = *row;
    s->open = !row->ends;
}

/* Stores a path; NULL if there is no room. */
static const char *paths_keep(known_paths *p, const char *path)
{
    const char *kept = path ? g_hash_table_lookup(p->shown, path) : NULL;
    size_t length = path ? strlen(path) + 1 : 0;
    if (path && !kept && length <= p->budget) {
        p->budget -= length;
        kept = text_show(path, -1);
        g_hash_table_insert(p->shown, g_strdup(path), (char *)kept);
    }
    return kept;
}

static void search_unit(search *s, const line_unit *u)
{
    s->open = false;
    g_array_set_size(s->matches, 0);
    line_unit_rows(u, search_row, s);
    line_files *files = s->matches->len ? line_files_read(u) : NULL;
    for (guint i = 0; i < s->matches->len; i++) {
        const match *m = &g_array_index(s->matches, match, i);
        g_autofree char *path = line_files_path(files, m->file);
        s->best[m->row].path = paths_keep(s->paths, path);
        s->best[m->row].line = m->line;
    }
    line_files_free(files);
}

static void search_tables(search *s, const line_sections *sections)
{
    line_unit u;
    for (size_t at = 0; at < sections->table.length; at = u.end) {
        s->table = at;
        if (line_unit_read(&u, sections, at))
            search_unit(s, &u);
        if (u.end <= at)
            break;
    }
}

/* --- sections ---------------------------------------------------------------------------------------------------------- */

static bool unpack(Elf_Scn *section, const GElf_Shdr *header, const cursor *packed)
{
    uint64_t length = executable_unpacked(section, header, packed);
    if (length > LINES_SECTION_MAX || length / PACKED_RATIO_MAX > packed->length)
        return false;
    bool is_gnu = !(header->sh_flags & SHF_COMPRESSED);
    return (is_gnu ? elf_compress_gnu(section, 0, 0) : elf_compress(section, 0, 0)) >= 0;
}

/* The decompressed section .NAME or .zNAME; empty if there is none. */
static cursor section_bytes(const executable *e, const char *name)
{
    GElf_Shdr header;
    char plain[32] = ".", old[32] = ".z";
    g_strlcat(plain, name, sizeof plain);
    g_strlcat(old, name, sizeof old);
    Elf_Scn *section = executable_section(e, plain, &header);
    bool packed = section && header.sh_flags & SHF_COMPRESSED;
    if (!section) {
        section = executable_section(e, old, &header);
        packed = section;
    }
    cursor bytes = {NULL, 0, e->big_endian};
    if (section && header.sh_size <= LINES_SECTION_MAX)
        bytes = executable_bytes(e, section);
    if (packed && bytes.length)
        bytes = unpack(section, &header, &bytes) ? executable_bytes(e, section) : (cursor){NULL, 0, e->big_endian};
    return bytes;
}

static line_sections source_lines_sections_of(const executable *e)
{
    return (line_sections){section_bytes(e, "debug_line"), section_bytes(e, "debug_str"),
                           section_bytes(e, "debug_line_str")};
}

/* Takes ownership of an executable and returns the file with its line tables, which may be the same; NULL if there is
 * none. */
static executable *file_with_tables(executable *e, line_sections *sections)
{
    if ((*sections = source_lines_sections_of(e)).table.length)
        return e;
    g_autoptr(executable) debug = executable_debug_file(e, EXECUTABLE_DEBUG_ROOT);
    executable_close(e);
    return debug && (*sections = source_lines_sections_of(debug)).table.length ? g_steal_pointer(&debug) : NULL;
}

/* --- lines ------------------------------------------------------------------------------------------------------------- */

source_lines *source_lines_read(const char *path, const executable_identity *identity, const uint64_t *functions,
                                size_t count)
{
    line_sections sections;
    g_autoptr(executable) e = executable_open(path, NULL), file = NULL;
    if (e && memcmp(&e->identity, identity, sizeof *identity) == 0)
        file = file_with_tables(g_steal_pointer(&e), &sections);
    if (!file)
        return NULL;
    source_lines *l = g_new0(source_lines, 1);
    l->places = g_new0(line_location, count);
    l->paths = (known_paths){g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free), file->identity.size};
    l->file = g_steal_pointer(&file);
    l->sections = sections;
    search s = {.functions = addresses_sort(functions, count), .paths = &l->paths};
    s.best = g_new0(line_location, count);
    s.matches = g_array_new(FALSE, FALSE, sizeof(match));
    search_tables(&s, &l->sections);
    for (size_t row = 0, first = 0; row < count; row++) {
        first = addresses_first(&s.functions, row, first);
        s.best[first].address = s.functions.rows[row].address;
        l->places[s.functions.rows[row].function] = s.best[first];
    }
    g_array_free(s.matches, TRUE);
    g_free(s.best);
    addresses_clear(&s.functions);
    return l;
}

void source_lines_free(source_lines *l)
{
    if (!l)
        return;
    declared_places_free(l->declared);
    line_files_free(l->files);
    executable_close(l->file);
    g_hash_table_destroy(l->paths.shown);
    g_free(l->places);
    g_free(l);
}

static const line_files *files_at(source_lines *l, uint64_t table)
{
    line_unit u;
    if (l->files && l->files_of == table)
        return l->files;
    g_clear_pointer(&l->files, line_files_free);
    l->files_of = table;
    if (table < l->sections.table.length && line_unit_read(&u, &l->sections, (size_t)table))
        l->files = line_files_read(&u);
    return l->files;
}

/* Moves the place of a function to its declaration, if that is known. */
static void to_declaration(source_lines *l, line_location *at)
{
    if (!l->declared_tried)
        l->declared = declared_places_read(l->file);
    l->declared_tried = true;
    const declared_place *found = l->declared ? declared_places_find(l->declared, at->table, at->address) : NULL;
    const line_files *files = found ? files_at(l, found->table) : NULL;
    g_autofree char *path = files ? line_files_path(files, found->file) : NULL;
    const char *kept = paths_keep(&l->paths, path);
    if (!kept)
        return;
    at->path = kept;
    at->line = found->line;
}

source_place *source_lines_place(source_lines *l, size_t i)
{
    line_location *at = &l->places[i];
    if (at->path)
        to_declaration(l, at);
    if (!at->path)
        return NULL;
    g_autofree char *text = g_strdup_printf("%s:%u", at->path, at->line);
    const size_t size = strlen(text) + 1;
    source_place *place = g_malloc(sizeof *place + size);
    *place = (source_place){memcpy(place + 1, text, size), (uint32_t)strlen(at->path), at->line};
    return place;
}

/* --- any address ------------------------------------------------------------------------------------------------------- */

/* Sequences at the same place are damage, or functions that the linker has left out. */
#define SEQUENCES_BACK 16u

/* A range of code whose rows are in one unit. */
typedef struct sequence {
    uint64_t begin, end; /* addresses as linked */
    size_t unit;         /* offset in the section */
} sequence;

struct source_map {
    line_sections sections;
    GArray *sequences; /* sorted by `begin` */
};

typedef struct reading {
    source_map *map;
    sequence now;
    bool open;
    /* of an address */
    uint64_t address;
    line_row before, found; /* line 0: none */
} reading;

static void note_row(const line_row *row, void *data)
{
    reading *r = data;
    if (!r->open)
        r->now.begin = row->address;
    r->open = !row->ends;
    r->now.end = row->address;
    if (row->ends && r->now.begin < r->now.end)
        g_array_append_val(r->map->sequences, r->now);
}

static gint compare_sequences(gconstpointer a, gconstpointer b)
{
    const sequence *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

source_map *source_map_new(const executable *e, const executable *debug)
{
    source_map *m = g_new0(source_map, 1);
    line_unit u;
    m->sections = source_lines_sections_of(e);
    if (!m->sections.table.length && debug)
        m->sections = source_lines_sections_of(debug);
    m->sequences = g_array_new(FALSE, FALSE, sizeof(sequence));
    for (size_t at = 0; at < m->sections.table.length; at = u.end) {
        reading r = {.map = m, .now.unit = at};
        if (line_unit_read(&u, &m->sections, at))
            line_unit_rows(&u, note_row, &r);
        if (u.end <= at)
            break;
    }
    g_array_sort(m->sequences, compare_sequences);
    return m;
}

void source_map_free(source_map *m)
{
    if (!m)
        return;
    g_array_free(m->sequences, TRUE);
    g_free(m);
}

/* The row of an address is the last one at or before it, if another one follows. */
static void search_address(const line_row *row, void *data)
{
    reading *r = data;
    if (r->open && r->before.address <= r->address && r->address < row->address && r->before.line)
        r->found = r->before;
    r->before = *row;
    r->open = !row->ends;
}

static char *text_in_unit(const source_map *m, size_t unit, uint64_t address)
{
    line_unit u;
    reading r = {.address = address};
    if (!line_unit_read(&u, &m->sections, unit))
        return NULL;
    line_unit_rows(&u, search_address, &r);
    line_files *files = r.found.line ? line_files_read(&u) : NULL;
    g_autofree char *path = files ? line_files_path(files, r.found.file) : NULL, *shown = path ? text_show(path, -1) : NULL;
    line_files_free(files);
    return shown ? g_strdup_printf("%s:%u", shown, r.found.line) : NULL;
}

char *source_map_text(const source_map *m, uint64_t address)
{
    const GArray *all = m->sequences;
    size_t next = BINARY_SEARCH(all->len, i, g_array_index(all, sequence, i).begin <= address);
    for (size_t back = 1; back <= MIN(next, SEQUENCES_BACK); back++) {
        const sequence *s = &g_array_index(all, sequence, next - back);
        char *text = address < s->end ? text_in_unit(m, s->unit, address) : NULL;
        if (text)
            return text;
    }
    return NULL;
}
