// SPDX-License-Identifier: GPL-2.0-or-later
// Calls that end without an exit, in a program that measures the self time of its functions itself and prints it at the end:
// "NAME NANOSECONDS", and "NAME ?" where a log cannot tell. Called as the programs in captures/src/xray (xr.h).
#include <setjmp.h>
#include <time.h>
#include <ucontext.h>

#include "../../../captures/src/xray/xr.h"

// --- measuring: no function of it is traced ---------------------------------------------------------------------------
#define HERE XR_NEVER __attribute__((always_inline)) inline

struct sum { const char *name; long long ns; bool unsure; };
static sum sums[64];
static struct { sum *of; long long begin, inside; } frames[64];
static int depth, count;

HERE long long now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
XR_NEVER __attribute__((noinline)) sum *sum_of(const char *name) {
  for (int i = 0; i < count; i++) if (!strcmp(sums[i].name, name)) return &sums[i];
  sums[count].name = name;
  return &sums[count++];
}
XR_NEVER __attribute__((noinline)) void enter(const char *name) {
  sum *s = sum_of(name);
  frames[depth++] = {s, now(), 0};
}
// Ends calls until so many are open: what an exception or longjmp is about to leave ends before it.
XR_NEVER __attribute__((noinline)) void leave(int until) {
  for (long long at = now(); depth > until;) {
    auto &f = frames[--depth];
    f.of->ns += at - f.begin - f.inside;
    if (depth) frames[depth - 1].inside += at - f.begin;
  }
}
#define MEASURED(name) const int own = depth; enter(name); struct ending { int own; XR_NEVER __attribute__((noinline)) ~ending() { if (depth > own) leave(own); } } ends{own}
#define UNSURE(name) (sum_of(name)->unsure = true)
HERE void spin(int us) { for (long long until = now() + us * 1000LL; now() < until;) ; }
#define THROW(caught, what) do { leave(caught); throw what; } while (0)

// --- the cases --------------------------------------------------------------------------------------------------------
#define F XR_ALWAYS void

// through one call, which throws at once
F thrower1(int caught) { MEASURED("thrower1"); THROW(caught, 1); }
F catcher1() { MEASURED("catcher1"); try { thrower1(depth); } catch (int) { spin(400); } }

// the catcher then calls what it also calls when nothing is thrown
F after2() { MEASURED("after2"); spin(100); }
F inner2() { MEASURED("inner2"); spin(100); }
F thrower2(int caught, bool fails) { MEASURED("thrower2"); inner2(); if (fails) THROW(caught, 2); }
F catcher2(bool fails) { MEASURED("catcher2"); try { thrower2(depth, fails); } catch (int) { } spin(200); after2(); after2(); spin(100); }

// through five
F after5() { MEASURED("after5"); spin(150); }
template <int N> F through5(int caught, bool fails) { MEASURED(N % 2 ? "odd5" : "even5"); after2(); through5<N - 1>(caught, fails); }
template <> F through5<1>(int caught, bool fails) { MEASURED("last5"); inner2(); if (fails) THROW(caught, 5); }
F catcher5(bool fails) { MEASURED("catcher5"); try { through5<5>(depth, fails); } catch (int) { spin(100); } after5(); spin(300); }

// caught on the way and thrown again
F cleanup() { MEASURED("cleanup"); spin(100); }
F inner3(int caught, bool fails) { MEASURED("inner3"); inner2(); if (fails) THROW(caught, 3); }
F middle3(int caught, bool fails) {
  MEASURED("middle3"); UNSURE("middle3"); // outer3 may have called cleanup, and what is before it is its own
  try { inner3(depth, fails); } catch (int) { spin(200); cleanup(); THROW(caught, 3); }
  spin(200);
  cleanup();
}
F outer3(bool fails) { MEASURED("outer3"); UNSURE("outer3"); try { middle3(depth, fails); } catch (int) { spin(300); } after2(); }

// longjmp
static jmp_buf place;
F jumper(int caught, bool jumps) { MEASURED("jumper"); inner2(); if (jumps) { leave(caught); longjmp(place, 1); } }
F between(int caught, bool jumps) { MEASURED("between"); after2(); jumper(caught, jumps); }
F setter(bool jumps) { MEASURED("setter"); if (!setjmp(place)) between(depth, jumps); spin(300); after5(); }

// a parser that never returns, as its input ends with an error: nothing shows that it called the tokens
F token() { MEASURED("token"); spin(5); }
F parser(int caught) { MEASURED("parser"); UNSURE("parser"); for (int i = 0; i < 100; i++) { spin(10); token(); } THROW(caught, 4); }
F reader() { MEASURED("reader"); UNSURE("reader"); try { parser(depth); } catch (int) { spin(400); } }

// nothing tells whose call this is: it is seen once
F once() { MEASURED("once"); spin(100); }
F thrower6(int caught) { MEASURED("thrower6"); THROW(caught, 6); }
F catcher6() { MEASURED("catcher6"); UNSURE("thrower6"); UNSURE("catcher6"); try { thrower6(depth); } catch (int) { spin(200); } once(); }

// a coroutine that is never resumed
static ucontext_t here, inside;
static char stack[1 << 17];
static int resumer;
F yields() { MEASURED("yields"); inner2(); leave(resumer); swapcontext(&inside, &here); }
F generator() { MEASURED("generator"); yields(); }
F resume() {
  MEASURED("resume");
  resumer = depth;
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = &here;
  makecontext(&inside, generator, 0);
  swapcontext(&here, &inside);
  spin(300);
}

XR_NEVER void print() {
  for (int i = 0; i < count; i++)
    if (sums[i].unsure) printf("%s ?\n", sums[i].name); else printf("%s %lld\n", sums[i].name, sums[i].ns);
}

// ends in the depth: calls that are open when the log ends have no time
XR_NEVER void finish() { print(); xr_end(); }
F ends() { exit(0); }
F last() { ends(); }

int main(int argc, char **argv) {
  try { throw 0; } catch (int) { } // the first exception of a program takes long
  xr_begin(argc, argv);
  atexit(finish);
  for (int i = 0; i < 5; i++) {
    catcher1();
    catcher2(i % 2); catcher5(i % 2); outer3(i % 2); setter(i % 2);
  }
  reader();
  catcher6();
  resume();
  last();
}
