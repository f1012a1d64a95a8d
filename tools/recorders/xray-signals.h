/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that end the program, after which there is a log, and the one that writes a snapshot. */
#ifndef WIRETRACE_XRAY_SIGNALS_H
#define WIRETRACE_XRAY_SIGNALS_H

#include "xray-write.h"

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

#endif
