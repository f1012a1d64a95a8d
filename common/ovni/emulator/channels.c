/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and labels are those in the .pcf files that ovniemu 1.14.0 writes, in their order. */
#include "ovni/emulator/channels.h"

#include <glib.h>
#include <string.h>

/* clang-format off */
static const ovni_value_label nanos6_ss_values[] = {
    {2, "Unknown subsystem"},
    {1, "Task: Running body"},
    {3, "Task: Creating"},
    {4, "Task: Submitting"},
    {5, "Task: Spawning function"},
    {6, "Task: Running task for"},
    {9, "Scheduler: Serving tasks"},
    {7, "Scheduler: Adding ready tasks"},
    {8, "Scheduler: Processing ready tasks"},
    {10, "Dependency: Registering"},
    {11, "Dependency: Unregistering"},
    {12, "Blocking: Taskwait"},
    {14, "Blocking: Blocking current task"},
    {15, "Blocking: Unblocking remote task"},
    {13, "Blocking: Wait for deadline"},
    {18, "Worker: Handling task"},
    {19, "Worker: Looking for work"},
    {20, "Worker: Switching to another thread"},
    {21, "Worker: Migrating CPU"},
    {22, "Worker: Suspending thread"},
    {23, "Worker: Resuming another thread"},
    {24, "Worker: Sponge mode"},
    {16, "Memory: Allocating"},
    {17, "Memory: Freeing"},
    {61, "EV Scheduler: Send task"},
    {60, "EV Scheduler: Recv task"},
    {62, "EV Scheduler: Self-assign task"},
    {63, "EV CPU: Becomes idle"},
    {64, "EV CPU: Becomes active"},
    {65, "EV Worker: Waking another thread"},
    {0, NULL},
};
static const ovni_value_label nanos6_thread_type[] = {
    {4, "External"},
    {3, "Worker"},
    {1, "Leader"},
    {2, "Main"},
    {0, NULL},
};
static const ovni_value_label nanos6_worker_idle[] = {
    {100, "Progressing"},
    {101, "Resting"},
    {102, "Absorbing noise"},
    {0, NULL},
};
static const ovni_value_label nodes_ss_values[] = {
    {1, "Dependencies: Registering task accesses"},
    {2, "Dependencies: Unregistering task accesses"},
    {3, "If0: Waiting for an If0 task"},
    {4, "If0: Executing an If0 task inline"},
    {5, "Taskwait: Taskwait"},
    {6, "Add Task: Creating a task"},
    {7, "Add Task: Submitting a task"},
    {8, "Spawn Function: Spawning a function"},
    {0, NULL},
};
static const ovni_value_label kernel_cs_values[] = {
    {3, "Context switch: Out of the CPU"},
    {0, NULL},
};
static const ovni_value_label mpi_function_values[] = {
    {1, "MPI_Init"},
    {2, "MPI_Init_thread"},
    {3, "MPI_Finalize"},
    {4, "MPI_Wait"},
    {5, "MPI_Waitall"},
    {6, "MPI_Waitany"},
    {7, "MPI_Waitsome"},
    {8, "MPI_Test"},
    {9, "MPI_Testall"},
    {10, "MPI_Testany"},
    {11, "MPI_Testsome"},
    {12, "MPI_Recv"},
    {13, "MPI_Send"},
    {14, "MPI_Bsend"},
    {15, "MPI_Rsend"},
    {16, "MPI_Ssend"},
    {17, "MPI_Sendrecv"},
    {18, "MPI_Sendrecv_replace"},
    {19, "MPI_Irecv"},
    {20, "MPI_Isend"},
    {21, "MPI_Ibsend"},
    {22, "MPI_Irsend"},
    {23, "MPI_Issend"},
    {24, "MPI_Isendrecv"},
    {25, "MPI_Isendrecv_replace"},
    {26, "MPI_Allgather"},
    {27, "MPI_Allreduce"},
    {28, "MPI_Alltoall"},
    {29, "MPI_Barrier"},
    {30, "MPI_Bcast"},
    {31, "MPI_Gather"},
    {32, "MPI_Reduce"},
    {33, "MPI_Reduce_scatter"},
    {34, "MPI_Reduce_scatter_block"},
    {35, "MPI_Scatter"},
    {36, "MPI_Scan"},
    {37, "MPI_Exscan"},
    {38, "MPI_Iallgather"},
    {39, "MPI_Iallreduce"},
    {40, "MPI_Ialltoall"},
    {41, "MPI_Ibarrier"},
    {42, "MPI_Ibcast"},
    {43, "MPI_Igather"},
    {44, "MPI_Ireduce"},
    {45, "MPI_Ireduce_scatter"},
    {46, "MPI_Ireduce_scatter_block"},
    {47, "MPI_Iscatter"},
    {48, "MPI_Iscan"},
    {49, "MPI_Iexscan"},
    {0, NULL},
};
static const ovni_value_label openmp_subsystem_values[] = {
    {9, "Work-distribution: Distribute"},
    {10, "Work-distribution: Dynamic for chunk"},
    {11, "Work-distribution: Dynamic for initialization"},
    {12, "Work-distribution: Static for chunk"},
    {13, "Work-distribution: Section"},
    {14, "Work-distribution: Single"},
    {15, "Task: Allocation"},
    {16, "Task: Check deps"},
    {17, "Task: Duplicating"},
    {18, "Task: Releasing deps"},
    {19, "Task: Running task"},
    {20, "Task: Running task if0"},
    {21, "Task: Scheduling"},
    {22, "Task: Taskgroup"},
    {23, "Task: Taskwait"},
    {24, "Task: Taskwait deps"},
    {25, "Task: Taskyield"},
    {6, "Critical: Acquiring"},
    {7, "Critical: Releasing"},
    {8, "Critical: Section"},
    {1, "Barrier: Fork"},
    {2, "Barrier: Join"},
    {3, "Barrier: Plain"},
    {5, "Barrier: Task"},
    {4, "Barrier: Spin wait"},
    {26, "Runtime: Attached"},
    {27, "Runtime: Fork call"},
    {28, "Runtime: Initialization"},
    {29, "Runtime: Internal microtask"},
    {30, "Runtime: User microtask"},
    {31, "Runtime: Worker main loop"},
    {0, NULL},
};
static const ovni_value_label tampi_ss_values[] = {
    {1, "Communication: Issuing a non-blocking operation"},
    {2, "Global array: Checking pending requests"},
    {3, "Library code: Interface function"},
    {4, "Library code: Polling function"},
    {5, "Queue: Adding to a queue"},
    {6, "Queue: Transfering to global array"},
    {8, "Request: Testing a request"},
    {7, "Request: Processing a completed request"},
    {9, "Request: Testing all requests"},
    {10, "Request: Testing some requests"},
    {11, "Ticket: Creating a ticket"},
    {12, "Ticket: Waiting a ticket"},
    {0, NULL},
};
static const ovni_value_label nosv_ss_values[] = {
    {2, "Unknown subsystem"},
    {6, "Scheduler: Hungry"},
    {7, "Scheduler: Serving"},
    {8, "Scheduler: Submitting"},
    {9, "Memory: Allocating"},
    {10, "Memory: Freeing"},
    {11, "Task: In body"},
    {12, "API: Create"},
    {13, "API: Destroy"},
    {14, "API: Submit"},
    {15, "API: Pause"},
    {16, "API: Yield"},
    {17, "API: Waitfor"},
    {18, "API: Scheduling point"},
    {19, "API: Attach"},
    {20, "API: Detach"},
    {21, "API: Mutex lock"},
    {22, "API: Mutex trylock"},
    {23, "API: Mutex unlock"},
    {24, "API: Barrier wait"},
    {25, "API: Cond wait"},
    {26, "API: Cond signal"},
    {27, "API: Cond broadcast"},
    {28, "API: Join"},
    {29, "API: Join all"},
    {30, "API: Wait"},
    {31, "API: Wait all"},
    {32, "Thread: Worker"},
    {33, "Thread: Delegate"},
    {35, "EV Scheduler: Send task"},
    {34, "EV Scheduler: Recv task"},
    {36, "EV Scheduler: Self-assign task"},
    {0, NULL},
};
static const ovni_value_label nosv_worker_idle[] = {
    {100, "Progressing"},
    {101, "Resting"},
    {102, "Absorbing noise"},
    {0, NULL},
};
static const ovni_value_label flush_values[] = {
    {1, "Flushing"},
    {0, NULL},
};
const ovni_value_label ovni_thread_labels[] = {
    {0, "Unknown"},
    {1, "Running"},
    {2, "Paused"},
    {3, "Dead"},
    {4, "Cooling"},
    {5, "Warming"},
    {0, NULL},
};

