/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorders share: settings from the environment variable WIRETRACE_RECORD, the name of what is written, the list
 * of objects beside it, and messages. A recorder is a guest in its program: it writes to no file that is not its own, takes
 * no lock, and what it calls is neither a cancellation point nor changes errno. */
#ifndef WIRETRACE_RECORDER_H
#define WIRETRACE_RECORDER_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __clang__
#define PLAIN static __attribute__((xray_never_instrument, unused))
#else
#define PLAIN static __attribute__((unused))
#endif

#define LOAD(of) __atomic_load_n(&(of), __ATOMIC_RELAXED)
#define ADD_TO(of, n) __atomic_fetch_add(&(of), n, __ATOMIC_ACQ_REL)
#define EXCHANGE(of, now) __atomic_exchange_n(&(of), now, __ATOMIC_ACQ_REL)
#define CHANGE(of, old, now) __atomic_compare_exchange_n(&(of), old, now, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)

/* --- settings ------------------------------------------------------------------------------------------------------ */

enum setting_kind { TEXT, WHOLE, DECIMAL };
struct setting {
    const char *name, *help;
    char value[512];
    enum setting_kind kind;
};
enum { FILE_NAME }; /* each recorder has a file */
/* SETTINGS: the rows of the recorder. */
static struct setting settings[] = {SETTINGS{NULL, NULL, "", TEXT}};

PLAIN void print_settings(void)
{
    fputs("WIRETRACE_RECORD=NAME=VALUE,NAME=VALUE...\n", stderr);
    for (const struct setting *s = settings; s->name; s++)
        fprintf(stderr, "  %-12s %s [%s]\n", s->name, s->help, s->value);
}

PLAIN struct setting *find_setting(const char *name, size_t length)
{
    for (struct setting *s = settings; s->name; s++)
        if (strlen(s->name) == length && strncmp(s->name, name, length) == 0)
            return s;
    return NULL;
}

PLAIN bool is_number(const char *text, bool decimal)
{
    const size_t whole = strspn(text, "0123456789");
    const size_t more = decimal && text[whole] == '.' ? 1 + strspn(text + whole + 1, "0123456789") : 0;
    return whole > 0 && whole < 18 && text[whole + more] == '\0';
}

/* Ends the program if it is not to run: what was asked for would not be recorded. */
PLAIN void read_settings(void)
{
    const char *text = getenv("WIRETRACE_RECORD");
    if (text && strcmp(text, "help") == 0) {
        print_settings();
        _exit(0);
    }
    while (text && *text) {
        const size_t length = strcspn(text, ","), name = strcspn(text, "=,");
        struct setting *s = find_setting(text, name);
        if (!s || name == length || length - name > sizeof s->value) {
            fprintf(stderr, "WIRETRACE_RECORD: \"%.*s\" is not a setting; \"help\" prints them\n", (int)length, text);
            _exit(2);
        }
        snprintf(s->value, sizeof s->value, "%.*s", (int)(length - name - 1), text + name + 1);
        if (s->kind != TEXT && !is_number(s->value, s->kind == DECIMAL)) {
            fprintf(stderr, "WIRETRACE_RECORD: %s is a %snumber, not \"%s\"\n", s->name, s->kind == WHOLE ? "whole " : "",
                    s->value);
            _exit(2);
        }
        text += length + (text[length] == ',');
    }
}

PLAIN unsigned long long number_of(int setting)
{
    return strtoull(settings[setting].value, NULL, 10);
}

/* --- files: system calls, as the functions of the C library are cancellation points -------------------------------- */

PLAIN int file_open(const char *path, int flags)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
}

PLAIN void file_close(int file)
{
    syscall(SYS_close, file);
}

