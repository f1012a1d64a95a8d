/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files: opening them, their sections, and separate debug information. Files may be damaged, or change while they are
 * open: they are read, never mapped. */
#ifndef WIRETRACE_PROGRAM_EXECUTABLE_H
#define WIRETRACE_PROGRAM_EXECUTABLE_H

#include <gelf.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/cursor.h"

/* Identifies the file that was opened, to notice if another one takes its place. */
typedef struct executable_identity {
    uint64_t device, inode, size;
    int64_t seconds, nanoseconds; /* of the last modification */
} executable_identity;

typedef struct executable {
    char *path;
    int descriptor;
    Elf *elf;
    GElf_Ehdr header;
    executable_identity identity;
    bool wide; /* 64-bit addresses */
    bool big_endian;
} executable;

/* Opens an executable, a shared library, or a file with debug information. NULL if it is something else. */
executable *executable_open(const char *path, GError **error);
/* After something was not found in it: replaces *error if the file cannot be read, which libelf does not report. Reads all
 * of it. */
void executable_reread(const executable *e, GError **error);
void executable_close(executable *e);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(executable, executable_close)

/* The first section with this name, and its header; NULL if there is none. */
Elf_Scn *executable_section(const executable *e, const char *name, GElf_Shdr *header);
/* The first section of this type, and its header; NULL if there is none. */
Elf_Scn *executable_section_of_type(const executable *e, GElf_Word type, GElf_Shdr *header);
/* The bytes of a section as in the file, valid until executable_close(). Empty if it has none or the file is too short. */
cursor executable_bytes(const executable *e, Elf_Scn *section);
/* The uncompressed size of a compressed section (SHF_COMPRESSED, or .zdebug_*) in bytes, as it declares; UINT64_MAX if it
 * does not. */
uint64_t executable_unpacked(Elf_Scn *section, const GElf_Shdr *header, const cursor *packed);
/* The string at an offset of a string table; NULL if it is outside. */
const char *executable_string(const cursor *strings, uint64_t offset);

/* The build id in lower-case hexadecimal, free with g_free(); NULL if there is none. */
#define EXECUTABLE_BUILD_ID_MAX 64u /* bytes */
char *executable_build_id(const executable *e);
/* Extends a range of addresses, as linked, to all segments that are loaded. Further segments are ignored: programs have a
 * dozen. */
#define EXECUTABLE_SEGMENTS_MAX 256u
void executable_span(const executable *e, uint64_t *begin, uint64_t *end);

/* The file with the separate debug information of an executable: by build id below `root`, or by the name in
 * .gnu_debuglink beside the executable, in .debug/ beside it, or below `root`. Its build id or checksum must match. NULL
 * if there is none. */
#define EXECUTABLE_DEBUG_ROOT "/usr/lib/debug"
executable *executable_debug_file(const executable *e, const char *root);

#endif
