/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of calls and functions, as fields and expert infos of their records. */
#include "xray_dissector/fields.h"

#include "host/hidden_records.h"
#include "host/record_numbers.h"
#include "showing/stacks.h"
#include "xray_dissector/file.h"
#include "xray_dissector/names.h"
#include "xray_dissector/problems.h"
#include "xray_dissector/spans.h"

static int hf_function_name = -1;
static int hf_function_alias = -1;
static int hf_function_short = -1;
static int hf_function_source = -1;
static int hf_call_depth = -1;
static int hf_call_duration = -1;
static int hf_call_duration_us = -1;
static int hf_call_ticks = -1;
static int hf_call_self = -1;
static int hf_call_self_us = -1;
static int hf_call_entry = -1;
static int hf_call_exit = -1;
static int hf_call_caller = -1;
static int hf_call_caller_name = -1;
static int hf_call_caller_id = -1;
static int hf_call_stack = -1;

static int hf_call_within = -1;
static int hf_call_within_missing = -1;
static int hf_idle = -1;

static int ett_call = -1;
static int ett_within = -1;

static expert_field ei_unmatched = EI_INIT;
static expert_field ei_unwound = EI_INIT;
static expert_field ei_unattributed = EI_INIT;
static expert_field ei_unsure = EI_INIT;

/* Entries in xray.call.within, as deep recursion would take quadratic time: for those who name it, and among all fields. */
#define WITHIN_MAX 4096u
#define WITHIN_SHOWN 64u
#define UNWOUND_MARKS 1000u /* most calls listed at one exit, since Wireshark limits a packet to a million items */

/* --- fields ------------------------------------------------------------------------------------------------------------ */

static void xray_fields_add_time(proto_tree *tree, int hf, int hf_us, tvbuff_t *tvb, const xray_tapped *r, uint64_t ticks)
{
    if (!tree_field_needed(tree, hf) && !tree_field_referenced(hf_us))
        return;
    const uint64_t ns = xray_nanoseconds(ticks, xray_context_of(r->context)->frequency);
    tree_generated_time(tree, hf, tvb, ns);
    tree_generated_us(tree, hf_us, tvb, ns);
}

static void xray_fields_add_names(proto_tree *tree, tvbuff_t *tvb, const xray_tapped *r)
{
    const char *name = r->has_function ? xray_names_of(r->function) : NULL;
    if (name)
        tree_generated_lasting(tree, hf_function_name, tvb, name);
    if (name && tree_field_needed(tree, hf_function_short)) {
        const char *shortened = xray_functions_short(xray_file.names, r->function).text;
        proto_item *item = tree_add_string(tree, hf_function_short, tvb, 0, 0, shortened);
        proto_item_set_generated(item);
        if (strcmp(shortened, name) == 0)
            proto_item_set_hidden(item);
    }
    if (name && tree_field_needed(tree, hf_function_alias)) {
        const xray_function *f = xray_functions_find(xray_file.names, r->function);
        if (f && f->alias)
            tree_generated_string(tree, hf_function_alias, tvb, f->alias);
    }
    if (xray_file.names && tree_field_needed(tree, hf_function_source)) {
        const char *place = xray_names_source(r->function).text;
        if (place)
            tree_generated_lasting(tree, hf_function_source, tvb, place);
    }
}

static void add_stack(proto_tree *tree, tvbuff_t *tvb, const xray_tapped *r)
{
    stack_piece pieces[STACKS_PIECES];
    GString *text = g_string_new(NULL);
    for (unsigned i = 0, n = xray_spans_pieces(r, &r->call, r->function, NULL, STACKS_SHORT, pieces); i < n; i++) {
        g_string_append(text, i ? ";" : "");
        xray_names_append_piece(text, &pieces[i], true);
    }
    tree_generated_string(tree, hf_call_stack, tvb, text->str);
    g_string_free(text, TRUE);
}

static inline bool wants_caller(const proto_tree *tree)
{
    return tree_field_needed(tree, hf_call_caller) || tree_field_referenced(hf_call_caller_id) ||
           tree_field_referenced(hf_call_caller_name);
}

