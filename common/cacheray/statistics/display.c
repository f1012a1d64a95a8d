/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/display.h"

#include <string.h>

char *cacheray_data_name(const cacheray_tapped *v)
{
    if (v->variable)
        return g_strdup_printf("variable %s", v->variable);
    return g_strdup(v->type ? v->type : CACHERAY_NOT_ANNOTATED);
}
