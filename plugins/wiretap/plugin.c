/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry points of wiretrace-files.so, which Wireshark loads into every program that opens capture files. */
#include "reader.h"

WS_DLL_PUBLIC_DEF const char plugin_version[] = WIRETRACE_VERSION;
WS_DLL_PUBLIC_DEF const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
WS_DLL_PUBLIC_DEF const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

WS_DLL_PUBLIC void plugin_register(void);
#if WIRESHARK_AT_LEAST(4, 4)
WS_DLL_PUBLIC uint32_t plugin_describe(void);

uint32_t plugin_describe(void)
{
    return 1u << 1; /* WS_PLUGIN_DESC_FILE_TYPE, whose header some releases do not ship */
}
#endif

void plugin_register(void)
{
    static wtap_plugin files = {reader_register};
    wtap_register_plugin(&files);
}
