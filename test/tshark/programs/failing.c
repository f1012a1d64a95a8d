/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into a Wireshark program: makes system calls fail that have to do with some files, like a bad disk, a full one,
 * or a system that has reached a limit. It sees the calls of the kernel, so also those that the C library makes by itself
 * for streams and folders. They are counted from the first wtap_open_offline(), with which all programs open files; there
 * the program goes on in a child for every line of a plan, and is not started again. Environment:
 *   FAILING_ROOTS    paths separated by ':'; calls count that have to do with a path that begins with one of them
 *   FAILING_PLAN     a file; each line has the number of a call from 1, "+" if all from there fail, else "=", and the errno:
 *                    "12 = 5". 0 as errno: half of what was asked for is read or written. With call 0 none fails
 *   FAILING_RESULTS  a folder; for line i, from 0: i.out, i.err: standard output and error; i.calls: the name and path of
 *                    each call; i.status: how it ended, as wait() says; i.saved: what it left at FAILING_SAVED
 *   FAILING_OUTPUT   if set, standard output counts too */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#define REGISTER(c, n) ((c)->uc_mcontext.gregs[(int[]){REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9}[n]])
#define RESULT(c) ((c)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#define REGISTER(c, n) ((c)->uc_mcontext.regs[n])
#define RESULT(c) ((c)->uc_mcontext.regs[0])
#else
#error "the registers of system calls are not known for this processor"
#endif

#define SECONDS_MAX 60u
/* syscall() is this long at most; calls from there are let through, so that the handler itself can make them. */
#define SYSCALL_BYTES 96u

enum { TRANSFER = 1, PATH = 2, PATH_AT = 4 };

/* TRANSFER: length in the third register. PATH, PATH_AT: the path is in the first or second; else a descriptor in the first.
 */
static const struct call {
    int number;
    const char *name;
    int kind;
} calls[] = {
#ifdef SYS_open
    {SYS_open, "open", PATH},
    {SYS_stat, "stat", PATH},
    {SYS_lstat, "lstat", PATH},
    {SYS_unlink, "unlink", PATH},
    {SYS_rename, "rename", PATH},
    {SYS_mkdir, "mkdir", PATH},
    {SYS_access, "access", PATH},
#endif
    {SYS_openat, "open", PATH_AT},
    {SYS_newfstatat, "stat", PATH_AT},
    {SYS_statx, "stat", PATH_AT},
    {SYS_unlinkat, "unlink", PATH_AT},
    {SYS_mkdirat, "mkdir", PATH_AT},
    {SYS_renameat2, "rename", PATH_AT},
    {SYS_fstat, "fstat", 0},
    {SYS_read, "read", TRANSFER},
    {SYS_pread64, "pread", TRANSFER},
    {SYS_write, "write", TRANSFER},
    {SYS_pwrite64, "pwrite", TRANSFER},
    {SYS_getdents64, "getdents", 0},
    {SYS_lseek, "lseek", 0},
    {SYS_ftruncate, "ftruncate", 0},
    {SYS_fsync, "fsync", 0},
    {SYS_close, "close", 0},
    {SYS_mmap, "mmap", 0},
};
#define CALLS (sizeof calls / sizeof *calls)

static struct {
    long which;
    int error, persists, log;
    long count;
} plan;
static const char *roots;
static int output_counts;

/* --- one call ------------------------------------------------------------------------------------------------------ */

static int is_below(const char *path, size_t length)
{
    for (const char *root = roots; *root;) {
        size_t n = strcspn(root, ":");
        if (n <= length && memcmp(path, root, n) == 0)
            return 1;
        root += n + (root[n] == ':');
    }
    return 0;
}

/* The path of a call in a buffer of PATH_MAX. Returns its length. */
static size_t path_of(const struct call *c, const ucontext_t *context, char *path)
{
    const char *named = NULL;
    long descriptor = (long)REGISTER(context, 0);
    if (c->kind & (PATH | PATH_AT))
        named = (const char *)(uintptr_t)REGISTER(context, c->kind & PATH ? 0 : 1);
    if (c->number == SYS_mmap)
        descriptor = (int)REGISTER(context, 4);
    if (named && *named)
        return (size_t)(stpncpy(path, named, 4095) - path);
    char link[40] = "/proc/self/fd/", digits[20];
    int n = 0;
    if ((int)descriptor < 0)
        return 0;
    do
        digits[n++] = (char)('0' + descriptor % 10);
    while ((descriptor /= 10) > 0);
    for (int at = 14; n > 0;)
        link[at++] = digits[--n];
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, 4095);
    return length > 0 ? (size_t)length : 0;
}

