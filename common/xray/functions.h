/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of XRay functions: from the id in a log to the function of the program that was traced, through the
 * instrumentation maps of the program and its shared libraries (docs/xray.md, "Names"). Nothing in a log says which
 * program wrote it: the caller has to know the files. Knows nothing of logs but how they are called. */
#ifndef WIRETRACE_XRAY_FUNCTIONS_H
#define WIRETRACE_XRAY_FUNCTIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct xray_functions xray_functions;

/* Strings live as long as the xray_functions. */
typedef struct xray_function {
    const char *name;         /* demangled where asked for and possible, else the symbol; NULL where there is no symbol */
    const char *linkage_name; /* the symbol */
    uint64_t address;         /* as linked: without the bias that a position-independent program gets when it runs */
} xray_function;

/* Loads the instrumentation maps of the files in `paths`, separated by ';': the program first, then shared libraries in
 * the order in which they were initialised (LD_DEBUG=files tells); an empty path leaves its place unknown. Never fails:
 * what cannot be used is one sentence per file, on a line of its own, appended to `problems` (may be NULL). NULL when
 * nothing can be used. Asks no network.
 */
xray_functions *xray_functions_load(const char *paths, bool demangle, GString *problems);
void xray_functions_free(xray_functions *f);

/* To be called when ids have so many bits only, at least 25: what they do not tell apart gets no name rather than a wrong
 * one, and *problems a sentence if there is any. Flight data recorder logs have 28: 16 libraries, the program among
 * them. */
#define XRAY_FDR_ID_BITS 28
void xray_functions_narrow(xray_functions *f, unsigned bits, GString *problems);
/* Whether several libraries may have the function of this id. */
bool xray_functions_ambiguous(const xray_functions *f, uint32_t id);

/* The function of an id; NULL for an unknown one, and where `f` is NULL. Takes the same time however many there are.
 * Ids of shared libraries (LLVM 20 and later) hold the number of the library in bits 24 to 31; those of the program
 * win. */
const xray_function *xray_functions_find(const xray_functions *f, uint32_t id);

/* "file:line" where the function begins; NULL where no debug information says so. Looked up when first asked. */
const char *xray_functions_source(xray_functions *f, uint32_t id);

/* The program that a log named `xray-log.NAME.XXXXXX` (and .gz, .zst, .lz4) comes from: NAME beside the log, if that is
 * a file with an instrumentation map. To be freed with g_free(); NULL when there is none. */
char *xray_functions_discover(const char *log_path);

#endif
