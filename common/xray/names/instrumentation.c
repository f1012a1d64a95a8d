/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/names/instrumentation.h"

#include <glib.h>
#include <stdlib.h>

#include "util/fail.h"

#define MAP_SECTION "xray_instr_map"
#define INDEX_SECTION "xray_fn_idx"
#define SLED_WORDS 4u        /* address of the sled, address of the function, and two words of small fields */
#define SLED_VERSION 2u      /* offset in the small fields */
#define INDEX_WORDS 2u       /* the first sled of a function, and their end or number */
#define VERSION_DISTANCES 2u /* from this version on addresses are relative to their own field */

/* A section whose entries begin with two addresses. */
typedef struct table {
    uint8_t *bytes; /* a copy, to apply relocations */
    size_t length;
    size_t entry;     /* size of an entry in bytes; divides `length` */
    uint64_t address; /* of the section, as linked */
    unsigned word;    /* size of an address in bytes */
    bool big_endian;
} table;

/* --- words ------------------------------------------------------------------------------------------------------------- */

static uint64_t word_mask(const table *t)
{
    return t->word == 8 ? UINT64_MAX : UINT32_MAX;
}

static uint64_t word_at(const table *t, size_t at)
{
    cursor c = {t->bytes, t->length, t->big_endian};
    return cursor_uint(&c, at, t->word);
}

static void word_set(table *t, size_t at, uint64_t value)
{
    cursor_put(t->bytes + at, value, t->word, t->big_endian);
}

/* The address in a field that is relative to itself. */
static uint64_t word_distance(const table *t, size_t at)
{
    return (t->address + at + word_at(t, at)) & word_mask(t);
}

static bool table_load(table *t, const executable *e, Elf_Scn *section, unsigned words)
{
    GElf_Shdr header;
    cursor bytes = executable_bytes(e, section);
    *t = (table){.length = bytes.length, .word = e->wide ? 8 : 4, .big_endian = e->big_endian};
    t->entry = t->word * words;
    if (!bytes.length || bytes.length % t->entry || !gelf_getshdr(section, &header) || header.sh_flags & SHF_COMPRESSED)
        return false;
    t->address = header.sh_addr;
    t->bytes = g_memdup2(bytes.data, bytes.length);
    return true;
}

/* --- relocations: position-independent programs, sleds before version 2 ------------------------------------------------ */

/* The relocations that store an address in a word, by machine and word size: "base + addend" and "symbol + addend". */
static const struct {
    GElf_Half machine;
    bool wide;
    uint32_t relative, symbolic;
} relocation_kinds[] = {
    {EM_X86_64, true, R_X86_64_RELATIVE, R_X86_64_64},
    {EM_X86_64, false, R_X86_64_RELATIVE, R_X86_64_32},
    {EM_AARCH64, true, R_AARCH64_RELATIVE, R_AARCH64_ABS64},
    {EM_ARM, false, R_ARM_RELATIVE, R_ARM_ABS32},
    {EM_PPC64, true, R_PPC64_RELATIVE, R_PPC64_ADDR64},
    {EM_MIPS, true, R_MIPS_64 << 8 | R_MIPS_REL32, R_MIPS_64 << 8 | R_MIPS_REL32},
    {EM_MIPS, false, R_MIPS_REL32, R_MIPS_REL32},
    {EM_RISCV, true, R_RISCV_RELATIVE, R_RISCV_64},
    {EM_RISCV, false, R_RISCV_RELATIVE, R_RISCV_32},
    {EM_S390, true, R_390_RELATIVE, R_390_64},
    {258 /* LoongArch */, true, 3, 2},
    {164 /* Hexagon */, false, 35, 6},
};

typedef struct relocation {
    uint64_t place, addend;
    uint32_t symbol, type;
    bool has_addend; /* otherwise the addend is the word itself */
} relocation;

typedef struct relocations {
    const executable *e;
    cursor bytes, symbols;
    size_t entry; /* size of a relocation in bytes */
    unsigned word;
} relocations;

static bool relocations_open(relocations *r, const executable *e, Elf_Scn *section, const GElf_Shdr *header)
{
    r->e = e;
    r->word = e->wide ? 8 : 4;
    r->entry = r->word * (header->sh_type == SHT_RELA ? 3u : 2u);
    r->bytes = executable_bytes(e, section);
    r->symbols = executable_bytes(e, header->sh_link ? elf_getscn(e->elf, header->sh_link) : NULL);
    return r->bytes.length >= r->entry;
}

