/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry points of wiretrace.so: the dissectors. */
#include "dissector/dissectors.h"

#include <epan/proto.h>

#include "compat.h"

WS_DLL_PUBLIC_DEF const char plugin_version[] = WIRETRACE_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

WS_DLL_PUBLIC void plugin_register(void);
#if WIRESHARK_AT_LEAST(4, 4)
WS_DLL_PUBLIC uint32_t plugin_describe(void);

uint32_t plugin_describe(void)
{
    return 1u << 0; /* WS_PLUGIN_DESC_DISSECTOR, whose header some releases do not ship */
}
#endif

void plugin_register(void)
{
    static proto_plugin all = {dissectors_register, dissectors_hand_off};
    proto_register_plugin(&all);
}
