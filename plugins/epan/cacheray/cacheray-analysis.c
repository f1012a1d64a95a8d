/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray-analysis.h"

#include <epan/prefs.h>
#include <epan/tap.h>
#include <wsutil/wslog.h>

#include "cacheray/cacheray.h"
#include "cacheray/caches.h"
#include "cacheray/members.h"
#include "hash.h"
#include "notices.h"
#include "text.h"

static int hf_access_typename = -1;
static int hf_access_index = -1;
static int hf_access_offset = -1;
static int hf_access_rtta = -1;
static int hf_access_member = -1;
static int hf_access_variable = -1;
static int hf_rtta_remove = -1;
static int hf_rtta_add = -1;
static int hf_line = -1;
static int hf_line_split = -1;
static int hf_line_sharing = -1;
static int hf_line_reuse = -1;
static int hf_cache_level = -1;
static int hf_cache_evicted = -1;

static expert_field ei_unannotated = EI_INIT;
static expert_field ei_overlap = EI_INIT;
static expert_field ei_unmatched = EI_INIT;
static expert_field ei_binary = EI_INIT;
static expert_field ei_caches = EI_INIT;
static expert_field ei_settings = EI_INIT;

static const enum_val_t line_sizes[] = {
    {"16", "16 bytes", 16},    {"32", "32 bytes", 32},    {"64", "64 bytes", 64},
    {"128", "128 bytes", 128}, {"256", "256 bytes", 256}, {NULL, NULL, 0},
};

static const char *preference_binary = "";
static const char *preference_load_bias = "";
static const char *preference_caches = "";
static wsbool preference_annotations = TRUE;
static const char *preference_line_size = "64";
#define LINE_SIZE_USUAL 64u
static unsigned line_size = LINE_SIZE_USUAL;

const value_string cacheray_sharings[] = {
    {SHARING_PRIVATE, "private"}, {SHARING_READ_ONLY, "read-only"},  {SHARING_TRUE, "true"},
    {SHARING_FALSE, "false"},     {SHARING_BOTH, "true and false"}, {0, NULL},
};

/* What is kept of every record. The rest follows from it, from the numbers that some have, and the record's own fields. */
typedef struct kept {
    uint8_t about; /* KEPT_SEEN and KEPT_OVERLAPS, above them the sharing */
    uint8_t level; /* of the caches, and KEPT_EVICTS */
} kept;
enum { KEPT_SEEN = 1, KEPT_OVERLAPS = 2, KEPT_SHARING_AT = 2 };
#define KEPT_EVICTS 0x80u

_Static_assert(sizeof(kept) + 2 * sizeof(uint32_t) + sizeof(uint64_t) <= 24, "at most 24 bytes per record");

#define CHUNK 65536u

/* Of the open file. */
typedef struct analysis {
    bool keep;
    uint32_t first; /* frame, at which problems are shown */
    uint32_t stranger; /* the first that adds a struct which the executable does not know; 0: none */
    bool names_types;  /* the executable knows the type of any annotation */
    annotations *annotations;
    line_table *lines;
    members *members;    /* NULL: unknown */
    const char *problem; /* with the executable; NULL: none */
    const char *bias_problem; /* likewise, with its load bias */
    bool has_variables;  /* of the executable, at addresses that are known */
    uint64_t load_bias;  /* what the loader has added to them */
    caches *caches;       /* NULL: none are described */
    char *caches_problem; /* with their description */
    GArray *types;       /* uint32_t by number of the annotation - 1: type of `members` */
    GStringChunk *texts;
    GHashTable *names; /* text -> number + 1 */
    GPtrArray *name;   /* texts by number */
    GPtrArray *chunks;  /* of kept[CHUNK], NULL where nothing is */
    GPtrArray *numbers; /* of uint32_t[CHUNK], likewise: annotations */
    GPtrArray *preceding; /* the same: records that touched the line before */
    GPtrArray *evicted; /* of uint64_t[CHUNK], likewise: lines that went, only with caches */
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
    g_ptr_array_free(file->numbers, TRUE);
    g_ptr_array_free(file->preceding, TRUE);
    g_ptr_array_free(file->evicted, TRUE);
    caches_free(file->caches);
    g_free(file->caches_problem);
    g_free(file);
    file = NULL;
}

static void start_caches(void)
{
    caches_config config;
    if (!*preference_caches)
        return;
    file->caches_problem = caches_read(preference_caches, &config);
    if (!file->caches_problem)
        file->caches = caches_new(&config);
}

