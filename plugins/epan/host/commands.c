/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/commands.h"

#include <string.h>

#include "host/notices.h"
#include "host/options.h"

static GPtrArray *commands; /* of char* */

void commands_register(const stat_tap_ui *ui, void *data)
{
    if (!commands)
        commands = g_ptr_array_new();
    g_ptr_array_add(commands, g_strdup(ui->cli_string));
    register_stat_tap_ui((stat_tap_ui *)(uintptr_t)ui, data);
}

/* How many characters must be inserted, removed or replaced to make one word of the other. */
static unsigned edits(const char *a, size_t a_length, const char *b, size_t b_length)
{
    g_autofree unsigned *row = g_new(unsigned, b_length + 1);
    for (unsigned j = 0; j <= b_length; j++)
        row[j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned before = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const unsigned replaced = before + (a[i - 1] != b[j - 1]);
            before = row[j];
            row[j] = MIN(replaced, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_length];
}

/* The length of as many words of an argument as a command has. */
static size_t words_like(const char *argument, const char *command)
{
    size_t length = strcspn(argument, ",");
    for (const char *comma = strchr(command, ','); comma && argument[length]; comma = strchr(comma + 1, ','))
        length += 1 + strcspn(argument + length + 1, ",");
    return length;
}

static void check_command(void *protocol, const char *argument)
{
    const char *nearest = NULL;
    unsigned least = 4; /* more edits make another word */
    const size_t n = strlen(protocol);
    if (strncmp(argument, protocol, n) != 0 || argument[n] != ',')
        return;
    if (g_str_has_prefix(argument + n, ",tree") || g_str_has_prefix(argument + n, ",srt")) /* Wireshark's */
        return;
    for (unsigned i = 0; i < commands->len; i++) {
        const char *command = commands->pdata[i];
        const unsigned distance = edits(argument, words_like(argument, command), command, strlen(command));
        if (g_str_has_prefix(argument, command) && strchr(",", argument[strlen(command)])) /* "," or the end */
            return;
        nearest = distance < least ? command : nearest;
        least = MIN(least, distance);
    }
    const int length = (int)words_like(argument, ",");
    if (nearest)
        notices_refuse("There is no statistic %.*s. Did you mean %s?", length, argument, nearest);
    notices_refuse("There is no statistic %.*s. tshark -z help lists all.", length, argument);
}

void commands_check(const char *protocol)
{
    options_statistics(check_command, (void *)(uintptr_t)protocol);
}