/* `entry`: of the enclosing call. */
static void add_caller(proto_tree *tree, tvbuff_t *tvb, const xray_tapped *r, uint32_t entry)
{
    uint32_t function;
    if (!xray_session_around(r, &function))
        return;
    const char *name = xray_names_of(function);
    tree_generated_frame(tree, hf_call_caller, tvb, entry);
    tree_generated(tree, hf_call_caller_id, tvb, function);
    if (name)
        tree_generated_lasting(tree, hf_call_caller_name, tvb, name);
}

/* Adds the entry that an argument belongs to, or the call that an event happened in. */
static void add_inside(proto_tree *tree, tvbuff_t *tvb, const xray_tapped *r)
{
    tree = tree_branch(tree, tvb, ett_call, "Call");
    if (r->context->kind == XRAY_CALL_ARGUMENT)
        tree_generated_frame(tree, hf_call_entry, tvb, r->call.begin);
    else if (wants_caller(tree))
        add_caller(tree, tvb, r, r->call.begin);
}

static void xray_fields_add_unsure(proto_item *item, const record_seen *seen, const call *k)
{
    if (!(k->state & CALL_TIMED))
        expert_add_info_format(seen->packet, item, &ei_unsure, "no duration: the counter went back during this call");
    else if (k->state & CALL_UNSURE)
        expert_add_info_format(seen->packet, item, &ei_unsure,
                               "records of this thread were lost, or its counter went back, during this call");
}

/* Lists the calls without an exit at the record that shows it: in one pass, nothing else can. */
static void add_unwound(proto_item *item, const record_seen *seen)
{
    call k;
    uint32_t function;
    const uint32_t place = seen->number, count = calls_closed_count(xray_file.session.calls, place);
    for (uint32_t i = 0; i < MIN(count, UNWOUND_MARKS) && calls_closed(xray_file.session.calls, place, i, &k, &function);
         i++)
        expert_add_info_format(seen->packet, item, &ei_unwound,
                               "the call that record %u enters has no exit: it ended after record %u, its last one",
                               record_frame(k.begin), record_frame(k.last));
    if (count > UNWOUND_MARKS)
        expert_add_info_format(seen->packet, item, &ei_unwound, "%u more calls have no exit", count - UNWOUND_MARKS);
}

static void add_unattributed(proto_item *item, const record_seen *seen, const call *k)
{
    expert_add_info_format(seen->packet, item, &ei_unattributed, "%s",
                           k->state & CALL_CLOSED
                               ? "the log does not show whether this call or the one around it made the last calls"
                               : "self time: the log does not show when a call inside, which has no exit, ended");
}

/* An entry without an exit is known only after all records have been seen. */
static void xray_fields_add_experts(proto_item *item, const record_seen *seen, const xray_tapped *r)
{
    const call *k = &r->call;
    bool ends = k->end == seen->number;
    if (calls_switches(r->session->calls, r->stack)) {
        expert_add_info_format(seen->packet, item, &ei_unsure, "%s", XRAY_SWITCHES);
        return;
    }
    if (k->state & CALL_CLOSED)
        expert_add_info_format(
            seen->packet, item, &ei_unwound,
            "this call has no exit (exception, longjmp, coroutine): its end is the last record inside it, "
            "and its duration a lower bound");
    else if (k->state & CALL_UNMATCHED && ends)
        expert_add_info_format(seen->packet, item, &ei_unmatched, "exit of a call whose entry is not in this log");
    else if (k->state & CALL_UNMATCHED && seen->again && calls_kept(xray_file.session.calls) && !hidden_end_unread())
        expert_add_info_format(seen->packet, item, &ei_unmatched, "this call has no exit in this log");
    else if (ends)
        add_unwound(item, seen);
    if (k->state & CALL_UNATTRIBUTED && (k->state & CALL_CLOSED || ends))
        add_unattributed(item, seen, k);
    if (k->state & CALL_CLOSED || (ends && !(k->state & CALL_UNMATCHED)))
        xray_fields_add_unsure(item, seen, k);
}

