/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds small ELF files for tests, section by section, with either word size and byte order. The section headers come
 * first, so that a file that is cut short still has them. */
#ifndef TEST_ELF_IMAGE_H
#define TEST_ELF_IMAGE_H

#include <elf.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "made_bytes.h"

/* The address of the code in every image; none of its bytes are in the file. */
#define IMAGE_CODE UINT64_C(0x10000)
#define IMAGE_CODE_LENGTH UINT64_C(0x10000)
/* The address of its instrumentation map, deliberately unaligned. */
#define IMAGE_MAP UINT64_C(0x400085)
#define IMAGE_INDEX UINT64_C(0x500000)
#define IMAGE_SECTIONS_MAX 24u

typedef struct image {
    GByteArray *bytes;
    GString *names; /* of sections */
    unsigned sections;
    uint16_t machine;
    bool wide, big_endian;
} image;

static inline unsigned image_word(const image *im)
{
    return im->wide ? 8 : 4;
}

static inline void image_put(const image *im, GByteArray *b, uint64_t value, unsigned width)
{
    put_number(b, value, width, im->big_endian);
}

static inline void image_put_word(const image *im, GByteArray *b, uint64_t value)
{
    image_put(im, b, value, image_word(im));
}

/* Overwrites a number in the file. */
static inline void image_set(image *im, size_t at, uint64_t value, unsigned width)
{
    GByteArray *number = g_byte_array_new();
    image_put(im, number, value, width);
    memcpy(im->bytes->data + at, number->data, width);
    g_byte_array_free(number, TRUE);
}

static inline size_t image_file_header(const image *im)
{
    return im->wide ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

static inline size_t image_section_header(const image *im, unsigned index)
{
    size_t program = im->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    return image_file_header(im) + program + index * (im->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
}

static inline void image_begin_code(image *im)
{
    GByteArray *b = im->bytes;
    image_put(im, b, PT_LOAD, 4);
    if (im->wide)
        image_put(im, b, PF_R | PF_X, 4);
    image_put_word(im, b, 0);
    image_put_word(im, b, IMAGE_CODE);
    image_put_word(im, b, IMAGE_CODE);
    image_put_word(im, b, 0);
    image_put_word(im, b, IMAGE_CODE_LENGTH);
    if (!im->wide)
        image_put(im, b, PF_R | PF_X, 4);
    image_put_word(im, b, 0x1000);
}

/* An executable (ET_EXEC, ET_DYN...) with a code segment but no sections yet. */
static inline image image_begin(bool wide, bool big_endian, uint16_t machine, uint16_t type)
{
    image im = {g_byte_array_new(), g_string_new_len("", 1), 1, machine, wide, big_endian};
    const uint8_t ident[EI_NIDENT] = {
        ELFMAG0,   ELFMAG1, ELFMAG2, ELFMAG3, wide ? ELFCLASS64 : ELFCLASS32, big_endian ? ELFDATA2MSB : ELFDATA2LSB,
        EV_CURRENT};
    g_byte_array_append(im.bytes, ident, sizeof ident);
    image_put(&im, im.bytes, type, 2);
    image_put(&im, im.bytes, machine, 2);
    image_put(&im, im.bytes, EV_CURRENT, 4);
    image_put_word(&im, im.bytes, IMAGE_CODE);
    image_put_word(&im, im.bytes, image_file_header(&im));
    image_put_word(&im, im.bytes, image_section_header(&im, 0));
    image_put(&im, im.bytes, 0, 4);
    image_put(&im, im.bytes, image_file_header(&im), 2);
    image_put(&im, im.bytes, wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr), 2);
    image_put(&im, im.bytes, 1, 2);
    image_put(&im, im.bytes, wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), 2);
    image_put(&im, im.bytes, 0, 4); /* number of sections, and the one with their names: set at the end */
    image_begin_code(&im);
    g_byte_array_set_size(im.bytes, (guint)image_section_header(&im, IMAGE_SECTIONS_MAX));
    memset(im.bytes->data + image_section_header(&im, 0), 0,
           image_section_header(&im, IMAGE_SECTIONS_MAX) - image_section_header(&im, 0));
    return im;
}