static relocation relocation_at(const relocations *r, size_t at)
{
    uint64_t info = cursor_uint(&r->bytes, at + r->word, r->word);
    relocation one = {.place = cursor_uint(&r->bytes, at, r->word), .has_addend = r->entry == 3 * r->word};
    if (one.has_addend)
        one.addend = cursor_uint(&r->bytes, at + 2 * r->word, r->word);
    if (r->word == 4) {
        one.symbol = (uint32_t)info >> 8;
        one.type = info & 0xff;
    } else if (r->e->header.e_machine == EM_MIPS && !r->e->big_endian) { /* a 32-bit number and four bytes */
        one.symbol = (uint32_t)info;
        one.type = GUINT32_SWAP_LE_BE((uint32_t)(info >> 32));
    } else {
        one.symbol = (uint32_t)(info >> 32);
        one.type = (uint32_t)info;
    }
    return one;
}

/* The value of a symbol defined in this file; symbol 0 means the base. */
static bool symbol_value(const relocations *r, uint32_t symbol, uint64_t *value)
{
    bool wide = r->e->wide;
    uint64_t at = (uint64_t)symbol * (wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
    size_t section_at = wide ? offsetof(Elf64_Sym, st_shndx) : offsetof(Elf32_Sym, st_shndx);
    size_t value_at = wide ? offsetof(Elf64_Sym, st_value) : offsetof(Elf32_Sym, st_value);
    *value = 0;
    if (symbol == 0)
        return true;
    if (!cursor_has(&r->symbols, at, wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym)))
        return false;
    *value = cursor_uint(&r->symbols, (size_t)at + value_at, r->word);
    return cursor_u16(&r->symbols, (size_t)at + section_at) != SHN_UNDEF;
}

/* False if the relocation is of an unknown kind, so that the value of the word is unknown. */
static bool relocation_apply(const relocations *r, const relocation *one, table *t, size_t at)
{
    uint64_t symbol;
    for (size_t i = 0; i < G_N_ELEMENTS(relocation_kinds); i++) {
        if (relocation_kinds[i].machine != r->e->header.e_machine || relocation_kinds[i].wide != r->e->wide)
            continue;
        if (one->type != relocation_kinds[i].relative && one->type != relocation_kinds[i].symbolic)
            return false;
        if (!symbol_value(r, one->symbol, &symbol))
            return false;
        word_set(t, at, symbol + (one->has_addend ? one->addend : word_at(t, at)));
        return true;
    }
    return false;
}

/* Returns whether one of the two addresses of an entry is at this address. */
static bool table_has_word(const table *t, uint64_t address)
{
    uint64_t at = address - t->address;
    return address >= t->address && at < t->length && at % t->entry < 2 * t->word && at % t->word == 0;
}

static bool relocations_apply(const relocations *r, table *t)
{
    for (size_t at = 0; cursor_has(&r->bytes, at, r->entry); at += r->entry) {
        relocation one = relocation_at(r, at);
        if (one.type != 0 && table_has_word(t, one.place) && !relocation_apply(r, &one, t, (size_t)(one.place - t->address)))
            return false;
    }
    return true;
}

/* Applies the dynamic relocations to the addresses in the table. SHT_RELR is not needed: its addends are in place
 * already. */
static bool table_relocate(table *t, const executable *e)
{
    uint64_t budget = e->identity.size; /* overlapping sections could otherwise be read over and over */
    GElf_Shdr header;
    for (Elf_Scn *s = elf_nextscn(e->elf, NULL); s; s = elf_nextscn(e->elf, s)) {
        relocations r;
        if (!gelf_getshdr(s, &header) || !(header.sh_flags & SHF_ALLOC) ||
            (header.sh_type != SHT_RELA && header.sh_type != SHT_REL))
            continue;
        if (header.sh_size > budget)
            return false;
        budget -= header.sh_size;
        if (relocations_open(&r, e, s, &header) && !relocations_apply(&r, t))
            return false;
    }
    return true;
}

/* --- code -------------------------------------------------------------------------------------------------------------- */

/* Returns whether an address is in an executable segment. */
static bool code_has(const executable *e, uint64_t address)
{
    GElf_Phdr s;
    size_t count = 0;
    if (elf_getphdrnum(e->elf, &count) != 0)
        return false;
    for (size_t i = 0; i < MIN(count, EXECUTABLE_SEGMENTS_MAX) && gelf_getphdr(e->elf, (int)i, &s); i++)
        if (s.p_type == PT_LOAD && s.p_flags & PF_X && address - s.p_vaddr < s.p_memsz)
            return true;
    return false;
}

/* --- ids --------------------------------------------------------------------------------------------------------------- */

static uint64_t sled_function(const table *map, size_t at)
{
    size_t field = at + map->word;
    return map->bytes[at + 2 * map->word + SLED_VERSION] >= VERSION_DISTANCES ? word_distance(map, field)
                                                                              : word_at(map, field);
}

