/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by all fuzz targets: the entry point for libFuzzer, a check that is never compiled out, and numbers from the
 * input for targets driven by operations rather than by a file. */
#ifndef WIRETRACE_FUZZ_H
#define WIRETRACE_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

#define FUZZ_CHECK(condition, ...) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
            abort(); \
        } \
    } while (0)

/* The path of a file with these bytes; the same in every call. */
const char *fuzz_file(const void *data, size_t length);

/* Numbers from the input; 0 when it is used up. */
typedef struct fuzz_numbers {
    const uint8_t *data;
    size_t left;
} fuzz_numbers;

static inline uint8_t fuzz_u8(fuzz_numbers *n)
{
    if (n->left == 0)
        return 0;
    n->left--;
    return *n->data++;
}

static inline uint32_t fuzz_u16(fuzz_numbers *n)
{
    uint32_t low = fuzz_u8(n);
    return low | (uint32_t)fuzz_u8(n) << 8;
}

#endif
