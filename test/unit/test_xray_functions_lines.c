/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines from hand-made line tables: DWARF versions 2 to 5, either word size and byte order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "load_functions.h"
#include "written_program.h"
#include "xray/names/functions.h"

#define APPEND(b, bytes) g_byte_array_append(b, (const uint8_t *)(bytes), sizeof(bytes) - 1)

/* Sets the 4-byte length at `at` to the size of what follows. */
static void set_length(const image *im, GByteArray *b, guint at)
{
    GByteArray *length = g_byte_array_new();
    image_put(im, length, b->len - at - 4, 4);
    memcpy(b->data + at, length->data, 4);
    g_byte_array_free(length, TRUE);
}

/* Directories and files: number 1 is sub/a.c, in version 5 in /src. */
static GByteArray *usual_files(const image *im, unsigned version)
{
    GByteArray *files = g_byte_array_new();
    if (version < 5) {
        APPEND(files, "sub\0\0a.c\0\1\0\0\0"); /* directory 1; file 1 in directory 1, without time and size */
        return files;
    }
    APPEND(files, "\1\1\x1f\2"); /* directories: a path in .debug_line_str; there are 2 */
    image_put(im, files, 1, 4);
    image_put(im, files, 6, 4);
    APPEND(files, "\4\1\x08\2\x0b\5\x1e\x81\x40\x09\2" /* files: path, directory, MD5, a vendor extension; there are 2 */
                  "b.c\0\0................\1x"
                  "a.c\0\1................\2xx");
    return files;
}

/* The opcodes before the special ones, and how many operands each has. */
#define OPERATIONS "\x0d\0\1\1\1\1\0\0\0\1\0\0\1"

/* Frees the files. */
static GByteArray *begin_unit_of(const image *im, unsigned version, GByteArray *files)
{
    GByteArray *table = g_byte_array_new();
    image_put(im, table, 0, 4);
    image_put(im, table, version, 2);
    if (version >= 5)
        image_put(im, table, im->big_endian ? image_word(im) << 8 : image_word(im), 2);
    guint header = table->len;
    image_put(im, table, 0, 4);
    image_put(im, table, 1, 1); /* minimum instruction length 1 */
    if (version >= 4)
        image_put(im, table, 1, 1);         /* one operation per instruction */
    APPEND(table, "\1\xfb\x0e" OPERATIONS); /* special opcodes: lines -5 to +8 */
    g_byte_array_append(table, files->data, files->len);
    g_byte_array_free(files, TRUE);
    set_length(im, table, header);
    return table;
}

static GByteArray *begin_unit(const image *im, unsigned version)
{
    return begin_unit_of(im, version, usual_files(im, version));
}

static void put_address(const image *im, GByteArray *table, uint64_t address)
{
    image_put(im, table, 0, 1);
    image_put(im, table, image_word(im) + 1, 1);
    image_put(im, table, 2, 1);
    image_put_word(im, table, IMAGE_CODE + address);
}

typedef struct row {
    uint64_t address; /* relative to IMAGE_CODE */
    uint8_t line;
} row;

/* A sequence of rows, and the end of the code that they describe. */
static void put_rows(const image *im, GByteArray *table, const row *rows, size_t count, uint64_t end)
{
    int line = 1;
    for (const row *r = rows; r < rows + count; r++) {
        put_address(im, table, r->address);
        image_put(im, table, 3, 1); /* advance the line, by a 7-bit number */
        image_put(im, table, (uint64_t)(r->line - line) & 0x7f, 1);
        image_put(im, table, 1, 1); /* a row */
        line = r->line;
    }
    put_address(im, table, end);
    APPEND(table, "\0\1\1");
}

/* Adds the finished unit as .debug_line. */
static void end_unit(image *im, GByteArray *table)
{
    GByteArray *strings = g_byte_array_new();
    APPEND(strings, "\0/src\0sub\0");
    set_length(im, table, 0);
    image_section(im, ".debug_line", SHT_PROGBITS, 0, 0, table);
    image_section(im, ".debug_line_str", SHT_PROGBITS, 0, 0, strings);
}

static void put_table(image *im, unsigned version, const row *rows, size_t count, uint64_t end)
{
    GByteArray *table = begin_unit(im, version);
    put_rows(im, table, rows, count, end);
    end_unit(im, table);
}

