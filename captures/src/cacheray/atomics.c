/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every atomic width and kind of read-modify-write, next to plain accesses of the same cells. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct cells {
    _Atomic uint8_t a;
    _Atomic uint16_t b;
    _Atomic uint32_t c;
    _Atomic uint64_t d;
    uint64_t plain;
};
static struct cells *c;
static uint64_t out;

#define ALL(f, ...) \
    f(&c->a, ##__VA_ARGS__); \
    f(&c->b, ##__VA_ARGS__); \
    f(&c->c, ##__VA_ARGS__); \
    f(&c->d, ##__VA_ARGS__)
#define LOAD(p) out += atomic_load_explicit(p, memory_order_acquire)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_release)

int main(void)
{
    c = malloc(4 * sizeof *c);
    for (int round = 0; round < 3; round++) {
        ALL(STORE, 5);
        ALL(LOAD);
        ALL(atomic_fetch_add, 3);
        ALL(atomic_fetch_sub, 1);
        ALL(atomic_fetch_and, 0x7f);
        ALL(atomic_fetch_or, 0x10);
        ALL(atomic_fetch_xor, 0x3);
        ALL(atomic_exchange, 9);
        uint32_t e32 = 9;
        uint64_t e64 = 1; /* one exchange succeeds, one fails */
        out += atomic_compare_exchange_strong(&c->c, &e32, 11);
        out += atomic_compare_exchange_strong(&c->d, &e64, 12);
        while (!atomic_compare_exchange_weak(&c->d, &e64, 13))
            ;
        c->plain += out;
        c[round].plain = c->plain;
        atomic_thread_fence(memory_order_seq_cst);
        volatile uint32_t *vp = (volatile uint32_t *)&c[3].plain;
        *vp = *vp + 1;
    }
    static atomic_flag fl = ATOMIC_FLAG_INIT;
    out += atomic_flag_test_and_set(&fl);
    atomic_flag_clear(&fl);
    free(c);
    printf("%llu\n", (unsigned long long)out);
    return 0;
}
