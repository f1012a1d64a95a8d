/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 128-bit products, also for compilers without a 128-bit type (on 32-bit processors). */
#ifndef WIRETRACE_UTIL_MATH128_H
#define WIRETRACE_UTIL_MATH128_H

#include <stdint.h>

typedef struct wide128 {
    uint64_t high, low;
} wide128;

/* a * b by long multiplication of 32-bit halves. */
static inline wide128 wide_product(uint64_t a, uint64_t b)
{
    const uint64_t half = UINT32_MAX;
    uint64_t low = (a & half) * (b & half), left = (a >> 32) * (b & half), right = (a & half) * (b >> 32);
    uint64_t middle = (low >> 32) + (left & half) + (right & half); /* below 2^34 */
    return (wide128){(a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32), middle << 32 | (low & half)};
}

/* number / divisor, rounded down, by long division. The result must fit, which requires number.high < divisor. */
static inline uint64_t wide_quotient(wide128 number, uint64_t divisor)
{
    uint64_t rest = number.high, quotient = 0;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t carried = rest >> 63;
        rest = rest << 1 | (number.low >> bit & 1);
        if (carried || rest >= divisor) {
            rest -= divisor;
            quotient |= UINT64_C(1) << bit;
        }
    }
    return quotient;
}

/* value * multiplier / divisor, rounded down; UINT64_MAX if that does not fit in 64 bits. `divisor` must not be 0. */
static inline uint64_t mul_div_u64(uint64_t value, uint64_t multiplier, uint64_t divisor)
{
    uint64_t fits;
    if (!__builtin_mul_overflow(value, multiplier, &fits))
        return fits / divisor;
    const wide128 product = wide_product(value, multiplier);
    return product.high < divisor ? wide_quotient(product, divisor) : UINT64_MAX;
}

/* The same, rounded to the nearest. */
static inline uint64_t mul_div_nearest_u64(uint64_t value, uint64_t multiplier, uint64_t divisor)
{
    const uint64_t down = mul_div_u64(value, multiplier, divisor), rest = value * multiplier - down * divisor;
    return down + (down < UINT64_MAX && rest >= divisor - rest);
}

/* a + b; if that does not fit, UINT64_MAX, a sum that is not known: clocks of a damaged trace may be any. */
static inline uint64_t sum_saturated(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
