/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures of a Cacheray trace: misses and contended accesses of each region over time, and what types and members cost.
 * Only the accesses that pass the filter decide which of them are contended, as in cacheray,lines. */
#include "cacheray/statistics/display.h"
#include "cacheray_dissector/file.h"
#include "cacheray_dissector/names.h"
#include "cacheray_dissector/settings.h"
#include "cacheray_dissector/spans.h"
#include "cacheray_dissector/statistics.h"
#include "containers/hash.h"

/* The sums for a region so far. */
typedef struct region_sums {
    int64_t misses, contended;
} region_sums;

typedef struct cacheray_history {
    line_table *lines;
    GHashTable *regions; /* name -> region_sums */
} cacheray_history;

enum { REGIONS_MAX = 20000 }; /* any further ones are added up together */

static void *history_start(void)
{
    cacheray_history *h = g_new0(cacheray_history, 1);
    h->lines = lines_new(cacheray_settings_line_size());
    h->regions = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    return h;
}

static void history_free(void *state)
{
    cacheray_history *h = state;
    g_hash_table_destroy(h->regions);
    lines_free(h->lines);
    g_free(h);
}

static bool cacheray_picture_touch(cacheray_history *h, const cacheray_tapped *v)
{
    line_touch access = {.address = v->placed, .thread = v->thread, .record = 1, .size = v->size};
    line_result result = {0};
    access.write = v->kind == CACHERAY_WRITE;
    lines_touch(h->lines, &access, &result);
    return lines_contended(&result);
}

static const char *type_name(const record_seen *seen, const cacheray_tapped *v)
{
    if (v->variable)
        return wmem_strdup_printf(seen->pool, "variable %s", v->variable);
    return v->type ? v->type : CACHERAY_NOT_ANNOTATED;
}

/* `type.member` */
static const char *member_name(const record_seen *seen, const cacheray_tapped *v, const char *type)
{
    return v->covered.count ? wmem_strdup_printf(seen->pool, "%s.%s", type, cacheray_names_member(v)) : type;
}

static bool misses(const cacheray_tapped *v)
{
    return v->has_cache && v->cache.level == 0;
}

/* --- moments ----------------------------------------------------------------------------------------------------------- */

static region_sums *cacheray_picture_sums_of(cacheray_history *h, const char **name)
{
    region_sums *s = g_hash_table_lookup(h->regions, *name);
    if (s)
        return s;
    if (g_hash_table_size(h->regions) >= REGIONS_MAX && strcmp(*name, TEXT_OTHERS) != 0)
        return cacheray_picture_sums_of(h, (*name = TEXT_OTHERS, name));
    g_hash_table_insert(h->regions, g_strdup(*name), s = g_new0(region_sums, 1));
    return s;
}

/* Includes the record of its add, as many regions may have the same type. */
static const char *cacheray_picture_region_name(const record_seen *seen, const cacheray_tapped *v, const char *type)
{
    return v->number ? wmem_strdup_printf(seen->pool, "%s of record %u", type, v->region.added) : type;
}

static uint64_t cacheray_picture_lane_of(const record_seen *seen, uint64_t thread, const timeline *t)
{
    if (!t->knows(t->out, thread)) {
        picture_lane lane = {.key = thread, .process = PICTURE_NO_PROCESS, .thread = (int64_t)thread, .within = "Memory"};
        lane.name = wmem_strdup_printf(seen->pool, "Thread %" PRIu64, thread);
        t->name(t->out, &lane);
    }
    return thread;
}

static void cacheray_picture_show(void *state, const record_seen *seen, const void *tapped, const timeline *t)
{
    cacheray_history *h = state;
    const cacheray_tapped *v = tapped;
    if (!v->is_access)
        return;
    bool contended = cacheray_picture_touch(h, v), missed = misses(v);
    if (!contended && !missed)
        return;
    const char *type = type_name(seen, v), *place = member_name(seen, v, type);
    const char *region = cacheray_picture_region_name(seen, v, type);
    region_sums *s = cacheray_picture_sums_of(h, &region);
    s->misses += missed;
    s->contended += contended;
    moment m = {
        .kind = MOMENT_COUNTER, .name = region, .category = "region", .lane = cacheray_picture_lane_of(seen, v->thread, t)};
    m.at = record_time(seen);
    m.values[m.count++] = (moment_value){.name = "misses", .number = s->misses};
    m.values[m.count++] = (moment_value){.name = "contended", .number = s->contended};
    t->show(t->out, &m);
    m.kind = MOMENT_INSTANT;
    m.count = 0;
    m.category = contended ? missed ? "contended,miss" : "contended" : "miss";
    m.name = place;
    m.values[m.count++] = (moment_value){.name = "does", .text = v->kind == CACHERAY_WRITE ? "write" : "read"};
    m.values[m.count++] = (moment_value){.name = "record", .number = seen->frame};
    t->show(t->out, &m);
}

/* --- costs ------------------------------------------------------------------------------------------------------------- */

enum { COST_READS, COST_WRITES, COST_CONTENDED, COST_MISS };

static bool cacheray_picture_cost_of(void *state, const record_seen *seen, const void *tapped, uint32_t i, cost *c)
{
    const cacheray_tapped *v = tapped;
    if (i > 0 || !v->is_access)
        return false;
    c->counts = 1;
    c->place.text = type_name(seen, v);
    c->name = member_name(seen, v, c->place.text);
    c->self[v->kind == CACHERAY_WRITE ? COST_WRITES : COST_READS] = 1;
    c->self[COST_CONTENDED] = cacheray_picture_touch(state, v);
    for (unsigned level = 1; v->has_cache && level <= cacheray_file_levels(); level++)
        c->self[COST_MISS + level - 1] = v->cache.level == 0 || v->cache.level > level;
    return true;
}

const picture_source cacheray_picture = {
    .spans = &cacheray_spans,
    .start = history_start,
    .free = history_free,
    .show = cacheray_picture_show,
    .clockless = true,
    .events = {[COST_READS] = {"Reads", "Reads", .plain = false},
               [COST_WRITES] = {"Writes", "Writes", .plain = false},
               [COST_CONTENDED] = {"Contended", "Contended accesses", .plain = false},
               [COST_MISS] = {"Miss1", "Misses of level 1", .plain = false},
               {"Miss2", "Misses of level 2", .plain = false},
               {"Miss3", "Misses of level 3", .plain = false},
               {"Miss4", "Misses of level 4", .plain = false}},
    .cost = cacheray_picture_cost_of,
    .filters =
        {{"variable ",
          {"cacheray.access.variable == \"%1\"", "cacheray.access.variable == \"%1\" && cacheray.access.member == \"%2\""}},
         {CACHERAY_NOT_ANNOTATED, {"cacheray.size && !cacheray.access.typename && !cacheray.access.variable"}},
         {"",
          {"cacheray.access.typename == \"%1\"", "cacheray.access.typename == \"%1\" && cacheray.access.member == \"%2\""}}},
};
