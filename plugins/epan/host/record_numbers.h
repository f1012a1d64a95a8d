/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of records. An analysis numbers them as in the whole trace, here called places; what is shown are numbers of
 * frames. If all of the trace is open, they are the same. */
#ifndef WIRETRACE_HOST_RECORD_NUMBERS_H
#define WIRETRACE_HOST_RECORD_NUMBERS_H

#include "compat.h"

#include <epan/packet.h>

#include "host/open_file.h"

/* Learns the place of a frame of which hidden records are before: from the first one on, places are not the numbers of
 * frames. */
void record_numbers_note(uint32_t frame, uint32_t place);

/* The place of a frame. */
uint32_t record_number_at(uint32_t frame);
static inline uint32_t record_number(const packet_info *pinfo)
{
    return G_UNLIKELY(open_file.numbers.renumbers) ? record_number_at(pinfo->num) : pinfo->num;
}
/* The frame at a place; 0: it is hidden, or the place is 0. */
uint32_t record_frame(uint32_t place);

#endif
