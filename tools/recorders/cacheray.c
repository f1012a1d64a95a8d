/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records the memory accesses of a program as a Cacheray trace. Compile the program with the instrumentation of
 * ThreadSanitizer, but link this file instead of its runtime:
 *
 *     clang -g -O1 -fsanitize=thread -c program.c            or clang++, gcc, g++
 *     clang -O2 -c cacheray.c
 *     clang -no-pie -rdynamic program.o cacheray.o -o program
 *     ./program                                              writes program.trace
 *     WIRETRACE_RECORD=help ./program                        prints the settings
 *
 * Threads are numbered from 0, the one that starts the program, in the order of their first records. Records are in the
 * order in which accesses were about to happen, atomic operations in that in which they did. What malloc() and operator new
 * return is annotated with the place of the call; cacheray-types.h gives it types.
 *
 * What it needs of its folder: recorder.h, trace-file.h; mapped.h, how the trace is written, and locked-memory.h; places.h,
 * names of places; cacheray-records.h; hooks.h, and the functions that others call: tsan-interface.h, atomics.h, copies.h,
 * heap.h. Here are the beginning and the end. */
#define _GNU_SOURCE
#include <pthread.h>

#define SETTINGS \
    {"file", "the trace; if it is not set, the name of the program with .trace", "", WORD}, \
        {"limit", "how many million records there are at most; 0: as many as come", "0", DECIMAL}, \
        {"heap", "0: what malloc() and operator new return is not annotated", "1", WHOLE}, \
        {"frames", "how many callers of an allocation are named, 1 to 8", "3", WHOLE}, \
        {"quiet", "1: prints nothing unless something is missing", "0", WHOLE},
#include "recorder.h"
#include "heap.h"
#include "tsan-interface.h"
#include "atomics.h"
#include "copies.h"

#if defined(__SANITIZE_THREAD__)
#define INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INSTRUMENTED 1
#endif
#endif
#ifndef __OPTIMIZE__
#warning "Compile the recorder with -O2: otherwise compilers call memset() for what it does itself"
#endif
#ifdef INSTRUMENTED
#error "Compile the recorder without -fsanitize=thread"
#endif

enum { LIMIT = FILE_NAME + 1, HEAP, FRAMES, QUIET };

/* --- what programs do that concerns the recorder ------------------------------------------------------------------- */

/* A library that is loaded later may have its addresses. Not there with -static: no library is loaded. */
extern int __dlclose(void *library) __attribute__((weak));
WEAK_HOOK int dlclose(void *library)
{
    NEXT(dlclose, "dlclose", __dlclose);
    const int error = next ? next(library) : -1;
    if (LOAD(mapped->base))
        forget_objects();
    return error;
}

#define SET_LIMIT(set, set_of, type) \
    WEAK_HOOK int set_of(pid_t process, __rlimit_resource_t what, const struct type *limit, struct type *before) \
    { \
        const int error = (int)syscall(SYS_prlimit64, process, what, limit, before); \
        if (error == 0 && what == RLIMIT_AS && limit && (process == 0 || process == getpid())) \
            shrink_range((rlim_t)limit->rlim_cur); \
        return error; \
    } \
    WEAK_HOOK int set(__rlimit_resource_t what, const struct type *limit) \
    { \
        return set_of(0, what, limit, NULL); \
    }
#if __SIZEOF_POINTER__ >= 8
SET_LIMIT(setrlimit, prlimit, rlimit)
SET_LIMIT(setrlimit64, prlimit64, rlimit64)
#endif

/* --- from the beginning to the end --------------------------------------------------------------------------------- */

static struct text message; /* of the thread that starts or ends */
static bool is_called;      /* by instrumented code */

static void begin_message(const char *before)
{
    message.length = 0;
    TEXT(&message, before);
}

static void message_number(unsigned long long number, const char *after)
{
    text_number(&message, number, 10);
    text_add(&message, after);
}

