/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of objects that json-glib has read from a file that anybody may have made: each holds what is asked for, or nothing.
 * NULL for an object has no members. */
#ifndef WIRETRACE_JSON_MEMBERS_H
#define WIRETRACE_JSON_MEMBERS_H

#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stdint.h>

/* NULL where there is none. */
JsonObject *json_member_object(JsonObject *o, const char *key);
JsonArray *json_member_array(JsonObject *o, const char *key);
/* UTF-8 of at most TEXT_MAX bytes. */
const char *json_member_text(JsonObject *o, const char *key);
/* A number, cut to a whole one, from `least` to `most`. */
bool json_member_number(JsonObject *o, const char *key, int64_t least, int64_t most, int64_t *number);

/* An element of a list that is an object, or NULL. */
JsonObject *json_element_object(JsonArray *list, unsigned i);

#endif
