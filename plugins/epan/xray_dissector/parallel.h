/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How threads count records, each of them streams of its own. */
#ifndef WIRETRACE_XRAY_DISSECTOR_PARALLEL_H
#define WIRETRACE_XRAY_DISSECTOR_PARALLEL_H

#include "host/parallel.h"

extern const parallel_format xray_parallel;

#endif
