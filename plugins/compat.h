/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every difference between Wireshark 4.0, 4.2, 4.4 and 4.6 that the plugins meet, and nothing else. */
#ifndef WIRETRACE_COMPAT_H
#define WIRETRACE_COMPAT_H

#define WS_BUILD_DLL
#include <wireshark.h>
#include <ws_version.h>

#define WIRESHARK_AT_LEAST(major, minor)                                                                               \
    (WIRESHARK_VERSION_MAJOR > (major) ||                                                                              \
     (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

/* Booleans of callbacks and preferences: an int up to 4.2, bool from 4.4 on. */
#if WIRESHARK_AT_LEAST(4, 4)
#include <stdbool.h>
typedef bool wsbool;
#else
typedef gboolean wsbool;
#endif

#endif
