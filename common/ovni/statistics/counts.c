/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics/counts.h"

#include "ovni/events/events.h"

const char *const ovni_counts_first[OVNI_COUNTS_FIRST] = {"Models and codes", "Streams"};

enum { MODELS, STREAMS }; /* the first cells */
enum { OF_MODELS, OF_CODES, OF_STREAMS };

static count_cell *cell_of_model(count_cells *c, char model)
{
    const hash_pair key = {OF_MODELS, ovni_model_number(model)};
    count_cell *cell = count_cells_find(c, &key);
    return cell ? cell
                : count_cells_make(c, OF_MODELS, &key, count_cells_first(c, MODELS), shown_name_of(ovni_model_words(model)),
                                   true);
}

static count_cell *make_code(count_cells *c, const hash_pair *key, const char mcv[3])
{
    char code[] = "...";
    for (int i = 0; i < 3; i++)
        if (g_ascii_isgraph(mcv[i]))
            code[i] = mcv[i];
    return count_cells_make(c, OF_CODES, key, cell_of_model(c, mcv[0]), shown_name_of(code), false);
}

bool ovni_counts_add(count_cells *c, const char mcv[3], uint32_t stream)
{
    const uint64_t first = (uint8_t)mcv[0], second = (uint8_t)mcv[1], third = (uint8_t)mcv[2];
    const hash_pair code = {OF_CODES, first << 16 | second << 8 | third}, of_stream = {OF_STREAMS, stream};
    count_cell *cell = count_cells_find(c, &code), *stream_cell = count_cells_find(c, &of_stream);
    count_cells_add(c, cell ? cell : make_code(c, &code, mcv));
    if (stream_cell)
        count_cells_add(c, stream_cell);
    return stream_cell != NULL;
}

void ovni_counts_add_stream(count_cells *c, uint32_t stream, const char *name)
{
    const hash_pair key = {OF_STREAMS, stream};
    count_cells_add(c, count_cells_make(c, OF_STREAMS, &key, count_cells_first(c, STREAMS), shown_name_of(name), false));
}
