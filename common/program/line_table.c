/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/line_table.h"

#include <dwarf.h>

#include "program/leb.h"

/* Further files of a unit are ignored. */
#define FILES_MAX (1u << 20)

/* --- reading forward: anything beyond the end reads as 0 and stops everything ------------------------------------------ */

typedef struct reader {
    cursor bytes; /* up to the limit */
    size_t at;
    bool bad;
} reader;

static reader reader_of(const line_unit *u, size_t begin, size_t end)
{
    reader r = {u->sections->table, begin, false};
    r.bytes.length = MIN(r.bytes.length, end);
    return r;
}

static void read_skip(reader *r, uint64_t length)
{
    if (cursor_has(&r->bytes, r->at, length))
        r->at += (size_t)length;
    else
        r->bad = true;
}

static uint64_t line_table_read_number(reader *r, unsigned width)
{
    uint64_t value = cursor_uint(&r->bytes, r->at, width);
    read_skip(r, width);
    return value;
}

static uint8_t read_byte(reader *r)
{
    return (uint8_t)line_table_read_number(r, 1);
}

static uint64_t line_table_read_leb(reader *r, bool is_signed)
{
    uint64_t value;
    r->bad |= !leb_read(&r->bytes, &r->at, is_signed, &value);
    return value;
}

/* A string in a section; NULL if it does not end or is too long. */
static const char *string_at(const cursor *c, uint64_t offset)
{
    if (offset >= c->length)
        return NULL;
    const char *string = (const char *)c->data + offset;
    size_t most = MIN(c->length - (size_t)offset, LINE_PATH_MAX);
    return strnlen(string, most) < most ? string : NULL;
}

/* A string at the current position. */
static const char *read_string(reader *r)
{
    const char *string = string_at(&r->bytes, r->at);
    if (string)
        r->at += strlen(string) + 1;
    else
        r->bad = true;
    return string ? string : "";
}

/* --- the header of a unit ---------------------------------------------------------------------------------------------- */

