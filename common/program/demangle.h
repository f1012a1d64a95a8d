/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readable names for C++, Rust and D symbols. Knows nothing of files. */
#ifndef WIRETRACE_PROGRAM_DEMANGLE_H
#define WIRETRACE_PROGRAM_DEMANGLE_H

/* Longer symbols are not demangled, nor are those with longer names. The demangler for C++ itself gives up on symbols of
 * more than 1024 bytes. */
#define DEMANGLE_SYMBOL_MAX 4096u
#define DEMANGLE_NAME_MAX 65536u

/* The readable name of a symbol: of C++ (_Z), Rust (_R; _ZN...E with a hash, which the name has too, as functions may
 * differ in nothing else) or D (_D). Free with g_free(). NULL for other and for invalid symbols. */
char *demangle(const char *symbol);

/* The same for a symbol of one language. That of C++ may have any length. */
char *demangle_cxx(const char *symbol);
char *demangle_rust(const char *symbol);
char *demangle_d(const char *symbol);

#endif
