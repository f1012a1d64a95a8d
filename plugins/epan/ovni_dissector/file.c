/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni_dissector/file.h"

struct ovni_file ovni_file;
static struct ovni_file *const file = &ovni_file;

void ovni_file_forget(void)
{
    idle_field_forget(&file->idle);
    ovni_session_end(&file->session);
    ovni_emulator_free(file->emulator);
    g_clear_pointer(&file->findings, g_hash_table_destroy);
    g_clear_pointer(&file->at_end, g_hash_table_destroy);
    g_clear_pointer(&file->cpus, g_array_unref);
    g_clear_pointer(&file->places, g_array_unref);
    g_clear_pointer(&file->texts, g_string_chunk_free);
    g_clear_pointer(&file->owners, g_ptr_array_unref);
    *file = (struct ovni_file){.idle.hf = file->idle.hf,
                               .session = {.name_of = file->session.name_of, .loom_of = file->session.loom_of}};
}
