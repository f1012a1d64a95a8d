/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readable names for C++ and Rust symbols. Knows nothing of files. */
#ifndef WIRETRACE_PROGRAM_DEMANGLE_H
#define WIRETRACE_PROGRAM_DEMANGLE_H

/* Longer symbols are not demangled, nor are those with longer names. The demangler of the C++ runtime itself gives up on
 * symbols of more than 1024 bytes. */
#define DEMANGLE_SYMBOL_MAX 4096u
#define DEMANGLE_NAME_MAX 65536u

/* The readable name of a C++ symbol or of a legacy Rust symbol (_ZN...E, without its hash); free with g_free(). NULL for
 * other and for invalid symbols. */
char *demangle(const char *symbol);

/* The same for a C++ symbol alone, of any length. */
char *demangle_cxx(const char *symbol);

#endif
