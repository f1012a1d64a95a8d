/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray_dissector/record.h"

#include <epan/prefs.h>
#include <epan/tap.h>

#include "cacheray/plausible.h"
#include "core/opened_trace.h"
#include "host/hidden_records.h"
#include "host/notices.h"
#include "statistics/rows_names.h"
#include "util/short_name.h"

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
static expert_field ei_binary = EI_INIT;
static expert_field ei_caches = EI_INIT;
static expert_field ei_settings = EI_INIT;
static expert_field ei_remap = EI_INIT;
static expert_field ei_thread = EI_INIT;
static expert_field ei_objects = EI_INIT;

static const enum_val_t line_sizes[] = {
    {"16", "16 bytes", 16},    {"32", "32 bytes", 32},    {"64", "64 bytes", 64},
    {"128", "128 bytes", 128}, {"256", "256 bytes", 256}, {NULL, NULL, 0},
};

static const char *preference_binary = "";
static const char *preference_load_bias = "";
static const char *preference_caches = "";
static const char *preference_remap = "";
static wsbool preference_coherence = FALSE;
static wsbool preference_write_allocate = TRUE;
enum { NAMES_SHORT, NAMES_FULL };
static int preference_names = NAMES_SHORT;
static wsbool preference_annotations = TRUE;
static const char *preference_line_size = "64";
#define LINE_SIZE_USUAL 64u
static unsigned line_size = LINE_SIZE_USUAL;

#define SHARING_STRING(value, name) {value, name},
static const value_string sharings[] = {SHARING_NAMES(SHARING_STRING){0, NULL}};

/* What belongs to the open file. */
static struct {
    cacheray_session session;
    uint32_t first;       /* frame at which problems are shown */
    char *unknown_struct; /* the message if the program does not know the first struct; NULL: none */
} file;

static bool has_private_cache(void)
{
    const caches_config *c = cacheray_analysis_caches(file.session.analysis);
    for (unsigned i = 0; c && i < c->count; i++)
        if (c->levels[i].per_thread)
            return true;
    return false;
}

#define REMAP_LINES 10u /* that are wrong are reported one by one */

/* Reports problems with files that change what is known of a trace. */
static void add_file_problems(proto_item *item, const record_seen *seen, const cacheray_problems *p)
{
    for (guint i = 0; i < p->binaries->len; i++)
        notices_say_at(seen, item, *preference_binary ? &ei_binary : &ei_objects,
                       *preference_binary ? NOTICE_FAILURE : NOTICE_WARNING, "%s",
                       (const char *)g_ptr_array_index(p->binaries, i));
    for (guint i = 0; p->notices && i < p->notices->len; i++)
        notices_say_at(seen, item, &ei_objects, NOTICE_WARNING, "%s", (const char *)g_ptr_array_index(p->notices, i));
    if (p->remap)
        notices_say_at(seen, item, &ei_remap, NOTICE_FAILURE, "%s: %s, so nothing is moved", preference_remap, p->remap);
    for (guint i = 0; i < MIN(p->remap_lines->len, REMAP_LINES); i++)
        notices_say_at(seen, item, &ei_remap, NOTICE_FAILURE, "%s: %s, so this line is not used", preference_remap,
                       (const char *)g_ptr_array_index(p->remap_lines, i));
    if (p->remap_lines->len > REMAP_LINES)
        notices_say_at(seen, item, &ei_remap, NOTICE_FAILURE, "%s: %u further lines are not used", preference_remap,
                       p->remap_lines->len - REMAP_LINES);
}

/* Reports problems with the files named by preferences, and with preferences that need them. */
static void add_problems(proto_item *item, const record_seen *seen)
{
    const cacheray_problems p = cacheray_analysis_problems(file.session.analysis);
    add_file_problems(item, seen, &p);
    const bool no_binary = !*preference_binary && p.no_members;
    if (*preference_load_bias && no_binary)
        notices_say_at(seen, item, &ei_settings, NOTICE_WARNING, "cacheray.load_bias is not used without cacheray.binary");
    if (p.caches)
        notices_say_at(seen, item, &ei_caches, NOTICE_FAILURE, "%s: %s, so no caches are simulated", preference_caches,
                       p.caches);
    if (preference_coherence && cacheray_levels() && !has_private_cache())
        notices_say_at(seen, item, &ei_settings, NOTICE_WARNING,
                       "cacheray.coherence changes nothing: no cache is \"private\" in %s", preference_caches);
    if ((preference_coherence || !preference_write_allocate) && !*preference_caches)
        notices_say_at(seen, item, &ei_settings, NOTICE_WARNING,
                       "cacheray.coherence and cacheray.write_allocate are not used without cacheray.caches");
    if (*preference_remap && no_binary)
        notices_say_at(seen, item, &ei_settings, NOTICE_WARNING, "cacheray.remap is not used without cacheray.binary");
    if (*preference_remap && !preference_annotations)
        notices_say_at(seen, item, &ei_settings, NOTICE_WARNING,
                       "cacheray.remap moves variables only without cacheray.annotations");
}

