/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/printing.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "host/notices.h"
#include "host/options.h"
#include "util/fail.h"

void printing_flush(GString *text)
{
    static bool failed;
    if (!failed && (fwrite(text->str, 1, text->len, stdout) != text->len || fflush(stdout) != 0)) {
        failed = true;
        notices_say(NOTICE_FAILURE, "Standard output cannot be written: %s", g_strerror(errno));
    }
    g_string_truncate(text, 0);
}

static bool printing_on_terminal(void)
{
    return isatty(STDOUT_FILENO);
}

unsigned printing_width(void)
{
    enum { LEAST = 20, USUAL = 100, MOST = 10000 };
    const char *asked = getenv("COLUMNS");
    guint64 width = 0;
    struct winsize size = {0};
    if (asked && g_ascii_string_to_unsigned(asked, 10, LEAST, MOST, &width, NULL))
        return (unsigned)width;
    if (!printing_on_terminal())
        return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= LEAST ? size.ws_col : USUAL;
}

rows_page printing_page(bool streamed, bool folds)
{
    const unsigned width = printing_width();
    return (rows_page){
        .width = width, .rows = streamed || printing_on_terminal() ? ROWS_ON_PAGE : 0, .folded = folds ? width : 0};
}

bool printing_alone(GError **error)
{
    const options_asked a = options_of_process();
    return !a.known || (a.statistics <= 1 && !a.records && a.quiet) ||
           fail_with(error, "standard output can take one file only: use one -z, with -q, and without -P, -V, -x, -O, -T, "
                            "--hexdump and -w -");
}
