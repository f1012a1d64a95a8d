/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "containers/quantile.h"

#include <stdbool.h>
#include <stdlib.h>

#include "containers/hash_map.h"

/* From so many numbers on they are counted as soon as each has come EQUAL times on average: then that takes less memory. */
enum { FEW = 4096, EQUAL = 8 };

typedef struct counted {
    uint64_t number, count;
} counted;

struct quantile_counts {
    hash_map known;  /* number -> index in `all` + 1 */
    GArray *all;     /* of counted */
    uint64_t counts; /* their sum */
};

void quantiles_clear(quantiles *q)
{
    if (q->numbers)
        g_array_free(q->numbers, TRUE);
    if (q->counts) {
        hash_map_clear(&q->counts->known);
        g_array_free(q->counts->all, TRUE);
        g_free(q->counts);
    }
    *q = (quantiles){0};
}

static void count(struct quantile_counts *c, uint64_t number, uint64_t times)
{
    const uint32_t at = hash_map_add(&c->known, number);
    if (at > c->all->len) {
        const counted new = {.number = number};
        g_array_append_val(c->all, new);
    }
    g_array_index(c->all, counted, at - 1).count += times;
    c->counts += times;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static guint different(const uint64_t *sorted, guint n)
{
    guint found = 1;
    for (guint i = 1; i < n; i++)
        found += sorted[i] != sorted[i - 1];
    return found;
}

/* Whether it is worth while to sort all numbers: a part of them shows at once that most are different. */
static bool may_be_equal(const uint64_t *all, guint n)
{
    enum { PART = 16 };
    const guint m = n / PART;
    g_autofree uint64_t *some = g_new(uint64_t, m);
    for (guint i = 0; i < m; i++)
        some[i] = all[i * PART];
    qsort(some, m, sizeof *some, compare);
    return different(some, m) <= m - m / 8;
}

/* Counts the numbers from now on, if most of them are equal to others. */
static __attribute__((noinline)) void consider_counting(quantiles *q)
{
    uint64_t *all = (uint64_t *)(void *)q->numbers->data;
    const guint n = q->numbers->len;
    if (!may_be_equal(all, n))
        return;
    qsort(all, n, sizeof *all, compare);
    if (different(all, n) > n / EQUAL)
        return;
    q->counts = g_new0(struct quantile_counts, 1);
    hash_map_init(&q->counts->known);
    q->counts->all = g_array_new(FALSE, FALSE, sizeof(counted));
    for (guint i = 0; i < n; i++)
        count(q->counts, all[i], 1);
    g_array_free(q->numbers, TRUE);
    q->numbers = NULL;
}

void quantiles_add(quantiles *q, uint64_t number)
{
    if (q->counts) {
        count(q->counts, number, 1);
        return;
    }
    if (!q->numbers)
        q->numbers = g_array_new(FALSE, FALSE, sizeof number);
    g_array_append_val(q->numbers, number);
    const guint n = q->numbers->len;
    if (n >= FEW && (n & (n - 1)) == 0)
        consider_counting(q);
}

void quantiles_merge(quantiles *q, const quantiles *more)
{
    for (guint i = 0; more->numbers && i < more->numbers->len; i++)
        quantiles_add(q, g_array_index(more->numbers, uint64_t, i));
    for (guint i = 0; more->counts && i < more->counts->all->len; i++) {
        const counted *one = &g_array_index(more->counts->all, counted, i);
        uint64_t times = one->count;
        for (; times && !q->counts; times--)
            quantiles_add(q, one->number);
        if (times)
            count(q->counts, one->number, times);
    }
}

static uint64_t value_of_counts(const struct quantile_counts *c, unsigned percent)
{
    g_autoptr(GArray) sorted = g_array_copy(c->all);
    g_array_sort(sorted, compare);
    uint64_t left = c->counts * percent / 100;
    guint i = 0;
    for (; g_array_index(sorted, counted, i).count <= left; i++)
        left -= g_array_index(sorted, counted, i).count;
    return g_array_index(sorted, counted, i).number;
}

/* Moves numbers above `pivot` after those below it; afterwards the former begin at `*low`, the latter end at `*high`. */
static void part(uint64_t *all, int64_t *low, int64_t *high, uint64_t pivot)
{
    while (*low <= *high) {
        while (all[*low] < pivot)
            ++*low;
        while (all[*high] > pivot)
            --*high;
        if (*low <= *high) {
            const uint64_t moved = all[*low];
            all[(*low)++] = all[*high];
            all[(*high)--] = moved;
        }
    }
}

/* Hoare's selection, which takes linear time. The pivot is random, so that no file can make it slow. */
uint64_t quantiles_value(quantiles *q, unsigned percent)
{
    if (q->counts)
        return value_of_counts(q->counts, percent);
    if (!q->numbers || !q->numbers->len)
        return 0;
    uint64_t *all = (uint64_t *)(void *)q->numbers->data;
    const int64_t wanted = (int64_t)((uint64_t)q->numbers->len * percent / 100);
    for (int64_t from = 0, to = q->numbers->len - 1; from < to;) {
        int64_t low = from, high = to;
        part(all, &low, &high, all[from + (int64_t)(g_random_int() % (uint64_t)(to - from + 1))]);
        if (wanted <= high)
            to = high;
        else if (wanted >= low)
            from = low;
        else
            break;
    }
    return all[wanted];
}
