/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways from one record to others, in Wireshark's menus: Conversation Filter, Colorize Conversation, Follow. The rows of
 * protocol.h say what there is. */
#ifndef WIRETRACE_DISSECTOR_RELATIONS_H
#define WIRETRACE_DISSECTOR_RELATIONS_H

#include "dissector/protocol.h"

/* Call once, after the protocol's fields are registered. */
void relations_register(const protocol *p, int proto);
/* Remembers the filters of a displayed record: in Wireshark it is the selected one. */
void relations_note(const protocol *p, const dissection *d);

/* For writing filters: appends ` && FIELD == VALUE`, or without ` && ` if the filter is empty. */
void relations_and(wmem_strbuf_t *filter, const char *field, int64_t value);
void relations_and_text(wmem_strbuf_t *filter, const char *field, const char *text);

/* For writing lines: a time, exact, in the most readable unit. */
void relations_duration(uint64_t ns, char *text, size_t size);

#endif
