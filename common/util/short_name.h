/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Short names of functions, as people read them: `std::vector<…>::_M_realloc_insert` instead of a thousand characters. Works on readable
 * names of C++ and Rust (demangle.h), as binutils, LLVM or the C++ runtime write them. Knows nothing of files. */
#ifndef WIRETRACE_SHORT_NAME_H
#define WIRETRACE_SHORT_NAME_H

#include <glib.h>

/* What is kept of a name in addition. */
enum {
    SHORT_NAME_PARAMETERS = 1,
    SHORT_NAME_TEMPLATES = 2, /* their arguments */
    SHORT_NAME_OUTER = 4,     /* the same, but without the arguments of templates among them */
};

/* A name without return type, parameters, template arguments, anonymous namespaces and ABI tags; a lambda by the function that it is in.
 * `kept`: of the above. Other text stays as it is. Linear in the length of the name; g_free() it. */
char *short_name(const char *name, unsigned kept);

/* Appends a name, or two with an arrow between them, in at most `width` characters. What does not fit is left out in the middle, with a
 * sign for it: what the function is in, but for the outermost namespace, then of its own name what is between begin and end. Other text
 * is cut in the middle. */
void short_name_append_cut(GString *text, const char *name, size_t width);

#endif
