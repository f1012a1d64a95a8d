/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a log, a snapshot or a profile is written: by one thread at a time, and at the end only once. */
#ifndef WIRETRACE_XRAY_WRITE_H
#define WIRETRACE_XRAY_WRITE_H

#include "wiretrace-record.h"
#include "xray-profile.h"

static bool profiling;

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

#endif
