/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls and names of functions of the open file: the analysis, for fields and for statistics. */
#include "xray_dissector/fields.h"

#include <epan/prefs.h>
#include <epan/tap.h>

#include "host/notices.h"
#include "core/opened_trace.h"
#include "dissector/protocol.h"
#include "taps/stacks.h"
#include "util/fail.h"
#include "util/math128.h"
#include "util/short_name.h"
#include "xray/analysis.h"
#include "xray/names/functions.h"
#include "xray/missing_exits.h"

#define MIXED_TICKS \
    "Times of a counter of unknown speed are added to others, as nanoseconds: set xray.frequency or xray.profile_frequency, or open the traces separately."

static const char *preference_binary = "";
static wsbool preference_demangle = TRUE;
enum { NAMES_SHORT, NAMES_FULL, NAMES_MANGLED };
static int preference_names = NAMES_SHORT;
static wsbool preference_calls = TRUE;

struct xray_file xray_file;
static struct xray_file *const file = &xray_file;

static void note_libraries(void)
{
    g_autoptr(GString) numbers = g_string_new(NULL);
    for (unsigned i = 1; i < 32; i++)
        if (file->libraries >> i & 1)
            g_string_append_printf(numbers, "%s%u%s", numbers->len ? ", " : "", i, i == 31 ? "+" : "");
    if (!numbers->len)
        return;
    g_autofree char *sentence = g_strdup_printf(
        "Functions of libraries have no names, as xray.binary does not list these after "
        "the program: %s",
        numbers->str);
    notices_print(sentence);
    if (!file->basic && file->libraries >> 15)
        notices_print("A flight data recorder log writes library 16 as the program: names of the program may be wrong");
    file->libraries = 0;
}

void xray_forget_file(void)
{
    note_libraries();
    idle_field_forget(&file->idle);
    calls_free(file->calls);
    g_clear_pointer(&file->unwound, g_array_unref);
    g_clear_pointer(&file->tails, xray_tails_free);
    g_clear_pointer(&file->self, g_hash_table_destroy);
    g_free(file->program);
    xray_functions_free(file->names);
    if (file->problems)
        g_string_free(file->problems, TRUE);
    if (file->stacks.slots)
        hash_map_clear(&file->stacks);
    *file = (struct xray_file){.idle.hf = file->idle.hf, /* tables may be shown afterwards */
                               .frequency = file->frequency,
                               .profile = file->profile,
                               .called = file->called,
                               .basic = file->basic};
}

bool xray_calls_demangled(void)
{
    return preference_demangle && preference_names != NAMES_MANGLED;
}

const char *xray_unused_frequency(const record_context *c)
{
    const bool profile = xray_context_of(c)->type == XRAY_TYPE_PROFILE;
    if (!xray_chosen_frequency(profile ? &xray_frequency_setting : &xray_profile_frequency_setting))
        return NULL;
    return profile ? "xray.frequency is not used: for a profile there is xray.profile_frequency"
                   : "xray.profile_frequency is not used: this log has its frequency in its header";
}

/* Of the first binary, or as the name of the log says. */
static char *name_of_program(const char *paths, const char *log)
{
    g_auto(GStrv) first = paths ? g_strsplit(paths, ";", 2) : NULL;
    if (first && first[0] && *first[0])
        return g_path_get_basename(first[0]);
    return log ? xray_functions_program(log) : NULL;
}

/* Loads names from the binaries in the preference, or from those that are found for the log. Exported records do not know
 * where their log was. */
