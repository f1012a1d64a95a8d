/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file reader and the native writer, driven by the list of formats (common/core/formats.h). */
#ifndef WIRETRACE_WIRETAP_READER_H
#define WIRETRACE_WIRETAP_READER_H

#define COMPAT_WIRETAP
#include "compat.h"

#include "core/formats.h"

/* Registers encapsulations, file types and open routines for all formats. Call once per program. */
void reader_register(void);

/* The file type number that Wireshark assigned to a format, and the encapsulation of its records. */
int reader_file_type(format_id id);
int reader_encapsulation(format_id id);

/* For formats that can be written; the interface is Wireshark's, see wtap_register_file_type_subtype(). */
int writer_can_write(format_id id, int encap);
compat_dump_open writer_open(wtap_dumper *wdh, int *err, char **err_info);

#endif
