/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions in the open file, and of its program (common/xray/names/functions.h). */
#include "xray_dissector/names.h"

#include "core/opened_trace.h"
#include "host/notices.h"
#include "showing/stacks.h"
#include "util/short_name.h"
#include "xray/statistics/display.h"
#include "xray_dissector/file.h"
#include "xray_dissector/problems.h"

static const char *preference_binary = "";
static wsbool preference_demangle = TRUE;
enum { NAMES_SHORT, NAMES_FULL, NAMES_MANGLED };
static int preference_names = NAMES_SHORT;

static struct xray_file *const file = &xray_file;

bool xray_names_demangled(void)
{
    return preference_demangle && preference_names != NAMES_MANGLED;
}

bool xray_names_full(void)
{
    return preference_names != NAMES_SHORT;
}

bool xray_names_known(void)
{
    return file->names != NULL;
}

const char *xray_names_of(uint32_t function)
{
    const xray_function *f = file->names ? xray_functions_find(file->names, function) : NULL;
    return f ? f->name : NULL;
}

shown_name xray_names_label(uint32_t function)
{
    if (preference_names == NAMES_SHORT && file->names)
        return xray_functions_short(file->names, function);
    return shown_name_of(xray_names_of(function));
}

source_place xray_names_source(uint32_t function)
{
    return xray_functions_source(file->names, function);
}

shown_name xray_names_short_of(const char *name)
{
    return file->names ? xray_functions_short_of(file->names, name) : (shown_name){0};
}

char *xray_names_short(const shown_name *name)
{
    if (preference_names != NAMES_SHORT)
        return NULL;
    const size_t length = strlen(name->text) - name->remark;
    g_autofree char *plain = g_strndup(name->text, length), *shortened = short_name(plain, 0);
    const shown_name known = xray_names_short_of(plain);
    return g_strconcat(known.text ? known.text : shortened, name->text + length, NULL);
}

void xray_names_inform(info_text *t, uint32_t function)
{
    const char *name = xray_names_label(function).text;
    info_add_name(t, name ? name : XRAY_FUNCTION_WORDS);
    if (!name)
        info_add_uint(t, function);
}

unsigned xray_names_append_piece(GString *text, const stack_piece *piece, bool full)
{
    const uint32_t function = (uint32_t)piece->id;
    xray_number number;
    const shown_name name = xray_name_words(full ? shown_name_of(xray_names_of(function)) : xray_names_label(function),
                                            function, number);
    return stacks_append_piece(text, piece, &name);
}

/* --- loading ----------------------------------------------------------------------------------------------------------- */

/* Of the first binary, or as the name of the log says. */
static char *name_of_program(char *const *paths, const char *log)
{
    if (paths && paths[0] && *paths[0])
        return g_path_get_basename(paths[0]);
    return log ? xray_functions_program(log) : NULL;
}

/* Loads names from the binaries in the preference, or from those that are found for the log. Exported records do not know
 * where their log was, unless they come live. */
void xray_names_load(const record_seen *seen, const record_context *c)
{
    const char *unused = xray_problems_unused_frequency(c);
    file->names_loaded = true;
    if (unused)
        notices_say(NOTICE_WARNING, "%s", unused);
    xray_session_begin(&file->session, c);
    file->basic = xray_context_of(c)->type == XRAY_TYPE_BASIC;
    file->profile = file->called = false;
    file->problems = g_string_new(NULL);
    file->first = seen->frame;
    const char *asked = *preference_binary ? preference_binary : NULL;
    g_autofree char *log = g_strdup(opened_trace_name(c));
    g_auto(GStrv) paths = xray_functions_discover(log, asked, file->problems);
    file->names = xray_functions_load(paths, xray_names_demangled(), file->problems);
    file->program = name_of_program(paths, log);
    file->nameless = !paths;
    if (file->nameless)
        notices_say(NOTICE_WARNING, "%s", XRAY_NAMELESS);
    if (file->names && xray_context_of(c)->type == XRAY_TYPE_FDR)
        xray_functions_narrow(file->names, XRAY_FDR_ID_BITS, file->problems);
    file->session.names = file->names;
    const bool wrong = asked && !xray_functions_complete(file->names); /* what was asked for is not used */
    if (file->problems->len)                                           /* statistics do not show expert infos */
        notices_say(wrong ? NOTICE_FAILURE : NOTICE_WARNING, "%s", g_strchomp(file->problems->str));
}

/* --- libraries --------------------------------------------------------------------------------------------------------- */

void xray_names_note_library(uint32_t function)
{
    const uint32_t bit = UINT32_C(1) << MIN(function >> XRAY_LIBRARY_SHIFT, 31);
    if (file->names && !(__atomic_load_n(&file->libraries, __ATOMIC_RELAXED) & bit) &&
        !xray_functions_find(file->names, function))
        __atomic_fetch_or(&file->libraries, bit, __ATOMIC_RELAXED);
}

void xray_names_end(void)
{
    g_autoptr(GString) numbers = g_string_new(NULL);
    for (unsigned i = 1; i < 32; i++)
        if (file->libraries >> i & 1)
            g_string_append_printf(numbers, "%s%u%s", numbers->len ? ", " : "", i, i == 31 ? "+" : "");
    if (!numbers->len)
        return;
    notices_say(NOTICE_WARNING,
                "Functions of libraries have no names, as xray.binary does not list these after "
                "the program: %s",
                numbers->str);
    if (!file->basic && file->libraries >> 15)
        notices_say(NOTICE_WARNING,
                    "A flight data recorder log writes library 16 as the program: names of the program may be wrong");
    file->libraries = 0;
}

/* --- preferences ------------------------------------------------------------------------------------------------------- */

void xray_names_register(module_t *module)
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
}
