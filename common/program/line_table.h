/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One unit of a DWARF line table (section .debug_line, versions 2 to 5): its rows, and the names of its files. Bytes
 * in, rows out: knows nothing of ELF files. Follows "DWARF Debugging Information Format", version 5, section 6.2.
 *
 * libdw reads them too, but keeps a hundred bytes for each row, which may be one byte of a packed section, and puts the path
 * of every file together, used or not: a program of 400 kB can take 8 GB, one of 1 MB more than there is, and then libdw ends
 * the process (0.188 and 0.192). The program that lies beside a log is one that nobody has chosen. Here a row takes nothing. */
#ifndef WIRETRACE_PROGRAM_LINE_TABLE_H
#define WIRETRACE_PROGRAM_LINE_TABLE_H

#include <glib.h>

#include "cursor.h"

/* Longer paths are taken for damage. */
#define LINE_PATH_MAX 4096u

/* The sections that line tables are in. */
typedef struct line_sections {
    cursor table;        /* .debug_line */
    cursor strings;      /* .debug_str */
    cursor line_strings; /* .debug_line_str */
} line_sections;

typedef struct line_unit {
    const line_sections *sections;
    size_t end;     /* first byte behind the unit */
    size_t files;   /* where directories and files are described; they end before the program */
    size_t program; /* where the operations begin */
    uint16_t version;
    uint8_t offset_width; /* bytes of an offset */
    uint8_t step, steps;  /* bytes that an address advances by; operations at one address */
    uint8_t line_range, opcode_base;
    int8_t line_base;
    uint8_t operands[256]; /* how many each standard operation has */
} line_unit;

/* Reads the unit at `offset`. False where there is none, or one that is damaged; u->end then still tells where to go on
 * if it is not 0. */
bool line_unit_read(line_unit *u, const line_sections *sections, size_t offset);

typedef struct line_row {
    uint64_t address;
    uint32_t file, line; /* line 0: not known */
    bool ends;           /* only says where the code ends that the rows before it tell of */
} line_row;

/* Hands out the rows in the order of the table, until it is damaged. */
void line_unit_rows(const line_unit *u, void (*visit)(const line_row *row, void *data), void *data);

/* Names of files, read once for all rows of a unit. */
typedef struct line_files line_files;
line_files *line_files_read(const line_unit *u);
/* The path of a file as the compiler knew it, to be freed with g_free(); NULL when it is not known. In version 5 it is
 * whole, before it may begin in the directory that the compiler ran in. */
char *line_files_path(const line_files *f, uint32_t file);
void line_files_free(line_files *f);

#endif
