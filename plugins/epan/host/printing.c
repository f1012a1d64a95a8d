/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/printing.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/notices.h"
#include "host/options.h"

void printing_flush(GString *text)
{
    static bool failed;
    if (!failed && (fwrite(text->str, 1, text->len, stdout) != text->len || fflush(stdout) != 0)) {
        failed = true;
        g_autofree char *sentence = g_strdup_printf("Standard output cannot be written: %s", g_strerror(errno));
        notices_fail(sentence);
    }
    g_string_truncate(text, 0);
}

bool printing_others(void)
{
    const options_asked a = options_of_process();
    return a.known && (a.statistics > 1 || a.records || !a.quiet);
}
