/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be wrong with records of an XRay log, in addition to the faults that all formats share (fault.h). */
#ifndef WIRETRACE_XRAY_FAULTS_H
#define WIRETRACE_XRAY_FAULTS_H

#include "core/fault.h"

#define XRAY_FAULTS(X) \
    X(FAULT_XRAY_CUT_BY_BUFFER, "record cut by the end of its buffer, # bytes present") \
    X(FAULT_XRAY_NEGATIVE_SIZE, "event of negative size #") \
    X(FAULT_XRAY_UNKNOWN_KIND, "unknown metadata kind #, the rest of the buffer cannot be read") \
    X(FAULT_XRAY_BAD_ACTION, "function record with invalid action #") \
    X(FAULT_XRAY_OUTSIDE_BUFFER, "bytes outside of any buffer") \
    X(FAULT_XRAY_ORDER, "record in the wrong order") \
    X(FAULT_XRAY_END_OF_BUFFER, "end-of-buffer record in a log of version #") \
    X(FAULT_XRAY_BAD_TYPE, "basic mode record of unknown type #") \
    X(FAULT_XRAY_KIND_VERSION, "record kind does not exist in version #") \
    X(FAULT_XRAY_BLOCK_SIZE, "a block of # bytes does not fit what follows") \
    X(FAULT_XRAY_EMPTY_PATH, "a path without functions")

enum { FAULT_XRAY_BEFORE = FAULT_OWN - 1, XRAY_FAULTS(FAULT_NUMBER) FAULT_XRAY_END };
_Static_assert((int)FAULT_XRAY_END <= (int)FAULT_UNKNOWN, "each has a number");

extern const fault_list xray_faults;

#endif
