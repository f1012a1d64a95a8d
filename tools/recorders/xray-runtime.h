/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of LLVM's XRay runtime, as in its headers, which are C++ only. */
#ifndef WIRETRACE_XRAY_RUNTIME_H
#define WIRETRACE_XRAY_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
struct XRayBuffer {
    const void *Data;
    size_t Size;
};
int __xray_set_handler(void (*handler)(int32_t function, int kind));
int __xray_set_handler_arg1(void (*handler)(int32_t function, int kind, uint64_t argument));
int __xray_set_customevent_handler(void (*handler)(void *bytes, size_t size));
int __xray_set_typedevent_handler(void (*handler)(size_t type, const void *bytes, size_t size));
int __xray_log_select_mode(const char *mode);
int __xray_log_init_mode(const char *mode, const char *config);
int __xray_patch(void);
size_t __xray_max_function_id(void);
uintptr_t __xray_function_address(int32_t id);
int __xray_log_finalize(void);
int __xray_log_flushLog(void);
int __xray_log_process_buffers(void (*visit)(const char *mode, struct XRayBuffer buffer));
/* The first of XRay's flags, patch_premain: libraries that are loaded later are recorded too. Since clang 20; there is no
 * call for it. */
extern bool xray_patches_libraries __asm__("_ZN6__xray28xray_flags_dont_use_directlyE") __attribute__((weak));
int __xray_patch_object(int32_t object) __attribute__((weak));
#ifdef __cplusplus
}
#endif

#endif