/* What is missing from the trace: on the terminal, and for the reader. */
static void end_loss(void)
{
    text_add(&message, "\n");
    list_line(&message);
    static struct text shown;
    shown.length = 0;
    TEXT(&shown, trace_name.bytes, ": ", message.bytes + 2);
    say(&shown);
}

static void report_left_out(unsigned long long records)
{
    const unsigned long long left_out = LOAD(mapped->left_out);
    begin_message("# the trace has the first ");
    message_number(records, " records: ");
    message_number(left_out, " more were left out");
    if (mapped->reason)
        TEXT(&message, ": ", error_text(mapped->reason));
    else
        TEXT(&message, " (limit=", settings[LIMIT].value, " in WIRETRACE_RECORD)");
    if (left_out)
        end_loss();
}

static void report_losses(unsigned long long records)
{
    report_left_out(records);
    begin_message("# ");
    message_number(blocks_forgotten, " types of allocated memory may be shown after it was freed");
    if (blocks_forgotten)
        end_loss();
    begin_message("# ");
    message_number(frames_forgotten, " callers of allocations have no name: there are too many");
    if (frames_forgotten)
        end_loss();
    begin_message("# ");
    message_number(objects_forgotten, " libraries are not listed: there are too many");
    if (objects_forgotten)
        end_loss();
    begin_message("# no access was recorded: compile with -fsanitize=thread, with -flto and gcc link with it, too");
    if (!is_called)
        end_loss();
    begin_message("# allocations are not recorded: the program is linked statically");
    if (!sees_heap)
        end_loss();
}

/* Only once, and not in a child of fork(), which finds no trace. */
static void end_recording(void)
{
    if (!EXCHANGE(mapped->open, false))
        return;
    const uint64_t bytes = end_mapped();
    const unsigned long long records = (bytes - annotation_bytes) / sizeof(struct access_record) + annotations;
    report_losses(records);
    begin_message(trace_name.bytes);
    TEXT(&message, ": ");
    message_number(records, " records of ");
    message_number(threads, " threads");
    text_command(&message, ". To open it: wireshark");
    TEXT(&message, "\n");
    if (!number_of(QUIET))
        say(&message);
}

/* After all other destructors of the program. */
__attribute__((destructor(101))) static void end_of_program(void)
{
    end_recording();
}

/* When the first instrumented object is initialised, of the program or of a library. No signal needs a handler: what was
 * recorded is in the file. */
static void start(void)
{
    static bool started;
    const int error = errno;
    if (EXCHANGE(started, true))
        return;
    read_settings();
    sees_heap = first_object() != NULL;
    annotates_heap = sees_heap && number_of(HEAP) != 0;
    frames_named = number_of(FRAMES) < 1 ? 1 : number_of(FRAMES) > FRAMES_MOST ? FRAMES_MOST : (unsigned)number_of(FRAMES);
    trace_begin("", ".trace");
    begin_names();
    const bool created = trace_create(false, O_RDWR | O_APPEND);
    if (created) { /* before other threads record */
        output_close(&objects_output);
        begin_message(OBJECTS_FIRST);
        list_line(&message);
        note_object((uintptr_t)__executable_start, true);
    }
    if (!created || !begin_mapped((unsigned long long)(strtod(settings[LIMIT].value, NULL) * 1e6 + 0.5))) {
        begin_message(trace_name.bytes);
        TEXT(&message, ": nothing is recorded: ", error_text(errno), "\n");
        say(&message);
        errno = error;
        return;
    }
    number = ADD_TO(threads, 1) + 1;
    (void)at_quick_exit(end_recording);
    errno = error;
}

/* Each instrumented object calls it when it is loaded. */
HOOK void __tsan_init(void)
{
    is_called = true;
    start();
    if (LOAD(mapped->base))
        note_object(CALLER, true);
}

__attribute__((constructor(101))) static void start_program(void)
{
    start();
}
