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
 * place (exec). It may be compiled as C or C++. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <time.h>

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

#include "trace-file.h"
#include "locked-memory.h"
#include "xray-ring.h"
#include "wiretrace-record.h"

#ifdef __cplusplus
extern "C" {
#endif
/* As in LLVM's headers, which are C++ only. */
struct XRayBuffer {
    const void *Data;
    size_t Size;
};
int __xray_set_handler(void (*handler)(int32_t function, int kind));
int __xray_set_handler_arg1(void (*handler)(int32_t function, int kind, uint64_t argument));
int __xray_set_customevent_handler(void (*handler)(void *bytes, size_t size));
int __xray_set_typedevent_handler(void (*handler)(size_t type, const void *bytes, size_t size));
int __xray_log_select_mode(const char *mode);
int __xray_log_init_mode(const char *mode, const char *config);
int __xray_patch(void);
size_t __xray_max_function_id(void);
uintptr_t __xray_function_address(int32_t id);
int __xray_log_finalize(void);
int __xray_log_flushLog(void);
int __xray_log_process_buffers(void (*visit)(const char *mode, struct XRayBuffer buffer));
/* The first of XRay's flags, patch_premain: libraries that are loaded later are recorded too. Since clang 20; there is no
 * call for it. */
extern bool xray_patches_libraries __asm__("_ZN6__xray28xray_flags_dont_use_directlyE") __attribute__((weak));
int __xray_patch_object(int32_t object) __attribute__((weak));
#ifdef __cplusplus
}
#endif

static bool profiling;

/* --- messages ------------------------------------------------------------------------------------------------ */
static struct text message; /* of the thread that writes */

PLAIN void message_begin(const struct text *name, const char *suffix)
{
    message.length = 0;
    TEXT(&message, name->bytes, suffix, ": ");
}

PLAIN void message_number(const char *before, unsigned long long number, const char *after)
{
    text_add(&message, before);
    text_number(&message, number, 10);
    text_add(&message, after);
}

/* What is lost is printed on the terminal and, as a line that begins with "# ", in TRACE.objects. */
static struct text lost;

#define LOST(...) TEXT(&lost, "# ", __VA_ARGS__, "\n")

PLAIN void lost_number(unsigned long long number, const char *what)
{
    if (number) {
        text_add(&lost, "# ");
        text_number(&lost, number, 10);
        TEXT(&lost, what, " in WIRETRACE_RECORD.\n");
    }
}

PLAIN void lost_say(const char *suffix)
{
    for (size_t i = 0, end; i < lost.length; i = end + 1) {
        for (end = i; lost.bytes[end] != '\n'; end++)
            ;
        message_begin(&trace_name, suffix);
        for (size_t c = i + 2; c <= end && message.length < sizeof message.bytes - 1; c++)
            message.bytes[message.length++] = lost.bytes[c];
        say(&message);
    }
}

PLAIN void lost_collect(const struct log *l)
{
    lost.length = 0;
    if (recording->overwritten && l->bytes < buffer_size * buffer_max / 2)
        LOST("all ", settings[BUFFER_MAX].value,
             " buffers are in use, few of them are full: the oldest records were overwritten. Each thread "
             "takes one: set a smaller buffer_size and a larger buffer_max in WIRETRACE_RECORD.");
    else if (recording->overwritten)
        LOST(
            "all ", settings[BUFFER_MAX].value, " buffers of ", settings[BUFFER_SIZE].value,
            " bytes are full: the oldest records were overwritten. Set a larger buffer_max or buffer_size, or a threshold, in "
            "WIRETRACE_RECORD.");
    lost_number(recording->lost, " records were lost: all buffers were held by threads. Set a larger buffer_max");
    lost_number(recording->too_large, " events are larger than a buffer, and were left out. Set a larger buffer_size");
    if (l->error)
        LOST("the log ends early: ", error_text(l->error));
    else if (!l->buffers)
        LOST("no call was recorded. Compile the program with -fxray-instrument and -fxray-instruction-threshold=1");
}

/* --- the files --------------------------------------------------------------------------------------------------- */
PLAIN void write_objects(struct output *o, bool with_lost)
{
    static struct text program;
    off_t at = 0;
    program.length = 0;
    text_add(&program, OBJECTS_FIRST);
    text_program(&program);
    if (!output_ready(o) || !output_write(o, 0, program.bytes, program.length))
        return;
    at = (off_t)program.length;
    for (int i = 1; recording && i < LIBRARIES; i++) {
        const size_t length = strlen(recording->lines[i]);
        if (length && output_write(o, at, recording->lines[i], length))
            at += (off_t)length;
    }
    if (with_lost && output_write(o, at, lost.bytes, lost.length))
        at += (off_t)lost.length;
    (void)!ftruncate(o->descriptor, at);
}

