/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "printing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void printing_flush(GString *text)
{
    if (fwrite(text->str, 1, text->len, stdout) != text->len || fflush(stdout) != 0) {
        fprintf(stderr, "Standard output cannot be written: %s\n", g_strerror(errno));
        exit(2);
    }
    g_string_truncate(text, 0);
}
