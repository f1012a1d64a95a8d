/* SPDX-License-Identifier: GPL-2.0-or-later */
#define WS_LOG_DOMAIN "Wiretrace"
#include "xray_dissector/fields.h"

#include <epan/prefs.h>
#include <epan/tap.h>

#include "host/hidden_records.h"
#include "dissector/pdu.h"
#include "host/notices.h"
#include "core/opened_trace.h"
#include "dissector/protocol.h"
#include "taps/stacks.h"
#include "util/fail.h"
#include "util/math128.h"
#include "util/short_name.h"
#include "xray/analysis.h"
#include "xray/names/functions.h"
#include "xray/tails.h"
#include "xray/missing_exits.h"
#include "xray/profile_self.h"

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
static expert_field ei_binary = EI_INIT;
static expert_field ei_unnamed = EI_INIT;
static expert_field ei_nameless = EI_INIT;
static expert_field ei_setting = EI_INIT;
static expert_field ei_overwritten = EI_INIT;
static expert_field ei_uncounted = EI_INIT;

/* Entries in xray.call.within, as deep recursion would take quadratic time: for those who name it, and among all fields. */
#define WITHIN_MAX 4096u
#define WITHIN_SHOWN 64u
#define NAMELESS \
    "Functions have numbers instead of names: the program that wrote this log is not known. Set xray.binary to it " \
    "(-o xray.binary:FILE), or put it beside the log as NAME if the log is called xray-log.NAME.SUFFIX."
#define UNCOUNTED \
    "The ends of buffers are missing: LLVM's runtime leaves out 16 bytes for each typed event, and with them calls, or the exits of the " \
    "last ones, such as main. Custom events do not have this fault."
#define PROFILE_SUMS \
    "A profile has sums of calls, which xray,account, xray,graph, xray,diff, xray,stacks, xray,flame, xray,callgrind and the " \
    "trees of calls count, and no single call: nothing else has calls or times of them."
#define PROFILE_TICKS \
    "Times are shown in ticks: a profile does not have how many there are in a second. Set xray.frequency, for example to " \
    "what a log of the same machine has (xray.header.cycle_frequency)."
#define MIXED_TICKS \
    "Times of a counter of unknown speed are added to others, as nanoseconds: set xray.frequency, or open the traces separately."
#define UNWOUND_MARKS 1000u /* most calls listed at one exit, since Wireshark limits a packet to a million items */

static const char *preference_binary = "";
static wsbool preference_demangle = TRUE;
enum { NAMES_SHORT, NAMES_FULL, NAMES_MANGLED };
static int preference_names = NAMES_SHORT;
static wsbool preference_calls = TRUE;

struct xray_file xray_file = {.idle.hf = &hf_idle};
static struct xray_file *const file = &xray_file;

void xray_forget_file(void)
{
    idle_field_forget(&file->idle);
    calls_free(file->calls);
    g_clear_pointer(&file->unwound, g_array_unref);
    g_clear_pointer(&file->tails, g_hash_table_destroy);
    g_clear_pointer(&file->self, g_hash_table_destroy);
    xray_functions_free(file->names);
    if (file->problems)
        g_string_free(file->problems, TRUE);
    if (file->stacks.slots)
        hash_map_clear(&file->stacks);
    *file = (struct xray_file){.idle.hf = &hf_idle, /* tables may be shown afterwards */
                               .frequency = file->frequency,
                               .profile = file->profile,
                               .called = file->called};
}

bool xray_calls_demangled(void)
{
    return preference_demangle && preference_names != NAMES_MANGLED;
}

/* Loads names from the binaries in the preference, or from the executable beside the log, whose path is the description
 * of interface 0. Exported records do not know where their log was. */
static void load_names(packet_info *pinfo, const record_context *c)
{
    file->names_loaded = true;
    file->frequency = xray_context_of(c)->frequency;
    file->base = xray_context_of(c)->base_tsc;
    file->profile = file->called = false;
    file->problems = g_string_new(NULL);
    file->first = pinfo->num;
    char *found = NULL;
    if (!*preference_binary && !(c->flags & CONTEXT_EXPORTED)) {
        const char *log = pdu_first_description(pinfo, c);
        found = log ? xray_functions_discover(log) : NULL;
    }
    const char *paths = *preference_binary ? preference_binary : found;
    if (paths)
        file->names = xray_functions_load(paths, xray_calls_demangled(), file->problems);
    file->nameless = !paths;
    if (file->nameless)
        notices_print(NAMELESS);
    if (file->names && xray_context_of(c)->type == XRAY_TYPE_FDR)
        xray_functions_narrow(file->names, XRAY_FDR_ID_BITS, file->problems);
    const bool wrong = *preference_binary && !xray_functions_complete(file->names); /* what was asked for is not used */
    if (file->problems->len)                                                        /* statistics do not show expert infos */
        (wrong ? notices_fail : notices_print)(g_strchomp(file->problems->str));
    g_free(found);
}