static bool sleds_hold_addresses(const table *map)
{
    for (size_t at = 0; at < map->length; at += map->entry)
        if (map->bytes[at + 2 * map->word + SLED_VERSION] < VERSION_DISTANCES)
            return true;
    return false;
}

/* Without an index every change of function is a new id. */
static GArray *ids_by_change(const table *map)
{
    GArray *functions = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    for (size_t at = 0; at < map->length; at += map->entry) {
        uint64_t function = sled_function(map, at);
        if (at == 0 || function != g_array_index(functions, uint64_t, functions->len - 1))
            g_array_append_val(functions, function);
    }
    return functions;
}

/* Returns whether the sleds from `begin` to `end`, both addresses, are in the map. */
static bool index_entry_fits(const table *map, uint64_t begin, uint64_t end)
{
    return begin >= map->address && begin < end && end - map->address <= map->length &&
           (begin - map->address) % map->entry == 0 && (end - begin) % map->entry == 0;
}

/* With an index of all sleds every entry is an id. An entry has the distance to the first sled and the number of sleds or,
 * before LLVM 17, the addresses of the first sled and after the last one. NULL if an entry does not fit the map. */
static GArray *ids_by_index(const table *map, const table *index, bool distances)
{
    uint64_t indexed = 0;
    g_autoptr(GArray) functions = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    for (size_t at = 0; at < index->length; at += index->entry) {
        uint64_t begin = distances ? word_distance(index, at) : word_at(index, at);
        uint64_t second = word_at(index, at + index->word), sleds = map->length / map->entry;
        uint64_t end = !distances ? second : second <= sleds ? begin + second * map->entry : 0;
        if (!index_entry_fits(map, begin, end))
            return NULL;
        uint64_t function = sled_function(map, (size_t)(begin - map->address));
        g_array_append_val(functions, function);
        indexed += (end - begin) / map->entry;
    }
    return indexed < map->length / map->entry ? ids_by_change(map) : g_steal_pointer(&functions);
}

static GArray *ids_of(const executable *e, const table *map, GError **error)
{
    GElf_Shdr header;
    Elf_Scn *section = executable_section(e, INDEX_SECTION, &header);
    table index;
    if (!section || header.sh_size == 0)
        return ids_by_change(map);
    const bool loaded = table_load(&index, e, section, INDEX_WORDS);
    GArray *functions = loaded ? ids_by_index(map, &index, true) : NULL;
    if (loaded && !functions && table_relocate(&index, e))
        functions = ids_by_index(map, &index, false);
    if (loaded)
        g_free(index.bytes);
    return functions ? functions : fail_null(error, "its index of instrumented functions is damaged");
}

/* --- the map ----------------------------------------------------------------------------------------------------------- */

bool instrumentation_present(const executable *e)
{
    GElf_Shdr header;
    Elf_Scn *section = executable_section(e, MAP_SECTION, &header);
    return section && header.sh_type != SHT_NOBITS && header.sh_size > 0;
}

/* Functions must be in code: anything else is damage, or a relocation that was misunderstood. */
static bool functions_check(const executable *e, GArray *functions)
{
    for (guint i = 0; i < functions->len; i++) {
        uint64_t *function = &g_array_index(functions, uint64_t, i);
        if (e->header.e_machine == EM_ARM)
            *function &= ~UINT64_C(1); /* marks Thumb code */
        if (!code_has(e, *function))
            return false;
    }
    return true;
}

static GArray *functions_read(const executable *e, table *map, GError **error)
{
    if (sleds_hold_addresses(map) && !table_relocate(map, e))
        return fail_null(error, "its instrumentation map needs relocations of an unknown kind");
    g_autoptr(GArray) functions = ids_of(e, map, error);
    if (functions && !functions_check(e, functions))
        return fail_null(error, "its instrumentation map is damaged: it lists functions outside the code");
    return g_steal_pointer(&functions);
}

uint64_t *instrumentation_read(const executable *e, size_t *count, GError **error)
{
    GElf_Shdr header;
    table map;
    Elf_Scn *section = executable_section(e, MAP_SECTION, &header);
    if (!section)
        return fail_null(error, "it has no instrumentation map: it was not built with -fxray-instrument");
    if (header.sh_type == SHT_NOBITS)
        return fail_null(error, "it contains only debug information, the instrumentation map is in the program");
    if (header.sh_size == 0)
        return fail_null(error, "its instrumentation map is empty");
    if (!table_load(&map, e, section, SLED_WORDS))
        return fail_null(error, "its instrumentation map is cut short or damaged");
    GArray *functions = functions_read(e, &map, error);
    g_free(map.bytes);
    *count = functions ? functions->len : 0;
    return functions ? (uint64_t *)(void *)g_array_free(functions, FALSE) : NULL;
}
