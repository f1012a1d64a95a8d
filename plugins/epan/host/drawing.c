/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/drawing.h"

#include <epan/tap.h>

/* Since 4.6 Wireshark draws at the end of a file only what has changed since it last drew. */
static tap_packet_status changed(void *data _U_, packet_info *pinfo _U_, epan_dissect_t *edt _U_, const void *tapped _U_,
                                 tap_flags_t flags _U_)
{
    return TAP_PACKET_REDRAW;
}

bool drawing_listen(const char *tap, void *data, void (*before)(void *data), void (*gone)(void *data))
{
    GString *error = register_tap_listener(tap, data, NULL, TL_REQUIRES_NOTHING, NULL, changed, before, gone);
    if (!error)
        return true;
    g_string_free(error, TRUE);
    return false;
}
