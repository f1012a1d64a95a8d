// SPDX-License-Identifier: GPL-2.0-or-later
// Calls that end without an exit: an exception through seven of them, longjmp, coroutines that wait in the middle of calls,
// and exit() in depth.
#include <setjmp.h>
#include <ucontext.h>

#include "xr.h"

volatile int sink;
XR_ALWAYS void work(int n) { for (int i = 0; i < n * 50; i++) sink = sink + i; }

struct guard { // unwinding calls its destructor
  XR_ALWAYS ~guard() { work(1); }
};
template <int N> XR_ALWAYS void thrower(int n) { guard g; work(N); thrower<N - 1>(n); sink = N; }
template <> XR_ALWAYS void thrower<0>(int n) { work(n); if (n % 4) throw n; }
XR_ALWAYS void catcher(int n) { try { thrower<7>(n); } catch (int) { work(3); } work(2); }

jmp_buf place;
template <int N> XR_ALWAYS void jumper(int n) { work(N); jumper<N - 1>(n); sink = N; }
template <> XR_ALWAYS void jumper<0>(int n) { work(1); if (n % 3) longjmp(place, 1); }
XR_ALWAYS void returner(int n) { if (setjmp(place) == 0) jumper<4>(n); work(1); }

ucontext_t here, inside;
char stack[1 << 17];
XR_ALWAYS void yield(int n) { work(n); swapcontext(&inside, &here); work(n); }
XR_ALWAYS void generator() { for (int i = 1; i < 5; i++) yield(i); }
XR_ALWAYS void resume() { swapcontext(&here, &inside); }
XR_ALWAYS void coroutine() {
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = &here;
  makecontext(&inside, generator, 0);
  for (int i = 0; i < 3; i++) { resume(); work(2); }
}

XR_NEVER void finish() { xr_end(); }
template <int N> XR_ALWAYS void leaver() { work(N); leaver<N - 1>(); sink = N; }
template <> XR_ALWAYS void leaver<0>() { work(1); exit(0); }
XR_ALWAYS void run() {
  for (int i = 0; i < 24; i++) { catcher(i); returner(i); }
  coroutine();
  leaver<5>();
}
int main(int argc, char **argv) { xr_begin(argc, argv); atexit(finish); run(); return 1; }