#define STACK OVNI_CH_STACK
#define REPEATS OVNI_CH_REPEATS
#define ANY OVNI_TRACK_ANY
#define RUNNING OVNI_TRACK_RUNNING
#define ACTIVE OVNI_TRACK_ACTIVE

const ovni_channel ovni_channels[OVNI_CH_COUNT] = {
    [OVNI_CH_NANOS6_TASK] = {'6', OVNI_CH_SKIP, RUNNING, 35, "Nanos6 task ID", NULL},
    [OVNI_CH_NANOS6_TYPE] = {'6', REPEATS | OVNI_CH_WRITE_ALL, RUNNING, 36, "Nanos6 task type", NULL},
    [OVNI_CH_NANOS6_SUBSYSTEM] = {'6', STACK | OVNI_CH_SKIP, ACTIVE, 37, "Nanos6 subsystem", nanos6_ss_values},
    [OVNI_CH_NANOS6_RANK] = {'6', REPEATS | OVNI_CH_WRITE_ALL, RUNNING, 38, "Nanos6 task MPI rank", NULL},
    [OVNI_CH_NANOS6_THREAD] = {'6', STACK | OVNI_CH_SKIP, ANY, 39, "Nanos6 thread type", nanos6_thread_type},
    [OVNI_CH_NANOS6_IDLE] = {'6', OVNI_CH_SKIP, RUNNING, 40, "Nanos6 idle state", nanos6_worker_idle},
    [OVNI_CH_NODES_SUBSYSTEM] = {'D', STACK | OVNI_CH_SKIP, ACTIVE, 30, "NODES subsystem", nodes_ss_values},
    [OVNI_CH_KERNEL_SWITCH] = {'K', STACK | OVNI_CH_SKIP, ANY, 45, "Kernel context switch", kernel_cs_values},
    [OVNI_CH_MPI_FUNCTION] = {'M', STACK | OVNI_CH_SKIP, RUNNING, 25, "MPI function", mpi_function_values},
    [OVNI_CH_FLUSH] = {'O', OVNI_CH_SKIP, ANY, 7, "Flushing ovni buffer", flush_values},
    [OVNI_CH_OPENMP_SUBSYSTEM] = {'P', STACK | REPEATS | OVNI_CH_SKIP_NULL, ACTIVE, 50, "OpenMP subsystem",
                                  openmp_subsystem_values},
    [OVNI_CH_OPENMP_LABEL] = {'P', STACK | REPEATS | OVNI_CH_SKIP_NULL, ACTIVE, 51, "OpenMP label", NULL},
    [OVNI_CH_OPENMP_TASK] = {'P', STACK | REPEATS | OVNI_CH_SKIP_NULL, ACTIVE, 52, "OpenMP task ID", NULL},
    [OVNI_CH_TAMPI_SUBSYSTEM] = {'T', STACK | OVNI_CH_SKIP, ACTIVE, 20, "TAMPI subsystem", tampi_ss_values},
    [OVNI_CH_NOSV_BODY] = {'V', REPEATS | OVNI_CH_SKIP_NULL, RUNNING, 15, "nOS-V task body ID", NULL},
    [OVNI_CH_NOSV_TASK] = {'V', OVNI_CH_SKIP_NULL, RUNNING, 10, "nOS-V task ID", NULL},
    [OVNI_CH_NOSV_TYPE] = {'V', REPEATS | OVNI_CH_SKIP_NULL, RUNNING, 11, "nOS-V task type", NULL},
    [OVNI_CH_NOSV_APP] = {'V', REPEATS | OVNI_CH_SKIP_NULL, RUNNING, 12, "nOS-V task AppID", NULL},
    [OVNI_CH_NOSV_SUBSYSTEM] = {'V', STACK | REPEATS | OVNI_CH_SKIP_NULL, ACTIVE, 13, "nOS-V subsystem", nosv_ss_values},
    [OVNI_CH_NOSV_RANK] = {'V', REPEATS | OVNI_CH_SKIP_NULL, RUNNING, 14, "nOS-V task MPI rank", NULL},
    [OVNI_CH_NOSV_IDLE] = {'V', OVNI_CH_SKIP_NULL, RUNNING, 16, "nOS-V idle state", nosv_worker_idle},
};

