/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of XRay functions: maps the id in a log to a function of the program that wrote it, by the instrumentation maps
 * of the program and its shared libraries (docs/xray.md, "Names"). A log does not say which program wrote it, so the
 * caller must know the files. Knows nothing of logs except how they are named. */
#ifndef WIRETRACE_XRAY_NAMES_FUNCTIONS_H
#define WIRETRACE_XRAY_NAMES_FUNCTIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/shown_name.h"
#include "util/source_place.h"

typedef struct xray_functions xray_functions;

/* The strings are valid as long as the xray_functions. */
typedef struct xray_function {
    const char *name;         /* demangled if wanted and possible, otherwise the symbol; NULL if there is no symbol */
    const char *linkage_name; /* the symbol, as linked */
    const char *alias;        /* another function that compiler or linker have merged with it; NULL if there is none */
    uint64_t address;         /* as linked, without the load bias of position-independent programs */
} xray_function;

/* Loads the instrumentation maps of files (or as llvm-xray has extracted them, see extract.h): first the program, then
 * shared libraries in the order in which they were initialised (see LD_DEBUG=files). An empty path skips a library, NULL
 * ends them. For each file that cannot be used, a line is appended to `problems` (may be NULL). Returns NULL if none can be
 * used, or `paths` is NULL. Never uses the network. */
xray_functions *xray_functions_load(char *const *paths, bool demangle, GString *problems);
void xray_functions_free(xray_functions *f);
/* Returns whether each of the files could be used. */
bool xray_functions_complete(const xray_functions *f);

/* Returns whether any function of the program (0) or of a library has a name; `f` may be NULL. */
bool xray_functions_named(const xray_functions *f, uint32_t number);

/* Limits ids to their lowest `bits` bits, at least 25. Functions that cannot be distinguished then get no name rather than a
 * wrong one; if there are any, a line is appended to *problems. Flight data recorder logs have 28 bits: the program and
 * 15 libraries. */
#define XRAY_FDR_ID_BITS 28
/* In ids of shared libraries the bits from here on are the number of the library; 0 is the program. */
#define XRAY_LIBRARY_SHIFT 24
void xray_functions_narrow(xray_functions *f, unsigned bits, GString *problems);
/* Returns whether several libraries may contain the function with this id. */
bool xray_functions_ambiguous(const xray_functions *f, uint32_t id);

/* The function with an id; NULL if it is unknown or `f` is NULL. Takes constant time. Threads may ask for names and places.
 * In ids of shared libraries (LLVM 20 and later) bits 24 to 31 are the number of the library; if the program has a function
 * with the same id, that one is returned. */
const xray_function *xray_functions_find(const xray_functions *f, uint32_t id);

/* The id of the same function when its library was loaded for the first time: loaded again, it has another number. */
uint32_t xray_functions_same(const xray_functions *f, uint32_t id);

/* A short form of the name, which no other function of these files has; without a text if there is no name. */
shown_name xray_functions_short(xray_functions *f, uint32_t id);

/* The same of the function with a full name; without a text: there is none, or several have the name. */
shown_name xray_functions_short_of(xray_functions *f, const char *name);

/* The beginning of a function, looked up on first use; without a text if there is no debug information for it. */
source_place xray_functions_source(xray_functions *f, uint32_t id);

/* NAME, if the log is named `xray-log.NAME.SUFFIX` (or .gz, .zst, .lz4), else NULL. Free with g_free(). */
char *xray_functions_program(const char *log_path);

/* The files for a log, as xray_functions_load() takes them: those that were `asked` for, with ';' between (NULL: none);
 * those that its recorder has listed (program/objects.h); or, if it is named `xray-log.NAME.SUFFIX` (or .gz, .zst, .lz4),
 * the file NAME beside it, if that has an instrumentation map. Appends a line to *problems for each thing that is to be
 * reported. `log_path` may be NULL. Free with g_strfreev(); NULL if there are none. */
char **xray_functions_discover(const char *log_path, const char *asked, GString *problems);

#endif
