/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line tables are looked into one unit (source file with what it includes) at a time. libdw itself finds the unit of an
 * address through .debug_aranges only, which clang does not write; so the ranges are collected from the units here. */
#if defined HAVE_LIBELF && defined HAVE_LIBDW
#include "lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <glib.h>

#define PATH_LENGTH_MAX 4096u /* longer names of files are taken for damage */
#define SAME_ADDRESS_MAX 64u  /* rows of one address that are looked at */

typedef struct unit_range {
    uint64_t begin, end; /* end: first address behind */
    Dwarf_Off unit;      /* offset of its entry */
} unit_range;

struct lines {
    executable *file; /* that with the debug information */
    Dwarf *dwarf;
    GArray *ranges; /* of unit_range, in order of begin */
};

/* --- opening --- */

static uint64_t unpacked_size(const executable *e, Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
    GElf_Chdr packed;
    cursor gnu = {NULL, 0, true};
    if (header->sh_flags & SHF_COMPRESSED)
        return gelf_getchdr(section, &packed) ? packed.ch_size : UINT64_MAX;
    if (!g_str_has_prefix(name, ".zdebug"))
        return header->sh_size;
    gnu = executable_bytes(e, section); /* "ZLIB" and a big-endian number */
    gnu.big_endian = true;
    return cursor_u64(&gnu, 4);
}

/* Whether there are line tables, and all debug information together is of bearable size. */
static bool is_readable(const executable *e)
{
    GElf_Shdr header;
    size_t names_index;
    uint64_t left = LINES_BYTES_MAX;
    bool any = false;
    if (elf_getshdrstrndx(e->elf, &names_index) != 0)
        return false;
    cursor names = executable_bytes(e, elf_getscn(e->elf, names_index));
    for (Elf_Scn *s = elf_nextscn(e->elf, NULL); s; s = elf_nextscn(e->elf, s)) {
        const char *name = gelf_getshdr(s, &header) ? executable_string(&names, header.sh_name) : NULL;
        if (!name || header.sh_type == SHT_NOBITS ||
            (!g_str_has_prefix(name, ".debug_") && !g_str_has_prefix(name, ".zdebug_")))
            continue;
        uint64_t size = unpacked_size(e, s, &header, name);
        if (size > left)
            return false;
        left -= size;
        any = any || g_str_has_suffix(name, "debug_line");
    }
    return any;
}

static int range_compare(const void *a, const void *b)
{
    const unit_range *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static GArray *ranges_of(Dwarf *dwarf, uint64_t file_size)
{
    GArray *ranges = g_array_new(FALSE, FALSE, sizeof(unit_range));
    uint64_t budget =
        file_size / 8; /* fewer bytes make no range; units of a made-up file may all share the same ones */
    Dwarf_CU *unit = NULL;
    Dwarf_Die entry;
    Dwarf_Addr base, begin, end;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &entry, NULL) == 0) {
        ptrdiff_t next = 0;
        while (budget && (next = dwarf_ranges(&entry, next, &base, &begin, &end)) > 0) {
            unit_range one = {begin, end, dwarf_dieoffset(&entry)};
            g_array_append_val(ranges, one);
            budget--;
        }
    }
    g_array_sort(ranges, range_compare);
    return ranges;
}

/* The file with the line tables of an executable, which it takes over; may be the same. */
static executable *file_with_lines(executable *e)
{
    executable *debug = NULL;
    if (is_readable(e))
        return e;
    debug = executable_debug_file(e, EXECUTABLE_DEBUG_ROOT);
    executable_close(e);
    if (debug && is_readable(debug))
        return debug;
    executable_close(debug);
    return NULL;
}

lines *lines_open(const char *path, const executable_identity *identity)
{
    const char *reason;
    executable *e = executable_open(path, &reason);
    if (e && memcmp(&e->identity, identity, sizeof *identity) != 0) {
        executable_close(e);
        e = NULL;
    }
    executable *file = e ? file_with_lines(e) : NULL;
    Dwarf *dwarf = file ? dwarf_begin_elf(file->elf, DWARF_C_READ, NULL) : NULL;
    if (!dwarf) {
        executable_close(file);
        return NULL;
    }
    lines *l = g_new0(lines, 1);
    l->file = file;
    l->dwarf = dwarf;
    l->ranges = ranges_of(dwarf, file->identity.size);
    return l;
}

void lines_close(lines *l)
{
    if (!l)
        return;
    g_array_free(l->ranges, TRUE);
    dwarf_end(l->dwarf);
    executable_close(l->file);
    g_free(l);
}

/* --- looking up --- */

/* The range that an address is in; of those that overlap, the one that begins last. */
static const unit_range *range_of(const lines *l, uint64_t address)
{
    guint low = 0, high = l->ranges->len;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (g_array_index(l->ranges, unit_range, middle).begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const unit_range *r = low ? &g_array_index(l->ranges, unit_range, low - 1) : NULL;
    return r && address < r->end ? r : NULL;
}

static uint64_t row_address(Dwarf_Lines *rows, size_t i)
{
    Dwarf_Addr address = 0;
    dwarf_lineaddr(dwarf_onesrcline(rows, i), &address);
    return address;
}

/* Whether the row says something about the code behind its address. */
static bool row_is_known(Dwarf_Line *row)
{
    bool ends = true;
    int number = 0;
    dwarf_lineendsequence(row, &ends);
    dwarf_lineno(row, &number);
    return !ends && number > 0;
}

/* The first row of an address; where it has none, the last one before it. */
static Dwarf_Line *row_find(Dwarf_Lines *rows, size_t count, uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row_address(rows, middle) < address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < count && i - low < SAME_ADDRESS_MAX && row_address(rows, i) == address; i++)
        if (row_is_known(dwarf_onesrcline(rows, i)))
            return dwarf_onesrcline(rows, i);
    Dwarf_Line *before = low ? dwarf_onesrcline(rows, low - 1) : NULL;
    return before && row_is_known(before) ? before : NULL;
}

char *lines_find(lines *l, uint64_t address)
{
    const unit_range *range = range_of(l, address);
    Dwarf_Die unit;
    Dwarf_Lines *rows;
    size_t count;
    int number = 0;
    if (!range || !dwarf_offdie(l->dwarf, range->unit, &unit) || dwarf_getsrclines(&unit, &rows, &count) != 0)
        return NULL;
    Dwarf_Line *row = row_find(rows, count, address);
    const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
    if (!file || strnlen(file, PATH_LENGTH_MAX) == PATH_LENGTH_MAX)
        return NULL;
    dwarf_lineno(row, &number);
    char *valid = g_utf8_make_valid(file, -1);
    char *place = g_strdup_printf("%s:%d", valid, number);
    g_free(valid);
    return place;
}

#elif defined HAVE_LIBELF
#include "lines.h"

lines *lines_open(const char *path, const executable_identity *identity)
{
    (void)path;
    (void)identity;
    return NULL;
}

void lines_close(lines *l)
{
    (void)l;
}

char *lines_find(lines *l, uint64_t address)
{
    (void)l;
    (void)address;
    return NULL;
}

#else
typedef int lines_without_libelf; /* a translation unit must hold something */
#endif
