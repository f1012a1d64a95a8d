/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records all calls of a program with LLVM's XRay, or sums of them. Compile this file, link it with the program, and run it:
 *
 *     clang -O2 -fxray-instrument -c xray.c
 *     clang++ -O1 -g -fxray-instrument -fxray-instruction-threshold=1 program.cpp xray.o -o program
 *     ./program                              writes xray-log.program.PID, which Wiretrace opens
 *     WIRETRACE_RECORD=help ./program        prints the settings
 *
 * For mode=profiling, link with -fxray-modes=xray-fdr,xray-profiling in addition.
 *
 * Recording begins before main() and ends when the program exits, also by SIGINT or SIGTERM. It may be compiled as C or C++.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#define SETTINGS \
    {"file", "the log; if it is not set, xray-log., the program, and the number of its process", ""}, \
        {"mode", "fdr: each call; profiling: only sums of calls by path", "fdr"}, \
        {"buffer_size", "bytes of a buffer. A thread fills one after the other", "262144"}, \
        {"buffer_max", "how many buffers there are. Memory is used as needed. If all are full, the oldest are overwritten", \
         "4096"}, \
        {"threshold", "calls shorter than this are left out, in microseconds. These three are for fdr", "0"}, \
        {"paths", "for profiling: how many paths of a thread there may be. Others are lost", "10000"}, \
        {"threads", "for profiling: how many threads at a time. Others are lost", "128"}, \
        {"quiet", "1: prints nothing unless something is missing", "0"},
#include "recorder.h"

enum { MODE = FILE_NAME + 1, BUFFER_SIZE, BUFFER_MAX, THRESHOLD, PATHS, THREADS, QUIET };

#ifdef __cplusplus
extern "C" {
#endif
/* As in LLVM's headers, which are C++ only. */
struct XRayBuffer {
    const void *Data;
    size_t Size;
};
int __xray_log_select_mode(const char *mode);
int __xray_log_init_mode(const char *mode, const char *config);
int __xray_patch(void);
size_t __xray_max_function_id(void);
uintptr_t __xray_function_address(int32_t id);
int __xray_log_finalize(void);
int __xray_log_flushLog(void);
int __xray_log_process_buffers(void (*visit)(const char *mode, struct XRayBuffer buffer));
#ifdef __cplusplus
}
#endif
enum { MODE_FOUND = 0, INITIALIZED = 2, FLUSHED = 2, EXTENTS = 16 };

/* What the runtime of clang 14 and 19 needs for a path. A thread has four buffers for paths and what belongs to them. */
enum { PATH_SIZE = 192, THREAD_BUFFERS = 4 };

static int log_file;
static bool failed, profiling, paths_full;
static unsigned long used; /* buffers, or blocks of a profile, which are threads */
static unsigned long long bytes;

/* The paths in a block of a profile: functions, 0, two numbers of 8 bytes. */
PLAIN unsigned long long count_paths(const char *at, size_t size)
{
    unsigned long long count = 0;
    uint32_t function;
    for (size_t i = EXTENTS; i + sizeof function <= size; i += sizeof function) {
        memcpy(&function, at + i, sizeof function);
        if (function == 0)
            count++, i += 16;
    }
    return count;
}

/* The first one is the header of the log, the others begin with their extents. */
PLAIN void write_buffer(const char *mode, struct XRayBuffer b)
{
    const char *at = (const char *)b.Data;
    (void)mode;
    if (b.Size <= EXTENTS)
        return;
    used++;
    bytes += b.Size;
    paths_full |= profiling && used > 1 && count_paths(at, b.Size) >= number_of(PATHS);
    for (ssize_t n; b.Size > 0 && !failed; at += n, b.Size -= (size_t)n)
        if ((n = write(log_file, at, b.Size)) <= 0)
            failed = true, n = 0;
}

/* The runtime takes the buffer of a thread when an instrumented function runs after the end, such as this one. */
__attribute__((xray_always_instrument, noinline)) static void release_buffer(void)
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

/* Profiles do not have the frequency of their counter. 0: not known. */
PLAIN double frequency(void)
{
#ifdef __x86_64__
    static struct timespec begin;
    static unsigned long long first;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const unsigned long long ticks = __builtin_ia32_rdtsc();
    if (!first)
        first = ticks, begin = now;
    const double passed = (double)(now.tv_sec - begin.tv_sec) + (double)(now.tv_nsec - begin.tv_nsec) / 1e9;
    return passed > 0 ? (double)(ticks - first) / passed : 0;
#elif defined __aarch64__ || defined __arm__
    return 1e9; /* the runtime takes nanoseconds */
#else
    return 0;
#endif
}

