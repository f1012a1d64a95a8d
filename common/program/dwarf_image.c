/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/dwarf_image.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>

#include "program/leb.h"
#include "util/fail.h"
#include "util/regular_file.h"

#define SIZE_MAX_READ ((uint64_t)1 << 30) /* larger files are not read; bytes */
#define MARGIN 65536u

/* Real compressed sections grow by a factor of three to ten when decompressed; a file made to exhaust the memory by a
 * thousand or more. */
#define UNPACKED_RATIO_MAX 64u
#define UNPACKED_ANYWAY ((uint64_t)16 << 20)
#define UNPACKED_MAX ((uint64_t)4 << 30)

/* Returns whether what libdw will decompress is in proportion to the size of the file. */
static bool in_proportion(const executable *e, Elf *elf)
{
    const uint64_t most = CLAMP(e->identity.size * UNPACKED_RATIO_MAX, UNPACKED_ANYWAY, UNPACKED_MAX);
    uint64_t all = 0;
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return true;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        const char *name = gelf_getshdr(s, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || !(header.sh_flags & SHF_COMPRESSED || g_str_has_prefix(name, ".zdebug")))
            continue;
        cursor packed = executable_bytes(e, s);
        uint64_t length = executable_unpacked(s, &header, &packed);
        if (length > most - all)
            return false;
        all += length;
    }
    return true;
}

/* The sections with these names, as decompressed by libdw. */
static GPtrArray *dwarf_image_sections_of(Elf *elf, const char *const *wanted)
{
    GPtrArray *all = g_ptr_array_new();
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return all;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        const char *name = gelf_getshdr(s, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && g_strv_contains(wanted, name) && elf_getdata(s, NULL))
            g_ptr_array_add(all, elf_getdata(s, NULL));
    }
    return all;
}

/* --- abbreviations: the table of a unit that says which attributes its entries have ------------------------------------ */

#define ATTRIBUTES_MAX 128u /* of an entry; compilers write a fifth of that */
#define TABLES_RATIO_MAX 16u

/* 0 if the number does not end. */
static uint64_t dwarf_image_read_leb(const cursor *c, size_t *at)
{
    uint64_t value;
    return leb_read(c, at, false, &value) ? value : 0;
}

/* Returns the number of attributes and moves *at after them. */
static unsigned skip_attributes(const cursor *c, size_t *at)
{
    for (unsigned count = 0;; count++) {
        uint64_t attribute = dwarf_image_read_leb(c, at), form = dwarf_image_read_leb(c, at);
        if (form == DW_FORM_implicit_const)
            dwarf_image_read_leb(c, at);
        if ((!attribute && !form) || count > ATTRIBUTES_MAX)
            return count;
    }
}

/* Returns whether the abbreviations of a unit have a reasonable size, each and all together. The latter is limited to *most
 * bytes, from which it is subtracted. */
static bool is_table_sane(const cursor *c, uint64_t offset, uint64_t *most)
{
    size_t at = (size_t)MIN(offset, c->length);
    while (dwarf_image_read_leb(c, &at)) {
        dwarf_image_read_leb(c, &at); /* the tag */
        at++;                         /* whether it has children */
        if (skip_attributes(c, &at) > ATTRIBUTES_MAX || at - offset > *most)
            return false;
    }
    *most -= MIN(at - MIN(at, offset), *most);
    return true;
}

/* libdw reads all attributes of every entry, and keeps the whole table for every unit: a table must not be used by a
 * million units. */
static bool are_tables_sane(Dwarf *dwarf, const cursor *tables, bool of_types, uint64_t *most)
{
    uint64_t signature;
    Dwarf_Off at = 0, next, table;
    while (dwarf_next_unit(dwarf, at, &next, NULL, NULL, &table, NULL, NULL, of_types ? &signature : NULL, NULL) == 0) {
        if (!is_table_sane(tables, table, most))
            return false;
        at = next;
    }
    return true;
}