/* False, with errno: not all of it is written. */
PLAIN bool file_write(int file, const char *at, size_t size)
{
    while (size > 0) {
        const long n = syscall(SYS_write, file, at, size);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Memory for texts, as the stack of a thread may be small; NULL: none. */
enum { SCRATCH = 1 << 15 };

PLAIN char *scratch_new(void)
{
    void *p = mmap(NULL, SCRATCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : (char *)p;
}

PLAIN void scratch_free(char *p)
{
    munmap(p, SCRATCH);
}

/* --- messages ------------------------------------------------------------------------------------------------------ */

enum { PATH_ROOM = PATH_MAX + 64 };
static char trace_path[PATH_ROOM], objects_path[PATH_ROOM + 16], program_path[PATH_MAX];
static struct stat terminal; /* what standard error was when the program started */

PLAIN bool is_same_file(int file, const struct stat *known)
{
    struct stat now;
    return fstat(file, &now) == 0 && now.st_dev == known->st_dev && now.st_ino == known->st_ino &&
           now.st_rdev == known->st_rdev;
}

/* On standard error, unless that is another file by now. */
__attribute__((format(printf, 1, 2))) PLAIN void report(const char *format, ...)
{
    va_list values;
    const int error = errno;
    char *text = scratch_new();
    va_start(values, format);
    if (text && vsnprintf(text, SCRATCH, format, values) > 0 && is_same_file(STDERR_FILENO, &terminal))
        file_write(STDERR_FILENO, text, strlen(text));
    va_end(values);
    if (text)
        scratch_free(text);
    errno = error;
}

/* --- the file that is written -------------------------------------------------------------------------------------- */

/* "/folder/PREFIXprogramSUFFIX" or the setting `file`; false: too long. */
PLAIN bool name_trace(const char *prefix, const char *suffix)
{
    static char folder[PATH_MAX];
    const char *named = settings[FILE_NAME].value;
    const ssize_t n = readlink("/proc/self/exe", program_path, sizeof program_path - 1);
    const char *base = n > 0 && strrchr(program_path, '/') ? strrchr(program_path, '/') + 1 : "program";
    if (*named == '/' || !getcwd(folder, sizeof folder))
        *folder = '\0';
    const int length = *named
                           ? snprintf(trace_path, PATH_MAX, "%s%s%s", folder, *folder ? "/" : "", named)
                           : snprintf(trace_path, PATH_MAX, "%s%s%s%s%s", folder, *folder ? "/" : "", prefix, base, suffix);
    return length < PATH_MAX;
}

/* Creates a file with the name `trace_path`, or, where that is taken, with the process, and then a number, after it.
 * Returns a descriptor, or -1 with errno. */
PLAIN int create_trace(int flags, bool has_process)
{
    char *end = trace_path + strlen(trace_path);
    int file = file_open(trace_path, flags | O_CREAT | O_EXCL);
    if (file < 0 && errno == EEXIST && !has_process) {
        end += snprintf(end, 32, ".%ld", (long)getpid());
        file = file_open(trace_path, flags | O_CREAT | O_EXCL);
    }
    for (int i = 2; file < 0 && errno == EEXIST && i < 10000; i++) {
        snprintf(end, 32, ".%d", i);
        file = file_open(trace_path, flags | O_CREAT | O_EXCL);
    }
    return file;
}

/* --- objects: the program and its libraries, in a file beside the trace (docs/formats/objects.md) ------------------ */

PLAIN void append_to_objects(const char *line, size_t length)
{
    const int error = errno, file = *objects_path ? file_open(objects_path, O_WRONLY | O_APPEND | O_NOFOLLOW) : -1;
    if (file >= 0) {
        file_write(file, line, length);
        file_close(file);
    }
    errno = error;
}

/* Begins the list, or none if there is a file of this name that is no list of objects. */
PLAIN void begin_objects(void)
{
    static const char first[] = "# objects 1\n";
    char there[sizeof first - 1] = "";
    snprintf(objects_path, sizeof objects_path, "%s.objects", trace_path);
    const int file = file_open(objects_path, O_RDWR | O_CREAT | O_NOFOLLOW);
    const ssize_t n = file < 0 ? -1 : pread(file, there, sizeof there, 0);
    if (n == 0 || (n == (ssize_t)sizeof there && memcmp(there, first, sizeof there) == 0 && ftruncate(file, 0) == 0))
        file_write(file, first, sizeof first - 1);
    else
        *objects_path = '\0';
    if (file >= 0)
        file_close(file);
}

/* `build_id`: bytes, or NULL. */
PLAIN void add_object(unsigned number, uintptr_t load_address, const unsigned char *build_id, size_t id_length,
                      const char *path)
{
    char *line = scratch_new(), *at = line;
    if (!line)
        return;
    at += sprintf(at, "%u 0x%llx ", number, (unsigned long long)load_address);
    for (size_t i = 0; i < id_length && i < 64; i++)
        at += sprintf(at, "%02x", build_id[i]);
    at += sprintf(at, id_length ? " " : "- ");
    for (; *path && at - line < SCRATCH - 8; path++) {
        const unsigned char c = (unsigned char)*path;
        at += sprintf(at, c < 0x20 || c == 0x7f || c == '\\' ? "\\x%02x" : "%c", c);
    }
    at += sprintf(at, "\n");
    append_to_objects(line, (size_t)(at - line));
    scratch_free(line);
}

/* What is missing from the trace: on standard error, and for the reader. */
__attribute__((format(printf, 1, 2))) PLAIN void report_loss(const char *format, ...)
{
    va_list values;
    char *line = scratch_new();
    if (!line)
        return;
    memcpy(line, "# ", 2);
    va_start(values, format);
    vsnprintf(line + 2, SCRATCH / 4, format, values);
    va_end(values);
    strcat(line, "\n");
    append_to_objects(line, strlen(line));
    report("%s: %s", trace_path, line + 2);
    scratch_free(line);
}

#endif
