/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of types and variables as people read them (cacheray.names). */
#ifndef WIRETRACE_CACHERAY_DISSECTOR_NAMES_H
#define WIRETRACE_CACHERAY_DISSECTOR_NAMES_H

#include "host/record_seen.h"
#include "showing/statistic_run.h"

#include <epan/prefs.h>

#include "cacheray/session.h"

void cacheray_names_register(module_t *module);
/* A name, which is short or the same one. */
const char *cacheray_names_label(const record_seen *seen, const char *name);
/* A column of names, unless the words of a statistic ask for names in full. */
void cacheray_names_shorten(const statistic_run *run, rows *r, unsigned column, unsigned columns);
/* The first member that is accessed, so that costs add up; NULL: none. */
static inline const char *cacheray_names_member(const cacheray_tapped *v)
{
    return v->covered.count ? v->covered.all[0].name->text : NULL;
}

#endif