static void check_source(xray_functions *f, uint32_t id, const char *wanted)
{
    const source_place source = xray_functions_source(f, id);
    g_autofree char *again = source.text ? g_strdup_printf("%.*s:%u", (int)source.file, source.text, source.line) : NULL;
    assert_int_equal(g_strcmp0(source.text, wanted), 0);
    assert_int_equal(g_strcmp0(again, wanted), 0);
    assert_ptr_equal(xray_functions_source(f, id).text, source.text); /* it is looked up once */
}

/* Rows before, at and between the functions (0x10, 0x40, 0x100). */
static const row rows[] = {{0x08, 3}, {0x10, 5}, {0x10, 6}, {0x14, 7}, {0x3c, 0}, {0x40, 0}, {0x40, 20}, {0x44, 21}};

static void found(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        image im = image_program(i & 1, i & 2);
        unsigned version = 2 + i / 4;
        put_table(&im, version, rows, G_N_ELEMENTS(rows), 0x50);
        image_write(&im, program);
        xray_functions *f = load_functions(program, true, NULL);
        check_source(f, 1, version < 5 ? "sub/a.c:5" : "/src/sub/a.c:5");   /* the first row of the address */
        check_source(f, 2, version < 5 ? "sub/a.c:20" : "/src/sub/a.c:20"); /* the first one with a line */
        check_source(f, 3, NULL);                                           /* after the rows */
        check_source(f, 4, NULL);                                           /* there is no such function */
        xray_functions_free(f);
    }
    assert_null(xray_functions_source(NULL, 1).text);
}

static void check_table(image *im, GByteArray *table, const char *const *wanted)
{
    end_unit(im, table);
    image_write(im, program);
    xray_functions *f = load_functions(program, true, NULL);
    for (uint32_t i = 0; i < 3; i++)
        check_source(f, i + 1, wanted[i]);
    xray_functions_free(f);
}

/* If an address has no row, the previous one counts, unless it ends the sequence. */
static void between_rows(void **state)
{
    (void)state;
    static const row first[] = {{0x08, 3}, {0x0c, 4}, {0x18, 0}, {0x20, 8}}, after[] = {{0xf0, 9}, {0xf8, 0}};
    image im = image_program(true, false);
    GByteArray *table = begin_unit(&im, 4);
    put_rows(&im, table, first, G_N_ELEMENTS(first), 0x40);
    put_rows(&im, table, after, G_N_ELEMENTS(after), 0x200);
    check_table(&im, table, (const char *const[]){"sub/a.c:4", NULL, NULL});
}

/* Rows that span everything, from discarded code, are worse than those of the functions. */
static void best_row(void **state)
{
    (void)state;
    static const row thrown_away[] = {{0, 77}}, backwards[] = {{0x100, 7}, {0x50, 8}, {0x40, 9}, {0x41, 10}};
    image im = image_program(true, false);
    GByteArray *table = begin_unit(&im, 4);
    put_rows(&im, table, thrown_away, 1, 0x8000);
    put_rows(&im, table, rows, G_N_ELEMENTS(rows), 0x42);
    put_rows(&im, table, thrown_away, 1, 0x8000);
    put_rows(&im, table, backwards, G_N_ELEMENTS(backwards), 0x42);
    check_table(&im, table, (const char *const[]){"sub/a.c:5", "sub/a.c:20", NULL});
}

/* Every opcode, in a program like a compiler's. */
static void operations(void **state)
{
    (void)state;
    image im = image_program(true, false);
    GByteArray *table = begin_unit(&im, 5);
    put_address(&im, table, 0);
    APPEND(table, "\2\x10"                 /* advance the address by 16 */
                  "\3\x0b\1"               /* line 12: a row of first(int) */
                  "\0\2\4\7"               /* a discriminator */
                  "\0\1\x80"               /* a vendor extension */
                  "\5\2\6\7\x0a\x0b\x0c\2" /* column, statement, basic block, prologue, epilogue, instruction set */
                  "\4\0"                   /* file 0 */
                  "\x08\x08"               /* constant advance: 17 bytes each, to 0x32 */
                  "\x09\x0d\0"             /* fixed advance by 13, to 0x3f */
                  "\x20"                   /* special: 1 byte, line 12: -5 + (0x20 - 13) % 14 = 0: a row of second */
                  "\x21");                 /* special: 1 byte, line 13 */
    put_address(&im, table, 0x100);
    APPEND(table, "\3\x7b\1\2\4\0\1\1"); /* line 8: a row of thing::third(), 4 bytes, end */
    check_table(&im, table, (const char *const[]){"/src/sub/a.c:12", "/src/b.c:12", "/src/b.c:8"});
}

