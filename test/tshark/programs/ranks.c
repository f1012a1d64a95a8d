/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a trace of MPI and nOS-V with the installed library of ovni, as its runtimes would: each rank is a process with a
 * loom of its own, its workers run and pause tasks, and call MPI in them. Clocks are made up and coarse, so that many are
 * equal in several streams. Every thread of a rank plays the same game with the same dice, and writes what is its own.
 *
 * usage: ranks RANKS THREADS STEPS SEED BREAKDOWN, with OVNI_TRACEDIR. BREAKDOWN: 0 or 1, nosv.can_breakdown; 2: it is
 * missing */
#include <ovni.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 16, DEPTH = 8, TYPES = 3, TICK = 64 };

static const char *const calls_of_nosv[] = {"VS[VS]", "VShVSf", "VSNVSn", "VU[VU]", "VMaVMA", "VMfVMF",
                                            "VArVAR", "VAsVAS", "VAyVAY", "VAcVAC", "VAlVAL", "VAtVAT",
                                            "VAuVAU", "VAbVAB", "VAoVAO", "VAgVAG", "VAjVAJ", "VAiVAI"};
static const char *const calls_of_mpi[] = {"MW[MW]", "MWaMWA", "MT[MT]", "MTaMTA", "MS[MS]", "MR[MR]", "Ms[Ms]",
                                           "Mr[Mr]", "MArMAR", "MarMaR", "MCbMCB", "MDbMDB", "ME[ME]"};
static const char body[] = "VTxVTe";

typedef struct thread {
    int cpu;
    bool running, paused; /* its task is */
    uint32_t task;        /* 0: none */
    int depth[2];         /* of nOS-V and MPI */
    const char *open[2][DEPTH];
    char progress;
} thread;

typedef struct game {
    int rank, ranks, threads, self;
    uint64_t clock, dice;
    uint32_t tasks;
    thread all[MOST];
} game;

static int32_t pid_of(int rank)
{
    return 1000 * (rank + 1);
}

static int threads, steps, seed, breakdown, ranks, rank_of_process;

static unsigned roll(game *g, unsigned sides)
{
    g->dice = g->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(g->dice >> 33) % sides;
}

static void emit(const game *g, int t, const char *code, const void *payload, int size)
{
    struct ovni_ev ev = {0};
    if (t != g->self)
        return;
    ovni_ev_set_mcv(&ev, (const char[]){code[0], code[1], code[2], 0});
    ovni_ev_set_clock(&ev, g->clock);
    if (size)
        ovni_payload_add(&ev, payload, size);
    ovni_ev_emit(&ev);
}

static void emit_type(const game *g, uint32_t type)
{
    struct ovni_ev ev = {0};
    uint8_t buffer[32] = {0};
    memcpy(buffer, &type, sizeof type);
    const int n = snprintf((char *)buffer + sizeof type, sizeof buffer - sizeof type, "type %u", type);
    ovni_ev_set_mcv(&ev, "VYc");
    ovni_ev_set_clock(&ev, g->clock);
    if (g->self == 0)
        ovni_ev_jumbo_emit(&ev, buffer, (uint32_t)(sizeof type) + (uint32_t)n + 1);
}

static bool is_free(const game *g, int cpu)
{
    for (int t = 0; t < g->threads; t++)
        if (g->all[t].running && g->all[t].cpu == cpu)
            return false;
    return true;
}

static void pop(game *g, int t, int model)
{
    thread *one = &g->all[t];
    const char *call = one->open[model][--one->depth[model]];
    if (call == body) {
        emit(g, t, call + 3, (uint32_t[]){one->task, 0}, 8);
        one->task = 0;
    } else
        emit(g, t, call + 3, NULL, 0);
}

static void push(game *g, int t, int model, const char *call)
{
    thread *one = &g->all[t];
    one->open[model][one->depth[model]++] = call;
    if (call == body)
        emit(g, t, call, (uint32_t[]){one->task, 0}, 8);
    else
        emit(g, t, call, NULL, 0);
}

static void resume(game *g, int t)
{
    thread *one = &g->all[t];
    emit(g, t, "OHr", NULL, 0);
    one->running = true;
    if (one->paused)
        emit(g, t, "VTr", (uint32_t[]){one->task, 0}, 8);
    if (one->paused)
        pop(g, t, 0);
    one->paused = false;
}

/* What others depend on happens at a time of its own. */
static void step_of_thread(game *g, int t)
{
    thread *one = &g->all[t];
    const int cpu = (int)roll(g, (unsigned)g->threads);
    g->clock += TICK;
    if (!one->running) {
        if (is_free(g, one->cpu))
            resume(g, t);
    } else if (roll(g, 2) && is_free(g, cpu)) {
        emit(g, t, "OAs", &(int32_t){cpu}, 4);
        one->cpu = cpu;
    } else {
        if (one->task && one->depth[0] && one->depth[0] < DEPTH) {
            push(g, t, 0, "VApVAP");
            emit(g, t, "VTp", (uint32_t[]){one->task, 0}, 8);
            one->paused = true;
        }
        if (roll(g, 3) == 0)
            emit(g, t, "OHc", NULL, 0);
        emit(g, t, "OHp", NULL, 0);
        one->running = false;
    }
    g->clock += TICK;
}

/* ovniemu refuses a state that is entered twice; both ways of serving are one. */
static bool is_same(const char *open, const char *call)
{
    return open == call || (strncmp(open, "VS", 2) == 0 && strncmp(call, "VS", 2) == 0);
}

