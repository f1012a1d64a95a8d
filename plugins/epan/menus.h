/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The submenu of each protocol in Wireshark's Statistics menu. */
#ifndef WIRETRACE_MENUS_H
#define WIRETRACE_MENUS_H

#include "../compat.h"

#include <epan/funnel.h>
#include <epan/stat_groups.h>

/* The group of what stands in a submenu: Wireshark's own menus leave it out. */
#define MENUS_GROUP REGISTER_LOG_STAT_GROUP_UNSORTED

/* What Wireshark offers for windows; NULL where there are none, as in tshark. */
const funnel_ops_t *menus_windows(void);
/* Opens the submenu of a protocol, where all statistics of its tap stand that are registered from then on. */
void menus_open(int proto, const char *tap, const char *title);
/* Adds the statistic that a command of -z starts. */
void menus_add_command(const char *tap, const char *title, const char *command);
void menus_add(const char *tap, const char *title, void (*start)(void *data), void *data);

#endif