/* VLIW machines have several operations per instruction. */
static void several_operations(void **state)
{
    (void)state;
    image im = image_program(true, false);
    GByteArray *table = begin_unit(&im, 4);
    table->data[10] = 4; /* minimum instruction length 4 */
    table->data[11] = 3; /* 3 operations per instruction */
    put_address(&im, table, 0);
    APPEND(table, "\2\x0b\2\1\1"     /* 11 and 1 operations: 16 bytes */
                  "\2\x26\3\1\1\2\3" /* 38: 48 bytes and 2 operations; 3 more: 4 bytes */
                  "\0\1\1");
    check_table(&im, table, (const char *const[]){"sub/a.c:1", "sub/a.c:2", NULL});
}

/* Units of other versions and damaged ones are skipped. */
static void several_units(void **state)
{
    (void)state;
    image im = image_program(true, false);
    GByteArray *all = g_byte_array_new();
    static const uint8_t versions[] = {1, 6, 4, 4, 4};
    for (size_t i = 0; i < G_N_ELEMENTS(versions); i++) {
        row one = {0x10, (uint8_t)(10 + i)};
        GByteArray *unit = begin_unit(&im, versions[i] == 6 ? 5 : versions[i]);
        put_rows(&im, unit, &one, 1, 0x20);
        unit->data[4] = versions[i];
        if (i == 2)
            unit->data[14] = 0; /* line_range is 0 */
        if (i == 3)
            unit->data[11] = 0; /* no operations per instruction */
        set_length(&im, unit, 0);
        g_byte_array_append(all, unit->data, unit->len);
        g_byte_array_free(unit, TRUE);
    }
    image_section(&im, ".debug_line", SHT_PROGBITS, 0, 0, all);
    image_write(&im, program);
    xray_functions *f = load_functions(program, true, NULL);
    check_source(f, 1, "sub/a.c:14");
    xray_functions_free(f);
}

/* 64-bit offsets. */
static void large_offsets(void **state)
{
    (void)state;
    for (unsigned version = 4; version <= 5; version++) {
        image im = image_program(true, false);
        GByteArray *narrow = begin_unit(&im, version), *table = g_byte_array_new();
        guint header = version < 5 ? 6 : 8, files = narrow->len;
        put_rows(&im, narrow, rows, G_N_ELEMENTS(rows), 0x50);
        guint more = version < 5 ? 0 : 8; /* two string offsets are longer */
        image_put(&im, table, UINT32_MAX, 4);
        image_put(&im, table, narrow->len + more, 8);
        g_byte_array_append(table, narrow->data + 4, header - 4);
        image_put(&im, table, files - header - 4 + more, 8);
        guint offsets = version < 5 ? files : header + 4 + 18 + 4;
        g_byte_array_append(table, narrow->data + header + 4, offsets - header - 4);
        if (version >= 5) {
            image_put(&im, table, 1, 8);
            image_put(&im, table, 6, 8);
            offsets += 8;
        }
        g_byte_array_append(table, narrow->data + offsets, narrow->len - offsets);
        GByteArray *strings = g_byte_array_new();
        APPEND(strings, "\0/src\0sub\0");
        image_section(&im, ".debug_line", SHT_PROGBITS, 0, 0, table);
        image_section(&im, ".debug_line_str", SHT_PROGBITS, 0, 0, strings);
        image_write(&im, program);
        xray_functions *f = load_functions(program, true, NULL);
        check_source(f, 1, version < 5 ? "sub/a.c:5" : "/src/sub/a.c:5");
        xray_functions_free(f);
        g_byte_array_free(narrow, TRUE);
    }
}

/* --- files ------------------------------------------------------------------------------------------------------------- */

