/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The debug information of a file, in memory: read as a whole, with zeros behind it. Where sections are damaged libdw looks a
 * few bytes beyond their end, and finds other bytes of the file there, or the zeros. Compressed sections are unpacked by
 * libelf, without such a margin. No other file is opened. Knows nothing of types. */
#ifndef WIRETRACE_PROGRAM_DWARF_IMAGE_H
#define WIRETRACE_PROGRAM_DWARF_IMAGE_H

#include <elfutils/libdw.h>
#include <glib.h>

#include "program/executable.h"

typedef struct dwarf_image {
    char *bytes;
    Elf *elf;
    Dwarf *dwarf;
    GPtrArray *sections; /* of Elf_Data, borrowed: what names may stand in */
} dwarf_image;

#define DWARF_IMAGE_DAMAGED "its debug information is damaged"

/* What is wrong with it, or NULL. Either way dwarf_image_close() is due. */
const char *dwarf_image_open(dwarf_image *image, const executable *e);
void dwarf_image_close(dwarf_image *image);

/* The name of an entry, NULL where it has none, or one of more than `most` bytes. libdw does not check that strings end. */
const char *dwarf_image_name(const dwarf_image *image, Dwarf_Die *entry, size_t most);

#endif