PLAIN void report(const char *name)
{
    const double ticks = profiling ? frequency() : 0;
    if (ticks > 0)
        fprintf(stderr, "%s: a profile of %llu bytes. Its counter: xray.profile_frequency:%.0f\n", name, bytes, ticks);
    else if (profiling)
        fprintf(stderr, "%s: a profile of %llu bytes\n", name, bytes);
    else
        fprintf(stderr, "%s: %llu bytes, in %lu of %s buffers\n", name, bytes, used, settings[BUFFER_MAX].value);
}

PLAIN void stop(void)
{
    static bool stopped;
    if (__atomic_test_and_set(&stopped, __ATOMIC_SEQ_CST))
        return;
    __xray_log_finalize();
    release_buffer();
    usleep(100000); /* other threads finish their records */
    const char *name = file_name("xray-log.", "");
    log_file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    failed = log_file < 0 || __xray_log_process_buffers(write_buffer) != FLUSHED || failed || close(log_file) != 0;
    if (failed) {
        fprintf(stderr, "%s: the log could not be written\n", name);
        return;
    }
    used -= used > 0; /* the header */
    if (!profiling && used >= number_of(BUFFER_MAX))
        fprintf(stderr,
                "%s: all %lu buffers of %s bytes are full: the oldest records were overwritten. Set a larger buffer_max or "
                "buffer_size, or a threshold, in WIRETRACE_RECORD.\n",
                name, used, settings[BUFFER_SIZE].value);
    else if (!number_of(QUIET))
        report(name);
    if (paths_full)
        fprintf(stderr,
                "%s: all %s paths of a thread are in use: calls are missing. Set a larger paths in WIRETRACE_RECORD.\n",
                name, settings[PATHS].value);
    if (profiling && used >= number_of(THREADS))
        fprintf(stderr,
                "%s: %lu threads. If more than %s ran at a time, some are missing: set threads in WIRETRACE_RECORD.\n", name,
                used, settings[THREADS].value);
}

PLAIN void stop_by_signal(int number)
{
    stop();
    signal(number, SIG_DFL);
    raise(number);
}

__attribute__((constructor, xray_never_instrument)) static void start(void)
{
    char config[1600];
    read_settings();
    profiling = strcmp(settings[MODE].value, "profiling") == 0;
    if (profiling)
        snprintf(
            config, sizeof config,
            "no_flush=true:per_thread_allocator_max=%llu:buffers_max=%llu:global_allocator_max=%u:stack_allocator_max=%u",
            number_of(PATHS) * PATH_SIZE, number_of(THREADS) * THREAD_BUFFERS, 1u << 30, 1u << 26);
    else
        snprintf(config, sizeof config, "no_file_flush=true:buffer_size=%s:buffer_max=%s:func_duration_threshold_us=%s",
                 settings[BUFFER_SIZE].value, settings[BUFFER_MAX].value, settings[THRESHOLD].value);
    if (!profiling && strcmp(settings[MODE].value, "fdr") != 0) {
        fprintf(stderr, "WIRETRACE_RECORD: mode is fdr or profiling, not \"%s\"\n", settings[MODE].value);
        _exit(2);
    }
    const char *mode = profiling ? "xray-profiling" : "xray-fdr";
    if (!is_instrumented((uintptr_t)release_buffer)) {
        fputs("Compile the recorder, xray.c, with -fxray-instrument too\n", stderr);
        _exit(2);
    }
    if (__xray_log_select_mode(mode) != MODE_FOUND || __xray_log_init_mode(mode, config) != INITIALIZED) {
        fprintf(stderr, "%s cannot be started%s\n", mode,
                profiling ? ": link with -fxray-modes=xray-fdr,xray-profiling, or take fewer threads or paths" : "");
        if (profiling)
            _exit(2);
        return;
    }
    frequency();
    __xray_patch();
    atexit(stop);
    const int numbers[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++)
        if (signal(numbers[i], stop_by_signal) == SIG_IGN)
            signal(numbers[i], SIG_IGN);
}
