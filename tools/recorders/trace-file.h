/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of a recorder, and the one of objects beside it: their names, who may write them, and what is printed on the
 * terminal. The program is the host: it may close any descriptor, change its folder or user, fork, and be interrupted
 * anywhere. So all functions here may run in a signal handler, take no lock, and use no point where a thread can be
 * cancelled. Needs recorder.h. */
#ifndef WIRETRACE_TRACE_FILE_H
#define WIRETRACE_TRACE_FILE_H

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <time.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* --- texts: what snprintf() does not promise in a signal handler ------------------------------------------------- */
struct text {
    size_t length;
    char bytes[PATH_MAX + 1024];
};

PLAIN void text_part(struct text *t, const char *more, size_t size)
{
    for (; size > 0 && t->length < sizeof t->bytes - 1; more++, size--)
        t->bytes[t->length++] = *more;
    t->bytes[t->length] = 0;
}

PLAIN void text_add(struct text *t, const char *more)
{
    text_part(t, more, strlen(more));
}

PLAIN void text_number(struct text *t, unsigned long long number, unsigned base)
{
    char digits[24], *at = digits + sizeof digits - 1;
    *at = 0;
    do
        *--at = "0123456789abcdef"[number % base];
    while ((number /= base) != 0);
    text_add(t, at);
}

/* Adds NULL-terminated texts. */
PLAIN void text_join(struct text *t, const char *const *parts)
{
    for (; *parts; parts++)
        text_add(t, *parts);
}

#define TEXT(t, ...) text_join(t, (const char *const[]){__VA_ARGS__, NULL})

/* A text without locale; glibc's strerror() may take one. */
extern const char *strerrordesc_np(int) __attribute__((weak));
PLAIN const char *error_text(int error)
{
    const char *text = strerrordesc_np ? strerrordesc_np(error) : NULL;
    return text ? text : "it cannot be written";
}

/* --- what writing may cause --------------------------------------------------------------------------------------- */
struct undisturbed {
    sigset_t signals, pending;
};

/* Nothing interrupts what is written, and what writing itself may cause (SIGPIPE, SIGXFSZ) does not end the program. */
PLAIN void undisturbed_begin(struct undisturbed *u)
{
    sigset_t all;
    sigfillset(&all);
    sigpending(&u->pending);
    pthread_sigmask(SIG_SETMASK, &all, &u->signals);
}

PLAIN void undisturbed_end(struct undisturbed *u)
{
    const int caused[] = {SIGPIPE, SIGXFSZ};
    const struct timespec now = {.tv_sec = 0, .tv_nsec = 0};
    for (int i = 0; i < 2; i++) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, caused[i]);
        if (!sigismember(&u->pending, caused[i]))
            syscall(SYS_rt_sigtimedwait, &one, NULL, &now, _NSIG / 8);
    }
    pthread_sigmask(SIG_SETMASK, &u->signals, NULL);
}

/* --- the terminal ------------------------------------------------------------------------------------------------ */
static struct stat terminal; /* standard error as it was when the program started; st_ino 0: there was none */

PLAIN bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_rdev == b->st_rdev;
}

PLAIN void say(const struct text *t)
{
    struct undisturbed u;
    struct stat now;
    undisturbed_begin(&u);
    if (terminal.st_ino && fstat(STDERR_FILENO, &now) == 0 && is_same_file(&now, &terminal))
        syscall(SYS_write, STDERR_FILENO, t->bytes, t->length);
    undisturbed_end(&u);
}

/* --- a file that others may close -------------------------------------------------------------------------------- */
/* Descriptors of the recorder begin here, where programs that count theirs, or use select(), have none. */
enum { FIRST_DESCRIPTOR = 1000 };

struct output {
    int descriptor;
    struct stat is; /* which file it must be */
    char path[PATH_MAX + 64];
};

PLAIN int raise_descriptor(int descriptor)
{
    for (int least = FIRST_DESCRIPTOR; least > 10; least /= 4) {
        const int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, least);
        if (higher >= 0) {
            syscall(SYS_close, descriptor);
            return higher;
        }
    }
    return descriptor;
}

