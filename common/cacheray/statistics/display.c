/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/display.h"

#include <string.h>

char *cacheray_data_name(const cacheray_tapped *v)
{
    if (v->variable)
        return g_strdup_printf("variable %s", v->variable);
    return g_strdup(v->type ? v->type : CACHERAY_NOT_ANNOTATED);
}

char *cacheray_member_of_all(const char *member)
{
    GString *folded = g_string_new(NULL);
    for (const char *c = member; *c; c++) {
        g_string_append_c(folded, *c);
        if (*c == '[')
            c += strspn(c + 1, "0123456789");
    }
    return g_string_free(folded, FALSE);
}
