/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/record_filters.h"

#include <epan/prefs-int.h>
#include <epan/prefs.h>

#include "dissector/record_fields.h"

/* Fields of frames. */
enum { FRAME_NUMBER, FRAME_TIME, FRAME_RELATIVE, FRAME_EPOCH, FRAME_LENGTH, FRAME_FIELDS };
static const char *const frame_fields[FRAME_FIELDS] = {[FRAME_NUMBER] = "frame.number",
                                                       [FRAME_TIME] = "frame.time",
                                                       [FRAME_RELATIVE] = "frame.time_relative",
                                                       [FRAME_EPOCH] = "frame.time_epoch",
                                                       [FRAME_LENGTH] = "frame.len"};

struct record_filters {
    filter_tree *tree;
    tree_row row;
    int frame[FRAME_FIELDS]; /* places in the tree; negative: not named */
    bool ours;               /* fields of ours are named */
    bool filled;             /* with this record: */
    const protocol *protocol;
    const dissection *record;
};

/* --- which fields a filter names --------------------------------------------------------------------------------------- */

/* FRAME_FIELDS: none of them. */
static unsigned frame_field(const header_field_info *field)
{
    unsigned i = 0;
    while (i < FRAME_FIELDS && strcmp(frame_fields[i], field->abbrev) != 0)
        i++;
    return i;
}

static bool is_ours(const header_field_info *field)
{
    return (unsigned)field->id - tree_first_info < tree_info_count;
}

/* Before 4.2 a user may disable it. */
static bool has_epoch(void)
{
    module_t *frame = prefs_find_module("frame");
    pref_t *epoch = frame ? prefs_find_preference(frame, "generate_epoch_time") : NULL;
    return epoch && (prefs_get_type(epoch) != PREF_BOOL || prefs_get_bool_value(epoch, pref_current));
}

/* Protocols, and expert infos, which are of type FT_NONE, come with dissection. */
static bool is_known(void *data _U_, const header_field_info *field)
{
    const unsigned of_frame = frame_field(field);
    if (is_ours(field))
        return field->type != FT_PROTOCOL && field->type != FT_NONE;
    return of_frame < FRAME_FIELDS && (of_frame != FRAME_EPOCH || has_epoch());
}

/* Slices and layers of fields, their bytes, and references to the fields of a selected record have these characters. */
static bool is_plain(const char *text)
{
    return !strpbrk(text, "[#@$");
}

dfilter_t *record_filters_compile(const char *text)
{
    dfilter_t *filter = NULL;
    filter_tree *tree = is_plain(text) ? shortcuts_filter_tree() : NULL;
    shortcuts_filter_tree_free(tree);
    if (!tree || !dfilter_compile(text, &filter, NULL) || !filter)
        return NULL;
    if (!shortcuts_filter_fields(filter, is_known, NULL))
        g_clear_pointer(&filter, dfilter_free);
    return filter;
}

/* --- all filters ------------------------------------------------------------------------------------------------------- */

typedef struct named_fields {
    record_filters *filters;
    GArray *ours; /* by place: the number of the field; -1: it is of frame */
} named_fields;

static bool note_field(void *data, const header_field_info *field)
{
    const named_fields *n = data;
    record_filters *f = n->filters;
    const unsigned place = shortcuts_filter_place(f->tree, field->id), of_frame = frame_field(field);
    const int ours = is_ours(field) ? field->id : -1;
    if (of_frame < FRAME_FIELDS)
        f->frame[of_frame] = (int)place;
    if (place == n->ours->len)
        g_array_append_val(n->ours, ours);
    f->ours |= ours >= 0;
    return true;
}

record_filters *record_filters_new(const GPtrArray *all)
{
    g_autoptr(GArray) ours = g_array_new(FALSE, FALSE, sizeof(int));
    record_filters *f = g_new0(record_filters, 1);
    f->tree = shortcuts_filter_tree();
    memset(f->frame, -1, sizeof f->frame);
    for (guint i = 0; i < all->len; i++)
        shortcuts_filter_fields(g_ptr_array_index(all, i), note_field, &(named_fields){f, ours});
    tree_row_begin_values(&f->row, f->tree, (const int *)(void *)ours->data, ours->len);
    return f;
}

void record_filters_free(record_filters *f)
{
    if (!f)
        return;
    tree_row_clear(&f->row);
    shortcuts_filter_tree_free(f->tree);
    g_free(f);
}

/* --- a record ---------------------------------------------------------------------------------------------------------- */

static fvalue_t *frame_value(const record_filters *f, unsigned field)
{
    return f->frame[field] >= 0 ? shortcuts_filter_value(f->tree, (unsigned)f->frame[field]) : NULL;
}

static void set_frame(const record_filters *f)
{
    const dissection *d = f->record;
    const record_seen *seen = d->seen;
    fvalue_t *number = frame_value(f, FRAME_NUMBER), *length = frame_value(f, FRAME_LENGTH),
             *absolute = frame_value(f, FRAME_TIME), *relative = frame_value(f, FRAME_RELATIVE),
             *epoch = frame_value(f, FRAME_EPOCH);
    if (number)
        compat_set_uint(number, seen->frame);
    if (length)
        compat_set_uint(length, (uint32_t)MIN(d->context->length, (uint64_t)G_MAXINT32));
    if (absolute)
        compat_set_time(absolute, &seen->absolute);
    if (relative)
        compat_set_time(relative, &seen->relative);
    if (epoch)
        compat_set_time(epoch, &seen->absolute);
}

void record_filters_see(record_filters *f, const protocol *p, const dissection *d)
{
    f->protocol = p;
    f->record = d;
    f->filled = false;
}

bool record_filters_pass(record_filters *f, dfilter_t *filter)
{
    if (!f->filled) {
        shortcuts_filter_clear(f->tree);
        set_frame(f);
        if (f->ours)
            record_fields_set(f->protocol, f->record, &f->row);
        f->filled = true;
    }
    return shortcuts_filter_passes(f->tree, filter);
}