/* Which channel of a model the states of a row of the event tables are in. */
static const struct {
    char model;
    uint16_t channels; /* OVNI_SUBSYSTEM ... */
    uint8_t channel;
} places[] = {
    {'6', OVNI_SUBSYSTEM, OVNI_CH_NANOS6_SUBSYSTEM}, {'6', OVNI_THREAD_TYPE, OVNI_CH_NANOS6_THREAD},
    {'6', OVNI_IDLE, OVNI_CH_NANOS6_IDLE},           {'D', OVNI_SUBSYSTEM, OVNI_CH_NODES_SUBSYSTEM},
    {'K', OVNI_CONTEXT_SWITCH, OVNI_CH_KERNEL_SWITCH}, {'M', OVNI_FUNCTION, OVNI_CH_MPI_FUNCTION},
    {'O', OVNI_FLUSH, OVNI_CH_FLUSH},                {'P', OVNI_SUBSYSTEM, OVNI_CH_OPENMP_SUBSYSTEM},
    {'T', OVNI_SUBSYSTEM, OVNI_CH_TAMPI_SUBSYSTEM},  {'V', OVNI_SUBSYSTEM, OVNI_CH_NOSV_SUBSYSTEM},
    {'V', OVNI_IDLE, OVNI_CH_NOSV_IDLE},
};
/* clang-format on */

