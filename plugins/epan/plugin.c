/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry points of wiretrace.so: the dissectors. */
#include "dissector/dissectors.h"

#include <epan/proto.h>

#define PLUGIN_KIND 1u << 0 /* WS_PLUGIN_DESC_DISSECTOR */
#include "plugin.h"

void plugin_register(void)
{
    static proto_plugin all = {dissectors_register, dissectors_hand_off};
    proto_register_plugin(&all);
}
