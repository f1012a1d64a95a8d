/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray-analysis.h"

#include <epan/prefs.h>
#include <epan/tap.h>

#include "cacheray/cacheray.h"
#include "cacheray/members.h"

static int hf_access_typename = -1;
static int hf_access_index = -1;
static int hf_access_offset = -1;
static int hf_access_rtta = -1;
static int hf_access_member = -1;
static int hf_rtta_remove = -1;
static int hf_rtta_add = -1;
static int hf_line = -1;
static int hf_line_split = -1;
static int hf_line_sharing = -1;
static int hf_line_reuse = -1;

static expert_field ei_unannotated = EI_INIT;
static expert_field ei_overlap = EI_INIT;
static expert_field ei_unmatched = EI_INIT;
static expert_field ei_binary = EI_INIT;

static int tap_cacheray;
static int tap_expert;

static const enum_val_t line_sizes[] = {
    {"16", "16 bytes", 16},    {"32", "32 bytes", 32},    {"64", "64 bytes", 64},
    {"128", "128 bytes", 128}, {"256", "256 bytes", 256}, {NULL, NULL, 0},
};

static const char *preference_binary = "";
static wsbool preference_annotations = TRUE;
static gint preference_line_size = 64;

const value_string cacheray_sharings[] = {
    {SHARING_PRIVATE, "private"}, {SHARING_READ_ONLY, "read-only"},  {SHARING_TRUE, "true"},
    {SHARING_FALSE, "false"},     {SHARING_BOTH, "true and false"}, {0, NULL},
};

/* What is kept of a record. The rest follows from it and the record's own fields. */
typedef struct kept {
    uint32_t annotation;
    uint32_t before; /* record that touched the line before */
    uint8_t seen, overlaps, sharing;
} kept;

_Static_assert(sizeof(kept) <= 24, "at most 24 bytes per record");

#define CHUNK 65536u

/* Of the open file. */
typedef struct analysis {
    bool keep;
    annotations *annotations;
    line_table *lines;
    members *members;    /* NULL: unknown */
    const char *problem; /* with the executable; shown at the first record */
    GArray *types;       /* uint32_t by number of the annotation - 1: type of `members` */
    GStringChunk *texts;
    GHashTable *names; /* text -> number + 1 */
    GPtrArray *name;   /* texts by number */
    GPtrArray *chunks; /* of kept[CHUNK], NULL where nothing is */
} analysis;

static analysis *file; /* made by the first record */

static void forget_file(void)
{
    if (!file)
        return;
    annotations_free(file->annotations);
    lines_free(file->lines);
    members_close(file->members);
    g_array_free(file->types, TRUE);
    g_hash_table_destroy(file->names);
    g_ptr_array_free(file->name, TRUE);
    g_string_chunk_free(file->texts);
    g_ptr_array_free(file->chunks, TRUE);
    g_free(file);
    file = NULL;
}

static void start_file(const record_context *c)
{
    file = g_new0(analysis, 1);
    file->keep = (c->flags & CONTEXT_RANDOM_ACCESS) != 0;
    file->annotations = annotations_new();
    file->lines = lines_new((unsigned)preference_line_size);
    file->types = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    if (*preference_binary)
        file->members = members_open(preference_binary, &file->problem);
    file->texts = g_string_chunk_new(4096);
    file->names = g_hash_table_new(g_str_hash, g_str_equal);
    file->name = g_ptr_array_new();
    file->chunks = g_ptr_array_new_with_free_func(g_free);
}

/* --- what is kept ---------------------------------------------------------------------------------------------------------- */

static kept *kept_at(uint32_t frame)
{
    guint chunk = frame / CHUNK;
    kept *all = chunk < file->chunks->len ? g_ptr_array_index(file->chunks, chunk) : NULL;
    return all ? &all[frame % CHUNK] : NULL;
}

static kept *kept_make(uint32_t frame)
{
    guint chunk = frame / CHUNK;
    if (chunk >= file->chunks->len)
        g_ptr_array_set_size(file->chunks, (gint)chunk + 1);
    if (!g_ptr_array_index(file->chunks, chunk))
        g_ptr_array_index(file->chunks, chunk) = g_new0(kept, CHUNK);
    return kept_at(frame);
}

/* Number of a type name, which is stored once. */
static uint32_t name_number(const char *name)
{
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(file->names, name));
    if (number == 0) {
        char *text = g_string_chunk_insert(file->texts, name);
        g_ptr_array_add(file->name, text);
        number = file->name->len;
        g_hash_table_insert(file->names, text, GUINT_TO_POINTER(number));
    }
    return number - 1;
}

/* --- looking at a record --------------------------------------------------------------------------------------------------- */

/* What the executable knows of the type of an annotation. */
static void note_type(const cacheray_view *v)
{
    if (!file->members)
        return;
    uint32_t type = members_type(file->members, g_ptr_array_index(file->name, v->region.name), v->region.elem_size);
    g_array_append_val(file->types, type);
}