/* Position-independent programs run elsewhere each time, so only the user can know where. */
static void start_variables(void)
{
    const char *text = preference_load_bias;
    char *end = NULL;
    file->has_variables = *text || members_fixed(file->members);
    file->load_bias = g_ascii_strtoull(text, &end, 16);
    if (*text && (*end || !g_ascii_isxdigit(*text))) {
        file->has_variables = false;
        file->bias_problem = "the load bias is no hexadecimal number, so variables are unknown";
    }
}

static void start_members(const record_context *c)
{
    cacheray_layout traced = (cacheray_layout)cacheray_context_of(c)->layout;
    const members_machine machine = {cacheray_pointer(traced) == 8, cacheray_big_endian(traced)};
    if (!*preference_binary)
        return;
    file->members = members_open(preference_binary, &machine, &file->problem);
    if (file->members)
        start_variables();
}

const enum_val_t *cacheray_choice(const enum_val_t *choices, const char *text)
{
    while (choices->name && g_ascii_strcasecmp(choices->name, text) != 0 &&
           g_ascii_strcasecmp(choices->description, text) != 0)
        choices++;
    return choices->name ? choices : NULL;
}

static bool line_size_is_known(void)
{
    return !*preference_line_size || cacheray_choice(line_sizes, preference_line_size) != NULL;
}

#define LINE_SIZE_WORDS "cacheray.line_size is '%.64s', but may be 16, 32, 64, 128, 256: lines have %u bytes"

void cacheray_analysis_apply(void)
{
    const enum_val_t *choice = cacheray_choice(line_sizes, preference_line_size);
    line_size = choice ? (unsigned)choice->value : LINE_SIZE_USUAL;
    if (!line_size_is_known())
        ws_log("Wiretrace", LOG_LEVEL_WARNING, LINE_SIZE_WORDS, preference_line_size, line_size);
}

/* All records have been seen, and what is kept of them needs no lines. */
static void forget_lines(void)
{
    if (!file || !file->keep)
        return;
    lines_free(file->lines);
    file->lines = lines_new(line_size);
}

static void start_file(const record_context *c, uint32_t frame)
{
    file = g_new0(analysis, 1);
    file->first = frame;
    file->keep = (c->flags & CONTEXT_RANDOM_ACCESS) != 0;
    file->annotations = annotations_new();
    file->lines = lines_new(line_size);
    file->types = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    start_members(c);
    file->texts = g_string_chunk_new(4096);
    file->names = g_hash_table_new(hash_text, g_str_equal);
    file->name = g_ptr_array_new();
    file->chunks = g_ptr_array_new_with_free_func(g_free);
    file->numbers = g_ptr_array_new_with_free_func(g_free);
    file->preceding = g_ptr_array_new_with_free_func(g_free);
    file->evicted = g_ptr_array_new_with_free_func(g_free);
    start_caches();
}

/* --- what is kept ---------------------------------------------------------------------------------------------------------- */

/* What is kept of a frame, `size` bytes, in one of the lists of chunks; NULL where nothing is. */
static void *kept_in(const GPtrArray *chunks, size_t size, uint32_t frame)
{
    guint chunk = frame / CHUNK;
    char *all = chunk < chunks->len ? g_ptr_array_index(chunks, chunk) : NULL;
    return all ? all + frame % CHUNK * size : NULL;
}

static void *keep_in(GPtrArray *chunks, size_t size, uint32_t frame)
{
    guint chunk = frame / CHUNK;
    if (chunk >= chunks->len)
        g_ptr_array_set_size(chunks, (gint)chunk + 1);
    if (!g_ptr_array_index(chunks, chunk))
        g_ptr_array_index(chunks, chunk) = g_malloc0_n(CHUNK, size);
    return kept_in(chunks, size, frame);
}

/* A number of a frame. Many frames, one after the other, may have none, which is 0 and takes no room. */
static uint32_t kept_number(const GPtrArray *chunks, uint32_t frame)
{
    const uint32_t *number = kept_in(chunks, sizeof *number, frame);
    return number ? *number : 0;
}

static void keep_number(GPtrArray *chunks, uint32_t frame, uint32_t number)
{
    uint32_t *at = number ? keep_in(chunks, sizeof number, frame) : kept_in(chunks, sizeof number, frame);
    if (at)
        *at = number;
}

/* Number of a type name, which is stored once, as it is shown with every access. */
static uint32_t name_number(const char *full)
{
    char *name = text_show(full, -1);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(file->names, name));
    if (number == 0) {
        char *text = g_string_chunk_insert(file->texts, name);
        g_ptr_array_add(file->name, text);
        number = file->name->len;
        g_hash_table_insert(file->names, text, GUINT_TO_POINTER(number));
    }
    g_free(name);
    return number - 1;
}