bool xray_calls_named(void)
{
    return file->names != NULL;
}

const char *xray_calls_name(uint32_t function)
{
    const xray_function *f = file->names ? xray_functions_find(file->names, function) : NULL;
    return f ? f->name : NULL;
}

const char *xray_calls_label(uint32_t function)
{
    if (!file->names)
        return NULL;
    return preference_names == NAMES_SHORT ? xray_functions_short(file->names, function) : xray_calls_name(function);
}

/* --- looking at a record ----------------------------------------------------------------------------------------------- */

/* The entry of the enclosing call; 0: none, or unknown. */
static uint32_t entry_around(const xray_tapped *r)
{
    return !r->has_call ? 0 : r->call.state & CALL_INSIDE ? r->call.begin : r->call.caller;
}

static void find_call(xray_tapped *r, uint32_t frame)
{
    r->has_call = calls_find(file->calls, frame, &r->call);
    r->within = entry_around(r);
    if (r->has_call && r->call.state == CALL_AROUND)
        r->has_call = false;
}

static void visit_call(xray_tapped *r, uint32_t frame)
{
    uint32_t unused;
    calls_unwind_to(file->calls, r->stack, frame);
    r->has_call = xray_analysis_visit(file->calls, frame, r->context, r->stack, r->function, file->tails, &r->call);
    r->within = r->has_call || xray_is_function(r->context->kind) ? entry_around(r)
                                                                  : calls_open(file->calls, r->stack, &unused);
}

bool xray_calls_around(const xray_tapped *r, uint32_t *function)
{
    if (r->context->kind == XRAY_PROFILE_PATH) {
        *function = xray_path_function(&r->bytes, 1);
        return xray_path_functions(r->bytes.length) > 1;
    }
    const uint32_t entry = entry_around(r);
    if (!entry)
        return false;
    if (!(r->call.state & CALL_INSIDE))
        return calls_caller(file->calls, r->stack, &r->call, function);
    if (!calls_known(file->calls))
        return calls_open(file->calls, r->stack, function);
    *function = calls_function(file->calls, entry);
    return true;
}

/* Finds out about calls without an exit in advance: that there are none, so that it need not be learnt who calls whom; or
 * where they ended, unless records can be looked at again, since then all is known after the first pass. And about tail
 * exits that were not taken. */
static void look_ahead(const record_context *c)
{
    const opened *o = c->flags & CONTEXT_EXPORTED ? NULL : opened_trace_find(c->trace);
    if (!o || o->exported)
        return;
    const bool none = o->trace && !xray_missing_exits_any(o->trace);
    if (o->timed && o->path) /* the trace leaves out what is before the part */
        file->tails = xray_tails_read_path(o->path);
    else if (o->trace && !none)
        file->tails = xray_tails_read(o->trace);
    file->noted = none && !o->timed;
    if (file->noted)
        file->unwound = g_array_new(FALSE, FALSE, sizeof(calls_unwound));
    else if (o->path && !calls_kept(file->calls))
        file->unwound = xray_missing_exits_read(o->path, file->tails);
    if (file->unwound)
        calls_follow(file->calls, file->unwound);
}

static void note_unwound(void)
{
    file->noted = true;
    if (have_tap_listener(find_tap_id("xray")))
        notices_remark(
            "Calls without an exit (exception, longjmp, coroutine) count up to their last record: xray.call.unwound.");
}

/* The first typed event: see xray_loses_end(). */
static void note_typed(const packet_info *pinfo)
{
    file->typed = pinfo->num;
    if (have_tap_listener(find_tap_id("xray")) || have_tap_listener(find_tap_id(XRAY_RECORDS_TAP)))
        notices_remark(UNCOUNTED);
}

