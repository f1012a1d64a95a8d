/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file_types.h"

static struct {
    int number, encapsulation;
} given[FORMAT_COUNT];

void file_types_set(format_id id, int number, int encapsulation)
{
    given[id].number = number;
    given[id].encapsulation = encapsulation;
}

int file_types_number(format_id id)
{
    return given[id].number;
}

int file_types_encapsulation(format_id id)
{
    return given[id].encapsulation;
}
