// SPDX-License-Identifier: GPL-2.0-or-later
// Built with -O2: calls in tail position become jumps, so a "tail exit" ends the caller before the callee starts.
#include "xr.h"
volatile int sink;
XR_ALWAYS int last(int n) { int s = sink; for (int i = 0; i < n; i++) s += i ^ sink; return s; }
XR_ALWAYS int third(int n) { sink = n; return last(n + 3); }
XR_ALWAYS int second(int n) { sink = n + 1; return third(n + 2); }
XR_ALWAYS int first(int n) { sink = n + 2; return second(n + 1); }
XR_ALWAYS int odd(int n);
XR_ALWAYS int even(int n) { sink = n; if (n == 0) return last(2); return odd(n - 1); }
XR_ALWAYS int odd(int n) { sink = n; if (n == 0) return last(1); return even(n - 1); }
XR_ALWAYS int caller(int n) { int a = first(n); int b = even(n); return a + b; }
XR_ALWAYS void run() { for (int i = 0; i < 40; i++) sink = caller(i % 9); }
int main(int argc, char **argv) { xr_begin(argc, argv); run(); xr_end(); return 0; }
