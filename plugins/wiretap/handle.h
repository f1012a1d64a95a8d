/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the reader gets its bytes from: an own descriptor where that is safe, Wireshark's handle for pipes and compressed
 * files, and an unlinked temporary file for compressed input whose records must be sorted. */
#ifndef WIRETRACE_HANDLE_H
#define WIRETRACE_HANDLE_H

#define COMPAT_WIRETAP
#include "../compat.h"

#include "source.h"

/* Bytes through Wireshark's handle. `head` (copied) are the first bytes, which have been read from it already. A handle that
 * cannot seek goes forward only. Does not own the handle. */
source *handle_source_new(FILE_T fh, const uint8_t *head, size_t head_length, bool can_seek);

/* The opened file through a descriptor of its own, or NULL: only for an uncompressed regular file that is still the one
 * that Wireshark opened. */
source *handle_own_descriptor(wtap *wth);

/* All that the handle has left, after `head`, unpacked into an unlinked temporary file. NULL where that cannot be made
 * or written, with *problem in words (g_malloc'ed); damaged compressed data ends the copy, and Wireshark reports that itself at
 * the end of the file. */
source *handle_unpack(wtap *wth, const uint8_t *head, size_t head_length, char **problem);

#endif
