/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a Cacheray record relates to earlier ones (common/cacheray/analysis.h), as fields and expert infos. */
#include "cacheray_dissector/fields.h"

#include "cacheray/plausible.h"
#include "cacheray_dissector/file.h"
#include "cacheray_dissector/problems.h"
#include "cacheray_dissector/settings.h"
#include "host/notices.h"

static int hf_access_typename = -1;
static int hf_access_index = -1;
static int hf_access_offset = -1;
static int hf_access_rtta = -1;
static int hf_access_member = -1;
static int hf_access_variable = -1;
static int hf_rtta_remove = -1;
static int hf_rtta_add = -1;
static int hf_rtta_length = -1;
static int hf_rtta_end = -1;
static int hf_rtta_place = -1;
static int hf_line = -1;
static int hf_line_split = -1;
static int hf_line_sharing = -1;
static int hf_line_reuse = -1;
static int hf_line_contended = -1;
static int hf_cache_level = -1;
static int hf_cache_evicted = -1;
static int hf_cache_invalidated = -1;

static int ett_region = -1;
static int ett_line = -1;

static expert_field ei_unannotated = EI_INIT;
static expert_field ei_overlap = EI_INIT;
static expert_field ei_overlap_many = EI_INIT;
static expert_field ei_unmatched = EI_INIT;
static expert_field ei_low = EI_INIT;

#define SHARING_STRING(value, name) {value, name},
static const value_string sharings[] = {SHARING_NAMES(SHARING_STRING){0, NULL}};

bool cacheray_fields_want_lines(proto_tree *tree)
{
    static const int *const fields[] = {&hf_line, &hf_line_split, &hf_line_sharing, &hf_line_reuse, &hf_line_contended};
    for (unsigned i = 0; tree && i < G_N_ELEMENTS(fields); i++)
        if (tree_field_needed(tree, *fields[i]))
            return true;
    return false;
}

/* Half of all accesses may have no annotation, so expert infos are made only if somebody may look at them. `-z expert`
 * does, without a tree. */
static bool experts_are_wanted(proto_tree *tree)
{
    return tree_any_field_needed(tree, ei_unannotated.hf) || tree_any_field_needed(tree, proto_expert) || notices_counted();
}

static void show_experts(proto_tree *tree, proto_item *item, const record_seen *seen, const cacheray_tapped *v)
{
    if (v->is_access && !v->number && !v->overlaps && experts_are_wanted(tree))
        expert_add_info(seen->packet, item, &ei_unannotated);
    if (v->kind == CACHERAY_RTTA_REMOVE && !v->number)
        expert_add_info(seen->packet, item, &ei_unmatched);
    if (v->is_access && v->address < CACHERAY_ADDRESS_MIN)
        expert_add_info(seen->packet, item, &ei_low);
    if (v->overlaps)
        expert_add_info(seen->packet, item, v->is_access ? &ei_overlap_many : &ei_overlap);
    cacheray_problems_add_struct(item, seen);
}

static void show_access(proto_tree *tree, tvbuff_t *tvb, const cacheray_tapped *v)
{
    tree = tree_branch(tree, tvb, ett_region, v->number ? "Region" : "Variable");
    if (v->number)
        tree_generated_string(tree, hf_access_typename, tvb, v->type);
    else
        tree_generated_string(tree, hf_access_variable, tvb, v->variable);
    tree_generated(tree, hf_access_index, tvb, v->index);
    tree_generated(tree, hf_access_offset, tvb, v->offset);
    for (unsigned i = 0; i < v->covered.count; i++)
        tree_generated_string(tree, hf_access_member, tvb, v->covered.all[i].name->text);
    if (v->number)
        tree_generated_frame(tree, hf_access_rtta, tvb, v->region.added);
}

/* Shows the region of an annotation. If it extends to the last address, there is no first address after it. */
static void show_annotation(proto_tree *tree, tvbuff_t *tvb, const cacheray_tapped *v)
{
    uint64_t length = (uint64_t)v->region.elem_size * v->region.elem_count, end = v->address + length;
    if (v->kind == CACHERAY_RTTA_REMOVE && !v->number)
        return;
    tree = tree_branch(tree, tvb, ett_region, "Region");
    if (v->kind == CACHERAY_RTTA_REMOVE) {
        tree_generated_frame(tree, hf_rtta_add, tvb, v->region.added);
        return;
    }
    tree_generated(tree, hf_rtta_length, tvb, length);
    if (end >= length)
        tree_generated(tree, hf_rtta_end, tvb, end);
    if (v->number && v->place)
        tree_generated_string(tree, hf_rtta_place, tvb, v->place);
    if (v->number)
        tree_generated_frame(tree, hf_rtta_remove, tvb, v->region.removed);
}

static void show_line(proto_tree *tree, const record_seen *seen, tvbuff_t *tvb, const cacheray_tapped *v)
{
    tree = tree_branch(tree, tvb, ett_line, "Cache line");
    tree_generated(tree, hf_line, tvb, v->line.line);
    tree_generated(tree, hf_line_split, tvb, v->line.split);
    if (!v->cold) {
        tree_generated(tree, hf_line_sharing, tvb, v->line.sharing);
        tree_generated(tree, hf_line_contended, tvb, lines_contended(&v->line));
    }
    if (v->line.before)
        tree_generated(tree, hf_line_reuse, tvb, seen->number - v->line.before);
    if (!v->has_cache)
        return;
    tree_generated(tree, hf_cache_level, tvb, v->cache.level);
    if (v->cache.evicts)
        tree_generated(tree, hf_cache_evicted, tvb, v->cache.evicted);
    if (cacheray_settings_coherence() && v->kind == CACHERAY_WRITE)
        tree_generated(tree, hf_cache_invalidated, tvb, v->cache.invalidated);
}

