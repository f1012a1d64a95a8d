/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry points of wiretrace-files.so, which Wireshark loads into every program that opens capture files. */
#include "reader.h"

#define PLUGIN_KIND 1u << 1 /* WS_PLUGIN_DESC_FILE_TYPE */
#include "plugin.h"

void plugin_register(void)
{
    static wtap_plugin files = {reader_register};
    wtap_register_plugin(&files);
}
