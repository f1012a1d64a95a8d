/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file reader, driven by the list of formats (common/core/formats.h). */
#ifndef WIRETRACE_WIRETAP_READER_H
#define WIRETRACE_WIRETAP_READER_H

#define COMPAT_WIRETAP
#include "compat.h"

#include "core/formats.h"

/* Registers encapsulations, file types and open routines for all formats. Call once per program. */
void reader_register(void);

#endif
