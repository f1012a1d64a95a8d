/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/record_seen.h"

#include "host/record_numbers.h"

record_seen record_seen_of(packet_info *pinfo)
{
    const wtap_rec *rec = pinfo->rec;
    const bool has_interface = rec && rec->presence_flags & WTAP_HAS_INTERFACE_ID;
    return (record_seen){.frame = pinfo->num,
                         .number = record_number(pinfo),
                         .relative = pinfo->rel_ts,
                         .absolute = pinfo->abs_ts,
                         .interface = has_interface ? rec->rec_header.packet_header.interface_id : RECORD_SEEN_NO_INTERFACE,
                         .again = PINFO_FD_VISITED(pinfo),
                         .pool = pinfo->pool,
                         .packet = pinfo};
}
