// SPDX-License-Identifier: GPL-2.0-or-later
// A profile of functions that know how many ticks they spend themselves: nested calls, recursion, an exception that leaves two
// functions, a tail call; in main()'s thread and in another one.
#include <xray/xray_interface.h>
#include <xray/xray_log_interface.h>

#include <stdexcept>
#include <thread>
#include <x86intrin.h>

#define TRACED [[clang::xray_always_instrument, gnu::noinline]]
#define NOT_TRACED [[clang::xray_never_instrument]]

NOT_TRACED static void spend(unsigned long long ticks) {
  for (unsigned long long begin = __rdtsc(); __rdtsc() - begin < ticks;) {}
}
TRACED void leaf() { spend(1000000); }
TRACED void middle() { spend(2000000); leaf(); leaf(); spend(0); }
TRACED void recurse(int n) { spend(1000000); if (n) recurse(n - 1); spend(0); }
TRACED void thrower() { spend(1000000); throw std::runtime_error("x"); }
TRACED void passer() { spend(2000000); thrower(); spend(0); }
TRACED void catcher() { try { passer(); } catch (const std::exception &) { } spend(4000000); }
TRACED void tail(int n) { spend(1000000); if (n) return leaf(); }
TRACED void work() { for (int i = 0; i < 3; i++) middle(); recurse(3); catcher(); tail(1); spend(0); }

NOT_TRACED int main() {
  __xray_log_select_mode("xray-profiling");
  __xray_log_init_mode("xray-profiling", "");
  __xray_patch();
  work();
  std::thread(work).join();
  __xray_log_finalize();
  __xray_log_flushLog();
}