/* Adds the entries of all calls around the record, or only some if no filter or column names them. */
static void add_within(proto_tree *tree, const record_seen *seen, tvbuff_t *tvb, const xray_tapped *r)
{
    bool named = tree_field_referenced(hf_call_within) || tree_field_referenced(hf_call_within_missing);
    if (!r->within || (!named && !tree_field_needed(tree, hf_call_within)))
        return;
    const unsigned most = named ? WITHIN_MAX : WITHIN_SHOWN;
    uint32_t left_out, *entries = wmem_alloc_array(seen->pool, uint32_t, most);
    unsigned n = calls_within(r->session->calls, r->stack, r->within, entries, most, &left_out);
    const bool is_caller = n == 1 && !left_out && xray_session_entry_around(r); /* which is shown already */
    proto_tree *branch = tree_branch(tree, tvb, ett_within, "Within");
    if (is_caller && !named && branch != tree)
        proto_item_set_hidden(proto_tree_get_parent(branch));
    tree = branch;
    for (unsigned i = 0; i < n; i++)
        tree_generated_frame(tree, hf_call_within, tvb, entries[i]);
    if (left_out)
        tree_generated(tree, hf_call_within_missing, tvb, left_out);
}

static void add_around(proto_tree *tree, tvbuff_t *tvb, const xray_tapped *r, uint32_t caller)
{
    if (wants_caller(tree))
        add_caller(tree, tvb, r, caller);
    if (tree_field_needed(tree, hf_call_stack))
        add_stack(tree, tvb, r);
}

static void add_call(proto_tree *tree, tvbuff_t *tvb, const record_seen *seen, const xray_tapped *r)
{
    const call *k = &r->call;
    if (k->begin == 0)
        return;
    tree = tree_branch(tree, tvb, ett_call, "Call");
    if (!xray_session_depth_unknown(r))
        tree_generated(tree, hf_call_depth, tvb, k->depth);
    bool ends = k->end == seen->number;
    tree_generated_frame(tree, ends ? hf_call_entry : hf_call_exit, tvb,
                         ends                     ? k->begin
                         : k->state & CALL_CLOSED ? k->last
                                                  : k->end);
    if (k->state & CALL_TIMED) {
        xray_fields_add_time(tree, hf_call_duration, hf_call_duration_us, tvb, r, k->duration);
        tree_generated(tree, hf_call_ticks, tvb, k->duration);
    }
    if (k->state & CALL_SELF && (ends || k->state & CALL_CLOSED)) /* otherwise it is at the exit */
        xray_fields_add_time(tree, hf_call_self, hf_call_self_us, tvb, r, k->self);
    add_around(tree, tvb, r, k->caller);
}

/* The calls of a path share what is around them. */
static void add_path(proto_tree *tree, tvbuff_t *tvb, const xray_tapped *r)
{
    tree = tree_branch(tree, tvb, ett_call, "Call");
    tree_generated(tree, hf_call_depth, tvb, xray_path_functions(r->context, &r->bytes) - 1);
    add_around(tree, tvb, r, 0);
}