static void look_at_call(xray_tapped *r, const packet_info *pinfo)
{
    bool known = PINFO_FD_VISITED(pinfo) && file->calls && calls_kept(file->calls);
    if (!file->calls) {
        file->calls = calls_new(CALLS_UNWIND | (r->context->flags & CONTEXT_RANDOM_ACCESS ? CALLS_KEEP : 0));
        look_ahead(r->context);
        file->called = true;
    }
    if (known)
        find_call(r, record_number(pinfo));
    else
        visit_call(r, record_number(pinfo));
    r->calls = file->calls;
    if (!file->noted && xray_is_function(r->context->kind) && calls_closed_count(file->calls, record_number(pinfo)))
        note_unwound();
}

/* At the first path. */
static void note_profile(const record_context *c)
{
    file->profile = true;
    if (have_tap_listener(find_tap_id("xray")) || have_tap_listener(find_tap_id(XRAY_RECORDS_TAP)))
        notices_remark(PROFILE_SUMS);
    if (!xray_context_of(c)->frequency && have_tap_listener(find_tap_id("xray")))
        notices_remark(PROFILE_TICKS);
}

/* Self times are known in advance or not at all. */
static void read_self(const record_context *c)
{
    const opened *o = c->flags & CONTEXT_EXPORTED ? NULL : opened_trace_find(c->trace);
    file->self = o && o->trace && !o->exported ? xray_profile_self_read(o->trace) : g_hash_table_new(NULL, NULL);
}

void xray_calls_look(dissection *d)
{
    xray_tapped *r = d->record;
    const record_context *c = d->context;
    const bool basic = xray_context_of(c)->type == XRAY_TYPE_BASIC, profile = xray_context_of(c)->type == XRAY_TYPE_PROFILE;
    *r = (xray_tapped){.context = c, .bytes = d->bytes, .stack = xray_analysis_stack(c)};
    if (!file->names_loaded)
        load_names(d->pinfo, c);
    if (!file->typed && xray_loses_end(c))
        note_typed(d->pinfo);
    r->has_function = xray_is_function(c->kind) || (basic && c->kind == XRAY_CALL_ARGUMENT);
    xray_read(c, &d->bytes, r->value);
    if (r->has_function)
        r->function = (uint32_t)r->value[XRAY_FIELD_FUNCTION];
    if (c->kind == XRAY_PROFILE_PATH && xray_path_functions(d->bytes.length)) {
        r->has_function = true;
        r->function = xray_path_function(&d->bytes, 0);
    }
    if (profile) { /* it has sums instead of calls, and all records have one time */
        if (!file->profile && c->kind == XRAY_PROFILE_PATH)
            note_profile(c);
        if (preference_calls && d->asked && !file->self && c->kind == XRAY_PROFILE_PATH)
            read_self(c);
        return;
    }
    if (preference_calls && d->asked && !d->unknown)
        look_at_call(r, d->pinfo);
    if (xray_context_of(c)->known & XRAY_KNOWN_THREAD && !d->unknown)
        idle_field_look(&file->idle, c, d->pinfo, d->tree, r->stack);
}

bool xray_calls_prepare(packet_info *pinfo, const record_context *first)
{
    if (!file->names_loaded)
        load_names(pinfo, first);
    return preference_calls;
}

bool xray_calls_asked(void)
{
    return preference_calls;
}

const char *xray_calls_source(uint32_t function)
{
    return file->names ? xray_functions_source(file->names, function) : NULL;
}

bool xray_calls_find(uint32_t begin, call *k)
{
    return file->calls && calls_find(file->calls, begin, k); /* a profile has none */
}

bool xray_calls_ended(const xray_tapped *r, uint32_t i, span *ended)
{
    return r->has_call && xray_analysis_ended(r->calls, r->context->kind, &r->call, r->function, i, ended);
}

/* A frequency of 0 stands for ticks of a nanosecond. */
static uint64_t to_file_clock(uint64_t ticks, uint64_t frequency)
{
    if ((!frequency || !file->frequency) && !file->mixed) {
        file->mixed = true;
        notices_fail(MIXED_TICKS);
    }
    return mul_div_u64(ticks, file->frequency ? file->frequency : 1000000000, frequency ? frequency : 1000000000);
}