static void step_in_thread(game *g, int t)
{
    thread *one = &g->all[t];
    const int model = roll(g, 3) == 0;
    const char progress = "pra"[roll(g, 3)], *call;
    switch (roll(g, 5)) {
    case 0:
    case 1:
        call = model ? calls_of_mpi[roll(g, sizeof calls_of_mpi / sizeof *calls_of_mpi)]
                     : calls_of_nosv[roll(g, sizeof calls_of_nosv / sizeof *calls_of_nosv)];
        if (one->depth[model] < DEPTH - 2 && !(one->depth[model] && is_same(one->open[model][one->depth[model] - 1], call)))
            push(g, t, model, call);
        break;
    case 2:
    case 3:
        if (one->depth[model] > (model || t == 0 ? 0 : 1))
            pop(g, t, model);
        break;
    default:
        if (!one->task && one->depth[0] < DEPTH - 2) {
            one->task = ++g->tasks;
            emit(g, t, "VTc", (uint32_t[]){one->task, 1 + roll(g, TYPES)}, 8);
            push(g, t, 0, body);
        } else if (one->progress != progress) {
            emit(g, t, (const char[]){'V', 'P', progress, 0}, NULL, 0);
            one->progress = progress;
        }
    }
}

static void begin(game *g)
{
    for (int t = 0; t < g->threads; t++, g->clock += TICK) {
        thread *one = &g->all[t];
        const uint64_t tag = (uint64_t)t;
        const int32_t creator = t ? pid_of(g->rank) : -1;
        uint8_t payload[16];
        *one = (thread){.cpu = t, .running = true, .progress = 'p'};
        memcpy(payload, &(int32_t){t}, 4);
        memcpy(payload + 4, &tag, 8);
        if (t)
            emit(g, 0, "OHC", payload, 12);
        memcpy(payload + 4, &creator, 4);
        memcpy(payload + 8, &tag, 8);
        g->clock += TICK;
        emit(g, t, "OHx", payload, 16);
        if (t)
            push(g, t, 0, "VHwVHW");
        for (uint32_t type = 1; t == 0 && type <= TYPES; type++)
            emit_type(g, type);
        if (t == 0) {
            push(g, t, 1, "MUtMUT");
            pop(g, t, 1);
        }
    }
}

static void end(game *g)
{
    for (int t = g->threads; t-- > 0; g->clock += TICK) {
        for (int other = 0; other < t && !g->all[t].running; other++) /* makes room */
            if (g->all[other].running && g->all[other].cpu == g->all[t].cpu) {
                emit(g, other, "OHp", NULL, 0);
                g->all[other].running = false;
                g->clock += TICK;
            }
        if (!g->all[t].running)
            resume(g, t);
        for (int model = 2; model-- > 0;)
            while (g->all[t].depth[model])
                pop(g, t, model);
        emit(g, t, "OHe", NULL, 0);
        g->all[t].running = false;
    }
}

static void *play(void *number)
{
    game g = {.rank = rank_of_process, .ranks = ranks, .threads = threads, .self = *(int *)number};
    g.clock = UINT64_C(1000000000000);
    g.dice = (uint64_t)seed * 1000 + (uint64_t)g.rank;
    ovni_thread_init(pid_of(g.rank) + g.self);
    ovni_thread_require("nosv", "2.7.0");
    ovni_thread_require("mpi", "1.0.0");
    if (breakdown < 2)
        ovni_attr_set_boolean("nosv.can_breakdown", breakdown);
    ovni_proc_set_rank(g.rank, g.ranks);
    for (int cpu = 0; g.self == 0 && cpu < threads; cpu++)
        ovni_add_cpu(cpu, cpu);
    begin(&g);
    for (int i = 0; i < steps; i++) {
        const int t = (int)roll(&g, (unsigned)g.threads);
        g.clock += TICK * (roll(&g, 3) ? 1 + roll(&g, 4) : 0);
        if (roll(&g, 8) == 0 || !g.all[t].running)
            step_of_thread(&g, t);
        else
            step_in_thread(&g, t);
    }
    g.clock += TICK;
    end(&g);
    ovni_flush();
    ovni_thread_free();
    return NULL;
}

static void be_rank(int rank)
{
    pthread_t made[MOST];
    int numbers[MOST];
    char loom[32];
    snprintf(loom, sizeof loom, "node%d.%d", rank / 2, pid_of(rank));
    rank_of_process = rank;
    ovni_proc_init(1, loom, pid_of(rank));
    for (int t = 0; t < threads; t++) {
        numbers[t] = t;
        if (pthread_create(&made[t], NULL, play, &numbers[t]) != 0)
            exit(1);
    }
    for (int t = 0; t < threads; t++)
        pthread_join(made[t], NULL);
    ovni_proc_fini();
    exit(0);
}

int main(int argc, char **argv)
{
    int failed = argc != 6;
    if (failed)
        return 1;
    ranks = atoi(argv[1]);
    threads = atoi(argv[2]);
    steps = atoi(argv[3]);
    seed = atoi(argv[4]);
    breakdown = atoi(argv[5]);
    if (threads < 1 || threads > MOST)
        return 1;
    for (int rank = 0; rank < ranks; rank++)
        if (fork() == 0)
            be_rank(rank);
    for (int status; wait(&status) > 0;)
        failed |= status;
    return failed != 0;
}
