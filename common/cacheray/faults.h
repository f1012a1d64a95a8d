/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be wrong with records of a Cacheray trace, in addition to the faults that all formats share (fault.h). */
#ifndef WIRETRACE_CACHERAY_FAULTS_H
#define WIRETRACE_CACHERAY_FAULTS_H

#include "core/fault.h"

#define CACHERAY_FAULTS(X) \
    X(FAULT_CACHERAY_FLAGS, "atomic or unaligned flag on an annotation") \
    X(FAULT_CACHERAY_SIZE, "access of # bytes") \
    X(FAULT_CACHERAY_ADDRESS, "implausible address") \
    X(FAULT_CACHERAY_ALIGNMENT, "unaligned address without the unaligned flag") \
    X(FAULT_CACHERAY_THREAD, "implausible thread") \
    X(FAULT_CACHERAY_REGION, "implausible size of a region") \
    X(FAULT_CACHERAY_NAME, "annotation without a type name")

enum { FAULT_CACHERAY_BEFORE = FAULT_OWN - 1, CACHERAY_FAULTS(FAULT_NUMBER) FAULT_CACHERAY_END };
_Static_assert((int)FAULT_CACHERAY_END <= (int)FAULT_UNKNOWN, "each has a number");

extern const fault_list cacheray_faults;

#endif
