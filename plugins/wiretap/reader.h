/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file reader and the native writer, driven by the list of formats in common/formats. */
#ifndef WIRETRACE_READER_H
#define WIRETRACE_READER_H

#define COMPAT_WIRETAP
#include "../compat.h"

#include "formats.h"

/* Registers encapsulations, file types and recognition of all formats with Wireshark. Once per program. */
void reader_register(void);

/* The file type number that Wireshark gave to a format, and the encapsulation of its records. */
int reader_file_type(format_id id);
int reader_encapsulation(format_id id);

/* For the writable formats. */
int writer_can_write(format_id id, int encap);
compat_dump_open writer_open(wtap_dumper *wdh, int *err, char **err_info);

#endif
