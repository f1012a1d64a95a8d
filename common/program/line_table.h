/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One unit of a DWARF line table (section .debug_line, versions 2 to 5): its rows and the names of its files. Takes the
 * bytes of sections; knows nothing of ELF files. Follows "DWARF Debugging Information Format", version 5, section 6.2.
 *
 * libdw could do this, too, but it needs a hundred bytes of memory per row, which may be a single byte of a compressed
 * section, and builds the path of every file, even if unused: a program of 400 kB can take 8 GB, and one of 1 MB more than
 * there is, whereupon libdw ends the process (0.188 and 0.192). The program beside a log is opened without the user choosing
 * it, so this must not happen. This reader needs no memory per row. */
#ifndef WIRETRACE_PROGRAM_LINE_TABLE_H
#define WIRETRACE_PROGRAM_LINE_TABLE_H

#include <glib.h>

#include "util/cursor.h"

/* Longer paths are considered damage; bytes. */
#define LINE_PATH_MAX 4096u

/* The sections with line tables and their strings. */
typedef struct line_sections {
    cursor table;        /* .debug_line */
    cursor strings;      /* .debug_str */
    cursor line_strings; /* .debug_line_str */
} line_sections;

typedef struct line_unit {
    const line_sections *sections;
    size_t end;     /* offset after the unit */
    size_t files;   /* offset of the directory and file lists, which end before `program` */
    size_t program; /* offset of the line number program */
    uint16_t version;
    uint8_t offset_width; /* size of an offset in bytes */
    uint8_t step, steps;  /* minimum instruction length, maximum operations per instruction */
    uint8_t line_range, opcode_base;
    int8_t line_base;
    uint8_t operands[256]; /* how many each standard opcode has */
} line_unit;

/* Reads the header of the unit at `offset`. False if there is none or it is damaged; if u->end is not 0, the next unit is
 * there. */
bool line_unit_read(line_unit *u, const line_sections *sections, size_t offset);

typedef struct line_row {
    uint64_t address;
    uint32_t file, line; /* line 0: unknown */
    bool ends;           /* end of a sequence: only the end of the code of the rows before */
} line_row;

/* Visits the rows in the order of the table, up to any damage. */
void line_unit_rows(const line_unit *u, void (*visit)(const line_row *row, void *data), void *data);

/* The file names of a unit. */
typedef struct line_files line_files;
line_files *line_files_read(const line_unit *u);
/* The path of a file as the compiler knew it, free with g_free(); NULL if unknown. In version 5 it is complete; before,
 * it may be relative to the compilation directory. */
char *line_files_path(const line_files *f, uint32_t file);
void line_files_free(line_files *f);

#endif
