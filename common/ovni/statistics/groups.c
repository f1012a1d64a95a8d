/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics/groups.h"

#include <string.h>

#include "containers/hash.h"
#include "containers/hash_map.h"
#include "ovni/clocks.h"
#include "ovni/context.h"

/* A stream, and the group of its last event. */
typedef struct member {
    char *loom, *thread;
    int32_t number; /* rank, process or CPU */
    bool known;     /* there is such a number */
    bool grouped;   /* `group` is valid */
    uint32_t group, remembered;
} member;

struct ovni_groups {
    ovni_grouping by;
    hash_map streams;
    GArray *members;     /* of member, by the number of the stream in `streams` - 1 */
    GPtrArray *all;      /* of ovni_group, by number */
    GHashTable *numbers; /* text -> number */
};

static void clear_member(gpointer data)
{
    g_free(((member *)data)->loom);
    g_free(((member *)data)->thread);
}

static void free_group(gpointer data)
{
    g_free(((ovni_group *)data)->text);
    g_free(data);
}

/* The number of a group with the same text, which is taken. */
static uint32_t ovni_groups_number(ovni_groups *g, ovni_group group)
{
    gpointer number;
    if (g_hash_table_lookup_extended(g->numbers, group.text, NULL, &number)) {
        g_free(group.text);
        return GPOINTER_TO_UINT(number);
    }
    g_ptr_array_add(g->all, g_memdup2(&group, sizeof group));
    g_hash_table_insert(g->numbers, group.text, GUINT_TO_POINTER(g->all->len - 1));
    return g->all->len - 1;
}

ovni_groups *ovni_groups_new(ovni_grouping by)
{
    ovni_groups *g = g_new0(ovni_groups, 1);
    g->by = by;
    hash_map_init(&g->streams);
    g->members = g_array_new(FALSE, TRUE, sizeof(member));
    g_array_set_clear_func(g->members, clear_member);
    g->all = g_ptr_array_new_with_free_func(free_group);
    g->numbers = g_hash_table_new(hash_text, g_str_equal);
    ovni_groups_number(g, (ovni_group){.text = g_strdup("")});
    return g;
}

void ovni_groups_free(ovni_groups *g)
{
    if (!g)
        return;
    hash_map_clear(&g->streams);
    g_array_free(g->members, TRUE);
    g_hash_table_destroy(g->numbers);
    g_ptr_array_free(g->all, TRUE);
    g_free(g);
}

const ovni_group *ovni_groups_get(const ovni_groups *g, uint32_t group)
{
    return g_ptr_array_index(g->all, group);
}

/* --- streams ----------------------------------------------------------------------------------------------------------- */

/* NULL if it has not been announced. */
static member *member_of(const ovni_groups *g, uint32_t stream)
{
    const uint32_t at = hash_map_find(&g->streams, stream);
    return at ? &g_array_index(g->members, member, at - 1) : NULL;
}

bool ovni_groups_unannounced(const ovni_groups *g, uint32_t stream)
{
    return g->by != OVNI_BY_NOTHING && !hash_map_find(&g->streams, stream);
}

void ovni_groups_stream(ovni_groups *g, uint32_t stream, const char *loom, const char *thread)
{
    const member new = {.loom = g_strdup(loom), .thread = g_strdup(thread)};
    hash_map_add(&g->streams, stream);
    g_array_append_val(g->members, new);
}

void ovni_groups_remember(ovni_groups *g, uint32_t stream, uint32_t group)
{
    if (g->by != OVNI_BY_NOTHING)
        member_of(g, stream)->remembered = group;
}

uint32_t ovni_groups_remembered(const ovni_groups *g, uint32_t stream)
{
    const member *m = member_of(g, stream);
    return m ? m->remembered : 0;
}

char *ovni_groups_last_part_first(const char *text)
{
    const char *slash = strrchr(text, '/');
    return slash ? g_strdup_printf("%s of %.*s", slash + 1, (int)(slash - text), text) : g_strdup(text);
}

/* --- events ------------------------------------------------------------------------------------------------------------ */

/* A process or CPU. Its number is unique only in the loom. */
static char *ovni_groups_in_loom(const member *m, const char *what, const char *loom)
{
    return m->known ? g_strdup_printf("%s%s%s %d", loom ? loom : "", loom ? " " : "", what, m->number)
                    : g_strdup_printf("(no %s)", what);
}

static char *ovni_groups_text_of(const member *m, ovni_grouping by)
{
    switch (by) {
    case OVNI_BY_RANK:
        return ovni_groups_in_loom(m, "rank", NULL);
    case OVNI_BY_PROCESS:
        return ovni_groups_in_loom(m, "process", m->loom);
    case OVNI_BY_CPU:
        return ovni_groups_in_loom(m, "CPU", m->loom);
    case OVNI_BY_LOAD:
        return m->known ? ovni_groups_in_loom(m, "rank", NULL)
                        : g_strdup_printf("%s process %d", m->loom ? m->loom : "?", m->number);
    case OVNI_BY_LOOM:
        return g_strdup(m->loom ? m->loom : "(no loom)");
    case OVNI_BY_NODE: /* of which each process of nOS-V may have a loom of its own: node01.nosv-u0-p1470 */
        return m->loom ? ovni_clocks_host(m->loom) : g_strdup("(no node)");
    default:
        return g_strdup(m->thread);
    }
}

/* The number of an event that decides its group within the stream. False: it is not known. */
static bool ovni_groups_number_of(ovni_grouping by, const record_context *c, const ovni_known *known, int32_t *number)
{
    const ovni_context *own = ovni_context_of(c);
    const bool ranked = (own->known & OVNI_KNOWN_RANK) != 0;
    switch (by) {
    case OVNI_BY_RANK:
        *number = own->rank;
        return ranked;
    case OVNI_BY_PROCESS:
        *number = own->process;
        return (own->known & OVNI_KNOWN_PROCESS) != 0;
    case OVNI_BY_CPU:
        *number = known->thread.cpu;
        return known->thread.cpu_known;
    case OVNI_BY_LOAD:
        *number = ranked ? own->rank : own->process;
        return ranked;
    default:
        return false;
    }
}

void ovni_groups_announce(ovni_groups *g, const ovni_tapped *r, const ovni_known *known)
{
    const uint32_t stream = r->context->stream;
    if ((known->has_region || known->has_left || known->has_task) && ovni_groups_unannounced(g, stream))
        ovni_groups_stream(g, stream, ovni_session_loom(r), ovni_session_stream(r));
}

uint32_t ovni_groups_of(ovni_groups *g, const record_context *c, const ovni_known *known)
{
    int32_t number = 0;
    if (g->by == OVNI_BY_NOTHING)
        return 0;
    member *m = member_of(g, c->stream);
    const bool is_known = ovni_groups_number_of(g->by, c, known, &number);
    if (!m->grouped || m->known != is_known || m->number != number) {
        m->known = is_known;
        m->number = number;
        m->group = ovni_groups_number(g, (ovni_group){ovni_groups_text_of(m, g->by),
                                                      is_known && (g->by == OVNI_BY_RANK || g->by == OVNI_BY_LOAD), number});
        m->grouped = true;
    }
    return m->group;
}
