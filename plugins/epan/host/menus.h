/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The submenu of each protocol in Wireshark's Statistics menu. */
#ifndef WIRETRACE_HOST_MENUS_H
#define WIRETRACE_HOST_MENUS_H

#include "compat.h"

#include <epan/funnel.h>
#include <epan/stat_groups.h>

/* The group for everything in a submenu: Wireshark does not add it to menus of its own. */
#define MENUS_GROUP REGISTER_LOG_STAT_GROUP_UNSORTED

/* Wireshark's functions for windows; NULL if there are none, as in tshark. */
const funnel_ops_t *menus_windows(void);
/* Begins the submenu of a protocol. All statistics for this tap that are registered afterwards go there. */
void menus_open(int proto, const char *tap, const char *title);
/* Adds a menu entry for a statistic that can also be started with -z, or for any function. */
void menus_add_command(const char *tap, const char *title, const char *command);
void menus_add(const char *tap, const char *title, void (*start)(void *data), void *data);
/* Starts a window of Wireshark's by its name, with a filter after a comma. `command`: with which tshark prints the same. The
 * first is for a function that has itself been started by -z: then what it requests is started next. False, with a message:
 * there is no such window. */
bool menus_request(const char *window, const char *command);
void menus_start(const char *window, const char *command);
/* Applies a display filter to the list; in Wireshark only. */
void menus_filter(const char *filter);

#endif
