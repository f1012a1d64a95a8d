// SPDX-License-Identifier: GPL-2.0-or-later
// Main thread + 4 workers, started and joined while tracing is on.
#include "xr.h"
#include <thread>
#include <vector>
volatile int sink;
XR_ALWAYS int step(int x) { int s = 0; for (int i = 0; i < x; i++) s += i ^ sink; return s; }
XR_ALWAYS int phase(int id, int k) { return step(k) + step(id * 10); }
XR_ALWAYS void worker(int id) { for (int i = 0; i < 25; i++) sink = phase(id, i); }
XR_ALWAYS void all() {
  std::vector<std::thread> t;
  for (int i = 0; i < 4; i++) t.emplace_back(worker, i + 1);
  worker(0);
  for (auto &x : t) x.join();
}
int main(int argc, char **argv) { xr_begin(argc, argv); all(); xr_end(); return 0; }