static const struct {
    unsigned version;
    const char *files;
    size_t length;
    const char *wanted; /* for file 1 */
} path_cases[] = {
#define FILES(version, bytes, wanted) \
    { \
        version, bytes, sizeof(bytes) - 1, wanted \
    }
    FILES(4, "\0/abs/a.c\0\0\0\0\0", "/abs/a.c:5"),
    FILES(4, "\0a.c\0\0\0\0\0", "a.c:5"),
    FILES(4, "/x\0\0/abs/a.c\0\1\0\0\0", "/abs/a.c:5"),
    FILES(4, "/x\0y\0\0a.c\0\2\0\0\0", "y/a.c:5"),
    FILES(4, "\0a.c\0\7\0\0\0", "a.c:5"), /* no such directory */
    FILES(4, "\0\xff.c\0\0\0\0\0", "\xef\xbf\xbd.c:5"),
    FILES(4, "\0\0", NULL),
    FILES(4, "", NULL),
    /* two directories and two files, with strings in the list itself */
    FILES(5, "\1\1\x08\2/src\0/inc\0\2\1\x08\2\x0b\2a\0\0b\0\1", "/inc/b:5"),
    FILES(5, "\1\1\x08\2src\0inc\0\2\1\x08\2\x0b\2a\0\0b\0\1", "src/inc/b:5"),
    FILES(5, "\1\1\x08\2src\0inc\0\2\1\x08\2\x0b\2a\0\0b\0\0", "src/b:5"),
    FILES(5, "\1\1\x08\2/src\0inc\0\2\1\x08\2\x0b\2a\0\0/b\0\1", "/b:5"),
    FILES(5, "\1\1\x08\2/src\0inc\0\2\1\x08\2\5\2a\0\0\0b\0\1\0", "/src/inc/b:5"),
    FILES(5, "\1\1\x08\2/src\0inc\0\2\1\x08\2\6\2a\0\0\0\0\0b\0\1\0\0\0", "/src/inc/b:5"),
    FILES(5, "\1\1\x08\2/src\0inc\0\2\1\x08\2\x0f\2a\0\0b\0\x81\0", "/src/inc/b:5"),
    FILES(5, "\1\1\x08\2/src\0inc\0\1\1\x0e\2\0\0\0\0\4\0\0\0", "/src/other.c:5"), /* in .debug_str */
    FILES(5, "\1\1\x08\2/src\0inc\0\1\1\x0e\2\0\0\0\0\xff\0\0\0", NULL),           /* after its end */
    FILES(5, "\1\1\x08\2/src\0inc\0\2\1\x08\2\x7f\2a\0\0b\0\1", NULL),             /* an unknown form */
    FILES(5, "\0\2\1\1\x08\2a\0b\0", "b:5"),
    FILES(5, "\0\2\0\2", NULL),
#undef FILES
};

static void paths(void **state)
{
    (void)state;
    static const row one[] = {{0x10, 5}};
    for (size_t i = 0; i < G_N_ELEMENTS(path_cases); i++) {
        image im = image_program(true, false);
        GByteArray *files = g_byte_array_new(), *strings = g_byte_array_new();
        g_byte_array_append(files, (const uint8_t *)path_cases[i].files, (guint)path_cases[i].length);
        APPEND(strings, "one\0other.c\0");
        image_section(&im, ".debug_str", SHT_PROGBITS, 0, 0, strings);
        GByteArray *table = begin_unit_of(&im, path_cases[i].version, files);
        put_rows(&im, table, one, 1, 0x20);
        check_table(&im, table, (const char *const[]){path_cases[i].wanted, NULL, NULL});
    }
}

static void put_functions(image *im, unsigned count)
{
    GByteArray *map = g_byte_array_new();
    for (unsigned i = 0; i < count; i++) {
        image_put_word(im, map, 0);
        image_put_word(im, map, IMAGE_CODE + 1 + i);
        image_put_word(im, map, 0);
        image_put_word(im, map, 0);
    }
    image_section(im, "xray_instr_map", SHT_PROGBITS, IMAGE_MAP, 0, map);
}

/* Many files in one directory with a long name: the paths never take more memory than the file. A path that is too long
 * counts as none. */
