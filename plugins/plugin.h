/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Wireshark looks up in a plugin, to be included by its plugin.c only, which defines plugin_register(). PLUGIN_KIND:
 * what it registers, as in a header that some releases do not ship. */
#include "compat.h"

WS_DLL_PUBLIC_DEF const char plugin_version[] = WIRETRACE_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

WS_DLL_PUBLIC void plugin_register(void);
#if WIRESHARK_AT_LEAST(4, 4)
WS_DLL_PUBLIC uint32_t plugin_describe(void);

uint32_t plugin_describe(void)
{
    return PLUGIN_KIND;
}
#endif
