/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into tshark, which then registers its protocols once for many runs: this is most of the time of a run on a short
 * trace. When it has done so it sends its process id to the socket that is its standard input. From then on main() runs from
 * its beginning for each request, in a child, where nothing is registered again. A request is one message: the current
 * directory, variables of the environment as NAME=VALUE, an empty text, and the arguments, each ended by NUL, with the
 * descriptors of standard input, output and error. The answers are the id of the child and, when it has ended, its status as
 * from wait(). Used by test/tshark/check.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 4096, STANDARD = 3, FREEING = 8 };

static int (*program)(int, char **, char **);
static int registered;
static unsigned requests;
static char message[1 << 20];
/* Where the arguments are that this process was started with. Those of a request take their place, so that
 * /proc/self/cmdline has them. What is left of the room follows as other arguments: the plugins, which look for options, end
 * at the one before it. */
static char *place;
static size_t room;
static const char last[] = "--";

static long receive(int descriptors[STANDARD])
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(STANDARD * sizeof(int))];
    } passed;
    struct iovec data = {message, sizeof message - 1};
    struct msghdr request = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &passed, .msg_controllen = sizeof passed};
    long length = recvmsg(STDIN_FILENO, &request, MSG_CMSG_CLOEXEC);
    if (length > 0)
        memcpy(descriptors, CMSG_DATA(&passed.head), STANDARD * sizeof *descriptors);
    return length;
}

static void run(size_t length, const int descriptors[STANDARD])
{
    static char *arguments[ARGUMENTS_MAX];
    int count = 0;
    size_t begin = strlen(message) + 1;
    for (; message[begin]; begin += strlen(message + begin) + 1)
        putenv(message + begin);
    begin++;
    if (length - begin + sizeof last > room)
        _exit(126);
    memcpy(place, message + begin, length - begin);
    memcpy(place + (length - begin), last, sizeof last);
    for (char *at = place; at < place + (length - begin) && count < ARGUMENTS_MAX - 1; at += strlen(at) + 1)
        arguments[count++] = at;
    for (int i = 0; i < STANDARD; i++)
        if (dup2(descriptors[i], i) < 0)
            _exit(126);
    if (count == ARGUMENTS_MAX - 1 || chdir(message) != 0)
        _exit(126);
    /* arguments have been looked at before: again from the first */
    int *again = dlsym(RTLD_DEFAULT, "ws_optreset");
    if (again)
        *again = 1;
    exit(program(count, arguments, environ));
}

static void serve(void)
{
    int descriptors[STANDARD], status;
    long length;
    pid_t self = getpid();
    if (write(STDIN_FILENO, &self, sizeof self) < 0)
        _exit(126);
    while ((length = receive(descriptors)) > 0) {
        requests++;
        pid_t child = fork();
        if (child == 0)
            run((size_t)length, descriptors);
        for (int i = 0; i < STANDARD; i++)
            close(descriptors[i]);
        if (child < 0 || write(STDIN_FILENO, &child, sizeof child) < 0 || waitpid(child, &status, 0) != child ||
            write(STDIN_FILENO, &status, sizeof status) < 0)
            break;
    }
    _exit(0);
}

/* Their arguments differ between versions and are handed on as they are. */
typedef uintptr_t word;

word wtap_init(word a, word b, word c, word d)
{
    word (*init)(word, word, word, word) = (word(*)(word, word, word, word))dlsym(RTLD_NEXT, "wtap_init");
    return registered ? 0 : init(a, b, c, d);
}

word epan_init(word a, word b, word c, word d)
{
    word (*init)(word, word, word, word) = (word(*)(word, word, word, word))dlsym(RTLD_NEXT, "epan_init");
    if (registered)
        return 1;
    registered = (int)(init(a, b, c, d) & 1);
    if (registered)
        serve();
    return 0;
}

/* A program frees at its end all that it has registered. That takes as long as a run on a short trace, since a child must
 * copy each page for it: only the first run and then each eighth do. What belongs to a trace has been freed before. */
static void clean_up(const char *name)
{
    void (*clean)(void) = (void (*)(void))dlsym(RTLD_NEXT, name);
    if (requests % FREEING == 1)
        clean();
}

void epan_cleanup(void)
{
    clean_up("epan_cleanup");
}

void wtap_cleanup(void)
{
    clean_up("wtap_cleanup");
}

int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                 void *) = (int (*)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                                    void (*)(void), void *))dlsym(RTLD_NEXT, "__libc_start_main");
    program = main;
    place = arguments[0];
    room = (size_t)(arguments[count - 1] + strlen(arguments[count - 1]) + 1 - place);
    return start(main, count, arguments, init, fini, rtld_fini, stack_end);
}
