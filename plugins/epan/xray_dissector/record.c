/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The open file, and the clock of its records. */
#include "xray_dissector/record.h"

#include "host/notices.h"
#include "util/math128.h"
#include "xray/missing_exits.h"

#define MIXED_TICKS \
    "Times of a counter of unknown speed are added to others, as nanoseconds: set xray.frequency or xray.profile_frequency, or open the traces separately."

struct xray_file xray_file;
static struct xray_file *const file = &xray_file;

void xray_record_forget_file(void)
{
    idle_field_forget(&file->idle);
    calls_free(file->calls);
    g_clear_pointer(&file->unwound, g_array_unref);
    g_clear_pointer(&file->tails, xray_tails_free);
    g_clear_pointer(&file->self, g_hash_table_destroy);
    g_free(file->program);
    xray_functions_free(file->names);
    if (file->problems)
        g_string_free(file->problems, TRUE);
    if (file->stacks.slots)
        hash_map_clear(&file->stacks);
    *file = (struct xray_file){.idle.hf = file->idle.hf, /* tables may be shown afterwards */
                               .frequency = file->frequency,
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

/* A frequency of 0 stands for ticks of a nanosecond. */
static uint64_t to_file_clock(uint64_t ticks, uint64_t frequency)
{
    if ((!frequency || !file->frequency) && !file->mixed) {
        file->mixed = true;
        notices_fail(MIXED_TICKS);
    }
    return mul_div_u64(ticks, file->frequency ? file->frequency : 1000000000, frequency ? frequency : 1000000000);
}

uint64_t xray_record_ticks(const xray_tapped *r, uint64_t ticks)
{
    const uint64_t frequency = xray_context_of(r->context)->frequency;
    return frequency == file->frequency ? ticks : to_file_clock(ticks, frequency);
}

bool xray_record_unclocked(void)
{
    return file->profile && !file->called && !file->frequency;
}

uint64_t xray_record_nanoseconds(uint64_t ticks)
{
    return xray_nanoseconds(ticks, file->frequency);
}

uint64_t xray_record_now(const void *tapped)
{
    const xray_tapped *r = tapped;
    return xray_record_ticks(r, xray_context_of(r->context)->tsc);
}

uint64_t xray_record_between(const void *tapped, uint64_t from, uint64_t to)
{
    const xray_context *x = xray_context_of(((const xray_tapped *)tapped)->context);
    if (x->frequency != xray_file.frequency) /* of merged logs, which have other ticks */
        return xray_record_nanoseconds(to - from);
    return (uint64_t)xray_nanoseconds_since(x->base_tsc, to, x->frequency) -
           (uint64_t)xray_nanoseconds_since(x->base_tsc, from, x->frequency);
}
