/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/record_list.h"

#include <epan/tap.h>

#include "host/menus.h"

typedef struct record_list {
    statistic *statistic;
    unsigned column;
} record_list;

static tap_packet_status record_list_count(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped,
                                           tap_flags_t flags _U_)
{
    statistic_run_packet(data, pinfo, tapped);
    return TAP_PACKET_DONT_REDRAW;
}

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
    const funnel_ops_t *ops = menus_windows();
    if (!ops)
        return;
    statistic_run *run = statistic_run_new(list->statistic);
    statistic_run_take(run, "", NULL);
    statistic_run_begin(run);
    GString *wrong = register_tap_listener(run->of->tap, run, NULL, TL_REQUIRES_NOTHING, NULL, record_list_count, NULL,
                                           NULL);
    if (!wrong) {
        ops->retap_packets(ops->ops_id);
        remove_tap_listener(run);
        rows *r = statistic_run_rows(run);
        g_autofree char *filter = filter_of(r, list->column);
        rows_free(r);
        menus_filter(filter);
    }
    statistic_run_free(run);
}

void record_list_add(statistic *s, const char *title, unsigned column)
{
    record_list *list = wmem_new(wmem_epan_scope(), record_list);
    *list = (record_list){s, column};
    menus_add(s->tap, title, record_list_show, list);
}