bool line_unit_read(line_unit *u, const line_sections *sections, size_t offset)
{
    *u = (line_unit){.sections = sections, .offset_width = 4};
    reader r = reader_of(u, offset, SIZE_MAX);
    uint64_t length = line_table_read_number(&r, 4);
    if (length == UINT32_MAX) {
        u->offset_width = 8;
        length = line_table_read_number(&r, 8);
    }
    if (r.bad || !cursor_has(&r.bytes, r.at, length))
        return false;
    r.bytes.length = u->end = r.at + (size_t)length;
    u->version = (uint16_t)line_table_read_number(&r, 2);
    if (u->version >= 5)
        read_skip(&r, 2); /* sizes of an address and of a segment selector */
    uint64_t header = line_table_read_number(&r, u->offset_width);
    if (r.bad || !cursor_has(&r.bytes, r.at, header))
        return false;
    u->program = r.at + (size_t)header;
    u->step = read_byte(&r);
    u->steps = u->version >= 4 ? read_byte(&r) : 1;
    read_skip(&r, 1); /* default_is_stmt */
    u->line_base = (int8_t)read_byte(&r);
    u->line_range = read_byte(&r);
    u->opcode_base = read_byte(&r);
    for (unsigned i = 1; i < u->opcode_base; i++)
        u->operands[i] = read_byte(&r);
    u->files = r.at;
    return !r.bad && u->version >= 2 && u->version <= 5 && u->steps && u->line_range && u->opcode_base;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

typedef struct machine {
    const line_unit *u;
    reader program;
    line_row row;
    uint8_t index; /* of the operation in an instruction, on VLIW machines */
    void (*visit)(const line_row *row, void *data);
    void *data;
} machine;

static void machine_reset(machine *m)
{
    m->row = (line_row){.file = 1, .line = 1};
    m->index = 0;
}

static void machine_advance(machine *m, uint64_t operations)
{
    uint64_t all = m->index + operations;
    m->row.address += m->u->step * (all / m->u->steps);
    m->index = (uint8_t)(all % m->u->steps);
}

static void machine_extended(machine *m)
{
    uint64_t length = line_table_read_leb(&m->program, false);
    size_t begin = m->program.at;
    read_skip(&m->program, length);
    if (m->program.bad || length == 0)
        return;
    switch (m->program.bytes.data[begin]) {
    case DW_LNE_end_sequence:
        m->row.ends = true;
        m->visit(&m->row, m->data);
        machine_reset(m);
        break;
    case DW_LNE_set_address:
        m->row.address = cursor_uint(&m->program.bytes, begin + 1, (unsigned)length - 1);
        m->index = 0;
        break;
    default: /* says nothing about addresses and lines */
        break;
    }
}

static void machine_standard(machine *m, uint8_t operation)
{
    switch (operation) {
    case DW_LNS_copy:
        m->visit(&m->row, m->data);
        break;
    case DW_LNS_advance_pc:
        machine_advance(m, line_table_read_leb(&m->program, false));
        break;
    case DW_LNS_advance_line:
        m->row.line += (uint32_t)line_table_read_leb(&m->program, true);
        break;
    case DW_LNS_set_file:
        m->row.file = (uint32_t)line_table_read_leb(&m->program, false);
        break;
    case DW_LNS_const_add_pc:
        machine_advance(m, (255u - m->u->opcode_base) / m->u->line_range);
        break;
    case DW_LNS_fixed_advance_pc:
        m->row.address += line_table_read_number(&m->program, 2);
        m->index = 0;
        break;
    default:
        for (unsigned i = 0; i < m->u->operands[operation]; i++)
            line_table_read_leb(&m->program, false);
        break;
    }
}

void line_unit_rows(const line_unit *u, void (*visit)(const line_row *row, void *data), void *data)
{
    machine m = {.u = u, .program = reader_of(u, u->program, u->end), .visit = visit, .data = data};
    machine_reset(&m);
    while (m.program.at < u->end && !m.program.bad) {
        uint8_t operation = read_byte(&m.program);
        if (operation >= u->opcode_base) {
            uint8_t special = (uint8_t)(operation - u->opcode_base);
            machine_advance(&m, special / u->line_range);
            m.row.line += (uint32_t)(u->line_base + special % u->line_range);
            visit(&m.row, data);
        } else if (operation == 0) {
            machine_extended(&m);
        } else {
            machine_standard(&m, operation);
        }
    }
}

/* --- files ------------------------------------------------------------------------------------------------------------- */

typedef struct line_file {
    const char *name; /* borrowed from a section; NULL if unknown */
    uint64_t directory;
} line_file;

struct line_files {
    GArray *directories, *files; /* of line_file */
    bool from_zero;              /* whether they are numbered from 0, or from 1 */
};

static void line_table_add(GArray *list, const char *name, uint64_t directory)
{
    line_file one = {name, directory};
    g_array_append_val(list, one);
}

/* Versions 2 to 4: two lists, each ending in an empty name. Directories and files are numbered from 1. */
static void files_read_old(line_files *f, reader *r)
{
    const char *name;
    line_table_add(f->directories, "", 0); /* the compilation directory */
    while (*(name = read_string(r)) && !r->bad && f->directories->len < FILES_MAX)
        line_table_add(f->directories, name, 0);
    while (*(name = read_string(r)) && !r->bad && f->files->len < FILES_MAX) {
        line_table_add(f->files, name, line_table_read_leb(r, false));
        line_table_read_leb(r, false); /* time of the last modification */
        line_table_read_leb(r, false); /* size */
    }
}

/* Reads a value of this form: returns a string, or sets *number. */
static const char *read_value(reader *r, const line_unit *u, uint64_t form, uint64_t *number)
{
    *number = 0;
    switch (form) {
    case DW_FORM_string:
        return read_string(r);
    case DW_FORM_strp:
        return string_at(&u->sections->strings, line_table_read_number(r, u->offset_width));
    case DW_FORM_line_strp:
        return string_at(&u->sections->line_strings, line_table_read_number(r, u->offset_width));
    case DW_FORM_udata:
        *number = line_table_read_leb(r, false);
        break;
    case DW_FORM_data1:
        *number = line_table_read_number(r, 1);
        break;
    case DW_FORM_data2:
        *number = line_table_read_number(r, 2);
        break;
    case DW_FORM_data4:
        *number = line_table_read_number(r, 4);
        break;
    case DW_FORM_data8:
        *number = line_table_read_number(r, 8);
        break;
    case DW_FORM_data16:
        read_skip(r, 16);
        break;
    case DW_FORM_block:
        read_skip(r, line_table_read_leb(r, false));
        break;
    default: /* unknown, and so is its size */
        r->bad = true;
        break;
    }
    return NULL;
}

/* Version 5: a description of the entries, then the entries. Directory 0 is the compilation directory. */
static void files_read_list(reader *r, const line_unit *u, GArray *list)
{
    struct {
        uint64_t content, form;
    } parts[256];
    unsigned count = read_byte(r);
    for (unsigned i = 0; i < count; i++) {
        parts[i].content = line_table_read_leb(r, false);
        parts[i].form = line_table_read_leb(r, false);
    }
    uint64_t entries = line_table_read_leb(r, false);
    for (uint64_t n = 0; n < MIN(entries, FILES_MAX) && count && !r->bad; n++) {
        line_file one = {NULL, 0};
        for (unsigned i = 0; i < count; i++) {
            uint64_t number;
            const char *string = read_value(r, u, parts[i].form, &number);
            if (parts[i].content == DW_LNCT_path)
                one.name = string;
            else if (parts[i].content == DW_LNCT_directory_index)
                one.directory = number;
        }
        if (!r->bad)
            g_array_append_val(list, one);
    }
    r->bad = r->bad || entries > FILES_MAX;
}

line_files *line_files_read(const line_unit *u)
{
    line_files *f = g_new0(line_files, 1);
    reader r = reader_of(u, u->files, u->program);
    f->directories = g_array_new(FALSE, FALSE, sizeof(line_file));
    f->files = g_array_new(FALSE, FALSE, sizeof(line_file));
    f->from_zero = u->version >= 5;
    if (f->from_zero) {
        files_read_list(&r, u, f->directories);
        files_read_list(&r, u, f->files);
    } else {
        files_read_old(f, &r);
    }
    return f;
}

void line_files_free(line_files *f)
{
    if (!f)
        return;
    g_array_free(f->directories, TRUE);
    g_array_free(f->files, TRUE);
    g_free(f);
}

char *line_files_path(const line_files *f, uint32_t file)
{
    uint32_t index = f->from_zero ? file : file - 1;
    const line_file *one = index < f->files->len ? &g_array_index(f->files, line_file, index) : NULL;
    if (!one || !one->name || !*one->name)
        return NULL;
    if (g_path_is_absolute(one->name) || one->directory >= f->directories->len)
        return g_strdup(one->name);
    const char *own = g_array_index(f->directories, line_file, one->directory).name;
    const char *first = g_array_index(f->directories, line_file, 0).name;
    own = own ? own : "";
    first = first && one->directory && !g_path_is_absolute(own) ? first : "";
    return g_build_filename(first, own, one->name, NULL);
}
