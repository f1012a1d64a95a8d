/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DWARF line tables. The first byte is the byte order, the second the proportion of strings in the rest. */
#include "fuzz.h"
#include "program/line_table.h"

typedef struct visits {
    const line_files *files;
    size_t count, length;
} visits;

static void visit(const line_row *row, void *data)
{
    visits *v = data;
    v->count++;
    if (v->count > 64)
        return;
    char *path = line_files_path(v->files, row->file);
    FUZZ_CHECK(!path || strlen(path) <= 3u * LINE_PATH_MAX, "path of %zu bytes", strlen(path));
    g_free(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    if (length < 2)
        return 0;
    bool big = data[0] & 1;
    size_t rest = length - 2, strings = rest * (data[1] % 128u) / 256u;
    cursor text = {data + 2, strings, big};
    line_sections sections = {{data + 2 + strings, rest - strings, big}, text, text};
    line_unit u;
    for (size_t at = 0; at < sections.table.length;) {
        bool valid = line_unit_read(&u, &sections, at);
        FUZZ_CHECK(u.end <= sections.table.length, "unit ends behind the section");
        if (valid) {
            FUZZ_CHECK(u.files <= u.end && u.program <= u.end, "program outside of its unit");
            line_files *files = line_files_read(&u);
            visits v = {files, 0, sections.table.length};
            line_unit_rows(&u, visit, &v);
            FUZZ_CHECK(v.count <= u.end - u.program, "more rows than operations");
            line_files_free(files);
        }
        if (u.end <= at)
            break;
        at = u.end;
    }
    return 0;
}
