/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the program of this name in /usr/bin under an emulator, with the same arguments. A script would not do: with the
 * LD_PRELOAD of tools/run its interpreter would complain that the library is for another processor. Linked statically for
 * that reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIRECTORY "/usr/bin/"

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    char *program = malloc(sizeof DIRECTORY + strlen(name));
    char **arguments = calloc((size_t)argc + 2, sizeof *arguments);
    if (!program || !arguments)
        return 126;
    strcpy(program, DIRECTORY);
    strcat(program, name);
    static char emulator[] = EMULATOR;
    arguments[0] = emulator;
    arguments[1] = program;
    memcpy(arguments + 2, argv + 1, (size_t)argc * sizeof *arguments);
    execvp(emulator, arguments);
    perror(emulator);
    return 127;
}
