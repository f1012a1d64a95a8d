/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/record_list.h"

#include "host/menus.h"

typedef struct record_list {
    statistic *statistic;
    unsigned column;
} record_list;

static char *filter_of(const rows *r, unsigned column)
{
    GString *filter = g_string_new("frame.number in");
    const size_t begins = filter->len;
    for (unsigned row = 0; row < rows_length(r); row++) {
        const rows_cell *c = &rows_at(r, row)[column];
        if (c->state == ROWS_IS_NUMBER)
            g_string_append_printf(filter, "%s%u", filter->len > begins ? ", " : " {", (unsigned)c->number);
    }
    if (filter->len > begins)
        g_string_append_c(filter, '}');
    else
        g_string_assign(filter, "frame.number == 0"); /* there is none */
    return g_string_free(filter, FALSE);
}

static void record_list_show(void *data)
{
    const record_list *list = data;
    statistic_run *run = menus_windows() ? statistic_listen(list->statistic, "", NULL) : NULL;
    if (!run)
        return;
    statistic_count(run);
    rows *r = statistic_run_rows(run);
    g_autofree char *filter = filter_of(r, list->column);
    rows_free(r);
    statistic_stop(run);
    menus_filter(filter);
}

void record_list_add(statistic *s, const char *title, unsigned column)
{
    record_list *list = wmem_new(wmem_epan_scope(), record_list);
    *list = (record_list){s, column};
    menus_add(s->tap, title, record_list_show, list);
}
