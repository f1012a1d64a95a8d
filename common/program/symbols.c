/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols.h"

#include "program/addresses.h"

/* The best symbol of a function so far. */
typedef struct candidate {
    uint64_t value;
    unsigned rank;    /* 0: none yet */
    const char *name; /* borrowed from the table of strings */
} candidate;

typedef struct search {
    addresses functions;
    candidate *best; /* of each row of them; where several have the same address, of the first */
    GElf_Half machine;
} search;

/* Which of several symbols of an address is its name: functions before labels, then global before weak before local
 * ones, then those with a size. Never 0. */
static unsigned symbol_rank(const GElf_Sym *symbol)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);
    unsigned scope = binding == STB_LOCAL ? 0 : binding == STB_WEAK ? 1 : 2;
    return (type == STT_NOTYPE ? 1u : 7u) + 2 * scope + (symbol->st_size ? 1u : 0u);
}

/* Labels that assemblers make, not programmers. */
static bool symbol_is_mark(const char *name)
{
    return name[0] == '$' || (name[0] == '.' && name[1] == 'L');
}

static bool symbol_can_name(const GElf_Sym *symbol)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS && symbol->st_shndx != SHN_COMMON &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

/* Offers a symbol to the function that it begins at, or else to the first one that it spans: what spans several names
 * no other. */
static void search_offer(search *s, const GElf_Sym *symbol, const char *name)
{
    bool label = GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE;
    uint64_t value = symbol->st_value & ~(s->machine == EM_ARM && !label ? UINT64_C(1) : 0);
    unsigned rank = symbol_rank(symbol);
    size_t row = addresses_from(&s->functions, value);
    if (row == s->functions.count)
        return;
    uint64_t distance = s->functions.rows[row].address - value;
    if (label ? distance > 0 || symbol_is_mark(name) : distance > 0 && distance >= symbol->st_size)
        return;
    candidate *best = &s->best[row];
    if (!best->rank || value > best->value || (value == best->value && rank > best->rank))
        *best = (candidate){value, rank, name};
}

static void search_table(search *s, const executable *e, GElf_Word type)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Scn *section = executable_section_of_type(e, type, &header);
    Elf_Data *symbols = section && header.sh_type != SHT_NOBITS ? elf_getdata(section, NULL) : NULL;
    if (!symbols)
        return;
    cursor strings = executable_bytes(e, elf_getscn(e->elf, header.sh_link));
    for (int i = 1; gelf_getsym(symbols, i, &symbol) && i < G_MAXINT; i++) {
        const char *name = symbol_can_name(&symbol) ? executable_string(&strings, symbol.st_name) : NULL;
        if (name && *name)
            search_offer(s, &symbol, name);
    }
}

/* Without the version that linkers add: NAME@VERSION, NAME@@VERSION. */
static size_t name_length(const char *name, size_t length)
{
    const char *version = length > 1 ? memchr(name + 1, '@', length - 1) : NULL;
    return version ? (size_t)(version - name) : length;
}

/* Copies the names. In a sane file they take less room than the file; where they do not, because they all end in the
 * same long string, the rest is left out. */
static size_t search_finish(const search *s, uint64_t budget, char **names)
{
    size_t found = 0, first = 0;
    for (size_t row = 0; row < s->functions.count; row++) {
        first = addresses_first(&s->functions, row, first);
        const char *name = s->best[first].name;
        size_t length = name ? strnlen(name, (size_t)MIN(budget, (uint64_t)G_MAXSSIZE)) : 0;
        budget -= length;
        if (length && budget) {
            names[s->functions.rows[row].function] = g_strndup(name, name_length(name, length));
            found++;
        }
    }
    return found;
}

bool symbols_complete(const executable *e)
{
    GElf_Shdr header;
    return executable_section_of_type(e, SHT_SYMTAB, &header) != NULL;
}

size_t symbols_find(const executable *e, const executable *debug, const uint64_t *functions, size_t count, char **names)
{
    search s = {addresses_sort(functions, count), g_new0(candidate, count), e->header.e_machine};
    memset(names, 0, count * sizeof *names);
    search_table(&s, debug ? debug : e, SHT_SYMTAB);
    search_table(&s, e, SHT_DYNSYM);
    size_t found = search_finish(&s, e->identity.size + (debug ? debug->identity.size : 0), names);
    addresses_clear(&s.functions);
    g_free(s.best);
    return found;
}
