/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands after -z that are ours: registering them, and naming the nearest for one that is not there. */
#ifndef WIRETRACE_HOST_COMMANDS_H
#define WIRETRACE_HOST_COMMANDS_H

#include "compat.h"

#include <epan/stat_tap_ui.h>

void commands_register(const stat_tap_ui *ui, void *data);
/* Ends tshark with a message if it was asked for a command of this protocol that is not there. Call when all are registered,
 * and before tshark prints all that it has: 150 lines. */
void commands_check(const char *protocol);

#endif