int32_t ovni_thread_value(uint8_t state)
{
    static const int32_t values[OVNI_THREAD_STATES] = {
        [OVNI_THREAD_RUNNING] = 1, [OVNI_THREAD_PAUSED] = 2,  [OVNI_THREAD_DEAD] = 3,
        [OVNI_THREAD_COOLING] = 4, [OVNI_THREAD_WARMING] = 5,
    };
    return state < OVNI_THREAD_STATES ? values[state] : 0;
}

static int32_t value_of(const ovni_value_label *labels, const char *label)
{
    for (; labels && labels->label; labels++)
        if (strcmp(labels->label, label) == 0)
            return labels->value;
    return 0;
}

static bool find_channel(const ovni_event *event, ovni_channel_change *change)
{
    if (event->role == OVNI_POINT || !event->state)
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++)
        if (places[i].model == event->mcv[0] && places[i].channels == event->channels) {
            int32_t value = value_of(ovni_channels[places[i].channel].labels, event->state);
            *change = (ovni_channel_change){places[i].channel, event->role, value};
            return value != 0;
        }
    return false;
}

bool ovni_channel_of(const ovni_event *event, ovni_channel_change *change)
{
    static ovni_channel_change *all;
    static gsize made;
    if (g_once_init_enter(&made)) {
        all = g_new0(ovni_channel_change, ovni_event_count + 1);
        for (size_t i = 0; i < ovni_event_count; i++)
            if (!find_channel(&ovni_events[i], &all[i]))
                all[i].channel = OVNI_CH_COUNT;
        g_once_init_leave(&made, 1);
    }
    uint32_t number = ovni_event_number(event);
    if (number > ovni_event_count)
        return false;
    *change = all[number - 1];
    return change->channel != OVNI_CH_COUNT;
}

const int *ovni_model_version(const char *name)
{
    static const struct {
        const char *name;
        int version[3];
    } models[] = {{"nanos6", {1, 1, 0}}, {"nodes", {1, 0, 0}},  {"kernel", {1, 0, 0}}, {"mpi", {1, 0, 0}},
                  {"ovni", {1, 1, 0}},   {"openmp", {1, 2, 1}}, {"tampi", {1, 0, 0}},  {"nosv", {2, 7, 0}}};
    for (size_t i = 0; i < G_N_ELEMENTS(models); i++)
        if (strcmp(models[i].name, name) == 0)
            return models[i].version;
    return NULL;
}

/* --- numbers of labels: Bob Jenkins' hash of 1997 (lookup2), with the seed of uthash --------------------------------------- */

static void mix(uint32_t n[3])
{
    static const struct {
        uint8_t to;
        int8_t shift; /* right; negative: left */
    } steps[] = {{0, 13}, {1, -8}, {2, 13}, {0, 12}, {1, -16}, {2, 5}, {0, 3}, {1, -10}, {2, 15}};
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        uint8_t a = steps[i].to, b = (uint8_t)((a + 1) % 3), c = (uint8_t)((a + 2) % 3);
        int shift = steps[i].shift;
        n[a] -= n[b];
        n[a] -= n[c];
        n[a] ^= shift > 0 ? n[c] >> shift : n[c] << -shift;
    }
}

uint32_t ovni_label_number(const char *label)
{
    enum { RESERVED = 1000, BLOCK = 12, AWAY_FROM_BAD_COLOURS = 666 };
    size_t length = strlen(label), left = length;
    const uint8_t *at = (const uint8_t *)label;
    uint32_t n[3] = {0x9e3779b9u, 0x9e3779b9u, 0xfeedbeefu};
    for (; left >= BLOCK; left -= BLOCK, at += BLOCK) {
        for (unsigned i = 0; i < BLOCK; i++)
            n[i / 4] += (uint32_t)at[i] << 8 * (i % 4);
        mix(n);
    }
    n[2] += (uint32_t)length;
    for (size_t i = 0; i < left; i++) /* the lowest byte of the last number is the length */
        n[i / 4] += (uint32_t)at[i] << 8 * (i < 8 ? i % 4 : i % 4 + 1);
    mix(n);
    uint32_t number = (n[2] + AWAY_FROM_BAD_COLOURS) & INT32_MAX;
    return number < RESERVED ? number + RESERVED : number;
}