/* Returns whether `flags` open the file at its path. */
PLAIN bool output_open(struct output *o, int flags)
{
    const int descriptor = (int)syscall(SYS_openat, AT_FDCWD, o->path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    if (descriptor < 0)
        return false;
    o->descriptor = raise_descriptor(descriptor);
    return fstat(o->descriptor, &o->is) == 0;
}

/* Returns whether the descriptor is still that of the file, which is still somewhere. */
PLAIN bool output_is_open(const struct output *o)
{
    struct stat now;
    return fstat(o->descriptor, &now) == 0 && is_same_file(&now, &o->is) && now.st_nlink > 0;
}

/* Opens the file again if the program has closed it, or removed it. errno: why it cannot be. */
PLAIN bool output_ready(struct output *o)
{
    const struct stat was = o->is;
    if (output_is_open(o))
        return true;
    if (output_open(o, O_RDWR) && is_same_file(&o->is, &was))
        return true;
    if (output_open(o, O_RDWR | O_CREAT | O_EXCL))
        return true;
    o->is = was;
    return false;
}

PLAIN void output_close(struct output *o)
{
    if (o->descriptor > 0 && output_is_open(o))
        syscall(SYS_close, o->descriptor);
    o->descriptor = -1;
}

PLAIN bool output_write(struct output *o, off_t at, const void *bytes, size_t size)
{
    for (ssize_t n; size > 0; bytes = (const char *)bytes + n, at += n, size -= (size_t)n)
        if ((n = syscall(SYS_pwrite64, o->descriptor, bytes, size, at)) <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return false;
        }
    return true;
}

/* --- TRACE.objects (docs/formats/objects.md) --------------------------------------------------------------------- */
#define OBJECTS_FIRST "# objects 1\n"

/* Bytes that would end a line or its text are written as numbers. */
PLAIN void text_path(struct text *t, const char *path)
{
    for (; *path; path++) {
        const unsigned char c = (unsigned char)*path;
        const char one[2] = {*path, 0};
        const bool plain = c >= 0x20 && c != 0x7f && c != '\\';
        text_add(t, plain ? one : c < 0x10 ? "\\x0" : "\\x");
        if (!plain)
            text_number(t, c, 16);
    }
}

PLAIN size_t note_round(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

/* The build id in a segment of notes; NULL: there is none. */
PLAIN const unsigned char *find_build_id(const char *at, size_t size, size_t *length)
{
    for (size_t whole; size >= sizeof(ElfW(Nhdr)); at += whole, size -= whole) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
        const size_t name = note_round(note->n_namesz);
        whole = sizeof *note + name + note_round(note->n_descsz);
        if (whole > size)
            break;
        *length = note->n_descsz;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof "GNU")
            return (const unsigned char *)(note + 1) + name;
    }
    return NULL;
}

PLAIN void text_build_id(struct text *t, const char *notes, size_t size)
{
    size_t length = 0;
    const unsigned char *id = find_build_id(notes, size, &length);
    for (size_t i = 0; id && i < length; i++) {
        text_add(t, id[i] < 0x10 ? "0" : "");
        text_number(t, id[i], 16);
    }
}

/* A line for an object that is loaded at `base`, with its program headers. */
PLAIN void text_object(struct text *t, unsigned number, uintptr_t base, const ElfW(Phdr) * headers, size_t count,
                       const char *path)
{
    text_number(t, number, 10);
    text_add(t, " 0x");
    text_number(t, base, 16);
    text_add(t, " ");
    const size_t before = t->length;
    for (size_t i = 0; i < count && t->length == before; i++)
        if (headers[i].p_type == PT_NOTE)
            text_build_id(t, (const char *)(base + headers[i].p_vaddr), headers[i].p_memsz);
    text_add(t, t->length == before ? "- " : " ");
    text_path(t, path);
    text_add(t, "\n");
}

