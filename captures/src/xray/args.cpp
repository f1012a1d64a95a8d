// SPDX-License-Identifier: GPL-2.0-or-later
// First-argument logging (xray_log_args(1)): small, negative, 64-bit and pointer values, a 'this' pointer,
// and functions without it. Optional recursion deeper than 64 with a 5th argument "deep".
#include "xr.h"
#include <cstring>
#define XR_ARG1 __attribute__((xray_always_instrument, xray_log_args(1), noinline))
volatile long sink;
XR_ARG1 int small(int v) { return v + (int)sink; }
XR_ARG1 long wide(unsigned long long v) { return (long)(v >> 3) + sink; }
XR_ARG1 long text(const char *s) { return (long)strlen(s) + sink; }
struct Counter { long n = 0; XR_ARG1 long add(long k) { n += k; sink = n; return n; } };
XR_ALWAYS int plain(int x) { int s = 0; for (int i = 0; i < x; i++) s += i ^ (int)sink; return s; }
XR_ARG1 long deep(long n) { if (n == 0) return sink; long r = deep(n - 1); sink = r + n; return r + 1; }
XR_ALWAYS void run() {
  Counter c;
  for (int i = 0; i < 25; i++) {
    sink = small(i); sink = small(-i); sink = wide(0xfedcba9876543210ull + i);
    sink = text("first argument"); sink = c.add(i); sink = plain(i);
  }
}
int main(int argc, char **argv) { xr_begin(argc, argv); run(); if (argc > 4 && !strcmp(argv[4], "deep")) deep(100); xr_end(); return 0; }
