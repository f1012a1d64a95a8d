/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/shortcuts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <epan/epan_dissect.h>

static wsbool preference_shortcuts = TRUE;

/* --- the command line -------------------------------------------------------------------------------------------------- */

#define OPTIONS_WITH_ARGUMENT "ABCEFGHJKMNORSTUWXYabcdefijorstuwyz"
#define OPTIONS_WITHOUT "2DILVPQghlnpqvx"

/* Options after one minus sign. Sets *taken if the argument after it is that of the last one. Returns false if one is not
 * known; `visit` may be NULL. */
static bool visit_letters(const char *letters, const char *next, bool *taken, option_visitor visit, void *data)
{
    for (*taken = false; *letters; letters++) {
        const bool has_argument = strchr(OPTIONS_WITH_ARGUMENT, *letters);
        const char *argument = !has_argument ? NULL : letters[1] ? letters + 1 : next;
        if (!has_argument && !strchr(OPTIONS_WITHOUT, *letters))
            return false;
        if (visit && (!has_argument || argument))
            visit(data, *letters, argument);
        *taken = has_argument && argument == next;
        if (has_argument)
            return true;
    }
    return true;
}

/* The argument of a long option may be the next one, which has no minus sign. */
static bool visit_words(const char *words, const char *end, option_visitor visit, void *data)
{
    for (const char *next, *word = words; word < end && strcmp(word, "--") != 0; word = next) {
        bool taken;
        next = word + strlen(word) + 1;
        if (g_str_has_prefix(word, "--")) {
            if (visit)
                visit(data, '-', word);
        } else if (word[0] == '-') {
            if (!visit_letters(word + 1, next < end ? next : NULL, &taken, visit, data))
                return false;
            next += taken ? strlen(next) + 1 : 0;
        }
    }
    return true;
}

bool shortcuts_visit_options(option_visitor visit, void *data)
{
    gsize length;
    g_autofree char *words = NULL;
    if (!preference_shortcuts || !g_file_get_contents("/proc/self/cmdline", &words, &length, NULL))
        return false;
    g_autofree char *program = g_path_get_basename(words);
    const char *first = words + strlen(words) + 1, *end = words + length;
    return strcmp(program, "tshark") == 0 && visit_words(first, end, NULL, NULL) && visit_words(first, end, visit, data);
}

/* --- fields that are printed ------------------------------------------------------------------------------------------- */

proto_tree *shortcuts_tree(void)
{
    static tree_data_t data = {.fake_protocols = TRUE};
    static proto_tree root = {.tree_data = &data};
    return &root;
}

/* Asks Wireshark about it for a moment in both states. */
bool shortcuts_references_hold(const header_field_info *field)
{
    header_field_info *own = proto_registrar_get_nth((unsigned)field->id);
    const hf_ref_type before = own->ref_type;
    own->ref_type = HF_REF_TYPE_NONE;
    const bool never = !proto_field_is_referenced(shortcuts_tree(), field->id);
    own->ref_type = HF_REF_TYPE_DIRECT;
    const bool always = proto_field_is_referenced(shortcuts_tree(), field->id);
    own->ref_type = before;
    return preference_shortcuts && never && always;
}

const header_field_info *shortcuts_referenced(const header_field_info *field)
{
    header_field_info *copy = wmem_memdup(wmem_epan_scope(), field, sizeof *copy);
    copy->ref_type = HF_REF_TYPE_DIRECT;
    return copy;
}

/* --- filters of records that are not dissected ------------------------------------------------------------------------- */

/* The items of a field. */
typedef struct filter_items {
    const header_field_info *field;
    GPtrArray *made, *here; /* of field_info: all; and those that the record has, which belongs to the tree */
} filter_items;

struct filter_tree {
    epan_dissect_t *of;
    GArray *fields; /* of filter_items */
};

static filter_tree *filter_tree_new(void)
{
    filter_tree *t = g_new(filter_tree, 1);
    t->of = epan_dissect_new(NULL, true, true); /* if nobody saw the tree, 4.6 would make no items in it */
    t->fields = g_array_new(FALSE, FALSE, sizeof(filter_items));
    PTREE_DATA(t->of->tree)->interesting_hfids = g_hash_table_new(g_direct_hash, NULL);
    return t;
}