void cacheray_forget_file(void)
{
    /* not certain before the end of the file */
    if (file.unknown_struct && cacheray_analysis_problems(file.session.analysis).unknown_struct)
        notices_say(NOTICE_WARNING, "%s", file.unknown_struct);
    g_free(file.unknown_struct);
    cacheray_session_end(&file.session);
    memset(&file, 0, sizeof file);
}

static void forget_lines(void)
{
    if (file.session.analysis)
        cacheray_analysis_finish(file.session.analysis);
}

void cacheray_report_problems(const cacheray_analysis *a)
{
    const cacheray_problems p = cacheray_analysis_problems(a);
    add_file_problems(NULL, NULL, &p);
}

char *cacheray_unknown_struct(const char *binary, const char *type)
{
    return g_strdup_printf("%s: it does not know %s, so there are no members: is it the traced program?", binary, type);
}

cacheray_options cacheray_shown_options(void)
{
    return (cacheray_options){.annotations = preference_annotations,
                              .line_size = line_size,
                              .binary = preference_binary,
                              .load_bias = preference_load_bias,
                              .caches = preference_caches,
                              .coherence = preference_coherence,
                              .no_write_allocate = !preference_write_allocate,
                              .remap = preference_remap};
}

static void start_file(const record_context *c)
{
    cacheray_options o = cacheray_shown_options();
    o.trace = opened_trace_name(c);
    o.keep = (c->flags & CONTEXT_RANDOM_ACCESS) != 0;
    cacheray_session_begin(&file.session, &o, c);
    add_problems(NULL, NULL);
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

void cacheray_shown_apply(void)
{
    const enum_val_t *choice = cacheray_choice(line_sizes, preference_line_size);
    line_size = choice ? (unsigned)choice->value : LINE_SIZE_USUAL;
    if (!line_size_is_known())
        notices_say(NOTICE_WARNING, LINE_SIZE_WORDS, preference_line_size, line_size);
}

const cacheray_analysis *cacheray_shown_of_file(void)
{
    return file.session.analysis;
}

bool cacheray_coherence(void)
{
    return preference_coherence;
}

unsigned cacheray_levels(void)
{
    return file.session.analysis ? cacheray_analysis_levels(file.session.analysis) : 0;
}

/* --- looking at a record ----------------------------------------------------------------------------------------------- */

/* If results are not kept, lines are analysed only if somebody looks at their fields, which is the same for all records
 * of a pass. The statistics do their own analysis. */
static bool lines_are_wanted(proto_tree *tree)
{
    static const int *const fields[] = {&hf_line, &hf_line_split, &hf_line_sharing, &hf_line_reuse, &hf_line_contended};
    for (unsigned i = 0; tree && i < G_N_ELEMENTS(fields); i++)
        if (tree_field_needed(tree, *fields[i]))
            return true;
    return cacheray_analysis_kept(file.session.analysis);
}

void cacheray_shown_look(cacheray_tapped *v, const dissection *d)
{
    cacheray_session *session = &file.session;
    const uint32_t place = d->seen->number;
    if (!session->analysis)
        start_file(v->context);
    if (!file.first && !d->hidden)
        file.first = d->seen->frame;
    v->cold = d->unknown;
    if (d->seen->again && cacheray_session_find(session, place, v))
        return;
    v->touches = v->is_access && !v->cold && lines_are_wanted(d->tree);
    cacheray_session_visit(session, place, v, !d->hidden);
    if (session->unknown_struct && !file.unknown_struct)
        file.unknown_struct = cacheray_unknown_struct(preference_binary, session->unknown_struct);
    if (v->is_access && v->cold)
        lines_place(line_size, v->placed, v->size, &v->line);
}

/* --- fields ------------------------------------------------------------------------------------------------------------ */

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
    if (seen->number == cacheray_analysis_problems(file.session.analysis).unknown_struct && file.unknown_struct)
        expert_add_info_format(seen->packet, item, &ei_binary, "%s", file.unknown_struct);
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
        tree_generated_string(tree, hf_access_member, tvb, v->covered.all[i].name);
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
    if (preference_coherence && v->kind == CACHERAY_WRITE)
        tree_generated(tree, hf_cache_invalidated, tvb, v->cache.invalidated);
}