/* Opens the files, and says why they cannot be opened. */
PLAIN bool begin_files(bool taken)
{
    if (trace_create(taken, O_RDWR)) {
        write_objects(&objects_output, false);
        return true;
    }
    const int error = errno;
    message_begin(&trace_name, "");
    TEXT(&message, "nothing is recorded: ", error_text(error), "\n");
    say(&message);
    return false;
}

/* The files of a child of fork() have its process in their names. */
PLAIN void begin_child_files(void)
{
    output_close(&trace_output);
    output_close(&objects_output);
    recording->ended = !begin_files(true);
}

PLAIN void begin_child(void)
{
    pid_t nobody = 0;
    if (__atomic_compare_exchange_n(&recording->process, &nobody, getpid(), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        begin_child_files();
}

/* --- one thread writes ------------------------------------------------------------------------------------------- */
PLAIN void rest_a_millisecond(void)
{
    const struct timespec millisecond = {.tv_sec = 0, .tv_nsec = 1000000};
    syscall(SYS_nanosleep, &millisecond, NULL);
}

/* Returns whether this thread may write: not if it does so already, and a fault in it has called a signal handler, and not
 * if the thread that writes has been stuck for ten seconds. */
PLAIN bool writer_claim(void)
{
    const pid_t me = (pid_t)syscall(SYS_gettid);
    uint64_t seen = recording->progress;
    for (int i = 0; i < 10000; i++) {
        pid_t writer = 0;
        if (__atomic_compare_exchange_n(&recording->writer, &writer, me, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return true;
        if (writer == me)
            return false;
        if (seen != recording->progress)
            seen = recording->progress, i = 0;
        rest_a_millisecond();
    }
    return false;
}

/* --- profiles: LLVM's -------------------------------------------------------------------------------------------- */
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

/* --- logs -------------------------------------------------------------------------------------------------------- */
PLAIN void report(const struct log *l, const char *suffix)
{
    message_begin(&trace_name, suffix);
    message_number("", l->bytes, " bytes, in ");
    message_number("", l->buffers, " of ");
    message_number("", buffer_max, " buffers");
    text_command(&message, ". To open it: wireshark");
    TEXT(&message, suffix, "\n");
    if (!number_of(QUIET) && !l->error)
        say(&message);
}

PLAIN void write_log(void)
{
    const struct log l = ring_write(&trace_output);
    lost_collect(&l);
    write_objects(&objects_output, true);
    report(&l, "");
    lost_say("");
}

/* The name is the first that nobody has. */
PLAIN void write_snapshot(void)
{
    static unsigned number;
    static struct output log_output, its_objects;
    static struct text suffix;
    do {
        suffix.length = 0;
        text_add(&suffix, ".");
        text_number(&suffix, ++number, 10);
        trace_path(log_output.path, sizeof log_output.path, suffix.bytes);
    } while (!output_open(&log_output, O_RDWR | O_CREAT | O_EXCL) && errno == EEXIST);
    const struct log l = ring_write(&log_output);
    lost_collect(&l);
    report(&l, suffix.bytes);
    lost_say(suffix.bytes);
    output_close(&log_output);
    text_add(&suffix, ".objects");
    trace_path(its_objects.path, sizeof its_objects.path, suffix.bytes);
    if (output_open(&its_objects, O_RDWR | O_CREAT | O_EXCL))
        write_objects(&its_objects, true);
    output_close(&its_objects);
}

/* Returns whether this process records: not a child of vfork(), whose memory is its parent's, nor one of fork() that has not
 * begun. */
PLAIN bool is_recording(void)
{
    return recording && recording->process == getpid() && !__atomic_load_n(&recording->ended, __ATOMIC_ACQUIRE);
}

enum ending { GOES_ON, ENDS, SNAPSHOT };

PLAIN void write_by(enum ending how)
{
    struct undisturbed u;
    const int error = errno;
    if (!is_recording() || (profiling && how != ENDS))
        return;
    undisturbed_begin(&u);
    if (writer_claim()) {
        if (is_recording() && (how == ENDS || !recording->dying || recording->dying == recording->writer))
            profiling ? profile_end() : how == SNAPSHOT ? write_snapshot() : write_log();
        __atomic_store_n(&recording->ended, recording->ended || how == ENDS, __ATOMIC_RELEASE);
        __atomic_store_n(&recording->writer, 0, __ATOMIC_RELEASE);
    }
    undisturbed_end(&u);
    errno = error;
}

/* exit() may be called by several threads at a time: the others wait until the first one has ended the program. */
PLAIN void stop(void)
{
    const bool waits = is_recording() && __atomic_test_and_set(&recording->exits, __ATOMIC_SEQ_CST);
    write_by(ENDS);
    for (int i = 0; waits && i < 1000; i++)
        rest_a_millisecond();
}

#ifdef __cplusplus
extern "C"
#endif
    __attribute__((xray_never_instrument, used)) void
    wiretrace_write_snapshot(void)
{
    write_by(SNAPSHOT);
}

/* --- signals ----------------------------------------------------------------------------------------------------- */
/* Those that end a program, unless it has a handler. */
static const struct {
    const char *name;
    int number;
    bool again; /* if an instruction has caused it, it comes again */
} ending_signals[] = {
    {"SEGV", SIGSEGV, true},  {"BUS", SIGBUS, true},    {"ILL", SIGILL, true},    {"FPE", SIGFPE, true},
    {"ABRT", SIGABRT, false}, {"HUP", SIGHUP, false},   {"INT", SIGINT, false},   {"QUIT", SIGQUIT, false},
    {"TERM", SIGTERM, false}, {"TRAP", SIGTRAP, false}, {"SYS", SIGSYS, false},   {"PIPE", SIGPIPE, false},
    {"ALRM", SIGALRM, false}, {"XCPU", SIGXCPU, false}, {"XFSZ", SIGXFSZ, false}, {"VTALRM", SIGVTALRM, false},
    {"PROF", SIGPROF, false}, {"USR1", SIGUSR1, false}, {"USR2", SIGUSR2, false}};
enum { SIGNALS = sizeof ending_signals / sizeof *ending_signals };

static struct sigaction before[SIGNALS];
static int snapshot_signal;

/* A profile needs LLVM's locks, which the interrupted thread may hold. Then the signal ends the program after some seconds.
 */
PLAIN void limit_time(int number)
{
    enum { SECONDS = 5 };
    struct sigevent event;
    struct itimerspec when;
    int timer;
    memset(&event, 0, sizeof event);
    memset(&when, 0, sizeof when);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = number;
    when.it_value.tv_sec = SECONDS;
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0)
        syscall(SYS_timer_settime, timer, 0, &when, NULL);
}

/* Only one thread may end the program. Others wait until it has: ten seconds at most. */
PLAIN void wait_for_end(void)
{
    for (int i = 0; i < 10000 && recording->dying; i++)
        rest_a_millisecond();
}

PLAIN void end_by_signal(int i)
{
    pid_t nobody = 0;
    const pid_t me = (pid_t)syscall(SYS_gettid);
    if (!is_recording())
        return;
    if (!__atomic_compare_exchange_n(&recording->dying, &nobody, me, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        if (nobody != me)
            wait_for_end();
        return;
    }
    if (profiling)
        limit_time(ending_signals[i].number);
    write_by(before[i].sa_handler == SIG_DFL ? ENDS : GOES_ON);
    if (before[i].sa_handler != SIG_DFL)
        recording->dying = 0;
}

/* Writes the log; then the signal does what it would have done. */
PLAIN void on_signal(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    int i = 0;
    (void)context;
    while (ending_signals[i].number != number)
        i++;
    end_by_signal(i);
    sigaction(number, &before[i], NULL);
    if (!ending_signals[i].again || info->si_code <= 0)
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
    errno = error;
}

PLAIN void on_snapshot(int number)
{
    (void)number;
    wiretrace_write_snapshot();
}

PLAIN void choose_snapshot(void)
{
    const char *name = settings[SIGNAL].value;
    for (int i = 0; i < SIGNALS; i++)
        if (strcmp(ending_signals[i].name, strncmp(name, "SIG", 3) == 0 ? name + 3 : name) == 0)
            snapshot_signal = ending_signals[i].number;
    if (*name && !snapshot_signal) {
        fprintf(stderr, "WIRETRACE_RECORD: \"%s\" is not a signal that ends a program, such as USR1\n", name);
        _exit(2);
    }
}

PLAIN void catch_signals(void)
{
    struct sigaction act;
    memset(&act, 0, sizeof act);
    sigfillset(&act.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        const bool snapshot = ending_signals[i].number == snapshot_signal;
        act.sa_flags = SA_ONSTACK | SA_RESTART | (snapshot ? 0 : SA_SIGINFO);
        if (snapshot)
            act.sa_handler = on_snapshot;
        else
            act.sa_sigaction = on_signal;
        sigaction(ending_signals[i].number, NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN || snapshot)
            sigaction(ending_signals[i].number, &act, NULL);
    }
}

/* --- calls that end the program without exit() ------------------------------------------------------------------- */
/* These do what the C library's do; to find those takes a lock, which a child of fork() may find locked. */
#define HOST __attribute__((xray_never_instrument, visibility("default")))

/* A file that is not a program and does not say which one reads it is one for the shell. */
PLAIN int execute(const char *path, char *const arguments[], char *const environment[])
{
    size_t count = 0;
    syscall(SYS_execve, path, arguments, environment);
    if (errno != ENOEXEC)
        return -1;
    while (arguments[count])
        count++;
    const char **all = (const char **)__builtin_alloca((count + 3) * sizeof *all);
    all[0] = "/bin/sh", all[1] = path, all[2] = NULL;
    for (size_t i = 1; i <= count; i++)
        all[i + 1] = arguments[i];
    return (int)syscall(SYS_execve, all[0], all, environment);
}

/* The first one in the folders of `path`. */
PLAIN int execute_found(const char *path, const char *file, char *const arguments[], char *const environment[])
{
    bool denied = false;
    for (size_t n;; path += n + 1) {
        struct text t;
        t.length = 0;
        n = strcspn(path, ":");
        text_part(&t, path, n);
        TEXT(&t, n ? "/" : "", file);
        execute(t.bytes, arguments, environment);
        denied |= errno == EACCES;
        if (errno != EACCES && errno != ENOENT && errno != ENOTDIR && errno != ESTALE && errno != ENODEV &&
            errno != ETIMEDOUT)
            return -1;
        if (!path[n])
            break;
    }
    if (denied)
        errno = EACCES;
    return -1;
}

#ifdef __cplusplus
extern "C" {
#endif
HOST int execve(const char *path, char *const arguments[], char *const environment[]) NO_THROW
{
    write_by(GOES_ON);
    return (int)syscall(SYS_execve, path, arguments, environment);
}

HOST int execv(const char *path, char *const arguments[]) NO_THROW
{
    return execve(path, arguments, environ);
}

HOST int execvpe(const char *file, char *const arguments[], char *const environment[]) NO_THROW
{
    const char *path = getenv("PATH");
    write_by(GOES_ON);
    errno = ENOENT;
    if (strchr(file, '/'))
        return execute(file, arguments, environment);
    return *file ? execute_found(path ? path : "/bin:/usr/bin", file, arguments, environment) : -1;
}

HOST int execvp(const char *file, char *const arguments[]) NO_THROW
{
    return execvpe(file, arguments, environ);
}

HOST int fexecve(int file, char *const arguments[], char *const environment[]) NO_THROW
{
    write_by(GOES_ON);
    return (int)syscall(SYS_execveat, file, "", arguments, environment, AT_EMPTY_PATH);
}

/* The arguments after `first`, up to NULL, as an array on the stack. */
#define LISTED(first, arguments, more) \
    size_t count = 1; \
    va_list list; \
    va_start(list, first); \
    while (va_arg(list, char *)) \
        count++; \
    va_end(list); \
    char **arguments = (char **)__builtin_alloca((count + 1) * sizeof *arguments); \
    va_start(list, first); \
    arguments[0] = (char *)(uintptr_t)first; \
    for (size_t i = 1; i <= count; i++) \
        arguments[i] = va_arg(list, char *); \
    more; \
    va_end(list)

HOST int execl(const char *path, const char *first, ...) NO_THROW
{
    LISTED(first, arguments, );
    return execve(path, arguments, environ);
}

HOST int execlp(const char *file, const char *first, ...) NO_THROW
{
    LISTED(first, arguments, );
    return execvpe(file, arguments, environ);
}

HOST int execle(const char *path, const char *first, ...) NO_THROW
{
    LISTED(first, arguments, char *const *environment = va_arg(list, char *const *));
    return execve(path, arguments, environment);
}

__attribute__((noreturn)) HOST void _exit(int status)
{
    if (!profiling)
        stop();
    for (;;)
        syscall(SYS_exit_group, status);
}

__attribute__((noreturn)) HOST void _Exit(int status) NO_THROW
{
    _exit(status);
}

/* The C library's parent ends without the function above. */
HOST int daemon(int keeps_folder, int keeps_files) NO_THROW
{
    const pid_t child = fork();
    if (child > 0)
        _exit(0);
    if (child < 0 || setsid() < 0 || (!keeps_folder && chdir("/") != 0))
        return -1;
    const int null = keeps_files ? -1 : open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && null >= 0; i++)
        dup2(null, i);
    if (null > 2)
        close(null);
    return keeps_files || null >= 0 ? 0 : -1;
}
#ifdef __cplusplus
}
#endif

/* --- start ------------------------------------------------------------------------------------------------------- */
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
