/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers that Wireshark has given to the formats: of their file types, and of the encapsulations of their records. */
#ifndef WIRETRACE_WIRETAP_FILE_TYPES_H
#define WIRETRACE_WIRETAP_FILE_TYPES_H

#include "core/formats.h"

void file_types_set(format_id id, int number, int encapsulation);
int file_types_number(format_id id);
int file_types_encapsulation(format_id id);

#endif
