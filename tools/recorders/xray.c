/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records all calls of a program with LLVM's XRay, or sums of them. Compile this file, link it with the program, and run it:
 *
 *     clang -O2 -c xray.c
 *     clang++ -O1 -g -fxray-instrument -fxray-instruction-threshold=1 program.cpp xray.o -o program
 *     ./program                              writes xray-log.program.PID, which Wiretrace opens
 *     WIRETRACE_RECORD=help ./program        prints the settings
 *
 * For mode=profiling, compile it with -fxray-instrument, and link with -fxray-modes=xray-fdr,xray-profiling in addition.
 *
 * Recording begins before main() and ends when the program does: by exit(), _exit(), a signal, or another program in its
 * place (exec). It may be compiled as C or C++.
 *
 * What it needs of its folder: recorder.h, trace-file.h, locked-memory.h; xray-ring.h, where records are; xray-records.h,
 * who writes them; xray-log.h, xray-files.h, xray-profile.h, xray-write.h, how they get into files; xray-signals.h and
 * xray-exits.h, when; xray-runtime.h. Here is the beginning. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <stdint.h>

#define SETTINGS \
    {"file", "the log; if it is not set, xray-log., the program, and the number of its process", "", WORD}, \
        {"mode", "fdr: each call; profiling: only sums of calls by path", "fdr", WORD}, \
        {"buffer_size", "bytes of a buffer. A thread fills one after the other", "32768", WHOLE}, \
        {"buffer_max", "how many buffers there are. Memory is used as needed. If all are full, the oldest are overwritten", \
         "32768", WHOLE}, \
        {"threshold", "calls shorter than this are left out, in microseconds. These three are for fdr", "0", WHOLE}, \
        {"signal", "a signal, such as USR1, that writes what there is to FILE.1, FILE.2, ...; for fdr", "", WORD}, \
        {"paths", "for profiling: how many paths of a thread there may be. Others are lost", "10000", WHOLE}, \
        {"threads", "for profiling: how many threads at a time. Others are lost", "128", WHOLE}, \
        {"quiet", "1: prints nothing unless something is missing", "0", WHOLE},
#include "recorder.h"
enum { MODE = FILE_NAME + 1, BUFFER_SIZE, BUFFER_MAX, THRESHOLD, SIGNAL, PATHS, THREADS, QUIET };

#include "xray-exits.h"
#include "xray-records.h"
#include "xray-runtime.h"
#include "xray-signals.h"

PLAIN void begin_log(void)
{
    __xray_set_handler_arg1(on_argument);
    __xray_set_customevent_handler(on_event);
    __xray_set_typedevent_handler(on_typed_event);
    __xray_set_handler(on_call);
}

/* Each thread that calls exit() takes one of these. glibc frees what is beyond its first 32 while others still use it. */
PLAIN void at_exit(void)
{
    enum { THREADS_THAT_EXIT = 20 };
    for (int i = 0; i < THREADS_THAT_EXIT; i++)
        atexit(stop);
    (void)at_quick_exit(stop);
}

PLAIN void check_settings(void)
{
    if (strcmp(settings[MODE].value, "fdr") != 0 && !profiling) {
        fprintf(stderr, "WIRETRACE_RECORD: mode is fdr or profiling, not \"%s\"\n", settings[MODE].value);
        _exit(2);
    }
    if (number_of(BUFFER_SIZE) < 256 || number_of(BUFFER_SIZE) > 1u << 30 || number_of(BUFFER_MAX) < 2 ||
        number_of(BUFFER_MAX) > 1u << 30) {
        fputs("WIRETRACE_RECORD: buffer_size is a number from 256 to 1073741824, buffer_max one from 2\n", stderr);
        _exit(2);
    }
    choose_snapshot();
}

__attribute__((constructor, xray_never_instrument)) static void start(void)
{
    read_settings();
    profiling = strcmp(settings[MODE].value, "profiling") == 0;
    check_settings();
    trace_begin("xray-log.", "");
    if (!ring_begin(profiling ? 256 : number_of(BUFFER_SIZE), profiling ? 2 : number_of(BUFFER_MAX), number_of(THRESHOLD))) {
        fputs(
            "The recorder has no memory for its buffers: nothing is recorded. Set a smaller buffer_max in WIRETRACE_RECORD\n",
            stderr);
        return;
    }
    recording->ended = !begin_files(false);
    if (recording->ended)
        return;
    profiling ? profile_begin() : begin_log();
    at_exit(); /* LLVM's profile has a handler of its own, which must come later */
    thread_begin();
    catch_signals();
    if (__xray_patch_object && &xray_patches_libraries)
        xray_patches_libraries = true;
    __xray_patch();
}