static bool are_abbreviations_sane(const dwarf_image *image, uint64_t size)
{
    static const char *const names[] = {".debug_abbrev", ".zdebug_abbrev", NULL};
    g_autoptr(GPtrArray) sections = dwarf_image_sections_of(image->elf, names);
    const Elf_Data *first = sections->len ? g_ptr_array_index(sections, 0) : NULL; /* libdw ignores any others */
    const cursor tables = {first ? first->d_buf : NULL, first && first->d_buf ? first->d_size : 0, false};
    uint64_t most = tables.length + size * TABLES_RATIO_MAX;
    return are_tables_sane(image->dwarf, &tables, false, &most) && are_tables_sane(image->dwarf, &tables, true, &most);
}

#define STRING_MAX 16384

/* Returns whether no string in a section of entries is too long. libdw scans a string every time it looks for what follows
 * it. Real ones are shorter than STRING_MAX. */
static bool are_strings_sane(const dwarf_image *image)
{
    static const char *const names[] = {".debug_info", ".debug_types", ".zdebug_info", ".zdebug_types", NULL};
    g_autoptr(GPtrArray) sections = dwarf_image_sections_of(image->elf, names);
    for (guint i = 0; i < sections->len; i++) {
        const Elf_Data *d = g_ptr_array_index(sections, i);
        const char *at = d->d_buf, *end = at ? at + d->d_size : at;
        for (const char *zero; at < end; at = zero + 1) {
            zero = memchr(at, 0, (size_t)(end - at));
            zero = zero ? zero : end;
            if (zero - at > STRING_MAX)
                return false;
        }
    }
    return true;
}

/* Returns whether libdw would open another file that this one names, whatever it is, when it comes to certain entries or
 * names. */
static bool dwarf_image_is_shared(Dwarf *dwarf)
{
    const char *name;
    const void *build_id;
    return dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id) > 0;
}

/* Returns whether a string ends within its section, after at most `most` bytes. */
static bool ends(const dwarf_image *image, const char *string, size_t most)
{
    for (guint i = 0; i < image->sections->len; i++) {
        const Elf_Data *d = g_ptr_array_index(image->sections, i);
        size_t at = (size_t)((uintptr_t)string - (uintptr_t)d->d_buf);
        if (at < d->d_size)
            return memchr(string, 0, MIN(d->d_size - at - 1, most) + 1) != NULL;
    }
    return false;
}

const char *dwarf_image_name(const dwarf_image *image, Dwarf_Die *entry, size_t most)
{
    const char *name = dwarf_diename(entry);
    return name && ends(image, name, most) ? name : NULL;
}

bool dwarf_image_open(dwarf_image *image, const executable *e, GError **error)
{
    static const char *const with_names[] = {".debug_info",     ".debug_types",     ".debug_str",
                                             ".debug_line_str", ".zdebug_info",     ".zdebug_types",
                                             ".zdebug_str",     ".zdebug_line_str", NULL};
    const uint64_t size = e->identity.size;
    *image = (dwarf_image){.bytes = NULL};
    if (size > SIZE_MAX_READ)
        return fail_with(error, "it has more than 1 GiB");
    image->bytes = g_try_malloc0((gsize)size + MARGIN);
    if (!image->bytes)
        return fail_with(error, "%s", g_strerror(ENOMEM));
    const int64_t done = regular_file_read(e->descriptor, 0, image->bytes, (size_t)size);
    if (done < 0)
        return fail_with(error, "%s", g_strerror(errno));
    image->elf = elf_memory(image->bytes, (size_t)done);
    if (image->elf && !in_proportion(e, image->elf))
        return fail_with(error, "its compressed debug information is out of proportion to its size");
    image->dwarf = image->elf ? dwarf_begin_elf(image->elf, DWARF_C_READ, NULL) : NULL;
    if (!image->dwarf)
        return fail_with(error, DWARF_IMAGE_DAMAGED);
    if (dwarf_image_is_shared(image->dwarf))
        return fail_with(error, "dwz has moved some of its debug information to another file, which is not read");
    image->sections = dwarf_image_sections_of(image->elf, with_names);
    if (!are_strings_sane(image) || !are_abbreviations_sane(image, (uint64_t)done))
        return fail_with(error, DWARF_IMAGE_DAMAGED);
    return true;
}

void dwarf_image_close(dwarf_image *image)
{
    if (image->sections)
        g_ptr_array_free(image->sections, TRUE);
    if (image->dwarf)
        dwarf_end(image->dwarf);
    elf_end(image->elf);
    g_free(image->bytes);
}