/* Adds a section and frees its data. Returns its index. */
static inline unsigned image_section(image *im, const char *name, uint32_t type, uint64_t address, uint32_t link,
                                     GByteArray *data)
{
    GByteArray *h = g_byte_array_new();
    image_put(im, h, im->names->len, 4);
    image_put(im, h, type, 4);
    image_put_word(im, h, address ? SHF_ALLOC : 0);
    image_put_word(im, h, address);
    image_put_word(im, h, im->bytes->len);
    image_put_word(im, h, data->len);
    image_put(im, h, link, 4);
    image_put(im, h, 0, 4);
    image_put_word(im, h, 1);
    image_put_word(im, h, type == SHT_SYMTAB || type == SHT_DYNSYM ? (im->wide ? 24 : 16) : 0);
    memcpy(im->bytes->data + image_section_header(im, im->sections), h->data, h->len);
    g_string_append_len(im->names, name, (gssize)strlen(name) + 1);
    g_byte_array_append(im->bytes, data->data, data->len);
    g_byte_array_free(h, TRUE);
    g_byte_array_free(data, TRUE);
    return im->sections++;
}

/* Adds the section names; nothing can be added afterwards. */
static inline void image_finish(image *im)
{
    GByteArray *names = g_byte_array_new();
    const char *own = ".shstrtab";
    g_byte_array_append(names, (const uint8_t *)im->names->str, (guint)im->names->len);
    g_byte_array_append(names, (const uint8_t *)own, (guint)strlen(own) + 1);
    unsigned index = image_section(im, own, SHT_STRTAB, 0, 0, names);
    image_set(im, image_file_header(im) - 4, im->sections, 2);
    image_set(im, image_file_header(im) - 2, index, 2);
}

static inline void image_free(image *im)
{
    g_byte_array_free(im->bytes, TRUE);
    g_string_free(im->names, TRUE);
}

static inline void write_file(const char *path, const void *bytes, size_t length)
{
    g_remove(path); /* rewriting a file would wait for the disk */
    FILE *f = fopen(path, "wb");
    g_assert_nonnull(f);
    g_assert_cmpuint(fwrite(bytes, 1, length, f), ==, length);
    fclose(f);
}

/* Finishes, writes and frees an image. */
static inline void image_write(image *im, const char *path)
{
    image_finish(im);
    write_file(path, im->bytes->data, im->bytes->len);
    image_free(im);
}

/* --- symbols ----------------------------------------------------------------------------------------------------------- */

typedef struct image_symbol {
    const char *name;
    uint64_t value, size;
    uint8_t binding, type;
    uint16_t section; /* SHN_UNDEF: defined elsewhere */
} image_symbol;

#define IMAGE_FUNCTION(name, at, size, binding) \
    { \
        name, IMAGE_CODE + (at), size, binding, STT_FUNC, 1 \
    }

