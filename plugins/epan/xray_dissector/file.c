/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The open file, and the clock of its records. */
#include "xray_dissector/file.h"

struct xray_file xray_file;
static struct xray_file *const file = &xray_file;

void xray_file_forget(void)
{
    idle_field_forget(&file->idle);
    xray_session_end(&file->session);
    g_free(file->program);
    xray_functions_free(file->names);
    if (file->problems)
        g_string_free(file->problems, TRUE);
    if (file->stacks.slots)
        hash_map_clear(&file->stacks);
    *file = (struct xray_file){.idle.hf = file->idle.hf, /* tables may be shown afterwards */
                               .session = file->session,
                               .profile = file->profile,
                               .called = file->called,
                               .basic = file->basic};
}

bool xray_file_unclocked(void)
{
    return file->profile && !file->called && !file->session.frequency;
}

uint64_t xray_file_nanoseconds(uint64_t ticks)
{
    return xray_nanoseconds(ticks, file->session.frequency);
}
