/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Four threads: counters that share cache lines (packed) against counters on lines of their own (padded). */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define T 4
#define N 60
struct packed_ctr {
    uint64_t hits;
    uint64_t misses;
};
struct padded_ctr {
    uint64_t hits;
    uint64_t misses;
    char pad[112];
};
struct shared_hdr {
    _Atomic uint32_t started;
    _Atomic uint32_t total;
    const char *label;
    uint32_t limit;
};

static struct packed_ctr *packed;
static struct padded_ctr *padded;
static struct shared_hdr *hdr;
static pthread_barrier_t bar;

static void *work(void *arg)
{
    uintptr_t me = (uintptr_t)arg;
    atomic_fetch_add(&hdr->started, 1);
    pthread_barrier_wait(&bar);
    for (uint32_t i = 0; i < hdr->limit; i++) {
        packed[me].hits++; /* false sharing */
        if (i % 3 == 0)
            packed[me].misses++;
        padded[me].hits++; /* private line */
        if (i % 20 == 0)
            atomic_fetch_add(&hdr->total, 1); /* true sharing */
        if (i % 4 == 3)
            sched_yield();
    }
    return 0;
}

int main(void)
{
    hdr = calloc(1, sizeof *hdr);
    hdr->label = "demo";
    hdr->limit = N;
    packed = calloc(T, sizeof *packed);
    padded = calloc(T + 1, sizeof *padded);
    pthread_t t[T];
    pthread_barrier_init(&bar, 0, T);
    for (uintptr_t i = 0; i < T; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    uint64_t sum = 0;
    for (int i = 0; i < T; i++)
        pthread_join(t[i], 0);
    for (int i = 0; i < T; i++)
        sum += packed[i].hits + packed[i].misses + padded[i].hits;
    printf("%llu\n", (unsigned long long)sum);
    free(packed);
    free(padded);
    free(hdr);
    return 0;
}
