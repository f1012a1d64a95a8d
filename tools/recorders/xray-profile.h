/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mode=profiling: sums of calls, which LLVM's runtime makes. */
#ifndef WIRETRACE_XRAY_PROFILE_H
#define WIRETRACE_XRAY_PROFILE_H

#include "xray-files.h"
#include "xray-runtime.h"

enum { MODE_FOUND = 0, INITIALIZED = 2, FLUSHED = 2, EXTENTS_SIZE = 16 };

/* What the runtime of clang 14 and 19 needs for a path. A thread has four buffers for paths and what belongs to them. */
enum { PATH_SIZE = 192, THREAD_BUFFERS = 4 };

static bool paths_full, profile_of_child;
static unsigned long blocks; /* of threads, and the header */
static struct log profile;
static char profile_config[256];

/* The paths in a block of a profile: functions, 0, two numbers of 8 bytes. */
PLAIN unsigned long long count_paths(const char *at, size_t size)
{
    unsigned long long count = 0;
    uint32_t function;
    for (size_t i = EXTENTS_SIZE; i + sizeof function <= size; i += sizeof function) {
        memcpy(&function, at + i, sizeof function);
        if (function == 0)
            count++, i += 16;
    }
    return count;
}

/* The first one is the header of the log, the others begin with their extents. */
PLAIN void write_block(const char *mode, struct XRayBuffer b)
{
    (void)mode;
    if (b.Size <= EXTENTS_SIZE || profile.error)
        return;
    paths_full |= ++blocks > 1 && count_paths((const char *)b.Data, b.Size) >= number_of(PATHS);
    if (!output_write(&trace_output, (off_t)profile.bytes, b.Data, b.Size))
        profile.error = errno;
    profile.bytes += b.Size;
}

/* The runtime takes the sums of a thread when an instrumented function runs after the end, such as this one. */
__attribute__((xray_always_instrument, noinline)) static void release_sums(void)
{
    __asm__ volatile("");
}

PLAIN bool is_instrumented(uintptr_t function)
{
    for (size_t id = __xray_max_function_id(); id > 0; id--)
        if (__xray_function_address((int32_t)id) == function)
            return true;
    return false;
}

PLAIN void profile_report(void)
{
    lost.length = 0;
    if (profile.error)
        LOST("the profile ends early: ", error_text(profile.error));
    else if (!blocks)
        LOST("no call was recorded");
    if (paths_full)
        LOST("all ", settings[PATHS].value,
             " paths of a thread are in use: calls are missing. Set a larger paths in WIRETRACE_RECORD.");
    if (blocks > number_of(THREADS))
        LOST("if more than ", settings[THREADS].value,
             " threads ran at a time, some are missing: set threads in WIRETRACE_RECORD.");
    message_begin(&trace_name, "");
    message_number("a profile of ", profile.bytes, " bytes");
    text_command(&message, ". To see it: tshark -q -r");
    if (has_counter)
        message_number(" -o xray.profile_frequency:", frequency(), "");
    text_add(&message, " -z xray,account\n");
    if (!number_of(QUIET) && !profile.error)
        say(&message);
}

PLAIN void profile_end(void)
{
    if (profile_of_child)
        begin_child_files();
    __xray_log_finalize();
    release_sums();
    usleep(100000); /* other threads finish their records */
    if (!output_ready(&trace_output) || __xray_log_process_buffers(write_block) != FLUSHED)
        profile.error = errno;
    profile_report();
    lost_say("");
    write_objects(&objects_output, true);
}

PLAIN bool profile_start(void)
{
    if (!is_instrumented((uintptr_t)release_sums)) {
        fputs("Compile the recorder, xray.c, with -fxray-instrument too\n", stderr);
        _exit(2);
    }
    if (__xray_log_select_mode("xray-profiling") != MODE_FOUND ||
        __xray_log_init_mode("xray-profiling", profile_config) != INITIALIZED) {
        fputs(
            "xray-profiling cannot be started: link with -fxray-modes=xray-fdr,xray-profiling, or take fewer threads or paths\n",
            stderr);
        _exit(2);
    }
    return true;
}

/* In a child of fork(), which has its parent's sums. */
PLAIN void profile_child(void)
{
    __xray_log_finalize();
    release_sums();
    __xray_log_flushLog();
    __xray_log_init_mode("xray-profiling", profile_config);
    blocks = 0, memset(&profile, 0, sizeof profile);
    recording->process = getpid();
    profile_of_child = true;
}

PLAIN void profile_begin(void)
{
    snprintf(profile_config, sizeof profile_config,
             "no_flush=true:per_thread_allocator_max=%llu:buffers_max=%llu:global_allocator_max=%u:stack_allocator_max=%u",
             number_of(PATHS) * PATH_SIZE, number_of(THREADS) * THREAD_BUFFERS, 1u << 30, 1u << 26);
    profile_start();
    pthread_atfork(NULL, NULL, profile_child);
}

#endif
