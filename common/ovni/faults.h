/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be wrong with records of an ovni trace, in addition to the faults that all formats share (fault.h). */
#ifndef WIRETRACE_OVNI_FAULTS_H
#define WIRETRACE_OVNI_FAULTS_H

#include "core/fault.h"

#define OVNI_FAULTS(X) \
    X(FAULT_OVNI_VERSION, "unknown stream version #") \
    X(FAULT_OVNI_NO_HEADER, "the stream does not begin with an ovni header") \
    X(FAULT_OVNI_JSON, "metadata is not valid JSON (near byte #)") \
    X(FAULT_OVNI_JSON_DEPTH, "metadata is nested deeper than # levels") \
    X(FAULT_OVNI_JSON_MEMBERS, "an object in the metadata has more than # members") \
    X(FAULT_OVNI_JSON_SIZE, "metadata of more than # bytes is shown, but not read") \
    X(FAULT_OVNI_JUMBO_SIZE, "jumbo event with # bytes of data, which contain other events") \
    X(FAULT_OVNI_PAYLOAD, "payload of # bytes is shorter than the arguments of this event") \
    X(FAULT_OVNI_UNREADABLE, "the stream cannot be read: @") \
    X(FAULT_OVNI_FOLDER, "the folder cannot be read: @") \
    X(FAULT_OVNI_LINK, "a symbolic link to a file or to nothing, which is not followed") \
    X(FAULT_OVNI_NO_FILE, "neither a file nor a folder") \
    X(FAULT_OVNI_NO_EVENTS, "the event file of this stream is missing") \
    X(FAULT_OVNI_TOO_MANY, "more than # files in the folder of the trace, not all were searched") \
    X(FAULT_OVNI_TOO_DEEP, "deeper than # levels, not searched") \
    X(FAULT_OVNI_METADATA, "the metadata of this stream cannot be read: @") \
    X(FAULT_OVNI_NO_METADATA, "there is no stream.json for this stream: loom, process and thread are taken from its path") \
    X(FAULT_OVNI_CLOCKS, "clock-offsets.txt cannot be read: @") \
    X(FAULT_OVNI_CLOCKS_SIZE, "clock-offsets.txt is larger than # bytes") \
    X(FAULT_OVNI_CLOCKS_ROW, "clock-offsets.txt: line # is not a row of offsets") \
    X(FAULT_OVNI_CLOCKS_HOST, "clock-offsets.txt: line # repeats a host") \
    X(FAULT_OVNI_CLOCKS_EMPTY, "clock-offsets.txt has no row of offsets") \
    X(FAULT_OVNI_CLOCKS_LOOM, "clock-offsets.txt: the hosts of # rows have no loom in the trace") \
    X(FAULT_OVNI_UNDECLARED, "there is no stream.json for this stream: it is shown, but is not a part of the trace")

enum { FAULT_OVNI_BEFORE = FAULT_OWN - 1, OVNI_FAULTS(FAULT_NUMBER) FAULT_OVNI_END };
_Static_assert((int)FAULT_OVNI_END <= (int)FAULT_UNKNOWN, "each has a number");

extern const fault_list ovni_faults;

#endif
