/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsing scanned metadata with json-glib. */
#ifndef WIRETRACE_OVNI_METADATA_JSON_H
#define WIRETRACE_OVNI_METADATA_JSON_H

#include "ovni/metadata.h"

/* Stores in *m, which is empty, what identifies the stream, and calls the visitor for every other item. False if the text
 * is not valid JSON: *at is then the byte position. May change the text. Without json-glib it finds nothing and returns true. */
bool ovni_metadata_read_json(ovni_metadata *m, json_text *s, ovni_metadata_visitor visitor, void *data, size_t *at);

#endif
