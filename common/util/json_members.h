/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of objects parsed by json-glib from untrusted files: each has the type asked for, or counts as missing. `o` may
 * be NULL. */
#ifndef WIRETRACE_UTIL_JSON_MEMBERS_H
#define WIRETRACE_UTIL_JSON_MEMBERS_H

#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stdint.h>

/* NULL if missing. */
JsonObject *json_member_object(JsonObject *o, const char *key);
JsonArray *json_member_array(JsonObject *o, const char *key);
/* Valid UTF-8 of at most TEXT_MAX bytes; NULL if missing. */
const char *json_member_text(JsonObject *o, const char *key);
/* A number between `least` and `most`, with any fraction cut off. False if missing. */
bool json_member_number(JsonObject *o, const char *key, int64_t least, int64_t most, int64_t *number);

/* An element of an array if it is an object, else NULL. `i` must be valid. */
JsonObject *json_element_object(JsonArray *list, unsigned i);

#endif