uint64_t xray_calls_file_ticks(const xray_tapped *r, uint64_t ticks)
{
    const uint64_t frequency = xray_context_of(r->context)->frequency;
    return frequency == file->frequency ? ticks : to_file_clock(ticks, frequency);
}

bool xray_calls_span(const void *tapped, uint32_t i, span *ended)
{
    const xray_tapped *r = tapped;
    const uint64_t frequency = xray_context_of(r->context)->frequency;
    if (!xray_calls_ended(r, i, ended))
        return false;
    if (G_UNLIKELY(frequency != file->frequency)) {
        ended->call.duration = to_file_clock(ended->call.duration, frequency);
        ended->call.self = to_file_clock(ended->call.self, frequency);
        ended->call.until = to_file_clock(ended->call.until, frequency);
    }
    return true;
}

bool xray_calls_counted(const void *tapped, uint32_t i, span *s)
{
    const xray_tapped *r = tapped;
    return r->context->kind == XRAY_PROFILE_PATH ? i == 0 && xray_profile_span(r, s) : xray_calls_span(r, i, s);
}

bool xray_calls_single(const statistic_run *run, GError **error)
{
    return !file->profile || file->called ||
           fail_with(error, "%s: a profile has sums of calls and no single call", run->of->command);
}

bool xray_calls_unclocked(void)
{
    return file->profile && !file->called && !file->frequency;
}

bool xray_calls_unwound(const xray_tapped *r, span *ended)
{
    calls_unwound known;
    if (!r->has_call || !calls_find_unwound(file->calls, r->call.begin, &known))
        return false;
    *ended = (span){
        .call = {.begin = known.begin, .last = known.last, .state = known.state}, .function = r->function, .nests = true};
    ended->call.until = xray_calls_file_ticks(r, known.until);
    ended->call.duration = xray_calls_file_ticks(r, known.until - xray_context_of(r->context)->tsc);
    return true;
}

char *xray_calls_short(const char *name)
{
    const bool unwound = g_str_has_suffix(name, STACKS_UNWOUND);
    if (preference_names != NAMES_SHORT)
        return NULL;
    g_autofree char *plain = g_strndup(name, strlen(name) - (unwound ? strlen(STACKS_UNWOUND) : 0)),
                    *shortened = short_name(plain, 0);
    const char *known = file->names ? xray_functions_short_of(file->names, plain) : NULL;
    return g_strconcat(known ? known : shortened, unwound ? STACKS_UNWOUND : "", NULL);
}

xray_display xray_calls_shown(const statistic_run *run)
{
    if (xray_calls_unclocked())
        statistic_show_ticks(run);
    return (xray_display){.functions = file->names,
                          .frequency = file->frequency,
                          .ticks = statistic_in_ticks(run),
                          .full = preference_names != NAMES_SHORT || statistic_in_full(run)};
}

uint64_t xray_calls_sum_nanoseconds(uint64_t ticks)
{
    return xray_nanoseconds(ticks, file->frequency);
}

/* Threads ask as well, and a name is demangled or shortened when it is asked for first. */
void xray_calls_append_piece(GString *text, const stack_piece *piece, bool full)
{
    static GMutex lock;
    const uint32_t function = (uint32_t)piece->id;
    xray_number number;
    g_mutex_lock(&lock);
    stacks_append_piece(text, piece,
                        xray_name_words(full ? xray_calls_name(function) : xray_calls_label(function), function, number));
    g_mutex_unlock(&lock);
}

/* `unwound`: room for CALLS_STACK_MAX, if calls without an exit are marked; or NULL. */
static unsigned pieces_of(const xray_tapped *r, const call *k, uint32_t function, bool *unwound, unsigned most,
                          stack_piece *pieces)
{
    uint32_t functions[CALLS_STACK_MAX];
    stacks_stack s = {.functions = functions, .unwound = unwound};
    if (r->context->kind == XRAY_PROFILE_PATH)
        return xray_profile_stack(r, most, pieces);
    s.n = calls_stack(r->calls, r->stack, k, function, functions, unwound, &s.left_out);
    return stacks_pieces(&s, most, pieces);
}

unsigned xray_calls_stack(const void *tapped, const span *ended, unsigned most, stack_piece *pieces)
{
    bool unwound[CALLS_STACK_MAX];
    return pieces_of(tapped, &ended->call, ended->function, unwound, most, pieces);
}

