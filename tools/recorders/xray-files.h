/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a process that records, the log and its list of objects, and the messages about them. */
#ifndef WIRETRACE_XRAY_FILES_H
#define WIRETRACE_XRAY_FILES_H

#include "xray-log.h"

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

#endif
