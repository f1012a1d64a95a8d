/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No file of this machine is mistaken for a trace: runs the probes of all formats on the regular files below /usr and
 * /etc. XRay, Cacheray and headerless ovni have no magic number, so their probes might claim foreign files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

#include "core/formats.h"

static unsigned files, claimed;

static void probe_file(const char *path)
{
    uint8_t head[PROBE_LENGTH];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return;
    probe p = {.head = head, .length = (size_t)n, .whole = (size_t)n < sizeof head, .path = path};
    files++;
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (formats[i]->probe(&p)) {
            print_error("%s is taken for a file of %s\n", path, formats[i]->description);
            claimed++;
        }
    }
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *unused)
{
    (void)unused;
    if (type == FTW_F && S_ISREG(status->st_mode))
        probe_file(path);
    return 0;
}

static void no_file_of_the_system_is_claimed(void **state)
{
    (void)state;
    nftw("/usr", visit, 64, FTW_PHYS | FTW_MOUNT);
    nftw("/etc", visit, 64, FTW_PHYS | FTW_MOUNT);
    print_message("%u files, %u claimed\n", files, claimed);
    assert_true(files > 100);
    assert_int_equal(claimed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_file_of_the_system_is_claimed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
