/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What json-glib makes of metadata that has been scanned. */
#ifndef WIRETRACE_OVNI_METADATA_JSON_H
#define WIRETRACE_OVNI_METADATA_JSON_H

#include "ovni/metadata.h"

/* Says in *m, which is empty, who wrote the stream, and visits the rest item by item. False where the text is not valid: *at
 * then is the byte where. Built without json-glib, it finds nothing, and no fault. */
bool ovni_metadata_read_json(ovni_metadata *m, const json_text *s, ovni_metadata_visitor visitor, void *data, size_t *at);

#endif
