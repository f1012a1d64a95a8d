/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said once for a file: at its first record. */
#ifndef WIRETRACE_NOTICES_H
#define WIRETRACE_NOTICES_H

#include "../compat.h"

#include <epan/expert.h>
#include <epan/packet.h>
#include <stdbool.h>

/* Whether this is the first record of the open file: asked for every record, and true whenever that one is shown. */
bool notices_due(const packet_info *pinfo);
/* Whether somebody counts expert infos (-z expert), who asks for them also where no trees are made. */
bool notices_counted(void);
/* What is wrong with the settings of the reader (common/settings.h). */
void notices_add_settings(packet_info *pinfo, proto_item *item, expert_field *field, const char *protocol);
/* A sentence on the terminal, for programs and statistics that show no expert information. */
void notices_print(const char *sentence);

void notices_register(void);

#endif
