/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways from one record to others that Wireshark offers in its menus: Conversation Filter, Colorize Conversation, Follow. The
 * rows of the formats (protocol.h) say what there is. */
#ifndef WIRETRACE_RELATIONS_H
#define WIRETRACE_RELATIONS_H

#include "protocol.h"

/* Once, after its fields have been registered. */
void relations_register(const protocol *p, int proto);
/* Puts the filters of a record aside, whose tree is seen: it is the one that is selected, where there are windows. */
void relations_note(const protocol *p, const dissection *d);

/* For those who make filters: ` && FIELD == VALUE`, without the beginning where the filter is empty yet. */
void relations_and(wmem_strbuf_t *filter, const char *field, int64_t value);
void relations_and_text(wmem_strbuf_t *filter, const char *field, const char *text);

/* For those who write lines: a time, exact, in the unit that reads best. */
void relations_duration(uint64_t ns, char *text, size_t size);

#endif
