/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of the open file. */
#include "cacheray_dissector/file.h"

#include "host/notices.h"

struct cacheray_file cacheray_file;
static struct cacheray_file *const file = &cacheray_file;

void cacheray_file_forget(void)
{
    /* not certain before the end of the file */
    if (file->unknown_struct && cacheray_analysis_problems(file->session.analysis).unknown_struct)
        notices_say(NOTICE_WARNING, "%s", file->unknown_struct);
    g_free(file->unknown_struct);
    cacheray_session_end(&file->session);
    *file = (struct cacheray_file){0};
}

const cacheray_analysis *cacheray_file_analysis(void)
{
    return file->session.analysis;
}

unsigned cacheray_file_levels(void)
{
    return file->session.analysis ? cacheray_analysis_levels(file->session.analysis) : 0;
}
