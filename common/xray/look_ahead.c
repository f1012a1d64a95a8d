/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/look_ahead.h"

#include "core/trace_reader.h"
#include "xray/missing_exits.h"
#include "xray/profile_self.h"

static void look_at_whole(xray_ahead *a, const char *path)
{
    trace_reader r;
    if (!trace_reader_open(&r, path, "xray", NULL))
        return;
    xray_look_ahead(a, r.trace, NULL, false);
    a->none = false;
    trace_reader_close(&r);
}

void xray_look_ahead(xray_ahead *a, trace *t, const char *path, bool part)
{
    if (part && path)
        look_at_whole(a, path);
    else if (t && ((const xray_log *)t->detail)->type == XRAY_TYPE_PROFILE)
        a->self = xray_profile_self_read(t);
    else if (t && !(a->none = !xray_missing_exits_any(t)))
        a->tails = xray_tails_read(t);
    a->none &= !part;
}

void xray_ahead_clear(xray_ahead *a)
{
    xray_tails_free(a->tails);
    if (a->unwound)
        g_array_free(a->unwound, TRUE);
    if (a->self)
        g_hash_table_destroy(a->self);
    *a = (xray_ahead){0};
}
