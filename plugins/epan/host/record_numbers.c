/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/record_numbers.h"

#include "containers/binary_search.h"

static struct open_numbers *const numbers = &open_file.numbers;

static const open_run *run_at(guint i)
{
    return &g_array_index(numbers->runs, open_run, i);
}

void record_numbers_note(uint32_t frame, uint32_t place)
{
    if (!numbers->runs)
        numbers->runs = g_array_new(FALSE, FALSE, sizeof(open_run));
    numbers->renumbers = true;
    guint n = numbers->runs->len;
    bool follows = n && frame > numbers->last && place - run_at(n - 1)->place == frame - run_at(n - 1)->frame;
    if (n && frame <= numbers->last && run_at(n - 1)->frame == frame) /* a read filter has dropped the last one */
        g_array_set_size(numbers->runs, n - 1);
    if (!follows) {
        const open_run r = {frame, place};
        g_array_append_val(numbers->runs, r);
    }
    numbers->last = frame;
}

uint32_t record_number_at(uint32_t frame)
{
    guint n = numbers->runs ? (guint)BINARY_SEARCH(numbers->runs->len, i, run_at((guint)i)->frame <= frame) : 0;
    return n ? run_at(n - 1)->place + (frame - run_at(n - 1)->frame) : frame;
}

uint32_t record_frame(uint32_t place)
{
    if (!numbers->renumbers)
        return place;
    guint n = (guint)BINARY_SEARCH(numbers->runs->len, i, run_at((guint)i)->place <= place);
    if (n == 0)
        return 0;
    uint32_t frame = run_at(n - 1)->frame + (place - run_at(n - 1)->place);
    return frame < (n < numbers->runs->len ? run_at(n)->frame : numbers->last + 1) ? frame : 0;
}
