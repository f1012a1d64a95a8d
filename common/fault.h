/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be wrong with a record, in one list: a number travels with the record, the words are looked up when shown.
 * A '#' in the words stands for the number that goes with the fault, a '@' for the system's words for this number as an error. */
#ifndef WIRETRACE_FAULT_H
#define WIRETRACE_FAULT_H

#include <stddef.h>
#include <stdint.h>

#define FAULTS(X)                                                                                                      \
    X(FAULT_NONE, "")                                                                                                  \
    /* every format */                                                                                                 \
    X(FAULT_CUT_BY_FILE, "the file ends inside this record")                                                           \
    X(FAULT_SKIPPED, "no record can be recognised in these bytes")                                                     \
    /* XRay */                                                                                                         \
    X(FAULT_XRAY_CUT_BY_BUFFER, "record cut by the end of its buffer, # bytes present")                                \
    X(FAULT_XRAY_NEGATIVE_SIZE, "event of negative size #")                                                            \
    X(FAULT_XRAY_UNKNOWN_KIND, "unknown metadata kind #, the rest of the buffer cannot be read")                       \
    X(FAULT_XRAY_BAD_ACTION, "function record with invalid action #")                                                  \
    X(FAULT_XRAY_OUTSIDE_BUFFER, "bytes outside of any buffer")                                                        \
    X(FAULT_XRAY_ORDER, "record in the wrong order")                                                                   \
    X(FAULT_XRAY_END_OF_BUFFER, "end-of-buffer record in a log of version #")                                          \
    X(FAULT_XRAY_BAD_TYPE, "basic mode record of unknown type #")                                                      \
    X(FAULT_XRAY_KIND_VERSION, "record kind does not exist in version #")                                              \
    /* Cacheray */                                                                                                     \
    X(FAULT_CACHERAY_FLAGS, "atomic or unaligned flag on an annotation")                                               \
    X(FAULT_CACHERAY_SIZE, "access of # bytes")                                                                        \
    X(FAULT_CACHERAY_ADDRESS, "implausible address")                                                                   \
    X(FAULT_CACHERAY_ALIGNMENT, "unaligned address without the unaligned flag")                                        \
    X(FAULT_CACHERAY_THREAD, "implausible thread")                                                                     \
    X(FAULT_CACHERAY_REGION, "implausible size of a region")                                                           \
    X(FAULT_CACHERAY_NAME, "annotation without a type name")                                                           \
    /* ovni */                                                                                                         \
    X(FAULT_OVNI_VERSION, "unknown stream version #")                                                                  \
    X(FAULT_OVNI_NO_HEADER, "the stream does not begin with an ovni header")                                           \
    X(FAULT_OVNI_JSON, "metadata is not valid JSON (near byte #)")                                                     \
    X(FAULT_OVNI_JSON_DEPTH, "metadata is nested deeper than # levels")                                                \
    X(FAULT_OVNI_JSON_MEMBERS, "an object in the metadata has more than # members")                                    \
    X(FAULT_OVNI_JSON_SIZE, "metadata of more than # bytes is shown, but not read")                                   \
    X(FAULT_OVNI_JUMBO_SIZE, "jumbo event with # bytes of data, but other events stand within them")                    \
    X(FAULT_OVNI_PAYLOAD, "payload of # bytes is shorter than the arguments of this event")                            \
    X(FAULT_OVNI_UNREADABLE, "the stream cannot be read: @")                                                           \
    X(FAULT_OVNI_FOLDER, "the folder cannot be read: @")                                                               \
    X(FAULT_OVNI_LINK, "a symbolic link, which is not followed")                                                       \
    X(FAULT_OVNI_NO_FILE, "neither a file nor a folder")                                                               \
    X(FAULT_OVNI_NO_EVENTS, "the event file of this stream is missing")                                                \
    X(FAULT_OVNI_TOO_MANY, "more than # files in the folder of the trace, not all were looked at")                     \
    X(FAULT_OVNI_TOO_DEEP, "deeper than # levels, not looked at")                                                      \
    X(FAULT_OVNI_METADATA, "the metadata of this stream cannot be read: @")                                            \
    X(FAULT_OVNI_NO_METADATA, "there is no stream.json for this stream: loom, process and thread are those of its path") \
    X(FAULT_OVNI_CLOCKS, "clock-offsets.txt cannot be read: @")                                                        \
    X(FAULT_OVNI_CLOCKS_SIZE, "clock-offsets.txt is larger than # bytes")                                              \
    X(FAULT_OVNI_CLOCKS_ROW, "clock-offsets.txt: line # is not a row of offsets")                                      \
    X(FAULT_OVNI_CLOCKS_HOST, "clock-offsets.txt: line # repeats a host")                                              \
    X(FAULT_OVNI_CLOCKS_EMPTY, "clock-offsets.txt has no row of offsets")

typedef enum fault {
#define X(name, text) name,
    FAULTS(X)
#undef X
        FAULT_COUNT
} fault;

/* The fault in words, '#' replaced by `value` (shown as signed), '@' by the words for it. Writes at most `size` bytes with the final NUL and
 * returns `text`. An unknown fault gives "unknown fault". */
const char *fault_text(fault f, uint64_t value, char *text, size_t size);

/* The name of a fault as it stands above, and back: what leaves the program says names, as the list may change.
 * FAULT_COUNT for a name that is not in it. */
const char *fault_name(fault f);
fault fault_named(const char *name, size_t length);

#endif
