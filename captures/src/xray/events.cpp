// SPDX-License-Identifier: GPL-2.0-or-later
// Custom events of many sizes (text and binary) between function calls.  With a 4th argument:
//   "empty" adds events of size zero, "typed" logs typed events instead of custom ones.
#include "xr.h"
#include <cstring>
volatile int sink;
static char blob[3000];
XR_ALWAYS int work(int x) { int s = 0; for (int i = 0; i < x; i++) s += i ^ sink; return s; }
XR_ALWAYS void text(int i) { char b[64]; int n = snprintf(b, sizeof b, "round %d: \"quoted\", tab\t, utf8 \xc3\xa9", i); __xray_customevent(b, n); sink = work(i); }
XR_ALWAYS void binary(int i) { __xray_customevent(blob, 1 + (i * 37) % 700); sink = work(3); }
XR_ALWAYS void empty() { __xray_customevent(blob, 0); sink = work(1); }
XR_ALWAYS void big() { __xray_customevent(blob, sizeof blob); sink = work(1); }
// clang's typed-event sled can misalign the stack and clobber an argument when it must move the arguments into place first;
// a function that receives all three in the right registers already (from memory, so no constant folding) is safe.
XR_ALWAYS void raw_typed(size_t type, const char *p, size_t n) { __xray_typedevent(type, p, n); }
XR_ALWAYS void typed(int i) { raw_typed(i, blob, 1 + i % 40); sink = work(i); }
static const char *volatile texts[] = {"last type", "type is cut to 16 bits"};
static volatile size_t lengths[] = {9, 22}, types[] = {65535, 65536 + 7};
XR_ALWAYS void typed_wide() { for (int i = 0; i < 2; i++) raw_typed(types[i], texts[i], lengths[i]); }
XR_ALWAYS void run(const char *how) {
  if (!strcmp(how, "typed")) typed_wide(); else big();
  for (int i = 0; i < 30; i++) {
    if (!strcmp(how, "typed")) { typed(i * 100); continue; }
    text(i); binary(i);
    if (!strcmp(how, "empty") && i % 10 == 3) empty();
  }
}
int main(int argc, char **argv) {
  for (unsigned i = 0; i < sizeof blob; i++) blob[i] = (char)(i * 7 + i / 256);
  xr_begin(argc, argv); run(argc > 4 ? argv[4] : "custom"); xr_end(); return 0;
}
