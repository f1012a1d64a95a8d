/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs do to a recorder that is linked with them: guest MODE [WORD]. Each mode ends and prints as it does without a
 * recorder, and writes to `table` as often as the test knows. The modes are in a table at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cacheray-types.h"

enum { SIZE = 4096 };
int table[SIZE], other[SIZE];
static char **arguments;

__attribute__((noinline)) static void fill(int *which, int times)
{
    for (volatile int n = 0; n < times; n++)
        for (int i = 0; i < SIZE; i++)
            *(volatile int *)&which[i] = i;
}

/* More than one piece of the trace. */
static void fill_much(void)
{
    fill(table, 40);
}

/* --- descriptors --- */

static int close_all(const char *word)
{
    fill_much();
    if (strcmp(word, "unlinked") == 0)
        unlink("guest.trace");
    for (int file = 3; file < 4096; file++)
        close(file);
    for (int file = 3; file < 1500; file++) {
        const int user = open("user-data.txt", O_CREAT | O_WRONLY, 0644);
        if (user < 0)
            break;
    }
    fill_much();
    const int user = open("user-data.txt", O_CREAT | O_WRONLY, 0644);
    const bool written = write(user >= 0 ? user : 3, "hello user data\n", 16) == 16;
    fill_much();
    return !written;
}

/* The program's own file is where standard error was. */
static int take_stderr(const char *word)
{
    (void)word;
    close(2);
    open("user-data.txt", O_CREAT | O_WRONLY, 0644);
    fill(table, 1);
    return write(2, "hello user data\n", 16) != 16;
}

static int leave_folder(const char *word)
{
    fill(table, 1);
    if (chdir("/") != 0)
        return 1;
    if (strcmp(word, "closed") == 0)
        for (int file = 3; file < 4096; file++)
            close(file);
    fill_much();
    return 0;
}

/* --- processes --- */

static int run_again(const char *word)
{
    char *name = arguments[0];
    fill(table, 1);
    if (strcmp(word, "exec") == 0)
        execl("/proc/self/exe", name, "fill-other", (char *)NULL);
    const pid_t child = strcmp(word, "vfork") == 0 ? vfork() : fork();
    if (child == 0) {
        execl("/proc/self/exe", name, "fill-other", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    fill(table, 1);
    return 0;
}

/* Parent and children record at the same time. */
static int run_along(const char *word)
{
    (void)word;
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            execl("/proc/self/exe", arguments[0], "fill-other", (char *)NULL);
            _exit(1);
        }
    fill_much();
    while (wait(NULL) > 0) {
    }
    fill(table, 1);
    return 0;
}

static int fill_other(const char *word)
{
    (void)word;
    fill(other, 3);
    return 0;
}

static int make_child(const char *word)
{
    int status = 0;
    fill(table, 1);
    for (int i = 0; i < 20; i++) {
        const pid_t child = strcmp(word, "clone") == 0   ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL)
                            : strcmp(word, "_Fork") == 0 ? _Fork()
                                                         : fork();
        if (child == 0) {
            fill(other, 1);
            free(malloc(10));
            if (i % 2)
                _exit(i);
            exit(i);
        }
        waitpid(child, &status, 0);
        if (WEXITSTATUS(status) != i)
            return 1;
        fill(table, 1);
    }
    return 0;
}

/* --- signals --- */

static int die(const char *word)
{
    fill(table, 1);
    if (strcmp(word, "abort") == 0)
        abort();
    if (strcmp(word, "trap") == 0)
        __builtin_trap();
    if (strcmp(word, "quick_exit") == 0)
        quick_exit(5);
    if (strcmp(word, "_exit") == 0)
        _exit(6);
    if (strcmp(word, "null") == 0)
        *(volatile int *)8 = 1;
    raise(atoi(word));
    return 0;
}

__attribute__((noinline)) static long overflow(long depth)
{
    volatile char room[4096];
    room[0] = (char)depth;
    return overflow(depth + 1) + room[0];
}

static int die_of_depth(const char *word)
{
    (void)word;
    fill(table, 1);
    return overflow(0);
}

static void on_exit_signal(int signal_number)
{
    (void)signal_number;
    exit(7);
}

/* Ends in a handler, in the middle of a record: the last write is the one before it. */
static int exit_in_handler(const char *word)
{
    const struct itimerval soon = {{0, 0}, {0, 20000 + atoi(word)}};
    signal(SIGALRM, on_exit_signal);
    setitimer(ITIMER_REAL, &soon, NULL);
    for (;;)
        fill(table, 1);
    return 0;
}

static sigjmp_buf back;

static void on_jump_signal(int signal_number)
{
    (void)signal_number;
    siglongjmp(back, 1);
}

