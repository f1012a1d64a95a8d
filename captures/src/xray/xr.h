/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small helpers shared by the sample programs (C and C++).
 * usage of every program:  prog MODE OPTIONS [MAPFILE]
 *   MODE     xray-fdr or xray-basic
 *            (or "env": the environment variables have set tracing up already)
 *   OPTIONS  the mode's option string
 *   MAPFILE  where to write "id<TAB>address" for every instrumented function,
 *            as the XRay runtime itself reports them (link-time addresses)   */
#ifndef XR_H
#define XR_H
#ifdef __cplusplus
#include <xray/xray_interface.h>
#include <xray/xray_log_interface.h>
extern "C" {
#else
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
enum XRayLogInitStatus { XRAY_LOG_UNINITIALIZED = 0, XRAY_LOG_INITIALIZED = 2 };
int __xray_log_select_mode(const char *mode);
int __xray_log_init_mode(const char *mode, const char *config);
int __xray_log_finalize(void);
int __xray_log_flushLog(void);
int __xray_patch(void);
int __xray_unpatch(void);
uintptr_t __xray_function_address(int32_t id);
size_t __xray_max_function_id(void);
#endif
extern const char __ehdr_start[] __attribute__((weak, visibility("hidden")));
#ifdef __cplusplus
}
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int xr_env;
#define XR_NEVER __attribute__((xray_never_instrument))
#define XR_ALWAYS __attribute__((xray_always_instrument, noinline))

XR_NEVER static void xr_map(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return;
    /* In a position independent executable (e_type 3) the ELF header sits at the load base. */
    uintptr_t base = __ehdr_start[16] == 3 ? (uintptr_t)__ehdr_start : 0;
    for (size_t i = 1; i <= __xray_max_function_id(); i++)
        fprintf(f, "%zu\t0x%lx\n", i, (unsigned long)(__xray_function_address((int32_t)i) - base));
    fclose(f);
}
XR_NEVER static void xr_begin(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "xray-fdr";
    const char *opts = argc > 2 ? argv[2] : "func_duration_threshold_us=0";
    if (argc > 3 && argv[3][0])
        xr_map(argv[3]);
    if (!strcmp(mode, "env")) {
        xr_env = 1;
        return;
    }
    __xray_log_select_mode(mode);
    int st = (int)__xray_log_init_mode(mode, opts);
    if (st != 2) {
        fprintf(stderr, "init status %d\n", st);
        exit(3);
    }
    __xray_patch();
}
XR_NEVER static void xr_end(void)
{
    if (xr_env)
        return;
    __xray_log_finalize();
    __xray_log_flushLog();
    __xray_unpatch();
}
#endif
