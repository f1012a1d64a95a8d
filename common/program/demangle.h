/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of C++ and Rust as their programmers wrote them. Knows nothing of files. */
#ifndef WIRETRACE_PROGRAM_DEMANGLE_H
#define WIRETRACE_PROGRAM_DEMANGLE_H

/* Longer symbols stay as they are, and so do those whose name would be longer. The C++ runtime itself gives up on
 * symbols of more than 1024 bytes. */
#define DEMANGLE_SYMBOL_MAX 4096u
#define DEMANGLE_NAME_MAX 65536u

/* The name of a C++ symbol, or of a Rust symbol of the old kind (_ZN...E, without its hash), to be freed with g_free().
 * NULL for other and for damaged symbols, and for C++ when built without the runtime's demangler. */
char *demangle(const char *symbol);

#endif
