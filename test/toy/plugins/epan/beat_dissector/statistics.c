/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many beats each id has, as a table and as a tree. */
#include "beat_dissector/statistics.h"

#include "showing/count_tree.h"
#include "showing/statistic.h"

#include "beat/beat.h"
#include "beat/statistics/ids.h"

static const char *const first[] = {"Beats"};

static bool count_beat(count_cells *c, const void *data)
{
    const beat_tapped *of = data;
    const hash_pair key = {0, of->id};
    count_cell *cell = count_cells_find(c, &key);
    if (!cell) {
        g_autofree char *name = g_strdup_printf("%u", of->id);
        cell = count_cells_make(c, 0, &key, count_cells_first(c, 0), shown_name_of(name), false);
    }
    count_cells_add(c, cell);
    return true;
}

static statistic ids = {
    .tap = "beat",
    .counts = &beat_ids_counted,
    .command = "beat,ids",
    .title = "Beats by Id",
    .table = "Beats by id",
    .sorted_by = {BEAT_IDS_BEATS},
};

void beat_statistics_register(int proto _U_, module_t *module _U_)
{
    statistic_register(&ids);
}

void beat_statistics_handoff(void)
{
    static const count_tree tree = {"beat", "beat", "Beats", first, array_length(first), count_beat};
    count_tree_register(&tree);
}