static const char *member_of(const cacheray_view *v)
{
    uint32_t type = file->members ? g_array_index(file->types, uint32_t, v->number - 1) : 0;
    return type ? members_at(file->members, type, v->offset) : NULL;
}

/* The first time a record is seen it changes the state. */
static void follow_annotations(cacheray_view *v, uint32_t frame, const char *(*name)(void *data), void *data)
{
    if (v->kind == CACHERAY_RTTA_ADD) {
        v->overlaps = annotations_overlap(file->annotations, v->address, annotation_length(&v->region)) != 0;
        v->region.start = v->address;
        v->region.added = frame;
        v->region.name = name_number(name(data));
        v->number = annotations_add(file->annotations, &v->region);
        note_type(v);
    } else if (v->kind == CACHERAY_RTTA_REMOVE) {
        v->number = annotations_remove(file->annotations, v->address, frame);
    } else {
        v->number = annotations_find(file->annotations, v->address);
    }
}

static void follow(cacheray_view *v, uint32_t frame, const char *(*name)(void *data), void *data)
{
    if (preference_annotations)
        follow_annotations(v, frame, name, data);
    if (v->is_access) {
        line_touch access = {v->address, v->thread, frame, v->size, v->kind == CACHERAY_WRITE};
        lines_touch(file->lines, &access, &v->line);
    }
    if (file->keep) {
        kept *k = kept_make(frame);
        *k = (kept){.annotation = v->number, .before = v->line.before, .seen = true, .overlaps = v->overlaps,
                    .sharing = (uint8_t)v->line.sharing};
    }
}

static bool recall(cacheray_view *v, const packet_info *pinfo)
{
    const kept *k = PINFO_FD_VISITED(pinfo) && file->keep ? kept_at(pinfo->num) : NULL;
    if (!k || !k->seen)
        return false;
    v->number = k->annotation;
    v->overlaps = k->overlaps;
    v->line.before = k->before;
    v->line.sharing = k->sharing;
    lines_place((unsigned)preference_line_size, v->address, v->size, &v->line);
    return true;
}

void cacheray_analysis_look(cacheray_view *v, packet_info *pinfo, const char *(*name)(void *data), void *data)
{
    if (v->kind >= CACHERAY_KINDS)
        return;
    if (!file)
        start_file(v->context);
    if (!recall(v, pinfo))
        follow(v, pinfo->num, name, data);
    if (!v->number)
        return;
    v->region = *annotations_get(file->annotations, v->number);
    v->type = g_ptr_array_index(file->name, v->region.name);
    if (v->is_access) {
        uint64_t distance = v->address - v->region.start;
        v->index = (uint32_t)(distance / v->region.elem_size);
        v->offset = (uint32_t)(distance % v->region.elem_size);
        v->member = member_of(v);
    }
}

/* --- fields ---------------------------------------------------------------------------------------------------------------- */

/* Half of all accesses may have no annotation: nothing is made for them that nobody asks for. */
static bool experts_are_wanted(proto_tree *tree)
{
    return proto_field_is_referenced(tree, ei_unannotated.hf) || proto_field_is_referenced(tree, proto_expert) ||
           have_tap_listener(tap_expert);
}

static void show_experts(proto_tree *tree, proto_item *item, packet_info *pinfo, const cacheray_view *v)
{
    if (v->is_access && !v->number && experts_are_wanted(tree))
        expert_add_info(pinfo, item, &ei_unannotated);
    if (v->kind == CACHERAY_RTTA_REMOVE && !v->number)
        expert_add_info(pinfo, item, &ei_unmatched);
    if (v->overlaps)
        expert_add_info(pinfo, item, &ei_overlap);
}

static void show_access(proto_tree *tree, tvbuff_t *tvb, const cacheray_view *v)
{
    tree_generated_string(tree, hf_access_typename, tvb, v->type);
    tree_generated_uint(tree, hf_access_index, tvb, v->index);
    tree_generated_uint(tree, hf_access_offset, tvb, v->offset);
    if (v->member)
        tree_generated_string(tree, hf_access_member, tvb, v->member);
    tree_generated_uint(tree, hf_access_rtta, tvb, v->region.added);
}

static void show_line(proto_tree *tree, packet_info *pinfo, tvbuff_t *tvb, const cacheray_view *v)
{
    tree_generated_uint64(tree, hf_line, tvb, v->line.line);
    proto_item_set_generated(proto_tree_add_boolean(tree, hf_line_split, tvb, 0, 0, v->line.split));
    tree_generated_uint(tree, hf_line_sharing, tvb, v->line.sharing);
    if (v->line.before)
        tree_generated_uint64(tree, hf_line_reuse, tvb, pinfo->num - v->line.before);
}