const char *xray_calls_title(const packet_info *pinfo, const span *ended)
{
    const uint32_t function = ended->function;
    const char *name = xray_calls_label(function),
               *mark = ended->call.begin && calls_is_unwound(file->calls, ended->call.begin) ? STACKS_UNWOUND : "";
    if (name && !*mark)
        return name;
    return name ? wmem_strdup_printf(pinfo->pool, "%s%s", name, mark)
                : wmem_strdup_printf(pinfo->pool, "#%u%s", function, mark);
}

bool xray_calls_duration(const xray_tapped *r, uint64_t *ns)
{
    if (!r->has_call || !(r->call.state & CALL_TIMED))
        return false;
    *ns = xray_nanoseconds(r->call.duration, xray_context_of(r->context)->frequency);
    return true;
}

/* --- fields ------------------------------------------------------------------------------------------------------------ */

static void xray_calls_add_time(proto_tree *tree, int hf, int hf_us, tvbuff_t *tvb, const xray_tapped *r, uint64_t ticks)
{
    if (!tree_field_needed(tree, hf) && !tree_field_referenced(hf_us))
        return;
    const uint64_t ns = xray_nanoseconds(ticks, xray_context_of(r->context)->frequency);
    tree_generated_time(tree, hf, tvb, ns);
    tree_generated_us(tree, hf_us, tvb, ns);
}

static void xray_calls_add_names(proto_tree *tree, tvbuff_t *tvb, const xray_tapped *r)
{
    const char *name = r->has_function ? xray_calls_name(r->function) : NULL;
    if (name)
        tree_generated_lasting(tree, hf_function_name, tvb, name);
    if (name && tree_field_needed(tree, hf_function_short)) {
        const char *shortened = xray_functions_short(file->names, r->function);
        proto_item *item = tree_add_string(tree, hf_function_short, tvb, 0, 0, shortened);
        proto_item_set_generated(item);
        if (strcmp(shortened, name) == 0)
            proto_item_set_hidden(item);
    }
    if (name && tree_field_needed(tree, hf_function_alias)) {
        const xray_function *f = xray_functions_find(file->names, r->function);
        if (f && f->alias)
            tree_generated_string(tree, hf_function_alias, tvb, f->alias);
    }
    if (file->names && tree_field_needed(tree, hf_function_source)) {
        const char *place = xray_functions_source(file->names, r->function);
        if (place)
            tree_generated_lasting(tree, hf_function_source, tvb, place);
    }
}

