/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of the open file. */
#ifndef WIRETRACE_CACHERAY_DISSECTOR_FILE_H
#define WIRETRACE_CACHERAY_DISSECTOR_FILE_H

#include "compat.h"

#include "cacheray/session.h"

struct cacheray_file {
    cacheray_session session;
    uint32_t first;       /* frame at which problems are shown */
    char *unknown_struct; /* the message if the program does not know the first struct; NULL: none */
};
extern struct cacheray_file cacheray_file;
/* Call when a file is opened or closed. */
void cacheray_file_forget(void);

/* The analysis of the open file; NULL before its first record. */
const cacheray_analysis *cacheray_file_analysis(void);
/* Number of cache levels simulated for it; 0: none. */
unsigned cacheray_file_levels(void);

#endif
