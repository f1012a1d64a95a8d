/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the description of caches. */
#include "cacheray/caches.h"
#include "util/fail.h"
#include "util/json_members.h"
#include "util/json_text.h"

static bool cacheray_caches_json_read_number(JsonObject *object, const char *name, unsigned *value)
{
    int64_t number;
    bool there = json_member_number(object, name, 0, INT32_MAX, &number);
    if (there)
        *value = (unsigned)number;
    return there;
}

/* In bytes, or as a power of two. */
static bool read_size(JsonObject *object, cache_level *level)
{
    unsigned bits;
    if (cacheray_caches_json_read_number(object, "bytes", &level->size))
        return true;
    if (!cacheray_caches_json_read_number(object, "cache_size", &bits))
        return false;
    level->size = bits < 32 ? 1u << bits : UINT32_MAX; /* which is refused */
    return true;
}

static bool read_level(JsonObject *object, cache_level *level)
{
    unsigned policy;
    if (!read_size(object, level) || !cacheray_caches_json_read_number(object, "block_size", &level->line_bits) ||
        !cacheray_caches_json_read_number(object, "set_assoc", &level->ways) ||
        !cacheray_caches_json_read_number(object, "rep_policy", &policy))
        return false;
    level->replacement = (replacement)policy;
    level->per_thread = json_object_get_boolean_member_with_default(object, "private", FALSE);
    return true;
}

static bool read_root(JsonObject *object, caches_config *config, GError **error)
{
    JsonArray *levels = json_member_array(object, "caches");
    unsigned seed;
    if (!levels)
        return fail_with(error, "it has no list \"caches\"");
    config->count = json_array_get_length(levels);
    for (unsigned i = 0; i < MIN(config->count, CACHES_LEVELS); i++)
        if (!read_level(json_element_object(levels, i), &config->levels[i]))
            return fail_with(error, "a cache needs the numbers cache_size (or bytes), block_size, set_assoc and rep_policy");
    if (cacheray_caches_json_read_number(object, "seed", &seed) && seed)
        config->seed = seed;
    return caches_check(config, error);
}

bool caches_read(const char *path, caches_config *config, GError **error)
{
    json_text text;
    *config = (caches_config){.seed = CACHES_SEED};
    if (!json_text_load(path, &text, error))
        return false;
    g_autofree char *all = text.text;
    g_autoptr(JsonNode) root = json_from_string(all, error);
    return root && read_root(json_node_get_object(root), config, error);
}
