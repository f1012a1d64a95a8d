/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be wrong with records of a beat log, in addition to the faults that all formats share (fault.h). */
#ifndef WIRETRACE_BEAT_FAULTS_H
#define WIRETRACE_BEAT_FAULTS_H

#include "core/fault.h"

#define BEAT_FAULTS(X) X(FAULT_BEAT_CLOCK, "the clock goes back by # ns")

enum { FAULT_BEAT_BEFORE = FAULT_OWN - 1, BEAT_FAULTS(FAULT_NUMBER) FAULT_BEAT_END };

#endif
