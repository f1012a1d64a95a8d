/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks the errors of util/fail.h. */
#ifndef TEST_FAILED_H
#define TEST_FAILED_H

#include <glib.h>

/* There is an error, with these words unless `words` is NULL. Frees it. */
static inline void assert_failed(GError **error, const char *words)
{
    assert_non_null(*error);
    if (words)
        assert_string_equal((*error)->message, words);
    g_clear_error(error);
}

#endif