static void long_paths(void **state)
{
    (void)state;
    enum { FILES = 100 };
    static const size_t lengths[] = {3900, 5000};
    for (size_t n = 0; n < G_N_ELEMENTS(lengths); n++) {
        image im = image_begin(true, false, EM_X86_64, ET_EXEC);
        GByteArray *files = g_byte_array_new(), *table;
        char *directory = g_strnfill(lengths[n], 'd');
        g_byte_array_append(files, (const uint8_t *)directory, (guint)lengths[n] + 1);
        APPEND(files, "\0");
        for (unsigned i = 0; i < FILES; i++) {
            const uint8_t file[] = {(uint8_t)('a' + i % 26), (uint8_t)('a' + i / 26), 0, 1, 0, 0};
            g_byte_array_append(files, file, sizeof file);
        }
        APPEND(files, "\0");
        put_functions(&im, FILES);
        table = begin_unit_of(&im, 4, files);
        put_address(&im, table, 1);
        for (uint8_t i = 0; i < FILES; i++) {
            const uint8_t operations[] = {4, (uint8_t)(i + 1), 1, 2, 1};
            g_byte_array_append(table, operations, sizeof operations);
        }
        APPEND(table, "\0\1\1");
        end_unit(&im, table);
        guint length = im.bytes->len;
        image_write(&im, program);
        xray_functions *f = load_functions(program, true, NULL);
        size_t all = 0;
        for (uint32_t id = 1; id <= FILES; id++)
            all += xray_functions_source(f, id).text ? strlen(xray_functions_source(f, id).text) : 0;
        assert_true(all < 2 * length);
        assert_true(n ? all == 0 : all > lengths[n]);
        xray_functions_free(f);
        g_free(directory);
    }
}

/* File lists that claim to be long but take no space must not take more time. */
static void endless_lists(void **state)
{
    (void)state;
    enum { UNITS = 2000 };
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    GByteArray *all = g_byte_array_new();
    put_functions(&im, UNITS);
    for (unsigned i = 0; i < UNITS; i++) {
        row one = {1 + i, 5};
        GByteArray *files = g_byte_array_new();
        APPEND(files, "\0\x80\x80\x40\0\x80\x80\x40"); /* a million directories and files, described by nothing */
        GByteArray *unit = begin_unit_of(&im, 5, files);
        put_rows(&im, unit, &one, 1, 2 + i);
        set_length(&im, unit, 0);
        g_byte_array_append(all, unit->data, unit->len);
        g_byte_array_free(unit, TRUE);
    }
    image_section(&im, ".debug_line", SHT_PROGBITS, 0, 0, all);
    image_write(&im, program);
    xray_functions *f = load_functions(program, true, NULL);
    gint64 begun = g_get_monotonic_time();
    check_source(f, UNITS, NULL);
    assert_true(g_get_monotonic_time() - begun < 5 * G_USEC_PER_SEC);
    xray_functions_free(f);
}

/* A list that is too long is rejected, as is whatever seems to follow it. */
static void too_long_list(void **state)
{
    (void)state;
    static const row one[] = {{0x10, 5}};
    image im = image_program(true, false);
    GByteArray *files = g_byte_array_new();
    APPEND(files, "\1\x81\x40\x0b\x81\x80\xc0\0"); /* 2^20 + 1 directories of one byte */
    g_byte_array_set_size(files, files->len + (1u << 20));
    APPEND(files, "\1\1\x08\2a\0b\0");
    GByteArray *table = begin_unit_of(&im, 5, files);
    put_rows(&im, table, one, 1, 0x20);
    check_table(&im, table, (const char *const[]){NULL, NULL, NULL});
}

/* A line table as zlib packs it, with the length before it as older tools write: stored, not compressed. */
static GByteArray *packed(const GByteArray *table, uint64_t claimed)
{
    GByteArray *b = g_byte_array_new();
    const image big = {.big_endian = true}, little = {.big_endian = false};
    uint32_t first = 1, second = 0; /* Adler-32 */
    g_byte_array_append(b, (const uint8_t *)"ZLIB", 4);
    image_put(&big, b, claimed, 8);
    APPEND(b, "\x78\x01\1");
    image_put(&little, b, table->len, 2);
    image_put(&little, b, ~table->len & 0xffff, 2);
    g_byte_array_append(b, table->data, table->len);
    for (guint i = 0; i < table->len; i++) {
        first = (first + table->data[i]) % 65521;
        second = (second + first) % 65521;
    }
    image_put(&big, b, second << 16 | first, 4);
    return b;
}

