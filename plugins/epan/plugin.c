/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry points of wiretrace.so: the dissectors, one row per protocol. */
#include "../compat.h"

#include <epan/packet.h>

WS_DLL_PUBLIC_DEF const char plugin_version[] = WIRETRACE_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

WS_DLL_PUBLIC void plugin_register(void);
#if WIRESHARK_AT_LEAST(4, 4)
WS_DLL_PUBLIC uint32_t plugin_describe(void);

uint32_t plugin_describe(void)
{
    return 1u << 0; /* dissectors: WS_PLUGIN_DESC_DISSECTOR, whose header some releases do not ship */
}
#endif

void notices_register(void);
void pdu_register(void);
void proto_register_xray(void);
void proto_reg_handoff_xray(void);
void xray_taps_register(void);
void xray_taps_handoff(void);
void proto_register_cacheray(void);
void proto_reg_handoff_cacheray(void);
void cacheray_taps_register(void);
void cacheray_taps_handoff(void);
void proto_register_ovni(void);
void proto_reg_handoff_ovni(void);
void ovni_taps_register(void);
void ovni_taps_handoff(void);

void plugin_register(void)
{
    static proto_plugin protocols[] = {
        {notices_register, NULL},
        {pdu_register, NULL},
        {proto_register_xray, proto_reg_handoff_xray},
        {xray_taps_register, xray_taps_handoff},
        {proto_register_cacheray, proto_reg_handoff_cacheray},
        {cacheray_taps_register, cacheray_taps_handoff},
        {proto_register_ovni, proto_reg_handoff_ovni},
        {ovni_taps_register, ovni_taps_handoff},
    };
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        proto_register_plugin(&protocols[i]);
}
