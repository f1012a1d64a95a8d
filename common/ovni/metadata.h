/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the JSON files of a trace: stream.json, thread.TID.json, metadata.json. Broken metadata never keeps a trace from
 * being opened. Does not know where the files are. Only metadata_json.c uses json-glib. */
#ifndef WIRETRACE_OVNI_METADATA_H
#define WIRETRACE_OVNI_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ovni/metadata_json.h"

/* Larger files are shown but not parsed, since json-glib needs up to 80 times their size. Real ones have a few kilobytes. */
#define OVNI_METADATA_MAX (512u << 10)
#define OVNI_METADATA_DEPTH JSON_TEXT_DEPTH
/* Parses metadata into *m, which must be cleared afterwards, even after a fault (nothing else is set then). Like ovni's
 * own tools, accepts comments and anything after the closing brace. */
void ovni_metadata_parse(ovni_metadata *m, const char *text, size_t length);
void ovni_metadata_clear(ovni_metadata *m);

/* Calls the visitor for each item, in the order of the enumeration, but for members, which come first. Broken metadata has
 * none. */
void ovni_metadata_visit(const char *text, size_t length, ovni_metadata_visitor visitor, void *data);

/* The length in bytes of the object that the text begins with, up to its closing brace; 0 if there is none or it is
 * nested too deeply. */
size_t ovni_metadata_extent(const char *text, size_t length);

/* Reads a file; free the result with ovni_metadata_free(), a GDestroyNotify. NULL with *err (errno) if it cannot be read. */
ovni_metadata *ovni_metadata_load(const char *path, int *err);
void ovni_metadata_free(void *m);

#endif
