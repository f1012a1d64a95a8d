/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line tables can be read without the rest of the debug information: each unit has its length, and each row an address.
 * So a single pass finds the lines of all functions. */
#include "program/source_lines.h"

#include "containers/binary_search.h"
#include "containers/hash.h"
#include "program/addresses.h"
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
    const char *path; /* borrowed from source_lines.paths */
    uint32_t line;
    uint8_t quality;
} line_location;

struct source_lines {
    line_location *places; /* in the order of the original list */
    GHashTable *paths;
};

/* --- from rows to functions -------------------------------------------------------------------------------------------- */

typedef struct match {
    size_t row; /* index in search.functions */
    uint32_t file, line;
} match;

typedef struct search {
    addresses functions;
    line_location *best; /* for each row of `functions`; for functions with the same address only the first is used */
    GHashTable *paths;
    uint64_t budget; /* how many bytes of paths may still be stored */
    /* for the current unit */
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

/* Stores a single copy of a path; NULL if there is no room. In a sane file all paths together are smaller than the file. */
static const char *search_path(search *s, const char *path)
{
    const char *kept = path ? g_hash_table_lookup(s->paths, path) : NULL;
    size_t length = path ? strlen(path) + 1 : 0;
    if (path && !kept && length <= s->budget) {
        s->budget -= length;
        kept = text_show(path, -1);
        g_hash_table_insert(s->paths, g_strdup(path), (char *)kept);
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
        s->best[m->row].path = search_path(s, path);
        s->best[m->row].line = m->line;
    }
    line_files_free(files);
}

static void search_tables(search *s, const line_sections *sections)
{
    line_unit u;
    for (size_t at = 0; at < sections->table.length; at = u.end) {
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
    l->paths = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    search s = {.functions = addresses_sort(functions, count), .paths = l->paths, .budget = file->identity.size};
    s.best = g_new0(line_location, count);
    s.matches = g_array_new(FALSE, FALSE, sizeof(match));
    search_tables(&s, &sections);
    for (size_t row = 0, first = 0; row < count; row++) {
        first = addresses_first(&s.functions, row, first);
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
    g_hash_table_destroy(l->paths);
    g_free(l->places);
    g_free(l);
}

source_place *source_lines_place(const source_lines *l, size_t i)
{
    const line_location *at = &l->places[i];
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
