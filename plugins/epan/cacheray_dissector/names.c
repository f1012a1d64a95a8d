/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of types and variables as people read them (cacheray.names). */
#include "cacheray_dissector/names.h"

#include "statistics/rows_names.h"
#include "util/short_name.h"

enum { NAMES_SHORT, NAMES_FULL };
static int preference_names = NAMES_SHORT;

const char *cacheray_names_label(const record_seen *seen, const char *name)
{
    if (preference_names != NAMES_SHORT || !strpbrk(name, "<("))
        return name;
    g_autofree char *shortened = short_name(name, SHORT_NAME_DATA);
    return wmem_strdup(seen->pool, shortened);
}

void cacheray_names_shorten(const statistic_run *run, rows *r, unsigned column, unsigned columns)
{
    if (preference_names == NAMES_SHORT && !statistic_in_full(run))
        rows_shorten_names(r, column, columns, SHORT_NAME_DATA, NULL);
}

void cacheray_names_register(module_t *module)
{
    static const enum_val_t values[] = {{"short", "Short", NAMES_SHORT},
                                        {"full", "In full", NAMES_FULL},
                                        {"mangled", "In full", NAMES_FULL},
                                        {NULL, NULL, 0}};
    prefs_register_enum_preference(module, "names", "Names in lists and tables",
                                   "Short ones of C++ types have no template arguments. Fields have names in full.",
                                   &preference_names, values, FALSE);
}
