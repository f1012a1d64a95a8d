/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing a whole flight data recorder log from kept records. */
#ifndef WIRETRACE_XRAY_WRITING_FDR_LOG_H
#define WIRETRACE_XRAY_WRITING_FDR_LOG_H

#include "xray/writing/writing_fdr_buffer.h"

/* Writes the log with all buffers, in file order. False: the sink's error is set. */
bool fdr_log_write(fdr_writer *w, sink *out);

#endif
