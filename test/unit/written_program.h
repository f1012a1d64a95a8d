/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests that write one program after another to the same path. */
#ifndef TEST_WRITTEN_PROGRAM_H
#define TEST_WRITTEN_PROGRAM_H

#include "elf_image.h"

static char *folder, *program; /* paths: of a folder for these tests, and of the file in it */

static int program_setup(void **state)
{
    (void)state;
    folder = scratch_folder();
    program = g_build_filename(folder, "program", NULL);
    return 0;
}

static int program_teardown(void **state)
{
    (void)state;
    g_free(program);
    scratch_remove(folder);
    return 0;
}

#endif