void cacheray_fields_add(proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb,
                         const cacheray_tapped *v)
{
    const bool experts = !tree_row_of(tree);
    if (experts && seen->frame == cacheray_file.first)
        cacheray_problems_add(item, seen, v->context);
    if (v->kind >= CACHERAY_KINDS)
        return;
    if (experts && cacheray_settings_options().annotations)
        show_experts(tree, item, seen, v);
    if (!tree_fields_needed(tree, hf_access_typename, hf_cache_invalidated))
        return;
    if (!v->is_access) {
        show_annotation(tree, tvb, v);
        return;
    }
    if (v->number || v->variable)
        show_access(tree, tvb, v);
    show_line(tree, seen, tvb, v);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

/* clang-format off */
static hf_register_info hf[] = {
    {&hf_access_typename, {"Data type", "cacheray.access.typename", FT_STRING, BASE_NONE, NULL, 0,
        "Type name of the newest annotation that covers the first byte", HFILL}},
    {&hf_access_index, {"Element", "cacheray.access.index", FT_UINT32, BASE_DEC, NULL, 0,
        "Element of the annotated region, or of a variable that is an array", HFILL}},
    {&hf_access_offset, {"Offset in element", "cacheray.access.offset", FT_UINT32, BASE_DEC, NULL, 0,
        "Byte of the element", HFILL}},
    {&hf_access_member, {"Member", "cacheray.access.member", FT_STRING, BASE_NONE, NULL, 0,
        "Member of the type at the first byte; those that share it are separated by '|'", TREE_SEVERAL}},
    {&hf_access_variable, {"Variable", "cacheray.access.variable", FT_STRING, BASE_NONE, NULL, 0,
        "Global variable that is accessed, outside of any annotation", HFILL}},
    {&hf_access_rtta, {"Annotation", "cacheray.access.rtta", FT_FRAMENUM, BASE_NONE, NULL, 0,
        "The annotation that applies", HFILL}},
    {&hf_rtta_remove, {"Removed by", "cacheray.rtta.remove", FT_FRAMENUM, BASE_NONE,
        FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE), 0, "The record that ends this annotation", HFILL}},
    {&hf_rtta_add, {"Added by", "cacheray.rtta.add", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0,
        "The annotation that ends here", HFILL}},
    {&hf_rtta_length, {"Region length", "cacheray.rtta.length", FT_UINT64, BASE_DEC, NULL, 0,
        "Bytes of the region", HFILL}},
    {&hf_rtta_end, {"Region end", "cacheray.rtta.end", FT_UINT64, BASE_HEX, NULL, 0,
        "First address after the region", HFILL}},
    {&hf_rtta_place, {"Place", "cacheray.rtta.place", FT_STRING, BASE_NONE, NULL, 0,
        "File and line of the call that allocated the region", HFILL}},
    {&hf_line, {"Cache line", "cacheray.line", FT_UINT64, BASE_HEX, NULL, 0,
        "Address of the first cache line touched", HFILL}},
    {&hf_line_split, {"Split", "cacheray.line.split", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "The access touches two cache lines", HFILL}},
    {&hf_line_sharing, {"Sharing", "cacheray.line.sharing", FT_UINT8, BASE_DEC, VALS(sharings), 0,
        "How threads have shared the line so far: true where one touches bytes that another has written", HFILL}},
    {&hf_line_reuse, {"Reuse distance", "cacheray.line.reuse", FT_UINT64, BASE_DEC, NULL, 0,
        "Records since the line was last touched", HFILL}},
    {&hf_line_contended, {"Contended", "cacheray.line.contended", FT_BOOLEAN, BASE_NONE, NULL, 0,
        "The line has to come from the cache of another thread, or copies of other threads are lost", HFILL}},
    {&hf_cache_level, {"Cache level", "cacheray.cache.level", FT_UINT8, BASE_DEC, NULL, 0,
        "Level that has all of the access, from 1; 0: memory", HFILL}},
    {&hf_cache_evicted, {"Evicted line", "cacheray.cache.evicted", FT_UINT64, BASE_HEX, NULL, 0,
        "Line that the access has evicted from the first level", HFILL}},
    {&hf_cache_invalidated, {"Copies invalidated", "cacheray.cache.invalidated", FT_UINT32, BASE_DEC, NULL, 0,
        "Copies of the line in private caches of other threads that the write has removed", HFILL}},
};
static ei_register_info ei[] = {
    {&ei_unannotated, {"cacheray.unannotated", PI_COMMENTS_GROUP, PI_CHAT, "Access outside any annotation", EXPFILL}},
    {&ei_overlap, {"cacheray.overlap", PI_SEQUENCE, PI_NOTE, "Annotation that overlaps an active one", EXPFILL}},
    {&ei_overlap_many, {"cacheray.overlap.many", PI_UNDECODED, PI_WARN,
        "So many annotations overlap here that the one of the access is not known", EXPFILL}},
    {&ei_low, {"cacheray.low", PI_SEQUENCE, PI_NOTE, "Access near address 0, as through a null pointer", EXPFILL}},
    {&ei_unmatched, {"cacheray.unmatched", PI_SEQUENCE, PI_NOTE, "Nothing is annotated at this address", EXPFILL}},
};
/* clang-format on */

void cacheray_fields_register(int proto)
{
    static int *ett[] = {&ett_region, &ett_line};
    tree_fields_register(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