void shortcuts_filter_tree_free(filter_tree *t)
{
    if (!t)
        return;
    for (guint i = 0; i < t->fields->len; i++)
        g_ptr_array_free(g_array_index(t->fields, filter_items, i).made, TRUE);
    g_array_free(t->fields, TRUE);
    epan_dissect_free(t->of);
    g_free(t);
}

unsigned shortcuts_filter_place(filter_tree *t, int field)
{
    for (guint i = 0; i < t->fields->len; i++)
        if (g_array_index(t->fields, filter_items, i).field->id == field)
            return i;
    const filter_items items = {proto_registrar_get_nth((unsigned)field), g_ptr_array_new(), g_ptr_array_new()};
    g_array_append_val(t->fields, items);
    g_hash_table_insert(PTREE_DATA(t->of->tree)->interesting_hfids, GINT_TO_POINTER(field), items.here);
    return t->fields->len - 1;
}

/* Wireshark makes it, as for a record; what it is set to does not matter. */
static field_info *filter_item_new(proto_tree *tree, const header_field_info *field)
{
    static const nstime_t time;
    const int hf = field->id;
    PTREE_DATA(tree)->count = 0;
    switch (field->type) {
    case FT_BOOLEAN:
        return PITEM_FINFO(proto_tree_add_boolean(tree, hf, NULL, 0, 0, 0));
    case FT_UINT64:
        return PITEM_FINFO(proto_tree_add_uint64(tree, hf, NULL, 0, 0, 0));
    case FT_INT64:
        return PITEM_FINFO(proto_tree_add_int64(tree, hf, NULL, 0, 0, 0));
    case FT_INT8:
    case FT_INT16:
    case FT_INT32:
        return PITEM_FINFO(proto_tree_add_int(tree, hf, NULL, 0, 0, 0));
    case FT_DOUBLE:
        return PITEM_FINFO(proto_tree_add_double(tree, hf, NULL, 0, 0, 0));
    case FT_RELATIVE_TIME:
    case FT_ABSOLUTE_TIME:
        return PITEM_FINFO(proto_tree_add_time(tree, hf, NULL, 0, 0, &time));
    case FT_STRING:
        return PITEM_FINFO(proto_tree_add_string(tree, hf, NULL, 0, 0, ""));
    case FT_BYTES:
        return PITEM_FINFO(proto_tree_add_bytes_with_length(tree, hf, NULL, 0, 0, (const uint8_t *)"", 0));
    default:
        return PITEM_FINFO(proto_tree_add_uint(tree, hf, NULL, 0, 0, 0));
    }
}

static __attribute__((noinline)) void filter_items_grow(const filter_tree *t, const filter_items *items)
{
    const guint before = items->here->len;
    g_ptr_array_add(items->made, filter_item_new(t->of->tree, items->field));
    g_ptr_array_set_size(items->here, (gint)before); /* where Wireshark adds it if the field is referenced */
}

fvalue_t *shortcuts_filter_value(filter_tree *t, unsigned place)
{
    const filter_items *items = &g_array_index(t->fields, filter_items, place);
    if (items->here->len == items->made->len)
        filter_items_grow(t, items);
    field_info *item = g_ptr_array_index(items->made, items->here->len);
    g_ptr_array_add(items->here, item);
    return COMPAT_FVALUE(item);
}

void shortcuts_filter_clear(filter_tree *t)
{
    for (guint i = 0; i < t->fields->len; i++)
        g_ptr_array_set_size(g_array_index(t->fields, filter_items, i).here, 0);
}

bool shortcuts_filter_passes(const filter_tree *t, dfilter_t *filter)
{
    return dfilter_apply_edt(filter, t->of);
}

static bool visit_named(header_field_info *field, bool (*visit)(void *, const header_field_info *), void *data)
{
    if (field->ref_type != HF_REF_TYPE_DIRECT)
        return true;
    field->ref_type = HF_REF_TYPE_NONE;
    return visit(data, field);
}

