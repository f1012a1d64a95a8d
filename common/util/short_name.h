/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Short names of functions, as people read them: `std::vector<…>::_M_realloc_insert` instead of a thousand characters.
 * Works on readable names of C++, Rust and D (demangle.h), as binutils, LLVM or the C++ runtime write them. Knows nothing
 * of files. */
#ifndef WIRETRACE_UTIL_SHORT_NAME_H
#define WIRETRACE_UTIL_SHORT_NAME_H

#include "util/shown_name.h"

/* What is kept of a name in addition. */
enum {
    SHORT_NAME_PARAMETERS = 1,
    SHORT_NAME_TEMPLATES = 2, /* their arguments */
    SHORT_NAME_OUTER = 4,     /* the same, but without the arguments of templates among them */
    SHORT_NAME_CLONE = 8,     /* what the compiler and the linker add: `[.cold]`, `.llvm.1`, a hash */
    SHORT_NAME_DATA = 16,     /* all, if it looks like a function: the name is that of a type or a variable, or text */
};

/* A name without return type, parameters, template arguments, anonymous namespaces and ABI tags; a lambda by the function
 * that it is in. `kept`: of the above. Text without brackets, and what is not a name, stays as it is. Linear in the length
 * of the name; g_free() it. */
char *short_name(const char *name, unsigned kept);

/* Appends a name, or two, in at most `width` characters. What is left out, with a sign for it, until it fits: parameters,
 * template arguments, outer namespaces; then the beginning of the class, at last the middle of the function. Remarks stay.
 * Other text is cut in the middle. `last`: of the above, what stays longest; 0: nothing. */
void short_name_append_cut(GString *text, const shown_name *name, size_t width, unsigned last);

#endif
