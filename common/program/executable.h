/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files: opening them, their sections, the separate file of debug information. Files may be damaged, or change
 * under our hands: they are read, never mapped into memory. */
#ifndef WIRETRACE_PROGRAM_EXECUTABLE_H
#define WIRETRACE_PROGRAM_EXECUTABLE_H

#include <gelf.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "cursor.h"

/* Which bytes a path stood for when it was opened, so that another file in its place is noticed. */
typedef struct executable_identity {
    uint64_t device, inode, size;
    int64_t seconds, nanoseconds; /* of the last change */
} executable_identity;

typedef struct executable {
    char *path;
    int descriptor;
    Elf *elf;
    GElf_Ehdr header;
    executable_identity identity;
    bool wide; /* addresses of 64 bits */
    bool big_endian;
} executable;

/* Opens an executable, a shared library, or the debug information of one. NULL when the file is nothing of the kind:
 * *reason then says what is wrong, in words that outlive the call. */
executable *executable_open(const char *path, const char **reason);
void executable_close(executable *e);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(executable, executable_close)

/* The first section of this name. NULL when there is none. */
Elf_Scn *executable_section(const executable *e, const char *name, GElf_Shdr *header);
/* The first section of this type. */
Elf_Scn *executable_section_of_type(const executable *e, GElf_Word type, GElf_Shdr *header);
/* The bytes of a section as in the file, borrowed until executable_close(). Empty where it has none, or where the file
 * is too short for them. */
cursor executable_bytes(const executable *e, Elf_Scn *section);
/* Bytes that a compressed section (SHF_COMPRESSED, or .zdebug_*) says it has when it is unpacked; UINT64_MAX where it
 * does not say so. */
uint64_t executable_unpacked(Elf_Scn *section, const GElf_Shdr *header, const cursor *packed);
/* The string at an offset of a string table; NULL outside of it. */
const char *executable_string(const cursor *strings, uint64_t offset);

/* The file that holds what was stripped from this one: by build id below `root`, else by the name in .gnu_debuglink
 * beside the executable, in .debug/ beside it, or below `root`. Its build id or checksum must fit. NULL when there is
 * none. */
#define EXECUTABLE_DEBUG_ROOT "/usr/lib/debug"
executable *executable_debug_file(const executable *e, const char *root);

#endif