/* Adds a symbol table (SHT_SYMTAB or SHT_DYNSYM) with its strings. Returns its index. */
static inline unsigned image_symbols(image *im, uint32_t type, const image_symbol *symbols, size_t count)
{
    GByteArray *strings = g_byte_array_new(), *table = g_byte_array_new();
    uint64_t address = type == SHT_DYNSYM ? 0x2000 : 0;
    g_byte_array_append(strings, (const uint8_t *)"", 1);
    g_byte_array_set_size(table, im->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
    memset(table->data, 0, table->len);
    for (const image_symbol *s = symbols; s < symbols + count; s++) {
        image_put(im, table, strings->len, 4);
        if (!im->wide) {
            image_put(im, table, s->value, 4);
            image_put(im, table, s->size, 4);
        }
        image_put(im, table, (uint8_t)ELF64_ST_INFO(s->binding, s->type), 1);
        image_put(im, table, 0, 1);
        image_put(im, table, s->section, 2);
        if (im->wide) {
            image_put(im, table, s->value, 8);
            image_put(im, table, s->size, 8);
        }
        g_byte_array_append(strings, (const uint8_t *)s->name, (guint)strlen(s->name) + 1);
    }
    unsigned link = image_section(im, type == SHT_DYNSYM ? ".dynstr" : ".strtab", SHT_STRTAB, address, 0, strings);
    return image_section(im, type == SHT_DYNSYM ? ".dynsym" : ".symtab", type, address, link, table);
}

/* --- instrumentation maps ---------------------------------------------------------------------------------------------- */

typedef struct image_sled {
    uint64_t function; /* relative to IMAGE_CODE */
    uint8_t kind, version;
} image_sled;

static inline GByteArray *image_sleds(const image *im, const image_sled *sleds, size_t count)
{
    GByteArray *map = g_byte_array_new();
    for (const image_sled *s = sleds; s < sleds + count; s++) {
        uint64_t from = s->version >= 2 ? IMAGE_MAP + map->len : 0; /* relative addresses count from their own field */
        image_put_word(im, map, IMAGE_CODE + s->function + 4u * s->kind - from);
        image_put_word(im, map, IMAGE_CODE + s->function - (from ? from + image_word(im) : 0));
        image_put(im, map, s->kind, 1);
        image_put(im, map, 1, 1);
        image_put(im, map, s->version, 1);
        for (unsigned i = 3; i < 2 * image_word(im); i++)
            image_put(im, map, 0xaa, 1);
    }
    return map;
}

static inline void image_map(image *im, const image_sled *sleds, size_t count)
{
    image_section(im, "xray_instr_map", SHT_PROGBITS, IMAGE_MAP, 0, image_sleds(im, sleds, count));
}

/* Three functions: ids 1 to 3 are first(int), second and thing::third(). */
static const image_symbol image_names[] = {
    IMAGE_FUNCTION("_Z5firsti", 0x10, 0x20, STB_GLOBAL),
    IMAGE_FUNCTION("second", 0x40, 0x20, STB_GLOBAL),
    IMAGE_FUNCTION("_ZN5thing5thirdEv", 0x100, 0x20, STB_GLOBAL),
};
static const uint64_t image_functions[] = {0x10, 0x40, 0x100};

/* Their sleds, of every kind. */
static inline GByteArray *image_three(const image *im, uint8_t version)
{
    const image_sled sleds[] = {{0x10, 0, version},  {0x10, 1, version},  {0x10, 1, version},
                                {0x40, 3, version},  {0x40, 4, version},  {0x40, 2, version},
                                {0x100, 0, version}, {0x100, 5, version}, {0x100, 1, version}};
    return image_sleds(im, sleds, G_N_ELEMENTS(sleds));
}

/* A complete program with the three functions, ready to be written. */
static inline image image_program(bool wide, bool big_endian)
{
    image im = image_begin(wide, big_endian, wide ? EM_X86_64 : EM_ARM, ET_EXEC);
    image_section(&im, "xray_instr_map", SHT_PROGBITS, IMAGE_MAP, 0, image_three(&im, 2));
    image_symbols(&im, SHT_SYMTAB, image_names, G_N_ELEMENTS(image_names));
    return im;
}

/* --- a folder for the files of a test ---------------------------------------------------------------------------------- */

static inline char *scratch_folder(void)
{
    char *folder = g_dir_make_tmp("wiretrace-elf-XXXXXX", NULL);
    g_assert_nonnull(folder);
    return folder;
}

/* Removes the folder and the files in it, and frees its name. */
static inline void scratch_remove(char *folder)
{
    const char *name;
    GDir *d = g_dir_open(folder, 0, NULL);
    while (d && (name = g_dir_read_name(d)) != NULL) {
        char *path = g_build_filename(folder, name, NULL);
        if (g_remove(path) != 0)
            g_rmdir(path);
        g_free(path);
    }
    if (d)
        g_dir_close(d);
    g_rmdir(folder);
    g_free(folder);
}

#endif