static void show_problems(proto_item *item, const record_seen *seen, const record_context *c)
{
    notices_add_settings(seen, item, &ei_settings, "cacheray", c);
    if (!line_size_is_known())
        notices_say_at(seen, item, &ei_settings, NOTICE_WARNING, LINE_SIZE_WORDS, preference_line_size, line_size);
    add_problems(item, seen);
    if (seen->again && file.session.has_accesses && !file.session.numbered &&
        cacheray_analysis_kept(file.session.analysis) && !hidden_end_unread() &&
        !cacheray_analysis_recorded(file.session.analysis))
        expert_add_info_format(seen->packet, item, &ei_thread, "%s", CACHERAY_UNNUMBERED);
}

void cacheray_shown_show(proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb,
                         const cacheray_tapped *v)
{
    const bool experts = !tree_row_of(tree);
    if (experts && seen->frame == file.first)
        show_problems(item, seen, v->context);
    if (v->kind >= CACHERAY_KINDS)
        return;
    if (experts && preference_annotations)
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

const char *cacheray_label(const record_seen *seen, const char *name)
{
    if (preference_names != NAMES_SHORT || !strpbrk(name, "<("))
        return name;
    g_autofree char *shortened = short_name(name, SHORT_NAME_DATA);
    return wmem_strdup(seen->pool, shortened);
}

void cacheray_shorten_names(const statistic_run *run, rows *r, unsigned column, unsigned columns)
{
    if (preference_names == NAMES_SHORT && !statistic_in_full(run))
        rows_shorten_names(r, column, columns, SHORT_NAME_DATA, NULL);
}

unsigned cacheray_shown_line_size(void)
{
    return line_size;
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static void cacheray_shown_register_preferences(module_t *module)
{
    static const enum_val_t names[] = {{"short", "Short", NAMES_SHORT},
                                       {"full", "In full", NAMES_FULL},
                                       {"mangled", "In full", NAMES_FULL},
                                       {NULL, NULL, 0}};
    prefs_register_filename_preference(
        module, "binary", "Traced executable",
        "The traced program with debug information (-g), or the .dwarf.json that "
        "dwarf2json makes of it: for members of structs and, from a program, variables. Libraries "
        "may follow, separated by ';'. Without it, the objects that the recorder has listed "
        "beside the trace are used.",
        &preference_binary, FALSE);
    prefs_register_string_preference(
        module, "load_bias", "Load bias",
        "Hexadecimal offset of the addresses in a position-independent executable "
        "(the start of its first mapping), for variables, where the recorder has not listed it.",
        &preference_load_bias);
    prefs_register_enum_preference(module, "names", "Names in lists and tables",
                                   "Short ones of C++ types have no template arguments. Fields have names in full.",
                                   &preference_names, names, FALSE);
    prefs_register_bool_preference(module, "annotations", "Follow annotations",
                                   "Match accesses with the annotation that applies to them.", &preference_annotations);
    prefs_register_string_preference(module, "line_size", "Cache line (bytes)",
                                     "Bytes of a cache line: 16, 32, 64, 128 or 256.", &preference_line_size);
    prefs_register_filename_preference(module, "caches", "Caches",
                                       "Description of caches to simulate, as Cacheray's simulator reads it (JSON).",
                                       &preference_caches, FALSE);
    prefs_register_bool_preference(module, "coherence", "Coherent caches",
                                   "A write removes its line from the private caches of other threads, as in real machines, "
                                   "so that false sharing shows as misses.",
                                   &preference_coherence);
    prefs_register_bool_preference(module, "write_allocate", "Writes load lines",
                                   "A write that misses a cache loads its line. Otherwise it bypasses the cache.",
                                   &preference_write_allocate);
    prefs_register_filename_preference(
        module, "remap", "Moved members",
        "File with new offsets for members of structs, as Cacheray's simulator reads it: cache "
        "lines and caches are computed with these offsets.",
        &preference_remap, FALSE);
}

void cacheray_shown_register(int proto, module_t *module)
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
        {&ei_binary, {"cacheray.binary.unusable", PI_UNDECODED, PI_WARN, "Types of the executable are not known", EXPFILL}},
        {&ei_objects, {"cacheray.objects.notice", PI_UNDECODED, PI_NOTE, "What is known of the traced program", EXPFILL}},
        {&ei_settings, {"cacheray.settings.unusable", PI_UNDECODED, PI_WARN, "A setting is not used", EXPFILL}},
        {&ei_thread, {"cacheray.thread.unnumbered", PI_UNDECODED, PI_NOTE, "Threads may not be numbered", EXPFILL}},
        {&ei_remap, {"cacheray.remap.unusable", PI_UNDECODED, PI_WARN, "Members are not moved", EXPFILL}},
        {&ei_caches, {"cacheray.caches.unusable", PI_UNDECODED, PI_WARN, "No caches", EXPFILL}},
    };
    /* clang-format on */
    static int *ett[] = {&ett_region, &ett_line};
    tree_fields_register(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
    cacheray_shown_register_preferences(module);
    register_postseq_cleanup_routine(forget_lines);
}
