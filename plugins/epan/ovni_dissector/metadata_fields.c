/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni_dissector/metadata_fields.h"

#include "ovni/metadata.h"
#include "ovni_dissector/fields.h"
#include "util/fail.h"
#include "util/json_text.h"

static dissector_handle_t json_handle;

static int hf_metadata = -1;
static int hf_metadata_require = -1;
static int hf_metadata_cpu = -1;
static int hf_metadata_cpu_system = -1;
static int hf_metadata_finished = -1;
static int hf_metadata_ranks = -1;
static int hf_metadata_library = -1;
static int hf_metadata_commit = -1;
static int hf_metadata_part = -1;
static int hf_metadata_nosv = -1;
static int hf_metadata_breakdown = -1;

static int ett_metadata = -1;
static int ett_metadata_mark = -1;
static int ett_metadata_cpu = -1;

static expert_field ei_hidden = EI_INIT;

/* --- what is understood of it ------------------------------------------------------------------------------------------ */

#define MARK_TYPES 100u

typedef struct {
    proto_tree *tree;
    tvbuff_t *tvb;
    proto_tree *marks[MARK_TYPES]; /* subtrees by mark type */
} metadata_tree;

static proto_tree *numbered_branch(proto_tree *tree, tvbuff_t *tvb, int ett, const char *what, int64_t number)
{
    info_text line;
    info_begin(&line);
    info_add(&line, what);
    info_add_int(&line, number);
    return tree_branch(tree, tvb, ett, line.text);
}

/* Adds the title or a label of a mark type; all of a type go to the same subtree. */
static void add_metadata_mark(metadata_tree *m, const ovni_metadata_item *item)
{
    proto_tree **mark = item->number >= 0 && item->number < MARK_TYPES ? &m->marks[item->number] : NULL;
    proto_tree *tree = mark && *mark ? *mark
                                     : numbered_branch(m->tree, m->tvb, ett_metadata_mark, "Marks of type ", item->number);
    if (mark)
        *mark = tree;
    tree_generated_string(tree, item->kind == OVNI_ITEM_MARK_TITLE ? ovni_hf_mark_title : ovni_hf_mark_label, m->tvb,
                          item->text);
}

static void add_metadata_cpu(const metadata_tree *m, const ovni_metadata_item *item)
{
    proto_tree *tree = numbered_branch(m->tree, m->tvb, ett_metadata_cpu, "CPU ", item->number);
    tree_generated(tree, hf_metadata_cpu, m->tvb, (uint64_t)(int32_t)item->number);
    tree_generated(tree, hf_metadata_cpu_system, m->tvb, (uint64_t)(int32_t)item->value);
}

static void add_member(const metadata_tree *m, const ovni_metadata_item *item)
{
    if (strcmp(item->key, "ovni.lib.commit") == 0)
        tree_generated_string(m->tree, hf_metadata_commit, m->tvb, item->text);
    else if (strcmp(item->key, "ovni.part") == 0)
        tree_generated_string(m->tree, hf_metadata_part, m->tvb, item->text);
    else if (strcmp(item->key, "nosv.lib_version") == 0)
        tree_generated_string(m->tree, hf_metadata_nosv, m->tvb, item->text);
    else if (strcmp(item->key, "nosv.can_breakdown") == 0)
        tree_generated(m->tree, hf_metadata_breakdown, m->tvb, (uint64_t)item->number);
}

static void add_item(void *data, const ovni_metadata_item *item)
{
    metadata_tree *m = data;
    char *text;
    switch (item->kind) {
    case OVNI_ITEM_MARK_TITLE:
    case OVNI_ITEM_MARK_LABEL:
        add_metadata_mark(m, item);
        break;
    case OVNI_ITEM_COUNTER:
        tree_generated_string(m->tree, ovni_hf_counter_name, m->tvb, item->text);
        break;
    case OVNI_ITEM_REQUIREMENT:
        text = g_strconcat(item->key, " ", item->text, NULL);
        tree_generated_string(m->tree, hf_metadata_require, m->tvb, text);
        g_free(text);
        break;
    case OVNI_ITEM_CPU:
        add_metadata_cpu(m, item);
        break;
    case OVNI_ITEM_FINISHED:
        tree_generated(m->tree, hf_metadata_finished, m->tvb, item->number == 1);
        break;
    case OVNI_ITEM_RANKS:
        tree_generated(m->tree, hf_metadata_ranks, m->tvb, (uint64_t)(int32_t)item->number);
        break;
    case OVNI_ITEM_LIBRARY:
        tree_generated_string(m->tree, hf_metadata_library, m->tvb, item->text);
        break;
    case OVNI_ITEM_MEMBER:
        add_member(m, item);
        break;
    case OVNI_ITEM_MARK_KIND:
    case OVNI_ITEM_PROBLEM: /* shown as an expert info of the record */
        break;
    }
}

static void add_understood(proto_tree *tree, tvbuff_t *tvb, const cursor *bytes)
{
    static const int *const asked[] = {
        &hf_metadata_require, &hf_metadata_cpu,    &hf_metadata_cpu_system, &hf_metadata_finished, &hf_metadata_ranks,
        &hf_metadata_library, &ovni_hf_mark_title, &ovni_hf_mark_label,     &ovni_hf_counter_name, &hf_metadata_commit,
        &hf_metadata_part,    &hf_metadata_nosv,   &hf_metadata_breakdown};
    metadata_tree m = {.tree = tree, .tvb = tvb};
    for (size_t i = 0; i < array_length(asked); i++)
        if (tree_field_needed(tree, *asked[i])) {
            ovni_metadata_visit((const char *)bytes->data, bytes->length, add_item, &m);
            return;
        }
}