/* The program itself. */
PLAIN void text_program(struct text *t)
{
    char path[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    const size_t count = getauxval(AT_PHNUM);
    uintptr_t base = 0;
    path[n > 0 ? n : 0] = 0;
    for (size_t i = 0; i < count; i++) /* linked at a fixed address, it may have none */
        if (headers[i].p_type == PT_PHDR)
            base = (uintptr_t)headers - headers[i].p_vaddr;
    text_object(t, 0, base, headers, count, path);
}

/* --- names ------------------------------------------------------------------------------------------------------- */
static struct output trace_output, objects_output;
static char trace_program[PATH_MAX];
static struct text trace_name, trace_folder; /* as it is printed; where the program started */
static size_t trace_base;                    /* length of the name without the process */
static bool trace_has_process;               /* the name always has it */

PLAIN void trace_path(char *path, size_t size, const char *suffix)
{
    struct text t;
    t.length = 0;
    TEXT(&t, trace_name.bytes[0] == '/' ? "" : trace_folder.bytes, trace_name.bytes, suffix);
    memcpy(path, t.bytes, t.length < size ? t.length + 1 : size);
    path[size - 1] = 0;
}

/* Returns whether a file is such a list, which an earlier trace of this name has left. */
PLAIN bool is_objects(const char *path)
{
    char first[sizeof OBJECTS_FIRST] = "";
    const long descriptor = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const bool is = descriptor >= 0 && syscall(SYS_read, descriptor, first, sizeof first - 1) > 0 &&
                    strcmp(first, OBJECTS_FIRST) == 0;
    if (descriptor >= 0)
        syscall(SYS_close, descriptor);
    return is;
}

/* Opens both files with the present name, the trace with `flags`. errno: EEXIST: it is taken. No file that is there is ever
 * written. */
PLAIN bool trace_try(int flags)
{
    trace_path(trace_output.path, sizeof trace_output.path, "");
    trace_path(objects_output.path, sizeof objects_output.path, ".objects");
    if (access(objects_output.path, F_OK) == 0 && !is_objects(objects_output.path)) {
        errno = EEXIST;
        return false;
    }
    return output_open(&trace_output, flags | O_CREAT | O_EXCL) && output_open(&objects_output, O_RDWR | O_CREAT | O_TRUNC);
}

PLAIN void trace_add_number(unsigned long number)
{
    text_add(&trace_name, ".");
    text_number(&trace_name, number, 10);
}

PLAIN bool trace_try_others(int flags)
{
    trace_add_number((unsigned long)getpid());
    const size_t length = trace_name.length;
    for (unsigned i = 1; i < 1000; i++) {
        if (trace_try(flags))
            return true;
        if (errno != EEXIST)
            break;
        trace_name.length = length;
        trace_add_number(i);
    }
    return false;
}

/* Opens the files: NAME, or if that is there or `taken` NAME.PROCESS, NAME.PROCESS.1 and so on. That it is there is
 * reported. errno: why they cannot be opened. */
PLAIN bool trace_create(bool taken, int flags)
{
    static struct text t;
    trace_name.length = trace_base;
    if (trace_has_process)
        trace_add_number((unsigned long)getpid());
    const bool tries = trace_has_process || !taken;
    if (tries && (trace_try(flags) || errno != EEXIST))
        return output_is_open(&objects_output);
    t.length = 0;
    text_part(&t, trace_name.bytes, trace_name.length);
    if (!trace_try_others(flags))
        return false;
    TEXT(&t, " is there already: this process records into ", trace_name.bytes, "\n");
    if (tries)
        say(&t);
    return true;
}

/* The name of the trace, and standard error: before the program can change them. */
PLAIN void trace_begin(const char *prefix, const char *suffix)
{
    char folder[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", trace_program, sizeof trace_program - 1);
    const char *base = n > 0 ? strrchr(trace_program, '/') : NULL;
    if (*settings[FILE_NAME].value)
        text_add(&trace_name, settings[FILE_NAME].value);
    else
        TEXT(&trace_name, prefix, base ? base + 1 : "program", suffix);
    trace_has_process = !*settings[FILE_NAME].value && *prefix;
    trace_base = trace_name.length;
    if (getcwd(folder, sizeof folder))
        TEXT(&trace_folder, folder, "/");
    if (fstat(STDERR_FILENO, &terminal) != 0)
        terminal.st_ino = 0;
}

/* A command that opens the trace. */
PLAIN void text_command(struct text *t, const char *command)
{
    bool plain = true;
    for (const char *c = trace_name.bytes; *c; c++)
        plain = plain && (strchr("._/+-,=:@%", *c) || (*c >= '0' && *c <= '9') || ((*c | 32) >= 'a' && (*c | 32) <= 'z'));
    TEXT(t, command, " ", plain ? "" : "'", trace_name.bytes, plain ? "" : "'");
}

#endif