static void add_stack(proto_tree *tree, tvbuff_t *tvb, const xray_tapped *r)
{
    stack_piece pieces[STACKS_PIECES];
    GString *text = g_string_new(NULL);
    for (unsigned i = 0, n = pieces_of(r, &r->call, r->function, NULL, STACKS_SHORT, pieces); i < n; i++) {
        g_string_append(text, i ? ";" : "");
        xray_calls_append_piece(text, &pieces[i], true);
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
    if (!xray_calls_around(r, &function))
        return;
    const char *name = xray_calls_name(function);
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

bool xray_calls_caller(const void *tapped, const span *ended, uint32_t *function)
{
    const xray_tapped *r = tapped;
    if (r->context->kind == XRAY_PROFILE_PATH)
        return xray_calls_around(r, function);
    return calls_caller(r->calls, r->stack, &ended->call, function);
}

/* Problems with the binaries, at the first record, and at the first function that should have a name. */
static void add_binary_experts(proto_item *item, packet_info *pinfo, const xray_tapped *r)
{
    if (pinfo->num == file->first && file->problems && file->problems->len)
        expert_add_info_format(pinfo, item, &ei_binary, "%s", file->problems->str);
    if (pinfo->num == file->first && file->nameless)
        expert_add_info_format(pinfo, item, &ei_nameless, "%s", NAMELESS);
    if (!file->names || !r->has_function || xray_functions_find(file->names, r->function))
        return;
    if (!file->unnamed)
        file->unnamed = pinfo->num;
    if (pinfo->num == file->unnamed)
        expert_add_info_format(
            pinfo, item, &ei_unnamed,
            xray_functions_ambiguous(file->names, r->function)
                ? "function %u has no name: several libraries may have it"
                : "function %u has no name: xray.binary does not contain it, and may not be the traced program",
            r->function);
}

static void xray_calls_add_unsure(proto_item *item, packet_info *pinfo, const call *k)
{
    if (!(k->state & CALL_TIMED))
        expert_add_info_format(pinfo, item, &ei_unsure, "no duration: the counter went back during this call");
    else if (k->state & CALL_UNSURE)
        expert_add_info_format(pinfo, item, &ei_unsure,
                               "records of this thread were lost, or its counter went back, during this call");
}

/* Lists the calls without an exit at the record that shows it: in one pass, nothing else can. */
static void add_unwound(proto_item *item, packet_info *pinfo)
{
    call k;
    uint32_t function;
    const uint32_t place = record_number(pinfo), count = calls_closed_count(file->calls, place);
    for (uint32_t i = 0; i < MIN(count, UNWOUND_MARKS) && calls_closed(file->calls, place, i, &k, &function); i++)
        expert_add_info_format(pinfo, item, &ei_unwound,
                               "the call that record %u enters has no exit: it ended after record %u, its last one",
                               record_frame(k.begin), record_frame(k.last));
    if (count > UNWOUND_MARKS)
        expert_add_info_format(pinfo, item, &ei_unwound, "%u more calls have no exit", count - UNWOUND_MARKS);
}

static void add_unattributed(proto_item *item, packet_info *pinfo, const call *k)
{
    expert_add_info_format(pinfo, item, &ei_unattributed, "%s",
                           k->state & CALL_CLOSED
                               ? "the log does not show whether this call or the one around it made the last calls"
                               : "self time: the log does not show when a call inside, which has no exit, ended");
}

/* An entry without an exit is known only after all records have been seen. */
static void xray_calls_add_experts(proto_item *item, packet_info *pinfo, const xray_tapped *r)
{
    const call *k = &r->call;
    bool ends = k->end == record_number(pinfo);
    if (k->state & CALL_CLOSED)
        expert_add_info_format(
            pinfo, item, &ei_unwound,
            "this call has no exit (exception, longjmp, coroutine): its end is the last record inside it, "
            "and its duration a lower bound");
    else if (k->state & CALL_UNMATCHED && ends)
        expert_add_info_format(pinfo, item, &ei_unmatched, "exit of a call whose entry is not in this log");
    else if (k->state & CALL_UNMATCHED && PINFO_FD_VISITED(pinfo) && calls_kept(file->calls) && !hidden_rest_unread())
        expert_add_info_format(pinfo, item, &ei_unmatched, "this call has no exit in this log");
    else if (ends)
        add_unwound(item, pinfo);
    if (k->state & CALL_UNATTRIBUTED && (k->state & CALL_CLOSED || ends))
        add_unattributed(item, pinfo, k);
    if (k->state & CALL_CLOSED || (ends && !(k->state & CALL_UNMATCHED)))
        xray_calls_add_unsure(item, pinfo, k);
}

/* An invalid setting, at the first record. A changed one is used when the file is opened again. */
static void add_frequency_experts(proto_item *item, packet_info *pinfo, const xray_tapped *r)
{
    const record_context *c = r->context;
    notices_add_settings(pinfo, item, &ei_setting, "xray", c);
    uint64_t used = xray_context_of(c)->frequency, now = used;
    if (c->kind == XRAY_HEADER && !(c->flags & CONTEXT_EXPORTED))
        now = xray_frequency(r->value[XRAY_FIELD_FREQUENCY], c->flags & CONTEXT_BIG_ENDIAN, xray_context_of(c)->time_tsc);
    if (now != used)
        expert_add_info_format(pinfo, item, &ei_setting,
                               "times and durations are those of %" PRIu64 " ticks per second; the %" PRIu64
                               " of xray.frequency are used when the file is loaded again (View > Reload)",
                               used, now);
}

/* That the log begins in the middle, at the first record. */
static void add_overwritten(proto_item *item, packet_info *pinfo, const record_context *c)
{
    const opened *o = c->flags & CONTEXT_EXPORTED ? NULL : opened_trace_find(c->trace);
    g_autoptr(GString) text = g_string_new(NULL);
    if (o && o->trace)
        xray_overwritten_append(o->trace->detail, text);
    else if (xray_depth_unknown(c))
        g_string_append(
            text, " The log begins in the middle: its oldest records were overwritten. Depths, and calls from before, are "
                  "unknown.");
    if (text->len)
        expert_add_info_format(pinfo, item, &ei_overwritten, "%s", text->str + 1);
}

/* Adds the entries of all calls around the record, or only some if no filter or column names them. */
static void add_within(proto_tree *tree, packet_info *pinfo, tvbuff_t *tvb, const xray_tapped *r)
{
    bool named = tree_field_referenced(hf_call_within) || tree_field_referenced(hf_call_within_missing);
    if (!r->within || (!named && !tree_field_needed(tree, hf_call_within)))
        return;
    const unsigned most = named ? WITHIN_MAX : WITHIN_SHOWN;
    uint32_t left_out, *entries = wmem_alloc_array(pinfo->pool, uint32_t, most);
    unsigned n = calls_within(file->calls, r->stack, r->within, entries, most, &left_out);
    const bool is_caller = n == 1 && !left_out && entry_around(r); /* which is shown already */
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

static void add_call(proto_tree *tree, tvbuff_t *tvb, packet_info *pinfo, const xray_tapped *r)
{
    const call *k = &r->call;
    if (k->begin == 0)
        return;
    tree = tree_branch(tree, tvb, ett_call, "Call");
    if (!xray_depth_unknown(r->context))
        tree_generated(tree, hf_call_depth, tvb, k->depth);
    bool ends = k->end == record_number(pinfo);
    tree_generated_frame(tree, ends ? hf_call_entry : hf_call_exit, tvb,
                         ends                     ? k->begin
                         : k->state & CALL_CLOSED ? k->last
                                                  : k->end);
    if (k->state & CALL_TIMED) {
        xray_calls_add_time(tree, hf_call_duration, hf_call_duration_us, tvb, r, k->duration);
        tree_generated(tree, hf_call_ticks, tvb, k->duration);
    }
    if (k->state & CALL_SELF && (ends || k->state & CALL_CLOSED)) /* otherwise it is at the exit */
        xray_calls_add_time(tree, hf_call_self, hf_call_self_us, tvb, r, k->self);
    add_around(tree, tvb, r, k->caller);
}

/* The calls of a path share what is around them. */
static void add_path(proto_tree *tree, tvbuff_t *tvb, const xray_tapped *r)
{
    tree = tree_branch(tree, tvb, ett_call, "Call");
    tree_generated(tree, hf_call_depth, tvb, xray_path_functions(r->bytes.length) - 1);
    add_around(tree, tvb, r, 0);
}

static void add_all_experts(proto_item *item, packet_info *pinfo, const xray_tapped *r, bool inside)
{
    add_binary_experts(item, pinfo, r);
    if (pinfo->num == file->first) {
        add_frequency_experts(item, pinfo, r);
        add_overwritten(item, pinfo, r->context);
    }
    if (pinfo->num == file->typed)
        expert_add_info_format(pinfo, item, &ei_uncounted, "%s", UNCOUNTED);
    if (r->has_call && !inside)
        xray_calls_add_experts(item, pinfo, r);
}

void xray_calls_add(proto_tree *tree, proto_item *item, packet_info *pinfo, tvbuff_t *tvb, const xray_tapped *r)
{
    const bool inside = r->has_call && r->call.state & CALL_INSIDE;
    if (!tree_row_of(tree))
        add_all_experts(item, pinfo, r, inside);
    if (!tree_fields_needed(tree, hf_function_name, hf_idle))
        return;
    idle_field_add(&file->idle, tree, tvb, pinfo);
    if (r->has_function)
        xray_calls_add_names(tree, tvb, r);
    if (inside)
        add_inside(tree, tvb, r);
    else if (r->has_call)
        add_call(tree, tvb, pinfo, r);
    else if (r->has_function && r->context->kind == XRAY_PROFILE_PATH)
        add_path(tree, tvb, r);
    add_within(tree, pinfo, tvb, r);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static void xray_calls_register_preferences(module_t *module)
{
    static const enum_val_t names_values[] = {{"short", "Short", NAMES_SHORT},
                                              {"full", "In full", NAMES_FULL},
                                              {"mangled", "As linked", NAMES_MANGLED},
                                              {NULL, NULL, 0}};
    prefs_register_filename_preference(
        module, "binary", "Instrumented executable",
        "The traced program, for function names; then its shared libraries, separated by "
        "';'. Or the output of llvm-xray extract. Empty: the file NAME beside a log called xray-log.NAME.SUFFIX.",
        &preference_binary, FALSE);
    prefs_register_bool_preference(module, "demangle", "Demangle function names", "Names of C++, Rust and D.",
                                   &preference_demangle);
    prefs_register_enum_preference(
        module, "names", "Names in lists, tables and pictures",
        "Short ones have no parameters and template arguments. Fields have names in full, unless they are "
        "as linked.",
        &preference_names, names_values, FALSE);
    prefs_register_bool_preference(module, "calls", "Analyse calls",
                                   "Match entries with exits: depth, duration, caller, stack.", &preference_calls);
}

void xray_calls_register(int proto, module_t *module)
{
    static hf_register_info hf[] = {
        {&hf_function_name,
         {"Function", "xray.function.name", FT_STRING, BASE_NONE, NULL, 0, "Symbol of the function", HFILL}},
        {&hf_function_short,
         {"Short name", "xray.function.short", FT_STRING, BASE_NONE, NULL, 0,
          "The function without parameters and template arguments, as lists and tables show it", HFILL}},
        {&hf_function_alias,
         {"Alias", "xray.function.alias", FT_STRING, BASE_NONE, NULL, 0,
          "Another function with the same code: the record may be of either", HFILL}},
        {&hf_function_source,
         {"Source", "xray.function.source", FT_STRING, BASE_NONE, NULL, 0, "File and line of the function", HFILL}},
        {&hf_call_depth,
         {"Depth", "xray.call.depth", FT_UINT32, BASE_DEC, NULL, 0, "0 for the outermost call of the thread in the log",
          HFILL}},
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
        {&hf_call_caller,
         {"Caller", "xray.call.caller", FT_FRAMENUM, BASE_NONE, NULL, 0, "Entry of the enclosing call", HFILL}},
        {&hf_call_caller_name, {"Caller name", "xray.call.caller_name", FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL}},
        {&hf_call_caller_id, {"Caller function id", "xray.call.caller_id", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
        {&hf_call_stack,
         {"Stack", "xray.call.stack", FT_STRING, BASE_NONE, NULL, 0,
          "Functions from the outermost call to the innermost, separated by ';'", HFILL}},
        {&hf_call_within,
         {"Within", "xray.call.within", FT_FRAMENUM, BASE_NONE, NULL, 0,
          "Entries of all calls that enclose the record, innermost last", HFILL}},
        {&hf_call_within_missing,
         {"Not listed", "xray.call.within.missing", FT_UINT32, BASE_DEC, NULL, 0,
          "How many outer calls xray.call.within leaves out: filters and columns have the innermost 4096, lists of all fields 64",
          HFILL}},
        {&hf_idle,
         {"Since previous", "xray.idle", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
          "Time since the previous record of the same thread", HFILL}},
    };
    static ei_register_info ei[] = {
        {&ei_unmatched,
         {"xray.unmatched", PI_SEQUENCE, PI_NOTE, "Entry without an exit, or exit without an entry", EXPFILL}},
        {&ei_unwound, {"xray.call.unwound", PI_SEQUENCE, PI_NOTE, "Call without an exit", EXPFILL}},
        {&ei_unattributed,
         {"xray.call.unsure", PI_SEQUENCE, PI_NOTE, "Self time uncertain: this call or the one around it", EXPFILL}},
        {&ei_unsure, {"xray.unsure", PI_SEQUENCE, PI_NOTE, "Duration missing or unreliable", EXPFILL}},
        {&ei_binary, {"xray.binary.unusable", PI_UNDECODED, PI_WARN, "No function names", EXPFILL}},
        {&ei_nameless, {"xray.binary.unknown", PI_UNDECODED, PI_NOTE, "The traced program is not known", EXPFILL}},
        {&ei_unnamed,
         {"xray.function.unnamed", PI_UNDECODED, PI_NOTE, "The binary does not contain this function", EXPFILL}},
        {&ei_overwritten, {"xray.overwritten", PI_SEQUENCE, PI_WARN, "The log begins in the middle", EXPFILL}},
        {&ei_uncounted, {"xray.buffer.uncounted", PI_SEQUENCE, PI_WARN, "The ends of buffers are missing", EXPFILL}},
        {&ei_setting, {"xray.settings.unusable", PI_UNDECODED, PI_WARN, "A setting is not used", EXPFILL}},
    };
    static int *ett[] = {&ett_call, &ett_within};
    proto_register_field_array(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
    xray_calls_register_preferences(module);
}