void cacheray_analysis_show(proto_tree *tree, proto_item *item, packet_info *pinfo, tvbuff_t *tvb,
                            const cacheray_view *v)
{
    if (v->kind >= CACHERAY_KINDS || !tree)
        return;
    if (file->problem && pinfo->num == 1)
        expert_add_info_format(pinfo, item, &ei_binary, "%s: %s", preference_binary, file->problem);
    if (preference_annotations)
        show_experts(tree, item, pinfo, v);
    if (v->is_access)
        show_line(tree, pinfo, tvb, v);
    if (!v->number)
        return;
    if (v->is_access)
        show_access(tree, tvb, v);
    else if (v->kind == CACHERAY_RTTA_REMOVE)
        tree_generated_uint(tree, hf_rtta_add, tvb, v->region.added);
    else if (v->region.removed)
        tree_generated_uint(tree, hf_rtta_remove, tvb, v->region.removed);
}

unsigned cacheray_analysis_line_size(void)
{
    return (unsigned)preference_line_size;
}

void cacheray_analysis_tap(packet_info *pinfo, const cacheray_view *v)
{
    if (have_tap_listener(tap_cacheray))
        tap_queue_packet(tap_cacheray, pinfo, wmem_memdup(pinfo->pool, v, sizeof *v));
}

/* --- registration ---------------------------------------------------------------------------------------------------------- */

void cacheray_analysis_register(int proto, module_t *module)
{
    /* clang-format off */
    static hf_register_info hf[] = {
        {&hf_access_typename, {"Data type", "cacheray.access.typename", FT_STRING, BASE_NONE, NULL, 0,
            "Type name of the newest annotation that covers the first byte", HFILL}},
        {&hf_access_index, {"Element", "cacheray.access.index", FT_UINT32, BASE_DEC, NULL, 0,
            "Element of the annotated region", HFILL}},
        {&hf_access_offset, {"Offset in element", "cacheray.access.offset", FT_UINT32, BASE_DEC, NULL, 0,
            "Byte of the element", HFILL}},
        {&hf_access_member, {"Member", "cacheray.access.member", FT_STRING, BASE_NONE, NULL, 0,
            "Member of the type at the first byte; those that share it are separated by '|'", HFILL}},
        {&hf_access_rtta, {"Annotation", "cacheray.access.rtta", FT_FRAMENUM, BASE_NONE, NULL, 0,
            "The annotation in force", HFILL}},
        {&hf_rtta_remove, {"Removed by", "cacheray.rtta.remove", FT_FRAMENUM, BASE_NONE,
            FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE), 0, "The record that ends this annotation", HFILL}},
        {&hf_rtta_add, {"Added by", "cacheray.rtta.add", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0,
            "The annotation that ends here", HFILL}},
        {&hf_line, {"Cache line", "cacheray.line", FT_UINT64, BASE_HEX, NULL, 0,
            "Address of the first cache line touched", HFILL}},
        {&hf_line_split, {"Split", "cacheray.line.split", FT_BOOLEAN, BASE_NONE, NULL, 0,
            "The access touches two cache lines", HFILL}},
        {&hf_line_sharing, {"Sharing", "cacheray.line.sharing", FT_UINT8, BASE_DEC, VALS(cacheray_sharings), 0,
            "How threads have shared the line so far: true where one touches bytes that another has written", HFILL}},
        {&hf_line_reuse, {"Reuse distance", "cacheray.line.reuse", FT_UINT64, BASE_DEC, NULL, 0,
            "Records since the line was last touched", HFILL}},
    };
    static ei_register_info ei[] = {
        {&ei_unannotated, {"cacheray.unannotated", PI_COMMENTS_GROUP, PI_CHAT, "Access outside any annotation", EXPFILL}},
        {&ei_overlap, {"cacheray.overlap", PI_SEQUENCE, PI_NOTE, "Annotation over a live one", EXPFILL}},
        {&ei_unmatched, {"cacheray.unmatched", PI_SEQUENCE, PI_NOTE, "Nothing is annotated at this address", EXPFILL}},
        {&ei_binary, {"cacheray.binary.unusable", PI_UNDECODED, PI_WARN, "No members", EXPFILL}},
    };
    /* clang-format on */
    proto_register_field_array(proto, hf, array_length(hf));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
    prefs_register_filename_preference(module, "binary", "Traced executable",
                                       "The traced program with debug information (-g), for members of structs.",
                                       &preference_binary, FALSE);
    prefs_register_bool_preference(module, "annotations", "Follow annotations",
                                   "Connect accesses with the annotation in force.", &preference_annotations);
    prefs_register_enum_preference(module, "line_size", "Cache line", "Bytes of a cache line.", &preference_line_size,
                                   line_sizes, FALSE);
    tap_cacheray = register_tap("cacheray");
    register_init_routine(forget_file);
    register_cleanup_routine(forget_file);
}

void cacheray_analysis_handoff(void)
{
    tap_expert = find_tap_id("expert");
}