static long really(const ucontext_t *c, int number, long length)
{
    long a[6];
    for (int i = 0; i < 6; i++)
        a[i] = (long)REGISTER(c, i);
    if (length >= 0)
        a[2] = length;
    long result = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    return result == -1 ? -errno : result;
}

static long fail(const struct call *c, const ucontext_t *context)
{
    if (c->number == SYS_close) /* it fails, but it is closed */
        really(context, c->number, -1);
    if (plan.error || !(c->kind & TRANSFER))
        return plan.error ? -plan.error : really(context, c->number, -1);
    long length = (long)REGISTER(context, 2);
    return really(context, c->number, length > 1 ? length / 2 : length);
}

static void on_call(int unused, siginfo_t *info, void *data)
{
    ucontext_t *context = data;
    const struct call *c = calls;
    char path[4097];
    int kept = errno;
    (void)unused;
    while (c->number != info->si_syscall)
        c++;
    size_t length = path_of(c, context, path);
    int counts = is_below(path, length) ||
                 (output_counts && c->number == SYS_write && REGISTER(context, 0) == STDOUT_FILENO);
    if (counts) {
        plan.count++;
        path[length] = '\n';
        syscall(SYS_write, plan.log, c->name, strlen(c->name));
        syscall(SYS_write, plan.log, "\t", 1L);
        syscall(SYS_write, plan.log, path, (long)length + 1);
    }
    counts = counts && plan.which && (plan.persists ? plan.count >= plan.which : plan.count == plan.which);
    RESULT(context) = counts ? fail(c, context) : really(context, c->number, -1);
    errno = kept;
}

/* --- starting ------------------------------------------------------------------------------------------------------ */

static void die(const char *what)
{
    dprintf(STDERR_FILENO, "failing: %s: %s\n", what, strerror(errno));
    _exit(77);
}

static void watch(void)
{
    struct sock_filter filter[16 + CALLS] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        /* from syscall() */
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)((uint64_t)(uintptr_t)syscall >> 32), 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)(uintptr_t)syscall, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)(uintptr_t)syscall + SYSCALL_BYTES, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    unsigned n = 10;
    for (unsigned i = 0; i < CALLS; i++, n++)
        filter[n] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, CALLS - i, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sock_fprog program = {(unsigned short)n, filter};
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO};
    if (sigaction(SIGSYS, &action, NULL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        die("system calls cannot be watched here");
}

static const char *result(unsigned line, const char *suffix)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%u.%s", getenv("FAILING_RESULTS"), line, suffix);
    return path;
}

static int create(unsigned line, const char *suffix)
{
    int fd = open(result(line, suffix), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        die("a result cannot be written");
    return fd;
}

static void begin_child(unsigned line)
{
    int out = create(line, "out"), error = create(line, "err");
    plan.log = fcntl(create(line, "calls"), F_DUPFD_CLOEXEC, 200);
    if (dup2(out, STDOUT_FILENO) < 0 || dup2(error, STDERR_FILENO) < 0 || plan.log < 0)
        die("output cannot be led to files");
    close(out);
    close(error);
    roots = getenv("FAILING_ROOTS");
    output_counts = getenv("FAILING_OUTPUT") != NULL;
    alarm(SECONDS_MAX);
    watch();
}

/* Returns in the children. */
static void follow_plan(void)
{
    static char text[1 << 20]; /* read at once: children share the position in a file */
    FILE *file = fopen(getenv("FAILING_PLAN"), "re");
    const char *saved = getenv("FAILING_SAVED");
    if (!file || fread(text, 1, sizeof text - 1, file) == sizeof text - 1 || fclose(file) != 0)
        die("the plan cannot be read");
    fflush(NULL);
    char sign;
    unsigned line = 0;
    for (const char *at = text; sscanf(at, "%ld %c %d", &plan.which, &sign, &plan.error) == 3;
         at = strchr(at, '\n') + 1, line++) {
        int status;
        plan.persists = sign == '+';
        pid_t child = fork();
        if (child == 0) {
            begin_child(line);
            return;
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            die("a child is lost");
        int fd = create(line, "status");
        dprintf(fd, "%d\n", status);
        close(fd);
        if (saved)
            rename(saved, result(line, "saved"));
    }
    _exit(0);
}

void *wtap_open_offline(const char *path, unsigned type, int *err, char **err_info, int random)
{
    static int begun;
    void *(*open)(const char *, unsigned, int *, char **,
                  int) = (void *(*)(const char *, unsigned, int *, char **, int))dlsym(RTLD_NEXT, "wtap_open_offline");
    if (!begun++)
        follow_plan();
    return open(path, type, err, err_info, random);
}
