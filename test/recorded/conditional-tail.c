/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditional tail calls: with -Os clang 14 compiles the first call in k to `je g`, after a tail exit that is logged whether
 * g is called or not.
 *
 *   clang-14 -Os -fxray-instrument -fxray-instruction-threshold=1 conditional-tail.c tools/recorders/xray.c */
static int depth;

__attribute__((noinline)) static int g(int x)
{
    volatile int sum = 0;
    for (int i = 0; i < 50; i++)
        sum += i * x;
    return sum;
}

__attribute__((noinline)) static int h(int x)
{
    volatile int sum = 0;
    for (int i = 0; i < 50; i++)
        sum -= i * x;
    return sum;
}

__attribute__((noinline)) static void k(int x)
{
    if ((x & 1) == 0) {
        g(x);
        return;
    }
    h(x);
    depth++;
}

__attribute__((noinline)) static int p(int x)
{
    k(2 * x + 1);
    k(2 * x + 3);
    return g(x) + 1;
}

int main(int count, char **arguments)
{
    int sum = 0;
    (void)arguments;
    for (int i = 0; i < count + 1; i++)
        sum += p(i);
    return sum + depth == 12345;
}
