/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages for the user: at the first record of a file, and on the terminal. */
#ifndef WIRETRACE_HOST_NOTICES_H
#define WIRETRACE_HOST_NOTICES_H

#include "compat.h"

#include <epan/expert.h>
#include <epan/packet.h>
#include <stdbool.h>

#include "host/record_seen.h"
#include "core/record.h"

/* Returns whether this is the first record of the open file. Must be called for every record; true each time the first one
 * is dissected. */
bool notices_due(const record_seen *seen);
/* Returns whether expert infos are counted (-z expert), which happens even without trees. */
bool notices_counted(void);
/* For the first record in a window with Wireshark's own profile: where the one for these records is, if it is installed.
 * Else NULL. */
const char *notices_profile(const record_seen *seen, const char *profile);
/* Adds which of the reader's settings (common/core/settings.h) have no effect. `c`: of the record. */
void notices_add_settings(const record_seen *seen, proto_item *item, expert_field *field, const char *protocol,
                          const record_context *c);

/* What a sentence for the user is. */
typedef enum notice_level {
    NOTICE_WARNING,
    NOTICE_REMARK,  /* about what the tables of this run count: a line below the first one. Where there is none, or only for
                       programs, it is printed as the file is closed */
    NOTICE_FAILURE, /* what makes a result wrong: a program without windows then ends with exit status 2 */
    NOTICE_COMMAND, /* about the words of a command: printed as Wireshark's own statistics do, as a line of its own */
} notice_level;
/* Prints it on the terminal, for programs and statistics that show no expert information. */
void notices_say(notice_level level, const char *words, ...) G_GNUC_PRINTF(2, 3);
/* Adds it to a record as expert information; with no `seen`, prints it. */
void notices_say_at(const record_seen *seen, proto_item *item, expert_field *field, notice_level level, const char *words,
                    ...) G_GNUC_PRINTF(5, 6);

/* The program cannot do what it was asked for: prints it as NOTICE_COMMAND, and ends with exit status 1, as Wireshark's own
 * statistics do. */
void notices_refuse(const char *words, ...) G_GNUC_NORETURN G_GNUC_PRINTF(1, 2);

/* The remarks that have not been printed, or NULL. Free with g_free(). */
char *notices_take_remarks(void);
/* The file is closed. */
void notices_end(void);

#endif
