/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and labels are those in the .pcf files that ovniemu 1.14.0 writes, in their order. */
#include "ovni/emulator/channels.h"

#include <glib.h>
#include <string.h>

/* clang-format off */
static const ovni_value_label nanos6_ss_values[] = {
    {2, "Unknown subsystem"}, {1, "6Tx"}, {3, "6C["}, {4, "6U["}, {5, "6F["}, {6, "6O["}, {9, "6S["}, {7, "6Sa"},
    {8, "6Sp"}, {10, "6Dr"}, {11, "6Du"}, {12, "6Bw"}, {14, "6Bb"}, {15, "6Bu"}, {13, "6Bf"}, {18, "6Wt"},
    {19, "6W["}, {20, "6Ww"}, {21, "6Wm"}, {22, "6Ws"}, {23, "6Wr"}, {24, "6Wg"}, {16, "6Ma"}, {17, "6Mf"},
    {61, "EV Scheduler: Send task"}, {60, "EV Scheduler: Recv task"},
    {62, "EV Scheduler: Self-assign task"}, {63, "EV CPU: Becomes idle"}, {64, "EV CPU: Becomes active"},
    {65, "EV Worker: Waking another thread"}, {0, NULL},
};
static const ovni_value_label nanos6_thread_type[] = {
    {4, "6He"}, {3, "6Hw"}, {1, "6Hl"}, {2, "6Hm"}, {0, NULL},
};
static const ovni_value_label worker_idle[] = {
    {100, "6Pp"}, {101, "6Pr"}, {102, "6Pa"}, {0, NULL},
};
static const ovni_value_label nodes_ss_values[] = {
    {1, "DR["}, {2, "DU["}, {3, "DW["}, {4, "DI["}, {5, "DT["}, {6, "DC["}, {7, "DS["}, {8, "DP["}, {0, NULL},
};
static const ovni_value_label kernel_cs_values[] = {
    {3, "KCO"}, {0, NULL},
};
static const ovni_value_label mpi_function_values[] = {
    {1, "MUi"}, {2, "MUt"}, {3, "MUf"}, {4, "MW["}, {5, "MWa"}, {6, "MWy"}, {7, "MWs"}, {8, "MT["}, {9, "MTa"},
    {10, "MTy"}, {11, "MTs"}, {12, "MR["}, {13, "MS["}, {14, "MSb"}, {15, "MSr"}, {16, "MSs"}, {17, "MRs"},
    {18, "MRo"}, {19, "Mr["}, {20, "Ms["}, {21, "Msb"}, {22, "Msr"}, {23, "Mss"}, {24, "Mrs"}, {25, "Mro"},
    {26, "MAg"}, {27, "MAr"}, {28, "MAa"}, {29, "MCb"}, {30, "MDb"}, {31, "MDg"}, {32, "ME["}, {33, "MEs"},
    {34, "MEb"}, {35, "MDs"}, {36, "MCs"}, {37, "MCe"}, {38, "Mag"}, {39, "Mar"}, {40, "Maa"}, {41, "Mcb"},
    {42, "Mdb"}, {43, "Mdg"}, {44, "Me["}, {45, "Mes"}, {46, "Meb"}, {47, "Mds"}, {48, "Mcs"}, {49, "Mce"}, {0, NULL},
};
static const ovni_value_label openmp_subsystem_values[] = {
    {9, "PWd"}, {10, "PWc"}, {11, "PWy"}, {12, "PWs"}, {13, "PWe"}, {14, "PWi"}, {15, "PTa"}, {16, "PTc"},
    {17, "PTd"}, {18, "PTr"}, {19, "PT["}, {20, "PTi"}, {21, "PTs"}, {22, "PTg"}, {23, "PTt"}, {24, "PTw"},
    {25, "PTy"}, {6, "PIa"}, {7, "PIr"}, {8, "PI["}, {1, "PBf"}, {2, "PBj"}, {3, "PBb"}, {5, "PBt"},
    {4, "Barrier: Spin wait"}, {26, "PA["}, {27, "PCf"}, {28, "PCi"}, {29, "PMi"}, {30, "PMu"}, {31, "PH["}, {0, NULL},
};
static const ovni_value_label tampi_ss_values[] = {
    {1, "TCi"}, {2, "TGc"}, {3, "TLi"}, {4, "TLp"}, {5, "TQa"}, {6, "TQt"}, {8, "TRt"}, {7, "TRc"}, {9, "TRa"},
    {10, "TRs"}, {11, "TTc"}, {12, "TTw"}, {0, NULL},
};
static const ovni_value_label nosv_ss_values[] = {
    {2, "Unknown subsystem"}, {6, "VSh"}, {7, "VS["}, {8, "VU["}, {9, "VMa"}, {10, "VMf"}, {11, "VTx"},
    {12, "VAr"}, {13, "VAd"}, {14, "VAs"}, {15, "VAp"}, {16, "VAy"}, {17, "VAw"}, {18, "VAc"}, {19, "VAa"},
    {20, "VAe"}, {21, "VAl"}, {22, "VAt"}, {23, "VAu"}, {24, "VAb"}, {25, "VAo"}, {26, "VAg"}, {27, "VAk"},
    {28, "VAj"}, {29, "VAm"}, {30, "VAi"}, {31, "VAn"}, {32, "VHw"}, {33, "VHd"}, {35, "EV Scheduler: Send task"},
    {34, "EV Scheduler: Recv task"}, {36, "EV Scheduler: Self-assign task"}, {0, NULL},
};
static const ovni_value_label flush_values[] = {
    {1, "OF["}, {0, NULL},
};
const ovni_value_label ovni_thread_labels[] = {
    {0, "Unknown"}, {1, "OHr"}, {2, "OHp"}, {3, "OHe"}, {4, "OHc"}, {5, "OHw"}, {0, NULL},
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
    [OVNI_CH_NANOS6_IDLE] = {'6', OVNI_CH_SKIP, RUNNING, 40, "Nanos6 idle state", worker_idle},
    [OVNI_CH_NODES_SUBSYSTEM] = {'D', STACK | OVNI_CH_SKIP, ACTIVE, 30, "NODES subsystem", nodes_ss_values},
    [OVNI_CH_KERNEL_SWITCH] = {'K', STACK | OVNI_CH_SKIP, ANY, 45, "Kernel context switch", kernel_cs_values},
    [OVNI_CH_MPI_FUNCTION] = {'M', STACK | OVNI_CH_SKIP, RUNNING, 25, "MPI function", mpi_function_values},
    [OVNI_CH_FLUSH] = {'O', OVNI_CH_SKIP, ANY, 7, "Flushing ovni buffer", flush_values},
    [OVNI_CH_OPENMP_SUBSYSTEM] = {'P', STACK | REPEATS, ACTIVE, 50, "OpenMP subsystem", openmp_subsystem_values},
    [OVNI_CH_OPENMP_LABEL] = {'P', STACK | REPEATS, ACTIVE, 51, "OpenMP label", NULL},
    [OVNI_CH_OPENMP_TASK] = {'P', STACK | REPEATS, ACTIVE, 52, "OpenMP task ID", NULL},
    [OVNI_CH_TAMPI_SUBSYSTEM] = {'T', STACK | OVNI_CH_SKIP, ACTIVE, 20, "TAMPI subsystem", tampi_ss_values},
    [OVNI_CH_NOSV_BODY] = {'V', REPEATS, RUNNING, 15, "nOS-V task body ID", NULL},
    [OVNI_CH_NOSV_TASK] = {'V', 0, RUNNING, 10, "nOS-V task ID", NULL},
    [OVNI_CH_NOSV_TYPE] = {'V', REPEATS, RUNNING, 11, "nOS-V task type", NULL},
    [OVNI_CH_NOSV_APP] = {'V', REPEATS, RUNNING, 12, "nOS-V task AppID", NULL},
    [OVNI_CH_NOSV_SUBSYSTEM] = {'V', STACK | REPEATS, ACTIVE, 13, "nOS-V subsystem", nosv_ss_values},
    [OVNI_CH_NOSV_RANK] = {'V', REPEATS, RUNNING, 14, "nOS-V task MPI rank", NULL},
    [OVNI_CH_NOSV_IDLE] = {'V', 0, RUNNING, 16, "nOS-V idle state", worker_idle},
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

const char *ovni_value_words(const ovni_value_label *l)
{
    return strlen(l->of) == 3 ? ovni_event_find(OVNI_ERA_UNKNOWN, l->of, 0)->state : l->of;
}

static int32_t ovni_channels_value_of(const ovni_value_label *labels, const char *state)
{
    for (; labels && labels->of; labels++)
        if (strcmp(ovni_value_words(labels), state) == 0)
            return labels->value;
    return 0;
}

static bool find_channel(const ovni_event *event, ovni_channel_change *change)
{
    if (event->role == OVNI_POINT || !event->state)
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++)
        if (places[i].model == event->mcv[0] && places[i].channels == event->channels) {
            int32_t value = ovni_channels_value_of(ovni_channels[places[i].channel].labels, event->state);
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

const int ovni_model_versions[OVNI_MODEL_COUNT][3] = {
    [OVNI_MODEL_NANOS6] = {1, 1, 0}, [OVNI_MODEL_NODES] = {1, 0, 0}, [OVNI_MODEL_KERNEL] = {1, 0, 0},
    [OVNI_MODEL_MPI] = {1, 0, 0},    [OVNI_MODEL_OVNI] = {1, 1, 0},  [OVNI_MODEL_OPENMP] = {1, 2, 1},
    [OVNI_MODEL_TAMPI] = {1, 0, 0},  [OVNI_MODEL_NOSV] = {2, 7, 0},
};

/* --- numbers of labels: Bob Jenkins' hash of 1997 (lookup2), with the seed of uthash
 * --------------------------------------- */

static void ovni_channels_mix(uint32_t n[3])
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
        ovni_channels_mix(n);
    }
    n[2] += (uint32_t)length;
    for (size_t i = 0; i < left; i++) /* the lowest byte of the last number is the length */
        n[i / 4] += (uint32_t)at[i] << 8 * (i < 8 ? i % 4 : i % 4 + 1);
    ovni_channels_mix(n);
    uint32_t number = (n[2] + AWAY_FROM_BAD_COLOURS) & INT32_MAX;
    return number < RESERVED ? number + RESERVED : number;
}