static void load_names(packet_info *pinfo, const record_context *c)
{
    const char *unused = xray_unused_frequency(c);
    file->names_loaded = true;
    if (unused)
        notices_print(unused);
    file->frequency = xray_context_of(c)->frequency;
    file->base = xray_context_of(c)->base_tsc;
    file->basic = xray_context_of(c)->type == XRAY_TYPE_BASIC;
    file->profile = file->called = false;
    file->problems = g_string_new(NULL);
    file->first = pinfo->num;
    const char *asked = *preference_binary ? preference_binary : NULL;
    g_autofree char *paths = xray_functions_discover(opened_trace_name(c), asked, file->problems);
    if (paths)
        file->names = xray_functions_load(paths, xray_calls_demangled(), file->problems);
    file->program = name_of_program(paths, opened_trace_name(c));
    file->nameless = !paths;
    if (file->nameless)
        notices_print(XRAY_NAMELESS);
    if (file->names && xray_context_of(c)->type == XRAY_TYPE_FDR)
        xray_functions_narrow(file->names, XRAY_FDR_ID_BITS, file->problems);
    const bool wrong = asked && !xray_functions_complete(file->names); /* what was asked for is not used */
    if (file->problems->len)                                           /* statistics do not show expert infos */
        (wrong ? notices_fail : notices_print)(g_strchomp(file->problems->str));
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

static void find_call(xray_tapped *r, uint32_t frame)
{
    r->has_call = calls_find(file->calls, frame, &r->call);
    r->within = xray_calls_entry_around(r);
    if (r->has_call && r->call.state == CALL_AROUND)
        r->has_call = false;
}

static void visit_call(xray_tapped *r, uint32_t frame)
{
    uint32_t unused;
    calls_unwind_to(file->calls, r->stack, frame);
    r->has_call = xray_analysis_visit(file->calls, frame, r->context, r->stack, r->function, file->tails, &r->call);
    r->within = r->has_call || xray_is_function(r->context->kind) ? xray_calls_entry_around(r)
                                                                  : calls_open(file->calls, r->stack, &unused);
}

bool xray_calls_around(const xray_tapped *r, uint32_t *function)
{
    if (r->context->kind == XRAY_PROFILE_PATH) {
        *function = xray_path_function(&r->bytes, 1);
        return xray_path_functions(r->context, &r->bytes) > 1;
    }
    const uint32_t entry = xray_calls_entry_around(r);
    if (!entry)
        return false;
    if (!(r->call.state & CALL_INSIDE))
        return calls_caller(r->calls, r->stack, &r->call, function);
    if (!calls_known(r->calls))
        return calls_open(r->calls, r->stack, function);
    *function = calls_function(r->calls, entry);
    return true;
}

/* Threads that switch between stacks: reported once. */
static void note_switching(GHashTable *stacks)
{
    calls_switch(file->calls, stacks);
    if (g_hash_table_size(stacks) && have_tap_listener(find_tap_id("xray")))
        notices_remark(
            "A thread seems to switch stacks (fibers): only calls with an unmistakable exit count, and none has a "
            "caller: xray.unsure.");
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
    if (file->tails)
        note_switching(file->tails->switching);
    file->noted = none && !o->timed;
    if (file->noted)
        file->unwound = g_array_new(FALSE, FALSE, sizeof(calls_unwound));
    else if (o->path && !calls_kept(file->calls))
        file->unwound = xray_missing_exits_read(o->path, file->tails);
    if (file->unwound)
        calls_follow(file->calls, file->unwound);
}

void xray_calls_note_library(uint32_t function)
{
    const uint32_t bit = UINT32_C(1) << MIN(function >> XRAY_LIBRARY_SHIFT, 31);
    if (file->names && !(__atomic_load_n(&file->libraries, __ATOMIC_RELAXED) & bit) &&
        !xray_functions_find(file->names, function))
        __atomic_fetch_or(&file->libraries, bit, __ATOMIC_RELAXED);
}

void xray_calls_note_none(const statistic_run *run, const rows *shown)
{
    if (rows_length(shown) || *run->filter || file->profile)
        return;
    notices_print(
        file->basic
            ? "No call has ended in this log. Basic mode leaves out calls below 5 microseconds, unless "
              "XRAY_BASIC_OPTIONS has func_duration_threshold_us=0; and a log that has entries or exits only has no calls."
            : "No call has ended in this log. One that has entries or exits only has no calls: "
              "-fxray-instrumentation-bundle must be function, or be left out.");
}

static void note_unwound(void)
{
    file->noted = true;
    if (!have_tap_listener(find_tap_id("xray")))
        return;
    notices_remark(
        "Calls without an exit (exception, longjmp, coroutine) count up to the last record that is surely theirs: xray.call.unwound.");
    if (!file->unwound && !calls_kept(file->calls))
        notices_fail(XRAY_FOUND_LATE);
}

/* The first typed event: see xray_loses_end(). */
static void note_typed(const packet_info *pinfo)
{
    file->typed = pinfo->num;
    if (have_tap_listener(find_tap_id("xray")) || have_tap_listener(find_tap_id(XRAY_RECORDS_TAP)))
        notices_remark(XRAY_UNCOUNTED);
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

void xray_calls_look(dissection *d)
{
    xray_tapped *r = d->record;
    const record_context *c = d->context;
    const uint32_t type = xray_context_of(c)->type;
    *r = (xray_tapped){.context = c, .bytes = d->bytes, .stack = xray_analysis_stack(c)};
    if (!file->names_loaded)
        load_names(d->pinfo, c);
    if (!file->typed && xray_loses_end(c))
        note_typed(d->pinfo);
    xray_read(c, &d->bytes, r->value);
    if (G_UNLIKELY(type == XRAY_TYPE_PROFILE)) {
        xray_profile_look(d);
        return;
    }
    r->has_function = xray_is_function(c->kind) || (type == XRAY_TYPE_BASIC && c->kind == XRAY_CALL_ARGUMENT);
    if (r->has_function)
        r->function = xray_functions_same(file->names, (uint32_t)r->value[XRAY_FIELD_FUNCTION]);
    if (G_UNLIKELY(r->function >> XRAY_LIBRARY_SHIFT))
        xray_calls_note_library(r->function);
    if (preference_calls && d->asked && !d->unknown)
        look_at_call(r, d->pinfo);
    if (xray_context_of(c)->known & XRAY_KNOWN_THREAD && !d->unknown)
        idle_field_look(&file->idle, c, d->pinfo, d->tree, r->stack);
}

bool xray_calls_prepare(packet_info *pinfo, const record_context *first)
{
    if (!file->names_loaded)
        load_names(pinfo, first);
    file->visited = have_tap_listener(find_tap_id("xray"));
    return preference_calls || !file->visited;
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
        return r->context->kind == XRAY_PROFILE_PATH && i == 0 && xray_profile_span(r, ended);
    if (G_UNLIKELY(frequency != file->frequency)) {
        ended->call.duration = to_file_clock(ended->call.duration, frequency);
        ended->call.self = to_file_clock(ended->call.self, frequency);
        ended->call.until = to_file_clock(ended->call.until, frequency);
    }
    return true;
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
    *ended = (span){.call = {.begin = known.begin, .last = known.last, .sure = known.sure, .state = known.state},
                    .function = r->function,
                    .nests = true};
    ended->call.until = xray_calls_file_ticks(r, known.until);
    ended->call.duration = xray_calls_file_ticks(r, known.until - xray_context_of(r->context)->tsc);
    return true;
}

const char *xray_calls_short_of(const char *name)
{
    return file->names ? xray_functions_short_of(file->names, name) : NULL;
}

char *xray_calls_short(const char *name)
{
    const char *mark = g_str_has_suffix(name, STACKS_UNWOUND)   ? STACKS_UNWOUND
                       : g_str_has_suffix(name, STACKS_PERHAPS) ? STACKS_PERHAPS
                                                                : "";
    if (preference_names != NAMES_SHORT)
        return NULL;
    g_autofree char *plain = g_strndup(name, strlen(name) - strlen(mark)), *shortened = short_name(plain, 0);
    const char *known = xray_calls_short_of(plain);
    return g_strconcat(known ? known : shortened, mark, NULL);
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

void xray_calls_append_piece(GString *text, const stack_piece *piece, bool full)
{
    const uint32_t function = (uint32_t)piece->id;
    xray_number number;
    stacks_append_piece(text, piece,
                        xray_name_words(full ? xray_calls_name(function) : xray_calls_label(function), function, number));
}

unsigned xray_calls_pieces(const xray_tapped *r, const call *k, uint32_t function, uint8_t *marks, unsigned most,
                           stack_piece *pieces)
{
    uint32_t functions[CALLS_STACK_MAX];
    stacks_stack s = {.functions = functions, .marks = marks};
    if (r->context->kind == XRAY_PROFILE_PATH)
        return xray_profile_stack(r, most, pieces);
    s.n = calls_stack(r->calls, r->stack, k, function, functions, marks, &s.left_out);
    return stacks_pieces(&s, most, pieces);
}

unsigned xray_calls_stack(const void *tapped, const span *ended, unsigned most, stack_piece *pieces)
{
    uint8_t marks[CALLS_STACK_MAX];
    return xray_calls_pieces(tapped, &ended->call, ended->function, marks, most, pieces);
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

bool xray_calls_caller(const void *tapped, const span *ended, uint32_t *function)
{
    const xray_tapped *r = tapped;
    if (r->context->kind == XRAY_PROFILE_PATH)
        return xray_calls_around(r, function);
    return calls_caller(r->calls, r->stack, &ended->call, function);
}

/* --- preferences ----------------------------------------------------------------------------------------------------------
 */

void xray_calls_register(module_t *module)
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
