// SPDX-License-Identifier: GPL-2.0-or-later
// Ends of programs: ends THREADS COUNT HOW. main() calls leaf() COUNT times, while the other threads call it for ever, and
// then ends as HOW says. Without XRay it ends in the same way. Of the words, some end main(), others are what may happen to
// a recorder before that: "closes": all descriptors from 3 on are closed, and a file of the program's own is opened;
// "jumps": out of a handler that has interrupted calls; "below": what a child of fork(), vfork() and a program that it
// executes call; "moves": the folder is another one, then removed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wiretrace-record.h"

#define CALLED __attribute__((noinline))
#define CLOSED __attribute__((xray_never_instrument))

static volatile long sum;
static const char *program;
static sigjmp_buf place;

CALLED void leaf(long number)
{
    sum = sum + number;
}

CALLED void child_leaf(long number)
{
    sum = sum - number;
}

CALLED void handler_leaf(long number)
{
    sum = sum ^ number;
}

CALLED void *others(void *unused)
{
    for (long i = 0;; i++)
        leaf(i);
    return unused;
}

CALLED void *waits(void *unused)
{
    leaf(0);
    for (;;)
        pause();
    return unused;
}

CALLED void *exits(void *unused)
{
    leaf(0);
    exit(3);
    return unused;
}

CALLED long deeper(long number)
{
    volatile char large[4096];
    large[0] = (char)number;
    return number ? deeper(number + !large[0]) + large[0] : 0;
}

CALLED void *deep(void *unused)
{
    deeper(1);
    return unused;
}

CALLED void *brief(void *unused)
{
    leaf(0);
    return unused;
}

CLOSED static void thread(void *(*function)(void *), int joined)
{
    pthread_t t;
    pthread_create(&t, NULL, function, NULL);
    if (joined)
        pthread_join(t, NULL);
}

CLOSED static void jump(int number)
{
    handler_leaf(number);
    if (number == SIGALRM)
        siglongjmp(place, 1);
}

/* Signals every 200 microseconds, whose handler is recorded, and which it may leave by a jump. */
CLOSED static void interrupted(int number, int which, int times)
{
    static volatile int jumps;
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    signal(number, jump);
    setitimer(which, &often, NULL);
    if (sigsetjmp(place, 1))
        jumps = jumps + 1;
    if (number == SIGALRM)
        while (jumps < times)
            leaf(1);
    else
        for (int i = 0; i < times * 10000; i++)
            leaf(1);
    setitimer(which, &never, NULL);
    signal(number, SIG_DFL);
}

CLOSED static void other_program(int by)
{
    char *arguments[] = {(char *)"ends", (char *)"1", (char *)"7", (char *)"child", NULL};
    extern char **environ;
    if (by == 0)
        execl("/nowhere", "ends", "1", "7", "child", (char *)NULL);
    if (by == 0 && errno == ENOENT)
        execl(program, "ends", "1", "7", "child", (char *)NULL);
    if (by == 1)
        execvp(program, arguments);
    if (by == 2)
        execle(program, "ends", "1", "7", "child", (char *)NULL, environ);
    if (by == 3)
        fexecve(open(program, O_RDONLY), arguments, environ);
    execve(program, arguments, environ);
}

CLOSED static void below(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        for (long i = 0; i < 3; i++)
            child_leaf(i);
        _exit(5);
    }
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    child = vfork();
    if (child == 0) {
        execl("/nowhere", "nothing", (char *)NULL);
        _exit(6);
    }
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
    if (fork() == 0)
        other_program(1);
    wait(&status);
    printf("%d %d\n", WEXITSTATUS(status), system("exit 4") >> 8);
}

