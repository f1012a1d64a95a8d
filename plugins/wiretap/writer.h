/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The native writer. The interface is Wireshark's, see wtap_register_file_type_subtype(); for formats that can be written.
 */
#ifndef WIRETRACE_WIRETAP_WRITER_H
#define WIRETRACE_WIRETAP_WRITER_H

#define COMPAT_WIRETAP
#include "compat.h"

#include "core/formats.h"

int writer_can_write(format_id id, int encap);
compat_dump_open writer_open(wtap_dumper *wdh, int *err, char **err_info);

#endif
