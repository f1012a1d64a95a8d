// SPDX-License-Identifier: GPL-2.0-or-later
// Single thread: recursion, loops, a few levels of nesting. No arguments, no events.
#include "xr.h"
volatile int sink;
XR_ALWAYS int leaf(int x) { int s = 0; for (int i = 0; i < x; i++) s += i ^ sink; return s; }
XR_ALWAYS int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
struct Shape { virtual ~Shape() {} virtual int area() const = 0; };
struct Square : Shape { int a; Square(int a) : a(a) {} XR_ALWAYS int area() const override { return a * a + leaf(a); } };
struct Disc : Shape { int r; Disc(int r) : r(r) {} XR_ALWAYS int area() const override { return 3 * r * r + leaf(r); } };
template <class T> XR_ALWAYS int total(const T *const *v, int n) { int t = 0; for (int i = 0; i < n; i++) t += v[i]->area(); return t; }
namespace ns { XR_ALWAYS static int hidden(int k) { return leaf(k) + fib(4); } }
XR_ALWAYS int run(int rounds) {
  Square s(20); Disc d(7); const Shape *v[] = {&s, &d, &s};
  int t = 0;
  for (int i = 0; i < rounds; i++) { t += fib(5) + total(v, 3) + ns::hidden(i); }
  return t;
}
int main(int argc, char **argv) { xr_begin(argc, argv); sink = run(20); xr_end(); return 0; }