CLOSED static void closes(void)
{
    for (int i = 3; i < 4096; i++)
        close(i);
    const int own = open("own", O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (write(own, "precious\n", 9) != 9)
        abort();
    for (int i = own + 1; i < 1100; i++)
        dup2(own, i);
}

CLOSED static void handled(int number)
{
    (void)number;
    _exit(9);
}

/* As constructors of a program do: before or after recording begins. */
__attribute__((constructor, xray_never_instrument)) static void begin(int argc, char **argv)
{
    if (argc > 3 && !strcmp(argv[3], "handled"))
        signal(SIGSEGV, handled);
    if (argc > 3 && !strcmp(argv[3], "ignored"))
        signal(SIGHUP, SIG_IGN);
}

CLOSED static void end(const char *how)
{
    static const struct {
        const char *name;
        int number;
    } signals[] = {{"hup", SIGHUP},   {"int", SIGINT},   {"quit", SIGQUIT},  {"term", SIGTERM}, {"usr1", SIGUSR1},
                   {"usr2", SIGUSR2}, {"pipe", SIGPIPE}, {"alrm", SIGALRM},  {"xcpu", SIGXCPU}, {"bus", SIGBUS},
                   {"trap", SIGTRAP}, {"sys", SIGSYS},   {"ignored", SIGHUP}};
    const struct rlimit small = {100000, 100000};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (!strcmp(how, signals[i].name))
            kill(getpid(), signals[i].number);
    if (!strcmp(how, "segv") || !strcmp(how, "handled"))
        *(volatile int *)(sum & 8) = 1;
    if (!strcmp(how, "ill"))
        __builtin_trap();
    if (!strcmp(how, "fpe"))
        sum = sum / (sum - sum);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "overflow"))
        deep(NULL);
    if (!strcmp(how, "thread-overflow"))
        thread(deep, 1);
    if (!strcmp(how, "all-segv"))
        *(volatile int *)(sum & 8) = 1;
    if (!strcmp(how, "_exit"))
        _exit(7);
    if (!strcmp(how, "quick_exit"))
        quick_exit(8);
    if (!strcmp(how, "thread-exits"))
        thread(exits, 1);
    if (!strcmp(how, "all-exit"))
        for (int i = 0; i < 7; i++)
            thread(exits, 0);
    if (!strcmp(how, "all-exit"))
        exit(3);
    if (!strcmp(how, "main-ends"))
        pthread_exit(NULL);
    if (!strncmp(how, "exec", 4))
        other_program(how[4] - '0');
    if (!strcmp(how, "daemon") && daemon(1, 1) == 0)
        child_leaf(1);
    if (!strcmp(how, "small"))
        setrlimit(RLIMIT_FSIZE, &small);
    if (!strcmp(how, "setuid") && setuid(65534) != 0)
        abort();
}

CLOSED static void locks(void)
{
    struct rusage use;
    const int error = mlockall(MCL_CURRENT | MCL_FUTURE);
    getrusage(RUSAGE_SELF, &use);
    printf("%d %d\n", error, use.ru_maxrss > 500000);
}

int main(int argc, char **argv)
{
    const int threads = atoi(argv[1]);
    const long count = atol(argv[2]);
    const char *how = argc > 3 ? argv[3] : "";
    program = getenv("ENDS_PROGRAM") ? getenv("ENDS_PROGRAM") : argv[0];
    for (int i = 1; i < threads; i++)
        thread(!strcmp(how, "waits") ? waits : others, 0);
    if (!strcmp(how, "forever"))
        puts("ready"), fflush(stdout);
    if (!strcmp(how, "closes"))
        closes();
    if (!strcmp(how, "moves") && (chdir("/") != 0))
        abort();
    if (!strcmp(how, "locks"))
        locks();
    for (long i = 0; i < count; i++)
        !strcmp(how, "child") ? child_leaf(i) : leaf(i);
    if (!strcmp(how, "brief"))
        for (int i = 0; i < 300; i++)
            thread(brief, 1);
    if (!strcmp(how, "snapshots"))
        for (int i = 0; i < 2; i++)
            leaf(i), wiretrace_snapshot();
    if (!strcmp(how, "waits"))
        usleep(20000);
    if (!strcmp(how, "below"))
        below();
    if (!strcmp(how, "interrupted"))
        interrupted(SIGPROF, ITIMER_PROF, 100);
    if (!strcmp(how, "jumps"))
        interrupted(SIGALRM, ITIMER_REAL, 300);
    printf("%ld\n", count);
    fflush(stdout);
    end(how);
    return 0;
}
