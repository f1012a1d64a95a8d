/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dissector of beat logs, and how many beats each id has, as a table and as a tree. */
#include "taps/count_tree.h"
#include "taps/statistic.h"
#include "dissector/protocol.h"
#include "dissector/relations.h"
#include "dissector/tree_layouts.h"

#include <epan/tap.h>

#include "beat/beat.h"
#include "beat/statistics/ids.h"

extern const protocol beat_protocol;

static int proto_beat = -1;
static int tap_beat = -1;

static int hf_beat_kind = -1;
static int hf_beat_interval = -1;

static const value_string beat_kinds[] = {
    {BEAT_HEADER, "Header"},
    {BEAT_BEAT, "Beat"},
    {KIND_CUT, "Cut record"},
    {0, NULL},
};

static int hf_fields[BEAT_FIELDS]; /* of the layouts */
static unsigned protocol_number;

/* --- a record ---------------------------------------------------------------------------------------------------------- */

/* What the dissector knows about a record; also the data of the tap. */
typedef struct shown {
    beat_tapped tapped; /* first */
    bool is_beat;
} shown;

static void look(dissection *d)
{
    shown *of = d->record;
    of->is_beat = d->context->kind == BEAT_BEAT;
    of->tapped.id = (uint32_t)layout_value(&beat_layout.rows[BEAT_FIELD_ID], &d->bytes);
}

static void inform(const dissection *d, info_text *info)
{
    const shown *of = d->record;
    info_add(info, val_to_str_const(d->context->kind, beat_kinds, "Unknown"));
    if (of->is_beat) {
        info_add(info, " of ");
        info_add_uint(info, of->tapped.id);
    } else if (d->context->fault) {
        info_add(info, ": ");
        info_add_fault(info, &beat_protocol.tree, d->context);
    }
}

static void add(dissection *d)
{
    const shown *of = d->record;
    tree_generated(d->fields, hf_beat_kind, d->tvb, d->context->kind);
    if (!of->is_beat)
        return;
    tree_add_layouts(&beat_protocol.tree, d->fields, d->tvb, NULL, &beat_layout, &d->bytes, &d->covered);
    tree_generated_time(d->fields, hf_beat_interval, d->tvb, beat_context_of(d->context)->interval);
}

static const void *tapped(const dissection *d)
{
    const shown *of = d->record;
    return of->is_beat ? of : NULL;
}

static void append_id(const dissection *d, wmem_strbuf_t *filter)
{
    const shown *of = d->record;
    if (of->is_beat)
        relations_and(filter, "beat.id", of->tapped.id);
}

static const protocol_filter filters[] = {{"Beats of This Id", append_id}, {NULL, NULL}};

/* --- how many beats each id has ---------------------------------------------------------------------------------------- */

static const char *const first[] = {"Beats"};

static bool count_beat(count_cells *c, const void *data)
{
    const beat_tapped *of = data;
    const hash_pair key = {0, of->id};
    count_cell *cell = count_cells_find(c, &key);
    if (!cell) {
        g_autofree char *name = g_strdup_printf("%u", of->id);
        cell = count_cells_make(c, 0, &key, count_cells_first(c, 0), shown_name_of(name), false);
    }
    count_cells_add(c, cell);
    return true;
}

static statistic ids = {
    .tap = "beat",
    .counts = &beat_ids_counted,
    .command = "beat,ids",
    .title = "Beats by Id",
    .table = "Beats by id",
    .sorted_by = {BEAT_IDS_BEATS},
};

static void set_up(int proto _U_, module_t *module _U_)
{
    statistic_register(&ids);
}

static void hand_off(void)
{
    static const count_tree tree = {"beat", "beat", "Beats", first, array_length(first), count_beat};
    count_tree_register(&tree);
}

/* --- the row in the list of protocols ---------------------------------------------------------------------------------- */

/* clang-format off */
static hf_register_info hf_beat[] = {
    {&hf_beat_kind, {"Kind", "beat.kind", FT_UINT8, BASE_DEC, VALS(beat_kinds), 0, "Kind of the record", HFILL}},
    {&hf_fields[BEAT_FIELD_CLOCK], {"Clock", "beat.clock", FT_UINT64, BASE_DEC, NULL, 0, "Nanoseconds since 1970", HFILL}},
    {&hf_fields[BEAT_FIELD_ID], {"Id", "beat.id", FT_UINT32, BASE_DEC, NULL, 0, "Whose beat it is", HFILL}},
    {&hf_beat_interval, {"Interval", "beat.interval", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
        "Time since the beat before", HFILL}},
};
/* clang-format on */

static const layout *const *all_layouts(unsigned *count)
{
    static const layout *const all[] = {&beat_layout};
    *count = array_length(all);
    return all;
}

const protocol beat_protocol = {
    .name = "Beat log",
    .column = "Beat",
    .filter = "beat",
    .tree =
        {
            .proto = &proto_beat,
            .kinds = beat_kinds,
            .number = &protocol_number,
            .fields = hf_fields,
            .field_count = BEAT_FIELDS,
            .cuts_times = true,
        },
    .hf = hf_beat,
    .hf_count = array_length(hf_beat),
    .layouts = all_layouts,
    .set_up = set_up,
    .hand_off = hand_off,
    .record_size = sizeof(shown),
    .look = look,
    .inform = inform,
    .add = add,
    .tapped = tapped,
    .tap = &tap_beat,
    .filters = filters,
};
