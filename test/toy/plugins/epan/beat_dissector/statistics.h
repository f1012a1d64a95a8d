/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef WIRETRACE_BEAT_DISSECTOR_STATISTICS_H
#define WIRETRACE_BEAT_DISSECTOR_STATISTICS_H

#include "compat.h"

#include <epan/prefs.h>

void beat_statistics_register(int proto, module_t *module);
void beat_statistics_handoff(void);

#endif