/* --- looking at a record --------------------------------------------------------------------------------------------------- */

/* What the executable knows of the type of an annotation. */
static bool is_struct(const char *name)
{
    return g_str_has_prefix(name, "struct.") || g_str_has_prefix(name, "class.") || g_str_has_prefix(name, "union.");
}

static void note_type(const cacheray_view *v, uint32_t frame)
{
    if (!file->members)
        return;
    const char *name = g_ptr_array_index(file->name, v->region.name);
    uint32_t type = members_type(file->members, name, v->region.elem_size);
    g_array_append_val(file->types, type);
    file->names_types |= type != 0;
    if (!type && !file->problem && !file->names_types && !file->stranger && is_struct(name))
        file->stranger = frame;
}

static const char *member_of(const cacheray_view *v)
{
    uint32_t type = file->members ? g_array_index(file->types, uint32_t, v->number - 1) : 0;
    const char *member = type ? members_at(file->members, type, v->offset) : "";
    return *member ? member : NULL;
}

/* What an access touches that no annotation covers. */
static void find_variable(cacheray_view *v)
{
    members_variable found;
    if (!file->has_variables || !members_variable_at(file->members, v->address - file->load_bias, &found))
        return;
    v->variable = found.name;
    v->member = found.member;
    v->index = found.index;
    v->offset = found.offset;
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
        note_type(v, frame);
    } else if (v->kind == CACHERAY_RTTA_REMOVE) {
        v->number = annotations_remove(file->annotations, v->address, frame);
    } else {
        v->number = annotations_find(file->annotations, v->address);
    }
}

static void keep(const cacheray_view *v, uint32_t frame)
{
    kept *k = keep_in(file->chunks, sizeof *k, frame);
    k->about = (uint8_t)(KEPT_SEEN | (v->overlaps ? KEPT_OVERLAPS : 0) | v->line.sharing << KEPT_SHARING_AT);
    k->level = v->cache.level;
    keep_number(file->numbers, frame, v->number);
    keep_number(file->preceding, frame, v->line.before);
    if (v->cache.evicts) {
        k->level |= KEPT_EVICTS;
        *(uint64_t *)keep_in(file->evicted, sizeof(uint64_t), frame) = v->cache.evicted;
    }
}

/* Lines that are not kept for later are followed only where they are shown, which is the same for all records of one pass.
 * Statistics follow them for themselves. */
static bool lines_are_wanted(proto_tree *tree)
{
    static const int *const fields[] = {&hf_line, &hf_line_split, &hf_line_sharing, &hf_line_reuse};
    for (unsigned i = 0; tree && i < G_N_ELEMENTS(fields); i++)
        if (proto_field_is_referenced(tree, *fields[i]))
            return true;
    return file->keep;
}

static void follow(cacheray_view *v, uint32_t frame, const char *(*name)(void *data), void *data)
{
    if (preference_annotations)
        follow_annotations(v, frame, name, data);
    if (v->touches) {
        line_touch access = {v->address, v->thread, frame, v->size, v->kind == CACHERAY_WRITE};
        lines_touch(file->lines, &access, &v->line);
    }
    if (v->is_access && file->caches)
        caches_access(file->caches, v->address, v->size, v->thread, &v->cache);
    if (file->keep)
        keep(v, frame);
}

static const kept *kept_of(const packet_info *pinfo)
{
    const kept *k = PINFO_FD_VISITED(pinfo) && file->keep ? kept_in(file->chunks, sizeof *k, pinfo->num) : NULL;
    return k && k->about ? k : NULL;
}

/* What covered the record's address when it was seen first: the file may have been changed since. */
static bool still_covers(uint32_t number, uint64_t address)
{
    const annotation *region = annotations_get(file->annotations, number);
    return address - region->start < annotation_length(region);
}

static void recall(cacheray_view *v, const packet_info *pinfo, const kept *k)
{
    uint32_t number = kept_number(file->numbers, pinfo->num);
    v->number = v->is_access && number && !still_covers(number, v->address) ? 0 : number;
    v->overlaps = k->about & KEPT_OVERLAPS;
    v->line.before = kept_number(file->preceding, pinfo->num);
    v->line.sharing = k->about >> KEPT_SHARING_AT;
    v->cache.level = k->level & 0x7f;
    v->cache.evicts = k->level & KEPT_EVICTS;
    if (v->cache.evicts)
        v->cache.evicted = *(uint64_t *)kept_in(file->evicted, sizeof(uint64_t), pinfo->num);
    lines_place(line_size, v->address, v->size, &v->line);
}

