/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that end or replace the program without exit(): they write the log, and do what the C library's do; to find those
 * takes a lock, which a child of fork() may find locked. */
#ifndef WIRETRACE_XRAY_EXITS_H
#define WIRETRACE_XRAY_EXITS_H

#include <fcntl.h>
#include <stdarg.h>

#include "xray-write.h"

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

#endif
