/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/decode_as.h"

#include <epan/decode_as.h>
#include <epan/proto_data.h>

#include "host/menus.h"
#include "host/callbacks.h"

enum { NOTED = 1000 /* different from the keys in relations.c */ };

static const protocol *registered[CALLBACKS_COUNT];
static unsigned registered_count;

static void *noted(packet_info *pinfo, unsigned n)
{
    return p_get_proto_data(pinfo->pool, pinfo, *registered[n]->tree.proto, NOTED);
}

#define FUNCTIONS(n) \
    static void *value_##n(packet_info *pinfo) \
    { \
        return noted(pinfo, n); \
    } \
    static void label_##n(packet_info *pinfo _U_, char *text) \
    { \
        g_strlcpy(text, registered[n]->decode_as->label, MAX_DECODE_AS_PROMPT_LEN); \
    }
CALLBACKS(FUNCTIONS)

void decode_as_register(const protocol *p)
{
#define VALUE(n) {value_##n},
#define LABEL(n) {label_##n, 1, values[n]},
    static build_valid_func values[][1] = {CALLBACKS(VALUE)};
    static decode_as_value_t all[] = {CALLBACKS(LABEL)};
    static decode_as_t tables[CALLBACKS_COUNT];
    if (!p->decode_as)
        return;
    unsigned n = callbacks_take(&registered_count, CALLBACKS_COUNT, p->decode_as->table);
    registered[n] = p;
    tables[n] = (decode_as_t){.name = p->filter,
                              .table_name = p->decode_as->table,
                              .num_items = 1,
                              .values = &all[n],
                              .populate_list = decode_as_default_populate_list,
                              .reset_value = decode_as_default_reset,
                              .change_value = decode_as_default_change};
    register_decode_as(&tables[n]);
}

/* Adds dissectors in addition to those that add themselves. */
void decode_as_hand_off(const protocol *p)
{
    static const char *const usual[] = {"json", "xml", "data-text-lines", "data"};
    for (size_t i = 0; p->decode_as && i < G_N_ELEMENTS(usual); i++) {
        dissector_handle_t handle = find_dissector(usual[i]);
        if (handle)
            dissector_add_for_decode_as(p->decode_as->table, handle);
    }
}

void decode_as_note(const protocol *p, const dissection *d)
{
    if (p->decode_as && menus_windows())
        p_add_proto_data(d->seen->pool, d->seen->packet, *p->tree.proto, NOTED, p->decode_as->value(d));
}
