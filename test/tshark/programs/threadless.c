/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into a Wireshark program: makes no more than THREADLESS_LEFT threads once the first file is open, like a system
 * that has reached a limit. THREADLESS_SIGNAL: the number of a signal that arrives when the first one is refused. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

static int is_open;
static long left, signal_number;

static long number(const char *variable)
{
    const char *value = getenv(variable);
    return value ? atol(value) : 0;
}

void *wtap_open_offline(const char *path, unsigned type, int *err, char **err_info, int random)
{
    void *(*open)(const char *, unsigned, int *, char **,
                  int) = (void *(*)(const char *, unsigned, int *, char **, int))dlsym(RTLD_NEXT, "wtap_open_offline");
    if (!is_open++) {
        left = number("THREADLESS_LEFT");
        signal_number = number("THREADLESS_SIGNAL");
    }
    return open(path, type, err, err_info, random);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = (int (*)(
        pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
    if (!is_open || left-- > 0)
        return create(thread, attributes, start, data);
    if (signal_number)
        raise((int)signal_number);
    signal_number = 0;
    return EAGAIN;
}