static void compressed(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        image im = image_program(true, false);
        GByteArray *table = begin_unit(&im, 4);
        put_rows(&im, table, rows, G_N_ELEMENTS(rows), 0x50);
        set_length(&im, table, 0);
        image_section(&im, ".zdebug_line", SHT_PROGBITS, 0, 0, packed(table, i ? UINT64_C(1) << 50 : table->len));
        g_byte_array_free(table, TRUE);
        image_write(&im, program);
        xray_functions *f = load_functions(program, true, NULL);
        check_source(f, 1, i ? NULL : "sub/a.c:5"); /* a length that cannot be is not believed */
        xray_functions_free(f);
    }
}

static void none(void **state)
{
    (void)state;
    image im = image_program(true, false);
    image_write(&im, program);
    xray_functions *f = load_functions(program, true, NULL);
    check_source(f, 1, NULL);
    xray_functions_free(f);
}

/* If another file has taken the place of the one loaded, it is not used. */
static void replaced(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        image im = image_program(true, false);
        image_write(&im, program);
        xray_functions *f = load_functions(program, true, NULL);
        im = image_program(true, false);
        put_table(&im, 5, rows, G_N_ELEMENTS(rows), 0x50);
        if (i)
            g_remove(program);
        else
            image_write(&im, program);
        check_source(f, 1, NULL);
        xray_functions_free(f);
        if (i)
            image_free(&im);
    }
}

/* Tables cut at every byte, and damaged at every byte: only lines may be lost. */
static void damaged(void **state)
{
    (void)state;
    static const uint8_t masks[] = {0, 0xff, 0x01, 0x80};
    for (unsigned version = 4; version <= 5; version++) {
        image whole = image_program(true, false);
        GByteArray *table = begin_unit(&whole, version);
        put_rows(&whole, table, rows, G_N_ELEMENTS(rows), 0x50);
        set_length(&whole, table, 0);
        for (guint i = 0; i < table->len * G_N_ELEMENTS(masks); i++) {
            guint at = i / G_N_ELEMENTS(masks);
            uint8_t mask = masks[i % G_N_ELEMENTS(masks)];
            image im = image_program(true, false);
            GByteArray *copy = g_byte_array_new();
            g_byte_array_append(copy, table->data, mask ? table->len : at);
            if (mask)
                copy->data[at] ^= mask;
            image_section(&im, ".debug_line", SHT_PROGBITS, 0, 0, copy);
            image_write(&im, program);
            xray_functions *f = load_functions(program, true, NULL);
            assert_string_equal(xray_functions_find(f, 2)->name, "second");
            for (uint32_t id = 1; id <= 3; id++)
                xray_functions_source(f, id);
            xray_functions_free(f);
        }
        g_byte_array_free(table, TRUE);
        image_free(&whole);
    }
}

/* A table of rows that each span all functions, with many functions, must not take more time. */
static void wide_rows(void **state)
{
    (void)state;
    enum { FUNCTIONS = 20000, ROWS = 50000 };
    static const row all[] = {{0, 1}};
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    GByteArray *table = begin_unit(&im, 4);
    put_functions(&im, FUNCTIONS);
    for (unsigned i = 0; i < ROWS; i++)
        put_rows(&im, table, all, 1, IMAGE_CODE_LENGTH);
    end_unit(&im, table);
    image_write(&im, program);
    xray_functions *f = load_functions(program, true, NULL);
    gint64 begun = g_get_monotonic_time();
    check_source(f, 1, "sub/a.c:1");
    check_source(f, FUNCTIONS, NULL);
    assert_true(g_get_monotonic_time() - begun < 5 * G_USEC_PER_SEC);
    xray_functions_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found),
        cmocka_unit_test(between_rows),
        cmocka_unit_test(best_row),
        cmocka_unit_test(operations),
        cmocka_unit_test(several_operations),
        cmocka_unit_test(several_units),
        cmocka_unit_test(large_offsets),
        cmocka_unit_test(paths),
        cmocka_unit_test(long_paths),
        cmocka_unit_test(endless_lists),
        cmocka_unit_test(too_long_list),
        cmocka_unit_test(none),
        cmocka_unit_test(compressed),
        cmocka_unit_test(replaced),
        cmocka_unit_test(damaged),
        cmocka_unit_test(wide_rows),
    };
    return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
