/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of ThreadSanitizer that compilers call at each access and each call, except atomic operations (atomics.h)
 * and copies (copies.h), and those that programs may call: tsan_interface.h, and annotations for data race detectors. */
#ifndef WIRETRACE_TSAN_INTERFACE_H
#define WIRETRACE_TSAN_INTERFACE_H

#include "cacheray-records.h"
#include "hooks.h"

HOOK void __tsan_func_entry(void *caller)
{
    enter_function(CALLER, (uintptr_t)caller, STACK);
}

HOOK void __tsan_func_exit(void)
{
    leave_function(CALLER, STACK);
}

#define NOTHING(name) \
    HOOK void name(void) \
    { \
    }
NOTHING(__tsan_ignore_thread_begin)
NOTHING(__tsan_ignore_thread_end)

#define ACCESS(name, tag, size) \
    HOOK void name(void *p) \
    { \
        note(tag, p, size); \
    }
#define UPDATE(name, flags, size) \
    HOOK void name(void *p) \
    { \
        note(READ | (flags), p, size); \
        note(WRITE | (flags), p, size); \
    }
#define ACCESSES(n) \
    ACCESS(__tsan_read##n, READ, n) \
    ACCESS(__tsan_write##n, WRITE, n) \
    UPDATE(__tsan_read_write##n, 0, n) \
    ACCESS(__tsan_volatile_read##n, READ, n) \
    ACCESS(__tsan_volatile_write##n, WRITE, n)
#define UNALIGNED_ACCESSES(n) \
    ACCESS(__tsan_unaligned_read##n, READ | UNALIGNED, n) \
    ACCESS(__tsan_unaligned_write##n, WRITE | UNALIGNED, n) \
    UPDATE(__tsan_unaligned_read_write##n, UNALIGNED, n) \
    ACCESS(__tsan_unaligned_volatile_read##n, READ | UNALIGNED, n) \
    ACCESS(__tsan_unaligned_volatile_write##n, WRITE | UNALIGNED, n)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
UNALIGNED_ACCESSES(2)
UNALIGNED_ACCESSES(4)
UNALIGNED_ACCESSES(8)
UNALIGNED_ACCESSES(16)
ACCESS(__tsan_vptr_read, READ, sizeof(void *))

HOOK void __tsan_vptr_update(void **p, void *value)
{
    (void)value;
    note(WRITE, p, sizeof *p);
}

HOOK void __tsan_read_range(void *p, size_t size)
{
    note_range(READ, p, size);
}

HOOK void __tsan_write_range(void *p, size_t size)
{
    note_range(WRITE, p, size);
}

/* --- what programs call -------------------------------------------------------------------------------------------- */

#define IGNORED(name) \
    WEAK_HOOK void *name(void) \
    { \
        return NULL; \
    }
IGNORED(__tsan_acquire)
IGNORED(__tsan_release)
IGNORED(__tsan_external_register_tag)
IGNORED(__tsan_external_register_header)
IGNORED(__tsan_external_assign_tag)
IGNORED(__tsan_external_read)
IGNORED(__tsan_external_write)
IGNORED(__tsan_mutex_create)
IGNORED(__tsan_mutex_destroy)
IGNORED(__tsan_mutex_pre_lock)
IGNORED(__tsan_mutex_post_lock)
IGNORED(__tsan_mutex_pre_unlock)
IGNORED(__tsan_mutex_post_unlock)
IGNORED(__tsan_mutex_pre_read_lock)
IGNORED(__tsan_mutex_post_read_lock)
IGNORED(__tsan_mutex_pre_read_unlock)
IGNORED(__tsan_mutex_post_read_unlock)
IGNORED(__tsan_mutex_pre_signal)
IGNORED(__tsan_mutex_post_signal)
IGNORED(__tsan_mutex_pre_divert)
IGNORED(__tsan_mutex_post_divert)
IGNORED(__tsan_get_current_fiber)
IGNORED(__tsan_create_fiber)
IGNORED(__tsan_destroy_fiber)
IGNORED(__tsan_switch_to_fiber)
IGNORED(__tsan_set_fiber_name)
IGNORED(__tsan_check_no_mutexes_held)
IGNORED(__tsan_flush_memory)
IGNORED(AnnotateRWLockCreate)
IGNORED(AnnotateRWLockCreateStatic)
IGNORED(AnnotateRWLockDestroy)
IGNORED(AnnotateRWLockAcquired)
IGNORED(AnnotateRWLockReleased)
IGNORED(AnnotateHappensBefore)
IGNORED(AnnotateHappensAfter)
IGNORED(AnnotateCondVarSignal)
IGNORED(AnnotateCondVarSignalAll)
IGNORED(AnnotateMutexIsNotPHB)
IGNORED(AnnotateCondVarWait)
IGNORED(AnnotateBarrierInit)
IGNORED(AnnotateBarrierWaitBefore)
IGNORED(AnnotateBarrierWaitAfter)
IGNORED(AnnotateBarrierDestroy)
IGNORED(AnnotatePCQCreate)
IGNORED(AnnotatePCQDestroy)
IGNORED(AnnotatePCQPut)
IGNORED(AnnotatePCQGet)
IGNORED(AnnotateNewMemory)
IGNORED(AnnotateMemoryIsInitialized)
IGNORED(AnnotateMemoryIsUninitialized)
IGNORED(AnnotatePublishMemoryRange)
IGNORED(AnnotateUnpublishMemoryRange)
IGNORED(AnnotateTraceMemory)
IGNORED(AnnotateFlushExpectedRaces)
IGNORED(AnnotateExpectRace)
IGNORED(AnnotateBenignRace)
IGNORED(AnnotateBenignRaceSized)
IGNORED(AnnotateMutexIsUsedAsCondVar)
IGNORED(AnnotateIgnoreReadsBegin)
IGNORED(AnnotateIgnoreReadsEnd)
IGNORED(AnnotateIgnoreWritesBegin)
IGNORED(AnnotateIgnoreWritesEnd)
IGNORED(AnnotateIgnoreSyncBegin)
IGNORED(AnnotateIgnoreSyncEnd)
IGNORED(AnnotateEnableRaceDetection)
IGNORED(AnnotateFlushState)
IGNORED(AnnotateThreadName)
IGNORED(AnnotateNoOp)
IGNORED(WTFAnnotateHappensBefore)
IGNORED(WTFAnnotateHappensAfter)
IGNORED(WTFAnnotateBenignRaceSized)
IGNORED(RunningOnValgrind)

#endif
