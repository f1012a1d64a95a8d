/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The open file, and the clock of its records. */
#include "xray_dissector/record.h"

struct xray_file xray_file;
static struct xray_file *const file = &xray_file;

void xray_record_forget_file(void)
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

const char *xray_record_unused_frequency(const record_context *c)
{
    const bool profile = xray_context_of(c)->type == XRAY_TYPE_PROFILE;
    if (!xray_chosen_frequency(profile ? &xray_frequency_setting : &xray_profile_frequency_setting))
        return NULL;
    return profile ? "xray.frequency is not used: for a profile there is xray.profile_frequency"
                   : "xray.profile_frequency is not used: this log has its frequency in its header";
}

bool xray_record_unclocked(void)
{
    return file->profile && !file->called && !file->session.frequency;
}

uint64_t xray_record_nanoseconds(uint64_t ticks)
{
    return xray_nanoseconds(ticks, file->session.frequency);
}