bool shortcuts_filter_fields(const dfilter_t *filter, bool (*visit)(void *data, const header_field_info *field), void *data)
{
    epan_dissect_t none = {.tree = NULL};
    void *cookie, *field_cookie;
    bool all = true;
    epan_dissect_prime_with_dfilter(&none, filter);
    for (int p = proto_get_first_protocol(&cookie); p != -1; p = proto_get_next_protocol(&cookie)) {
        all = visit_named(proto_registrar_get_nth((unsigned)p), visit, data) && all;
        for (header_field_info *f = proto_get_first_protocol_field(p, &field_cookie); f;
             f = proto_get_next_protocol_field(p, &field_cookie))
            all = visit_named(f, visit, data) && all;
    }
    return all;
}

static bool note_number(void *field, const header_field_info *named)
{
    *(int *)field = named->id;
    return true;
}

/* Asks a filter on the number of the frame about one that passes, one that does not, and none. */
static bool filter_tree_holds(void)
{
    enum { PASSES = 7 };
    dfilter_t *filter = NULL;
    int field = -1;
    if (!dfilter_compile("frame.number == 7", &filter, NULL))
        return false;
    bool right = shortcuts_filter_fields(filter, note_number, &field) && field >= 0;
    filter_tree *t = filter_tree_new();
    for (uint32_t number = PASSES - 1; right && number <= PASSES + 1; number++) {
        shortcuts_filter_clear(t);
        compat_set_uint(shortcuts_filter_value(t, shortcuts_filter_place(t, field)), number);
        right = shortcuts_filter_passes(t, filter) == (number == PASSES);
    }
    shortcuts_filter_clear(t);
    right = right && !shortcuts_filter_passes(t, filter);
    shortcuts_filter_tree_free(t);
    dfilter_free(filter);
    return right;
}

filter_tree *shortcuts_filter_tree(void)
{
    enum { ITEMS_LEAST = 100000, DEPTH_LEAST = 16 };
    static enum { UNKNOWN, HOLDS, FAILS } checked;
    if (!preference_shortcuts || prefs.gui_max_tree_items < ITEMS_LEAST || prefs.gui_max_tree_depth < DEPTH_LEAST)
        return NULL;
    if (checked == UNKNOWN)
        checked = filter_tree_holds() ? HOLDS : FAILS;
    return checked == HOLDS ? filter_tree_new() : NULL;
}

/* --- labels ------------------------------------------------------------------------------------------------------------ */

static enum { LABELS_UNKNOWN, LABELS_FOUND, LABELS_ELSEWHERE } labels;
static char label_room[ITEM_LABEL_LENGTH];

char *shortcuts_begin_label(const proto_item *item)
{
    if (G_LIKELY(labels == LABELS_FOUND && preference_shortcuts)) {
        PITEM_FINFO(item)->rep = wmem_new0(PNODE_POOL(item), item_label_t);
        return PITEM_FINFO(item)->rep->representation;
    }
    memset(label_room, 0, sizeof label_room);
    return label_room;
}

void shortcuts_end_label(proto_item *item, const char *label)
{
    if (G_LIKELY(label != label_room))
        return;
    proto_item_set_text(item, "%s", label);
    const item_label_t *set = PITEM_FINFO(item)->rep;
    if (set && labels == LABELS_UNKNOWN)
        labels = strcmp(set->representation, label) == 0 ? LABELS_FOUND : LABELS_ELSEWHERE;
}

/* --- the exit status --------------------------------------------------------------------------------------------------- */

/* What was registered before does not run, so files are flushed first. */
static void end_badly(void)
{
    fflush(NULL);
    _exit(2);
}

void shortcuts_fail(void)
{
    static bool failed;
    if (!failed && preference_shortcuts)
        failed = atexit(end_badly) == 0;
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

void shortcuts_register(module_t *wiretrace)
{
    prefs_register_bool_preference(
        wiretrace, "shortcuts", "Use shortcuts",
        "Use parts of Wireshark and of the system that plugins are not promised, to be faster. If "
        "something looks wrong, try without: the same must be shown.",
        &preference_shortcuts);
}
