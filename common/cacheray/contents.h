/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a Cacheray record itself contains, before any analysis. */
#ifndef WIRETRACE_CACHERAY_CONTENTS_H
#define WIRETRACE_CACHERAY_CONTENTS_H

#include "cacheray/analysis.h"
#include "cacheray/layouts.h"

/* The fields of a record as numbers. Fields that its kind does not have, or that are cut off, are 0. */
typedef struct cacheray_contents {
    const record_context *context;
    const layout *layout; /* NULL: the bytes are not a record */
    cursor bytes;
    uint64_t value[CACHERAY_FIELDS];
} cacheray_contents;

void cacheray_contents_read(const record_context *c, cursor bytes, cacheray_contents *r);
/* Returns whether all of its fields are there. */
bool cacheray_contents_whole(const cacheray_contents *r);
/* How many bytes of the type name the frame has. */
int cacheray_contents_name(const cacheray_contents *r);
void cacheray_contents_view(const cacheray_contents *r, cacheray_tapped *v);

#endif
