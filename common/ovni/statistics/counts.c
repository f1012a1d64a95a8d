/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics/counts.h"

#include <string.h>

#include "ovni/events/events.h"

const char *const ovni_counts_first[OVNI_COUNTS_FIRST] = {"Models and codes", "Streams"};

/* The first cells are 1 and 2; each kind of cells has a limit of its own. */
enum { MODELS = 1, STREAMS };
enum { OF_FIRST, OF_CODES, OF_STREAMS };

count_cells *ovni_counts_new(void)
{
    count_cells *c = count_cells_new();
    for (unsigned i = 0; i < OVNI_COUNTS_FIRST; i++)
        count_cells_make(c, OF_FIRST, COUNT_CELLS_TOP, i, ovni_counts_first[i], true);
    return c;
}

bool ovni_counts_add(count_cells *c, const char mcv[3], uint32_t stream)
{
    const uint64_t first = (uint8_t)mcv[0], second = (uint8_t)mcv[1], third = (uint8_t)mcv[2];
    const count_cells_key alike = {{first << 16 | second << 8 | third, stream}};
    if (count_cells_again(c, &alike))
        return true;
    char code[8] = "..."; /* as long as a key */
    for (int i = 0; i < 3; i++)
        if (g_ascii_isgraph(mcv[i]))
            code[i] = mcv[i];
    uint64_t key;
    memcpy(&key, code, sizeof key);
    const unsigned number = ovni_model_number(mcv[0]);
    uint32_t model = count_cells_known(c, MODELS, number);
    if (!model)
        model = count_cells_make(c, OF_FIRST, MODELS, number, ovni_model_words(mcv[0]), true);
    uint32_t cell = count_cells_known(c, model, key);
    if (!cell)
        cell = count_cells_make(c, OF_CODES, model, key, code, false);
    count_cells_add(c, cell);
    const uint32_t of_stream = count_cells_known(c, STREAMS, stream);
    if (of_stream)
        count_cells_add(c, of_stream);
    return of_stream != 0;
}

void ovni_counts_add_stream(count_cells *c, uint32_t stream, const char *name)
{
    count_cells_add(c, count_cells_make(c, OF_STREAMS, STREAMS, stream, name, false));
}