static int jump_out(const char *word)
{
    static volatile int rounds;
    const struct itimerval soon = {{0, 0}, {0, 1000}};
    atomic_int counter = 0;
    (void)word;
    signal(SIGALRM, on_jump_signal);
    while (rounds < 30) {
        if (!sigsetjmp(back, 1)) {
            setitimer(ITIMER_REAL, &soon, NULL);
            for (;;) {
                counter++;
                free(malloc(20));
            }
        }
        rounds++;
    }
    fill(table, 1);
    printf("%d\n", rounds);
    return 0;
}

static int show_handlers(const char *word)
{
    struct sigaction is;
    (void)word;
    for (int i = 1; i < 32; i++) {
        sigaction(i, NULL, &is);
        printf("%d %d\n", i, is.sa_handler == SIG_DFL);
    }
    fill(table, 1);
    return 0;
}

/* --- threads --- */

static atomic_long counter, turns[64];

static void *work_for_ever(void *word)
{
    if (word)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;) {
        for (int i = 0; i < 64; i++) {
            turns[i]++;
            other[i]++;
        }
        if (!word)
            free(malloc(30));
        pthread_testcancel();
    }
    return NULL;
}

/* Asynchronously at any instruction, or where it is asked for, with memory that is allocated. */
static int cancel(const char *word)
{
    enum { AT_ONCE = 3 };
    const int times = atoi(word) < 0 ? -atoi(word) : atoi(word);
    for (int n = 0; n < times; n += AT_ONCE) {
        pthread_t threads[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++)
            pthread_create(&threads[i], NULL, work_for_ever, atoi(word) < 0 ? NULL : (void *)word);
        usleep((unsigned)(n * 37 % 1000));
        for (int i = 0; i < AT_ONCE; i++)
            pthread_cancel(threads[i]);
        for (int i = 0; i < AT_ONCE; i++)
            pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < 64; i++)
        turns[i]++;
    fill(table, 1);
    puts("joined");
    return 0;
}

static long seen[40001];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long guarded;