void xray_fields_add(proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb, const xray_tapped *r)
{
    const bool inside = r->has_call && r->call.state & CALL_INSIDE;
    if (!tree_row_of(tree))
        xray_problems_add(item, seen, r);
    if (!tree_row_of(tree) && r->has_call && !inside)
        xray_fields_add_experts(item, seen, r);
    if (!tree_fields_needed(tree, hf_function_name, hf_idle))
        return;
    idle_field_add(&xray_file.idle, tree, tvb, seen);
    if (r->has_function)
        xray_fields_add_names(tree, tvb, r);
    if (inside)
        add_inside(tree, tvb, r);
    else if (r->has_call)
        add_call(tree, tvb, seen, r);
    else if (r->has_function && r->context->kind == XRAY_PROFILE_PATH)
        add_path(tree, tvb, r);
    add_within(tree, seen, tvb, r);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static hf_register_info hf[] = {
    {&hf_function_name,
     {"Function", "xray.function.name", FT_STRING, BASE_NONE, NULL, 0, "Symbol of the function", TREE_PLAIN}},
    {&hf_function_short,
     {"Short name", "xray.function.short", FT_STRING, BASE_NONE, NULL, 0,
      "The function without parameters and template arguments, as lists and tables show it", TREE_PLAIN}},
    {&hf_function_alias,
     {"Alias", "xray.function.alias", FT_STRING, BASE_NONE, NULL, 0,
      "Another function with the same code: the record may be of either", TREE_PLAIN}},
    {&hf_function_source,
     {"Source", "xray.function.source", FT_STRING, BASE_NONE, NULL, 0, "File and line of the function", TREE_PLAIN}},
    {&hf_call_depth,
     {"Depth", "xray.call.depth", FT_UINT32, BASE_DEC, NULL, 0, "0 for the outermost call of the thread in the log", HFILL}},
    {&hf_call_duration,
     {"Duration", "xray.call.duration", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, "From entry to exit", HFILL}},
    {&hf_call_duration_us,
     {"Duration (us)", "xray.call.duration.us", FT_DOUBLE, BASE_CUSTOM, CF_FUNC(tree_label_us), 0,
      "The duration in microseconds, for a column", HFILL}},
    {&hf_call_ticks,
     {"Duration (ticks)", "xray.call.ticks", FT_UINT64, BASE_DEC, NULL, 0, "The duration in counter ticks", HFILL}},
    {&hf_call_self,
     {"Self time", "xray.call.self", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, "Duration minus the time in traced callees",
      HFILL}},
    {&hf_call_self_us,
     {"Self time (us)", "xray.call.self.us", FT_DOUBLE, BASE_CUSTOM, CF_FUNC(tree_label_us), 0,
      "The self time in microseconds, for a column", HFILL}},
    {&hf_call_entry,
     {"Entry", "xray.call.entry", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0,
      "The entry that this exit belongs to", HFILL}},
    {&hf_call_exit,
     {"Exit", "xray.call.exit", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE), 0,
      "The exit that ends the call of this entry; if it has none, the last record inside the call", HFILL}},
    {&hf_call_caller, {"Caller", "xray.call.caller", FT_FRAMENUM, BASE_NONE, NULL, 0, "Entry of the enclosing call", HFILL}},
    {&hf_call_caller_name, {"Caller name", "xray.call.caller_name", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
    {&hf_call_caller_id, {"Caller function id", "xray.call.caller_id", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
    {&hf_call_stack,
     {"Stack", "xray.call.stack", FT_STRING, BASE_NONE, NULL, 0,
      "Functions from the outermost call to the innermost, separated by ';'", HFILL}},
    {&hf_call_within,
     {"Within", "xray.call.within", FT_FRAMENUM, BASE_NONE, NULL, 0,
      "Entries of all calls that enclose the record, innermost last", TREE_SEVERAL}},
    {&hf_call_within_missing,
     {"Not listed", "xray.call.within.missing", FT_UINT32, BASE_DEC, NULL, 0,
      "How many outer calls xray.call.within leaves out: filters and columns have the innermost 4096, lists of all fields 64",
      TREE_ORDERED}},
    {&hf_idle,
     {"Since previous", "xray.idle", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
      "Time since the previous record of the same thread", TREE_ORDERED}},
};

static ei_register_info ei[] = {
    {&ei_unmatched, {"xray.unmatched", PI_SEQUENCE, PI_NOTE, "Entry without an exit, or exit without an entry", EXPFILL}},
    {&ei_unwound, {"xray.call.unwound", PI_SEQUENCE, PI_NOTE, "Call without an exit", EXPFILL}},
    {&ei_unattributed,
     {"xray.call.unsure", PI_SEQUENCE, PI_NOTE, "Self time uncertain: this call or the one around it", EXPFILL}},
    {&ei_unsure, {"xray.unsure", PI_SEQUENCE, PI_NOTE, "Duration missing or unreliable", EXPFILL}},
};

void xray_fields_register(int proto)
{
    static int *ett[] = {&ett_call, &ett_within};
    tree_fields_register(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
    xray_file.idle.hf = &hf_idle;
}
