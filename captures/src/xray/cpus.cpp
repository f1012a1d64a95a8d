// SPDX-License-Identifier: GPL-2.0-or-later
// Moves between two processors and sleeps, so that one buffer holds several NewCPUId and TSCWrap records.
#include "xr.h"
#include <sched.h>
#include <time.h>
volatile int sink;
XR_NEVER static void go(int cpu) { cpu_set_t s; CPU_ZERO(&s); CPU_SET(cpu, &s); sched_setaffinity(0, sizeof s, &s); }
XR_NEVER static void nap(long ms) { struct timespec t = {ms / 1000, (ms % 1000) * 1000000L}; nanosleep(&t, 0); }
XR_ALWAYS int work(int x) { int s = 0; for (int i = 0; i < x; i++) s += i ^ sink; return s; }
XR_ALWAYS void hop(int cpu) { go(cpu); sink = work(50); __xray_customevent("hop", 3); }
XR_ALWAYS void sleepy(long ms) { nap(ms); sink = work(5); }
XR_ALWAYS void run() { for (int i = 0; i < 6; i++) { hop(i & 1); sink = work(i); } sleepy(300); sleepy(1100); sleepy(2500); for (int i = 0; i < 4; i++) hop(i & 1); }
int main(int argc, char **argv) { xr_begin(argc, argv); run(); xr_end(); return 0; }
