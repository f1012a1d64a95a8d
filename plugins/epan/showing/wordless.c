/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/wordless.h"

#include <string.h>

#include "host/notices.h"
#include "host/options.h"
#include "statistics/rows_words.h"
#include "showing/statistic.h"

/* The word after the command `name`, or NULL; g_free() it. */
static char *word_after(const char *argument, const char *name)
{
    const size_t n = strlen(name);
    if (strncmp(argument, name, n) != 0 || argument[n] != ',')
        return NULL;
    const char *word = argument + n + 1;
    return g_strndup(word, strcspn(word, ","));
}

static void check_one(void *protocol, const char *argument)
{
    static const char *const names[] = {"%s,tree", "%s,srt", "conv,%s", "endpoints,%s"};
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_auto(GStrv) parts = g_strsplit(names[i], "%s", 2);
        g_autofree char *name = g_strjoinv(protocol, parts), *word = word_after(argument, name);
        bool taken = false;
        if (word)
            rows_words_take(&(rows_words){0}, NULL, 0, word, &taken, NULL);
        if (!taken)
            continue;
        g_autofree char *others = statistic_commands(protocol);
        notices_refuse("%s takes a filter, but no words such as \"%s\". These take words: %s.", name, word, others);
    }
}

void wordless_check(const char *protocol)
{
    options_statistics(check_one, (void *)(uintptr_t)protocol);
}
