/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be right in the rows of dissectors and formats, checked once when the plugin is loaded: otherwise the program
 * would die at the first record, or show none. */
#ifndef WIRETRACE_DISSECTOR_PROTOCOL_CHECK_H
#define WIRETRACE_DISSECTOR_PROTOCOL_CHECK_H

#include "dissector/protocol.h"

#include "core/format.h"

/* Returns whether a dissector is complete; *error names the member that is missing or too large. */
bool protocol_check(const protocol *p, GError **error);
/* The same for all of them together: each shows at least one format, and each format is shown by one. */
bool protocol_check_formats(const protocol *const *all, size_t count, const format *const *formats, size_t format_count,
                            GError **error);

#endif