/* Each value of the counter is got once, and written to a place of its own at once. */
static void *count_up(void *unused)
{
    for (int i = 0; i < 10000; i++) {
        const long n = atomic_fetch_add(&counter, 1);
        *(volatile long *)&seen[n] = n;
        pthread_mutex_lock(&mutex);
        *(volatile long *)&table[guarded % SIZE / 2 * 2] = 1;
        guarded++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static int order(const char *word)
{
    pthread_t threads[4];
    (void)word;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, count_up, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

#ifdef __SIZEOF_INT128__
typedef unsigned __int128 wide;
int swap_wide(volatile wide *p, wide *expected, wide value, int order,
              int failure) __asm__("__tsan_atomic128_compare_exchange_strong") __attribute__((weak));

/* Two processes share a number of 128 bits, whose halves count alike: no lock of a process is of help. */
static int count_wide(const char *word)
{
    enum { TIMES = 20000 };
    const wide one = (wide)1 << 64 | 1;
    wide *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), seen_there = 0;
    (void)word;
    const pid_t child = fork();
    for (int i = 0; swap_wide && i < TIMES; i++)
        while (!swap_wide(shared, &seen_there, seen_there + one, 5, 5)) {
        }
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    if (!swap_wide)
        *shared = 2 * TIMES * one;
    printf("%d %d\n", (int)*shared, (int)(*shared >> 64));
    fill(table, 1);
    return 0;
}
#else
static int count_wide(const char *word)
{
    (void)word;
    fill(table, 1);
    return 0;
}
#endif

struct pair {
    volatile long n[2];
};
static struct pair *pair;
static pthread_barrier_t barrier;

static void *increment(void *which)
{
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 200000; i++)
        pair->n[(long)which]++;
    return NULL;
}

static int contend(const char *word)
{
    pthread_t threads[2];
    (void)word;
    pair = aligned_alloc(64, 64);
    pthread_barrier_init(&barrier, NULL, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, increment, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(pair);
    return 0;
}

static atomic_int done;
static void *volatile kept;

#define PLACE(n) \
    static void place_##n(void) \
    { \
        kept = malloc(n + 1); \
        free(kept); \
    }
#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define HUNDRED(m, n) \
    TEN(m, n##0) \
    TEN(m, n##1) TEN(m, n##2) TEN(m, n##3) TEN(m, n##4) TEN(m, n##5) TEN(m, n##6) TEN(m, n##7) TEN(m, n##8) TEN(m, n##9)
#define ADDRESS(n) place_##n,
HUNDRED(PLACE, 1)
HUNDRED(PLACE, 2)
HUNDRED(PLACE, 3)
HUNDRED(PLACE, 4)
static void (*const places[])(void) = {HUNDRED(ADDRESS, 1) HUNDRED(ADDRESS, 2) HUNDRED(ADDRESS, 3) HUNDRED(ADDRESS, 4)};

static void *load(void *times)
{
    for (long i = 0; i < (long)times; i++) {
        void *library = dlopen("./plugin.so", RTLD_NOW);
        if (!library)
            puts(dlerror());
        else
            dlclose(library);
    }
    done = 1;
    return NULL;
}

/* One thread is in the dynamic linker, whose lock it holds, while others allocate where they have not before. */
static int load_libraries(const char *word)
{
    pthread_t loader;
    pthread_create(&loader, NULL, load, (void *)atol(word));
    while (!done)
        for (size_t i = 0; i < sizeof places / sizeof *places && !done; i++)
            places[i]();
    pthread_join(loader, NULL);
    fill(table, 1);
    return 0;
}

/* Two libraries, one after the other, usually at the same addresses; the second has functions of other names. */
static int reload(const char *word)
{
    static const char *const names[] = {"./alpha.so", "./beta.so"};
    (void)word;
    for (int i = 0; i < 2; i++) {
        void *library = dlopen(names[i], RTLD_NOW);
        void (*run)(size_t size) = library ? (void (*)(size_t))dlsym(library, "run") : NULL;
        if (!run)
            return 1;
        run(48);
        dlclose(library);
    }
    fill(table, 1);
    return 0;
}

/* --- limits --- */

static int fill_disk(const char *word)
{
    (void)word;
    fill(table, 1000);
    return 0;
}

static int limit_files(const char *word)
{
    struct rlimit limit = {(rlim_t)atol(word), (rlim_t)atol(word)};
    setrlimit(RLIMIT_FSIZE, &limit);
    fill_much();
    return 0;
}

static int limit_memory(const char *word)
{
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    void *half = mmap(NULL, limit.rlim_cur / 2, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    (void)word;
    printf("%d\n", half == MAP_FAILED);
    fill(table, 1);
    return 0;
}

/* The program limits its own memory, and can use what it has allowed itself; so can a child. */
static int limit_own_memory(const char *word)
{
    struct rlimit limit = {1u << 30, RLIM_INFINITY};
    const pid_t child = strcmp(word, "child") == 0 ? fork() : 0;
    if (child > 0) {
        waitpid(child, NULL, 0);
        fill_much();
        return 0;
    }
    printf("%d\n", strcmp(word, "prlimit") == 0 ? prlimit(0, RLIMIT_AS, &limit, NULL) : setrlimit(RLIMIT_AS, &limit));
    for (int i = 0; i < 5; i++) {
        char *volatile part = malloc(100 << 20); /* volatile: else compilers take it away */
        printf("%d\n", part != NULL);
        if (part)
            part[99 << 20] = 1;
    }
    fill_much();
    return 0;
}

static long locked_kilobytes(void)
{
    char line[200];
    long found = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmLck: %ld", &found);
    if (f)
        fclose(f);
    return found;
}

/* By root, or by a user who may lock so many bytes. All that is mapped is some megabytes. */
static int lock_memory(const char *word)
{
    static const int flags[] = {MCL_CURRENT, MCL_FUTURE, MCL_CURRENT | MCL_FUTURE, MCL_CURRENT | MCL_ONFAULT,
                                MCL_ONFAULT, 99};
    struct rlimit limit = {(rlim_t)atol(word), (rlim_t)atol(word)};
    fill(table, 1);
    if (*word && (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || setuid(65534) != 0))
        return 1;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        errno = 0;
        printf("%d", mlockall(flags[i]));
        printf(" %d", errno);
        void *later = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        fill_much();
        const long some = locked_kilobytes();
        printf(" %d %d", some > 0, some > 65536);
        munmap(later, 4096);
        printf(" %ld\n", some - locked_kilobytes());
        munlockall();
    }
    return 0;
}

static int leave_root(const char *word)
{
    fill(table, 1);
    if (chroot("/proc/self/fdinfo") != 0 || setuid(65534) != 0)
        return 1;
    if (strcmp(word, "closed") == 0)
        for (int file = 3; file < 4096; file++)
            close(file);
    fill_much();
    return 0;
}

/* --- the heap --- */

static int ask_for_memory(const char *word)
{
    void *p = NULL;
    (void)word;
    printf("%d %d\n", posix_memalign(&p, 3, 100), posix_memalign(&p, 64, 100));
    free(p);
    errno = 0;
    p = aligned_alloc(48, 96);
    printf("%d %d\n", p != NULL, errno);
    free(p);
    errno = 0;
    void *volatile none = malloc(SIZE_MAX / 2);
    printf("%d %d\n", none == NULL, errno);
    errno = 0;
    none = calloc(SIZE_MAX / 2, 3);
    printf("%d %d\n", none == NULL, errno);
    p = malloc(10);
    none = realloc(p, SIZE_MAX / 2);
    printf("%d\n", none == NULL);
    free(p);
    p = valloc(100);
    printf("%d\n", (int)((size_t)p % (size_t)getpagesize()));
    free(p);
    p = pvalloc(100);
    free(p);
    p = strdup("text");
    free(p);
    free(NULL);
    fill(table, 1);
    return 0;
}

struct flexible {
    int count;
    long items[];
};
struct plain {
    long a, b;
};

/* What has a type until it is freed, a flexible array, and more than 4 GiB. */
static int have_types(const char *word)
{
    (void)word;
    for (int i = 0; i < 3; i++) {
        volatile struct plain *p = malloc(sizeof *p);
        WIRETRACE_ALLOCATED((void *)p, struct plain, 1);
        p->b = i;
        free((void *)p);
    }
    volatile long *numbers = malloc(sizeof(struct plain));
    numbers[0] = numbers[1] = 4;
    free((void *)numbers);
    volatile struct flexible *f = malloc(sizeof *f + 10 * sizeof *f->items);
    WIRETRACE_ALLOCATED((void *)f, struct flexible, 1);
    f->items[9] = 5;
    free((void *)f);
    for (int i = 0; i < 2; i++) { /* what cannot become larger stays as it is */
        volatile struct plain *p = malloc(sizeof *p);
        if (i)
            WIRETRACE_ALLOCATED((void *)p, struct plain, 1);
        void *volatile none = realloc((void *)p, SIZE_MAX / 2);
        printf("%d\n", none == NULL);
        p->a = 1;
        free((void *)p);
        numbers = malloc(sizeof *p);
        numbers[0] = 1;
        free((void *)numbers);
    }
    char *volatile large = calloc(5000000000, 1);
    if (large)
        large[4999999999] = 1;
    free(large);
    fill(table, 1);
    return 0;
}

char from[4096], to[4096];

__attribute__((noinline)) static void copy(size_t at, size_t size, int how)
{
    if (how == 0)
        memcpy(to + at, from, size);
    else if (how == 1)
        memmove(to + at, to, size);
    else
        memset(to + at, how, size);
}

/* Of all lengths, so that no compiler knows them, and of some that all know. */
static int copy_memory(const char *word)
{
    (void)word;
    for (size_t size = 0; size < 300; size++)
        copy(size % 7, size, (int)(size % 3));
    *(volatile int *)((char *)other + 1) = 1; /* which the compiler takes to be aligned */
    struct plain a = {1, 2}, *b = malloc(2 * sizeof *b);
    memcpy(b, &a, sizeof a);
    memset(b + 1, 0, sizeof *b);
    printf("%ld %ld\n", b->b, b[1].a);
    free(b);
    fill(table, 1);
    return 0;
}

static void *fill_for_ever(void *unused)
{
    for (;;)
        fill(other, 1);
    return unused;
}

/* While other threads record. */
static int exit_early(const char *word)
{
    pthread_t thread;
    for (int i = 0; i < 3; i++)
        pthread_create(&thread, NULL, fill_for_ever, NULL);
    fill(table, 1);
    usleep((unsigned)atoi(word));
    return 0;
}

static const struct {
    const char *name;
    int (*run)(const char *word);
} modes[] = {
    {"close-all", close_all},
    {"take-stderr", take_stderr},
    {"leave-folder", leave_folder},
    {"run-again", run_again},
    {"run-along", run_along},
    {"fill-other", fill_other},
    {"make-child", make_child},
    {"die", die},
    {"die-of-depth", die_of_depth},
    {"exit-in-handler", exit_in_handler},
    {"jump-out", jump_out},
    {"show-handlers", show_handlers},
    {"exit-early", exit_early},
    {"cancel", cancel},
    {"order", order},
    {"contend", contend},
    {"count-wide", count_wide},
    {"load-libraries", load_libraries},
    {"reload", reload},
    {"fill-disk", fill_disk},
    {"limit-files", limit_files},
    {"limit-memory", limit_memory},
    {"limit-own-memory", limit_own_memory},
    {"lock-memory", lock_memory},
    {"leave-root", leave_root},
    {"ask-for-memory", ask_for_memory},
    {"have-types", have_types},
    {"copy-memory", copy_memory},
};

int main(int argc, char **argv)
{
    arguments = argv;
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].name, argv[1]) == 0)
            return modes[i].run(argc > 2 ? argv[2] : "");
    return 99;
}