void ovni_metadata_fields_add(dissection *d)
{
    proto_tree *tree = d->fields;
    d->covered = (unsigned)d->bytes.length;
    if (tree_field_needed(tree, hf_metadata)) {
        proto_item *item = proto_tree_add_item(tree, hf_metadata, d->tvb, 0, -1, ENC_NA);
        tree = tree_visible(tree) ? proto_item_add_subtree(item, ett_metadata) : tree;
    }
    add_understood(tree, d->tvb, &d->bytes);
}

/* --- as JSON ----------------------------------------------------------------------------------------------------------- */

/* The JSON dissector needs up to 1,300 times the size of the text. */
#define JSON_TREE_MAX (32u << 10)

/* Finds how many bytes of metadata to give to the JSON dissector, 0 if it is not JSON. False if the user should know why
 * not. As it overflows the stack on deep nesting and shows text as it is, it gets only text that has passed our own checks:
 * limited nesting, and UTF-8 that is safe (text.h). The record may have changed since it was opened. */
static bool json_extent(const cursor *bytes, size_t *extent, GError **error)
{
    const char *text = (const char *)bytes->data;
    size_t length = ovni_metadata_extent(text, bytes->length);
    if (length > JSON_TREE_MAX)
        return fail_with(error, "longer than 32 KiB");
    if (length && !(g_utf8_validate(text, (gssize)length, NULL) && json_text_is_safe(text, length)))
        return fail_with(error, "contains control characters or invalid text");
    *extent = length;
    return true;
}

/* The JSON dissector would overwrite the columns, so they are made read-only. */
void ovni_metadata_fields_call_json(const dissection *d)
{
    size_t length;
    if (!json_extent(&d->bytes, &length, NULL) || !length)
        return;
    col_set_writable(d->seen->packet->cinfo, -1, FALSE);
    call_dissector_only(json_handle, tvb_new_subset_length(d->tvb, 0, (compat_offset)length), d->seen->packet, d->tree,
                        NULL);
    col_set_writable(d->seen->packet->cinfo, -1, TRUE);
}

typedef struct problem_item {
    const tree_protocol *protocol;
    const record_seen *seen;
    proto_item *item;
} problem_item;

static void add_problem(void *data, const ovni_metadata_item *item)
{
    const problem_item *p = data;
    if (item->kind == OVNI_ITEM_PROBLEM)
        expert_add_info_format(p->seen->packet, p->item, tree_malformed(p->protocol), "metadata: %s", item->text);
}

void ovni_metadata_fields_add_experts(const tree_protocol *p, proto_item *item, const record_seen *seen, const cursor *bytes)
{
    problem_item place = {p, seen, item};
    g_autoptr(GError) error = NULL;
    size_t length;
    if (!json_extent(bytes, &length, &error))
        expert_add_info_format(seen->packet, item, &ei_hidden, "not shown as JSON: %s", error->message);
    ovni_metadata_visit((const char *)bytes->data, bytes->length, add_problem, &place);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static hf_register_info hf[] = {
    {&hf_metadata,
     {"Metadata", "ovni.metadata", FT_NONE, BASE_NONE, NULL, 0, "The text, and what is understood of it", HFILL}},
    {&hf_metadata_require,
     {"Requirement", "ovni.metadata.require", FT_STRING, BASE_NONE, NULL, 0, "Model and version", HFILL}},
    {&hf_metadata_cpu, {"CPU of the loom", "ovni.metadata.cpu", FT_INT32, BASE_DEC, NULL, 0, "Logical index", TREE_SEVERAL}},
    {&hf_metadata_cpu_system,
     {"CPU of the system", "ovni.metadata.cpu.system", FT_INT32, BASE_DEC, NULL, 0, "Number in the system", TREE_SEVERAL}},
    {&hf_metadata_finished,
     {"Finished", "ovni.metadata.finished", FT_BOOLEAN, BASE_NONE, NULL, 0, "The stream has been ended", HFILL}},
    {&hf_metadata_ranks, {"MPI ranks", "ovni.metadata.ranks", FT_INT32, BASE_DEC, NULL, 0, NULL, HFILL}},
    {&hf_metadata_library,
     {"Library version", "ovni.metadata.library", FT_STRING, BASE_NONE, NULL, 0, "Version of libovni", HFILL}},
    {&hf_metadata_commit,
     {"Library commit", "ovni.metadata.library.commit", FT_STRING, BASE_NONE, NULL, 0, "Commit of libovni", HFILL}},
    {&hf_metadata_part,
     {"Part", "ovni.metadata.part", FT_STRING, BASE_NONE, NULL, 0, "What the stream is of: a thread", HFILL}},
    {&hf_metadata_nosv, {"nOS-V version", "ovni.metadata.nosv", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
    {&hf_metadata_breakdown,
     {"Breakdown", "ovni.metadata.breakdown", FT_BOOLEAN, BASE_NONE, NULL, 0, "nOS-V has recorded what ovniemu -b shows",
      HFILL}},
};
static ei_register_info ei[] = {
    {&ei_hidden, {"ovni.metadata.hidden", PI_UNDECODED, PI_NOTE, "Metadata that are not shown as JSON", EXPFILL}},
};

void ovni_metadata_fields_register(int proto)
{
    static int *ett[] = {&ett_metadata, &ett_metadata_mark, &ett_metadata_cpu};
    tree_fields_register(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}

void ovni_metadata_fields_hand_off(void)
{
    json_handle = find_dissector("json");
}
