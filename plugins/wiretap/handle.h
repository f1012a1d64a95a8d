/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the reader gets its bytes from: its own descriptor if that is safe, Wireshark's handle for pipes and compressed
 * files, and an unlinked temporary file for compressed input whose records must be sorted. */
#ifndef WIRETRACE_WIRETAP_HANDLE_H
#define WIRETRACE_WIRETAP_HANDLE_H

#define COMPAT_WIRETAP
#include "compat.h"

#include "core/source.h"

/* Reads through Wireshark's handle. `head` (copied) are the first bytes, which have already been read from it. A handle
 * that cannot seek only goes forward. Does not take ownership of the handle. */
source *handle_source_new(FILE_T fh, const uint8_t *head, size_t head_length, bool can_seek);

/* Opens the file again with a descriptor of its own. NULL unless it is an uncompressed regular file, and still the one
 * that Wireshark opened. */
source *handle_own_descriptor(wtap *wth);

/* Decompresses `head` and the rest of the file into an unlinked temporary file. NULL if that fails. *path: under which it
 * can be opened as long as the source is open. Damaged compressed data ends the copy; Wireshark itself reports that at the
 * end of the file. */
source *handle_unpack(wtap *wth, const uint8_t *head, size_t head_length, char **path, GError **error);

#endif
