/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/open_file.h"

struct open_file open_file;

void open_file_forget(void)
{
    struct open_file *f = &open_file;
    g_clear_pointer(&f->numbers.runs, g_array_unref);
    if (f->hidden.pool)
        wmem_destroy_allocator(f->hidden.pool);
    g_clear_pointer(&f->streams.all, g_hash_table_destroy);
    g_clear_pointer(&f->streams.numbers, g_ptr_array_unref);
    g_clear_pointer(&f->streams.interfaces, g_ptr_array_unref);
    *f = (struct open_file){0};
}
