/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/json_members.h"

#include <math.h>
#include <string.h>

#include "util/text.h"

static JsonNode *member(JsonObject *o, const char *key, JsonNodeType type)
{
    JsonNode *n = o ? json_object_get_member(o, key) : NULL;
    return n && JSON_NODE_TYPE(n) == type ? n : NULL;
}

JsonObject *json_member_object(JsonObject *o, const char *key)
{
    JsonNode *n = member(o, key, JSON_NODE_OBJECT);
    return n ? json_node_get_object(n) : NULL;
}

JsonArray *json_member_array(JsonObject *o, const char *key)
{
    JsonNode *n = member(o, key, JSON_NODE_ARRAY);
    return n ? json_node_get_array(n) : NULL;
}

/* JSON escapes can express unpaired surrogates, which are not valid UTF-8. */
const char *json_member_text(JsonObject *o, const char *key)
{
    JsonNode *n = member(o, key, JSON_NODE_VALUE);
    const char *text = n && json_node_get_value_type(n) == G_TYPE_STRING ? json_node_get_string(n) : NULL;
    return text && g_utf8_validate(text, -1, NULL) && strlen(text) <= TEXT_MAX ? text : NULL;
}

bool json_member_number(JsonObject *o, const char *key, int64_t least, int64_t most, int64_t *number)
{
    JsonNode *n = member(o, key, JSON_NODE_VALUE);
    GType type = n ? json_node_get_value_type(n) : G_TYPE_INVALID;
    if (type == G_TYPE_INT64)
        *number = json_node_get_int(n);
    else if (type == G_TYPE_DOUBLE && fabs(json_node_get_double(n)) < 0x1p63)
        *number = (int64_t)json_node_get_double(n);
    else
        return false;
    return *number >= least && *number <= most;
}

JsonObject *json_element_object(JsonArray *list, unsigned i)
{
    JsonNode *n = json_array_get_element(list, i);
    return JSON_NODE_HOLDS_OBJECT(n) ? json_node_get_object(n) : NULL;
}
