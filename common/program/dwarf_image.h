/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The debug information of a file, read into memory as a whole, followed by zeros: in damaged sections libdw may read a
 * few bytes beyond the end, and then finds other bytes of the file or the zeros. Compressed sections are decompressed by
 * libelf, without such a margin. Opens no other file. Knows nothing of types. */
#ifndef WIRETRACE_PROGRAM_DWARF_IMAGE_H
#define WIRETRACE_PROGRAM_DWARF_IMAGE_H

#include <elfutils/libdw.h>
#include <glib.h>

#include "program/executable.h"

typedef struct dwarf_image {
    char *bytes;
    Elf *elf;
    Dwarf *dwarf;
    GPtrArray *sections; /* of Elf_Data, borrowed: the sections that contain names */
} dwarf_image;

#define DWARF_IMAGE_DAMAGED "its debug information is damaged"

/* Opens the image of a file. Also if that fails, dwarf_image_close() must be called. */
bool dwarf_image_open(dwarf_image *image, const executable *e, GError **error);
void dwarf_image_close(dwarf_image *image);

/* The name of an entry; NULL if it has none or it is longer than `most` bytes. Needed because libdw does not check that
 * strings end. */
const char *dwarf_image_name(const dwarf_image *image, Dwarf_Die *entry, size_t most);

#endif
