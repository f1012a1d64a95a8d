/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "beat/statistics/ids.h"

#include "containers/hash_map.h"

static const rows_column columns[BEAT_IDS_COLUMNS] = {
    [BEAT_IDS_ID] = {"Id", ROWS_ORDINAL, ROWS_EACH}, [BEAT_IDS_BEATS] = {"Beats", ROWS_COUNT, ROWS_ADDS}};

typedef struct ids {
    hash_map known; /* id + 1 -> number of its row, from 1 */
    GArray *rows;   /* of one_id */
} ids;
typedef struct one_id {
    uint32_t id, beats;
} one_id;

static void *ids_begin(const statistic_words *words, const void *how)
{
    (void)words;
    (void)how;
    ids *all = g_new0(ids, 1);
    hash_map_init(&all->known);
    all->rows = g_array_new(FALSE, TRUE, sizeof(one_id));
    return all;
}

static bool ids_count(void *data, const counted_record *r)
{
    ids *all = data;
    const beat_tapped *beat = r->tapped;
    const uint32_t row = hash_map_add(&all->known, (uint64_t)beat->id + 1);
    g_array_set_size(all->rows, MAX(all->rows->len, row));
    one_id *one = &g_array_index(all->rows, one_id, row - 1);
    *one = (one_id){beat->id, one->beats + 1};
    return true;
}

static void ids_fill(void *data, const void *how, rows *to)
{
    (void)how;
    const ids *all = data;
    for (guint i = 0; i < all->rows->len; i++) {
        const one_id *one = &g_array_index(all->rows, one_id, i);
        rows_cell *cells = rows_add(to);
        cells[BEAT_IDS_ID] = rows_number(one->id);
        cells[BEAT_IDS_BEATS] = rows_number(one->beats);
    }
}

static void ids_free(void *data)
{
    ids *all = data;
    hash_map_clear(&all->known);
    g_array_free(all->rows, TRUE);
    g_free(all);
}

const counted beat_ids_counted = {.columns = columns,
                                  .column_count = BEAT_IDS_COLUMNS,
                                  .begin = ids_begin,
                                  .count = ids_count,
                                  .fill = ids_fill,
                                  .free = ids_free};
