/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work that is left until a statistic is drawn. */
#ifndef WIRETRACE_HOST_DRAWING_H
#define WIRETRACE_HOST_DRAWING_H

#include "compat.h"

#include <stdbool.h>

/* Calls `before` with the data, which also names the listener, whenever Wireshark draws and there have been records, before
 * the statistic itself is drawn; `gone` when the listener is. Listeners draw in reverse order of registration, so this one
 * must not be registered before the first record. false: there is no such tap. */
bool drawing_listen(const char *tap, void *data, void (*before)(void *data), void (*gone)(void *data));

#endif