void cacheray_analysis_look(cacheray_view *v, packet_info *pinfo, proto_tree *tree, const char *(*name)(void *data),
                            void *data)
{
    if (!file)
        start_file(v->context, pinfo->num);
    if (v->kind >= CACHERAY_KINDS)
        return;
    const kept *k = kept_of(pinfo);
    v->touches = v->is_access && !k && lines_are_wanted(tree);
    if (k)
        recall(v, pinfo, k);
    else
        follow(v, pinfo->num, name, data);
    v->has_cache = v->is_access && file->caches;
    if (!v->number) {
        if (v->is_access)
            find_variable(v);
        return;
    }
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

/* Half of all accesses may have no annotation: nothing is made for them that nobody asks for. Who counts expert infos asks
 * without a tree, too. */
static bool experts_are_wanted(proto_tree *tree)
{
    bool filtered = tree && (proto_field_is_referenced(tree, ei_unannotated.hf) || proto_field_is_referenced(tree, proto_expert));
    return filtered || notices_counted();
}

static void show_experts(proto_tree *tree, proto_item *item, packet_info *pinfo, const cacheray_view *v)
{
    if (v->is_access && !v->number && experts_are_wanted(tree))
        expert_add_info(pinfo, item, &ei_unannotated);
    if (v->kind == CACHERAY_RTTA_REMOVE && !v->number)
        expert_add_info(pinfo, item, &ei_unmatched);
    if (v->overlaps)
        expert_add_info(pinfo, item, &ei_overlap);
    if (pinfo->num == file->stranger && !file->names_types)
        expert_add_info_format(pinfo, item, &ei_binary, "%s: it does not know %s, so there are no members: is it the traced program?",
                               preference_binary, v->type);
}

static void show_access(proto_tree *tree, tvbuff_t *tvb, const cacheray_view *v)
{
    if (v->number)
        tree_generated_string(tree, hf_access_typename, tvb, v->type);
    else
        tree_generated_string(tree, hf_access_variable, tvb, v->variable);
    tree_generated_uint(tree, hf_access_index, tvb, v->index);
    tree_generated_uint(tree, hf_access_offset, tvb, v->offset);
    if (v->member)
        tree_generated_string(tree, hf_access_member, tvb, v->member);
    if (v->number)
        tree_generated_uint(tree, hf_access_rtta, tvb, v->region.added);
}

static void show_line(proto_tree *tree, packet_info *pinfo, tvbuff_t *tvb, const cacheray_view *v)
{
    tree_generated_uint64(tree, hf_line, tvb, v->line.line);
    tree_generated_boolean(tree, hf_line_split, tvb, v->line.split);
    tree_generated_uint(tree, hf_line_sharing, tvb, v->line.sharing);
    if (v->line.before)
        tree_generated_uint64(tree, hf_line_reuse, tvb, pinfo->num - v->line.before);
}

static void show_cache(proto_tree *tree, tvbuff_t *tvb, const cacheray_view *v)
{
    tree_generated_uint(tree, hf_cache_level, tvb, v->cache.level);
    if (v->cache.evicts)
        tree_generated_uint64(tree, hf_cache_evicted, tvb, v->cache.evicted);
}

static void show_problems(proto_item *item, packet_info *pinfo, const record_context *c)
{
    if (!(c->flags & CONTEXT_EXPORTED)) /* nobody has opened those as a trace */
        notices_add_settings(pinfo, item, &ei_settings, "cacheray");
    if (!line_size_is_known())
        expert_add_info_format(pinfo, item, &ei_settings, LINE_SIZE_WORDS, preference_line_size, line_size);
    if (file->problem)
        expert_add_info_format(pinfo, item, &ei_binary, "%s: %s, so %s are not known", preference_binary, file->problem,
                               file->members ? "members" : "members and variables");
    if (file->bias_problem)
        expert_add_info_format(pinfo, item, &ei_binary, "%s: %s", preference_binary, file->bias_problem);
    if (file->caches_problem)
        expert_add_info_format(pinfo, item, &ei_caches, "%s: %s", preference_caches, file->caches_problem);
}

void cacheray_analysis_show(proto_tree *tree, proto_item *item, packet_info *pinfo, tvbuff_t *tvb,
                            const cacheray_view *v)
{
    if (pinfo->num == file->first)
        show_problems(item, pinfo, v->context);
    if (v->kind >= CACHERAY_KINDS)
        return;
    if (preference_annotations)
        show_experts(tree, item, pinfo, v);
    if (!tree)
        return;
    if (v->is_access)
        show_line(tree, pinfo, tvb, v);
    if (v->has_cache)
        show_cache(tree, tvb, v);
    if (v->is_access && (v->number || v->variable))
        show_access(tree, tvb, v);
    if (v->is_access || !v->number)
        return;
    if (v->kind == CACHERAY_RTTA_REMOVE)
        tree_generated_uint(tree, hf_rtta_add, tvb, v->region.added);
    else if (v->region.removed)
        tree_generated_uint(tree, hf_rtta_remove, tvb, v->region.removed);
}

unsigned cacheray_analysis_line_size(void)
{
    return line_size;
}

/* --- registration ---------------------------------------------------------------------------------------------------------- */

void cacheray_analysis_register(int proto, module_t *module)
{
    /* clang-format off */
    static hf_register_info hf[] = {
        {&hf_access_typename, {"Data type", "cacheray.access.typename", FT_STRING, BASE_NONE, NULL, 0,
            "Type name of the newest annotation that covers the first byte", HFILL}},
        {&hf_access_index, {"Element", "cacheray.access.index", FT_UINT32, BASE_DEC, NULL, 0,
            "Element of the annotated region, or of a variable that is an array", HFILL}},
        {&hf_access_offset, {"Offset in element", "cacheray.access.offset", FT_UINT32, BASE_DEC, NULL, 0,
            "Byte of the element", HFILL}},
        {&hf_access_member, {"Member", "cacheray.access.member", FT_STRING, BASE_NONE, NULL, 0,
            "Member of the type at the first byte; those that share it are separated by '|'", HFILL}},
        {&hf_access_variable, {"Variable", "cacheray.access.variable", FT_STRING, BASE_NONE, NULL, 0,
            "Global variable that is accessed, outside of any annotation", HFILL}},
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
        {&hf_cache_level, {"Cache level", "cacheray.cache.level", FT_UINT8, BASE_DEC, NULL, 0,
            "Level that has all of the access, from 1; 0: memory", HFILL}},
        {&hf_cache_evicted, {"Evicted line", "cacheray.cache.evicted", FT_UINT64, BASE_HEX, NULL, 0,
            "Line that the access has pushed out of the first level", HFILL}},
    };
    static ei_register_info ei[] = {
        {&ei_unannotated, {"cacheray.unannotated", PI_COMMENTS_GROUP, PI_CHAT, "Access outside any annotation", EXPFILL}},
        {&ei_overlap, {"cacheray.overlap", PI_SEQUENCE, PI_NOTE, "Annotation over a live one", EXPFILL}},
        {&ei_unmatched, {"cacheray.unmatched", PI_SEQUENCE, PI_NOTE, "Nothing is annotated at this address", EXPFILL}},
        {&ei_binary, {"cacheray.binary.unusable", PI_UNDECODED, PI_WARN, "Types of the executable are not known", EXPFILL}},
        {&ei_settings, {"cacheray.settings.unusable", PI_UNDECODED, PI_WARN, "A setting is not used", EXPFILL}},
        {&ei_caches, {"cacheray.caches.unusable", PI_UNDECODED, PI_WARN, "No caches", EXPFILL}},
    };
    /* clang-format on */
    proto_register_field_array(proto, hf, array_length(hf));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
    prefs_register_filename_preference(module, "binary", "Traced executable",
                                       "The traced program with debug information (-g), or the .dwarf.json that "
                                       "dwarf2json makes of it: for members of structs and, from a program, variables.",
                                       &preference_binary, FALSE);
    prefs_register_string_preference(module, "load_bias", "Load bias",
                                     "Hexadecimal: what is added to the addresses in a position-independent "
                                     "executable (the start of its first mapping), for variables.",
                                     &preference_load_bias);
    prefs_register_bool_preference(module, "annotations", "Follow annotations",
                                   "Connect accesses with the annotation in force.", &preference_annotations);
    prefs_register_string_preference(module, "line_size", "Cache line (bytes)",
                                     "Bytes of a cache line: 16, 32, 64, 128 or 256.", &preference_line_size);
    prefs_register_filename_preference(module, "caches", "Caches",
                                       "Description of caches to simulate, as Cacheray's simulator reads it (JSON).",
                                       &preference_caches, FALSE);
    register_init_routine(forget_file);
    register_cleanup_routine(forget_file);
    register_postseq_cleanup_routine(forget_lines);
}

