/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event tables: only data, in the order of ovni's documentation, one row per event or pair of events. Source: the
 * event lists of ovni 1.14.0, of its older releases, and its history before 1.0.0. */
#include "ovni/events/events.h"

/* The event may be jumbo, and has a role. */
#define POINT false, OVNI_POINT
#define PUSH false, OVNI_PUSH
#define POP false, OVNI_POP
#define SET false, OVNI_SET
#define JUMBO_POINT true, OVNI_POINT
#define JUMBO_SET true, OVNI_SET

#define ON_CPU OVNI_ON_CPU
#define THREAD_STATE OVNI_THREAD_STATE
#define FLUSH OVNI_FLUSH
#define MARK OVNI_MARK
#define SUBSYSTEM OVNI_SUBSYSTEM
#define TASK OVNI_TASK
#define RUN (OVNI_SUBSYSTEM | OVNI_TASK)
#define IDLE OVNI_IDLE
#define THREAD_TYPE OVNI_THREAD_TYPE
#define COUNTERS OVNI_COUNTERS
#define FUNCTION OVNI_FUNCTION
#define CONTEXT_SWITCH OVNI_CONTEXT_SWITCH
#define LABEL OVNI_TASK_LABEL
#define MODE OVNI_MODE

/* Arguments in the order of the payload. */
/* clang-format off */
#define NONE {{OVNI_NO_ARGUMENT, 0}}
#define CPU_INDEX {{OVNI_I32, OVNI_CPU}}
#define CPU_TID {{OVNI_I32, OVNI_CPU}, {OVNI_I32, OVNI_TID}}
#define CPU_TAG {{OVNI_I32, OVNI_CPU}, {OVNI_U64, OVNI_TAG}}
#define START {{OVNI_I32, OVNI_CPU}, {OVNI_I32, OVNI_TID}, {OVNI_U64, OVNI_TAG}}
#define MARK_VALUE {{OVNI_I64, OVNI_VALUE}, {OVNI_I32, OVNI_TYPE}}
#define TASK_ID {{OVNI_U32, OVNI_TASKID}}
#define TASK_TYPE {{OVNI_U32, OVNI_TASKID}, {OVNI_U32, OVNI_TYPEID}}
#define TASK_BODY {{OVNI_U32, OVNI_TASKID}, {OVNI_U32, OVNI_BODYID}}
#define TYPE_ID {{OVNI_U32, OVNI_TYPEID}}
#define TYPE_LABEL {{OVNI_U32, OVNI_TYPEID}, {OVNI_STR, OVNI_LABEL}}
#define COUNTER {{OVNI_I64, OVNI_VALUE}, {OVNI_REPEAT, 0}}

/* Pairs of events that mark the begin and the end of something. */
#define PAIR(open, close, channels, state, since, text)                                                                \
    {open, close, PUSH, channels, state, since, text " starts", NONE},                                                 \
    {close, open, POP, channels, state, since, text " ends", NONE}
#define POINTS(open, close, since, text)                                                                               \
    {open, close, POINT, 0, NULL, since, text " starts", NONE},                                                        \
    {close, open, POINT, 0, NULL, since, text " ends", NONE}
#define CALL(open, close, channels, state, since, function)                                                            \
    {open, close, PUSH, channels, state, since, function " is called", NONE},                                          \
    {close, open, POP, channels, state, since, function " returns", NONE}
#define API(open, close, state, since, function) CALL(open, close, SUBSYSTEM, "API: " state, since, function)
#define MPI(open, close, function) CALL(open, close, FUNCTION, function, "1.3.0", function)
#define TAMPI(open, close, state, text) PAIR(open, close, SUBSYSTEM, state, "1.3.0", text)

const ovni_event ovni_events[] = {
    /* ovni, O, model version 1.1.0 */
    {"OAr", "", SET, ON_CPU, "(CPU of thread tid)", "1.0.0", "thread {tid} is moved to CPU {cpu}", CPU_TID},
    {"OAs", "", SET, ON_CPU, "(CPU of the thread)", "1.0.0", "thread moves itself to CPU {cpu}", CPU_INDEX},
    {"OB.", "", POINT, 0, NULL, "1.0.0", "burst probe, measures the cost of an event", NONE},
    {"OHC", "", POINT, 0, NULL, "1.0.0", "thread creation is near for CPU {cpu}, tag {tag}", CPU_TAG},
    {"OHc", "", SET, THREAD_STATE, "Cooling", "1.0.0", "thread becomes Cooling (pause is near)", NONE},
    {"OHe", "", SET, THREAD_STATE, "Dead", "1.0.0", "thread ends, becomes Dead", NONE},
    {"OHp", "OHr", SET, THREAD_STATE, "Paused", "1.0.0", "thread becomes Paused", NONE},
    {"OHr", "OHp", SET, THREAD_STATE, "Running", "1.0.0", "thread becomes Running again", NONE},
    {"OHw", "", SET, THREAD_STATE, "Warming", "1.0.0", "thread becomes Warming (running is near)", NONE},
    {"OHx", "", SET, THREAD_STATE, "Running", "1.0.0", "thread starts on CPU {cpu}, creator {tid}, tag {tag}", START},
    {"OCn", "", POINT, 0, NULL, "1.1.0", "number of CPUs is {cpu} (old notice, ignored)", CPU_INDEX},
    PAIR("OF[", "OF]", FLUSH, "Flushing", "1.0.0", "flush of the buffer to the stream file"),
    PAIR("OU[", "OU]", 0, "(unsorted region)", "1.0.0", "sort region of events with earlier clocks"),
    {"OM[", "OM]", PUSH, MARK, "(label of value)", "1.10.0", "mark of type {type} pushes {value}", MARK_VALUE},
    {"OM]", "OM[", POP, MARK, "(label of value)", "1.10.0", "mark of type {type} pops {value}", MARK_VALUE},
    {"OM=", "", SET, MARK, "(label of value)", "1.10.0", "mark of type {type} becomes {value}", MARK_VALUE},

    /* nanos6, 6, model version 1.1.0 */
    {"6Yc", "", JUMBO_POINT, 0, NULL, "1.0.0", "task type {typeid} is named {label}", TYPE_LABEL},
    {"6Tc", "", POINT, 0, NULL, "1.0.0", "task {taskid} of type {typeid} is created", TASK_TYPE},
    {"6Tx", "6Te", PUSH, RUN, "Task: Running body", "1.0.0", "task {taskid} starts", TASK_ID},
    {"6Te", "6Tx", POP, RUN, "Task: Running body", "1.0.0", "task {taskid} ends", TASK_ID},
    {"6Tp", "6Tr", SET, TASK, "(task paused)", "1.0.0", "task {taskid} is paused", TASK_ID},
    {"6Tr", "6Tp", SET, TASK, "(task running)", "1.0.0", "task {taskid} goes on", TASK_ID},
    PAIR("6W[", "6W]", SUBSYSTEM, "Worker: Looking for work", "1.0.0", "worker main loop"),
    PAIR("6Wt", "6WT", SUBSYSTEM, "Worker: Handling task", "1.0.0", "handleTask() on a task"),
    PAIR("6Ww", "6WW", SUBSYSTEM, "Worker: Switching to another thread", "1.0.0", "switchTo() to a different worker"),
    PAIR("6Wm", "6WM", SUBSYSTEM, "Worker: Migrating CPU", "1.0.0", "move of this worker to another CPU"),
    PAIR("6Ws", "6WS", SUBSYSTEM, "Worker: Suspending thread", "1.0.0", "suspend() of this worker"),
    PAIR("6Wr", "6WR", SUBSYSTEM, "Worker: Resuming another thread", "1.0.0", "resume() of a different worker"),
    PAIR("6Wg", "6WG", SUBSYSTEM, "Worker: Sponge mode", "1.2.0", "sponge mode (CPU left to system noise)"),
    {"6W*", "", POINT, 0, NULL, "1.0.0", "wake-up signal sent to another worker", NONE},
    {"6Pp", "", SET, IDLE, "Progressing", "1.2.0", "thread is progressing", NONE},
    {"6Pr", "", SET, IDLE, "Resting", "1.2.0", "thread is resting", NONE},
    {"6Pa", "", SET, IDLE, "Absorbing noise", "1.2.0", "thread is absorbing noise", NONE},
    PAIR("6C[", "6C]", SUBSYSTEM, "Task: Creating", "1.0.0", "task creation"),
    PAIR("6U[", "6U]", SUBSYSTEM, "Task: Submitting", "1.0.0", "submitTask()"),
    PAIR("6F[", "6F]", SUBSYSTEM, "Task: Spawning function", "1.0.0", "spawnFunction()"),
    POINTS("6t[", "6t]", "1.0.0", "outline of a task body (bookkeeping only)"),
    PAIR("6O[", "6O]", SUBSYSTEM, "Task: Running task for", "1.0.0", "taskfor collaborator body (deprecated)"),
    PAIR("6Ma", "6MA", SUBSYSTEM, "Memory: Allocating", "1.0.0", "memory allocation"),
    PAIR("6Mf", "6MF", SUBSYSTEM, "Memory: Freeing", "1.0.0", "memory release"),
    PAIR("6Dr", "6DR", SUBSYSTEM, "Dependency: Registering", "1.0.0", "registration of the accesses of a task"),
    PAIR("6Du", "6DU", SUBSYSTEM, "Dependency: Unregistering", "1.0.0", "unregistration of the accesses of a task"),
    PAIR("6S[", "6S]", SUBSYSTEM, "Scheduler: Serving tasks", "1.0.0", "serving tasks from the scheduler"),
    PAIR("6Sa", "6SA", SUBSYSTEM, "Scheduler: Adding ready tasks", "1.0.0", "addReadyTask()"),
    PAIR("6Sp", "6SP", SUBSYSTEM, "Scheduler: Processing ready tasks", "1.0.0", "processReadyTasks()"),
    {"6S@", "", POINT, 0, NULL, "1.0.0", "worker gives a task to itself", NONE},
    {"6Sr", "", POINT, 0, NULL, "1.0.0", "task obtained from another thread", NONE},
    {"6Ss", "", POINT, 0, NULL, "1.0.0", "task handed to another thread", NONE},
    PAIR("6Bb", "6BB", SUBSYSTEM, "Blocking: Blocking current task", "1.0.0", "blocking the running task"),
    PAIR("6Bu", "6BU", SUBSYSTEM, "Blocking: Unblocking remote task", "1.0.0", "unblocking some task"),
    PAIR("6Bw", "6BW", SUBSYSTEM, "Blocking: Taskwait", "1.0.0", "taskwait"),
    PAIR("6Bf", "6BF", SUBSYSTEM, "Blocking: Wait for deadline", "1.0.0", "timed wait (waitFor)"),
    PAIR("6He", "6HE", THREAD_TYPE, "External", "1.0.0", "life as external thread"),
    PAIR("6Hw", "6HW", THREAD_TYPE, "Worker", "1.0.0", "life as worker thread"),
    PAIR("6Hl", "6HL", THREAD_TYPE, "Leader", "1.0.0", "life as leader thread"),
    PAIR("6Hm", "6HM", THREAD_TYPE, "Main", "1.0.0", "life as main thread"),

    /* nosv, V, model version 2.7.0 */
    {"VTc", "", POINT, 0, NULL, "1.0.0", "task {taskid} of type {typeid} is created", TASK_TYPE},
    {"VTC", "", POINT, 0, NULL, "1.8.0", "parallel task {taskid} of type {typeid} is created", TASK_TYPE},
    {"VTx", "VTe", PUSH, RUN, "Task: In body", "1.0.0", "task {taskid} starts, body {bodyid}", TASK_BODY},
    {"VTe", "VTx", POP, RUN, "Task: In body", "1.0.0", "task {taskid} ends, body {bodyid}", TASK_BODY},
    {"VTp", "VTr", SET, TASK, "(task paused)", "1.0.0", "task {taskid} is paused, body {bodyid}", TASK_BODY},
    {"VTr", "VTp", SET, TASK, "(task running)", "1.0.0", "task {taskid} goes on, body {bodyid}", TASK_BODY},
    {"VYc", "", JUMBO_POINT, 0, NULL, "1.0.0", "task type {typeid} is named {label}", TYPE_LABEL},
    {"VSr", "", POINT, 0, NULL, "1.0.0", "task obtained from another thread", NONE},
    {"VSs", "", POINT, 0, NULL, "1.0.0", "task handed to another thread", NONE},
    {"VS@", "", POINT, 0, NULL, "1.0.0", "thread gives a task to itself", NONE},
    PAIR("VSh", "VSf", SUBSYSTEM, "Scheduler: Hungry", "1.0.0", "hungry wait for work"),
    PAIR("VS[", "VS]", SUBSYSTEM, "Scheduler: Serving", "1.0.0", "scheduler server (blocking)"),
    PAIR("VSN", "VSn", SUBSYSTEM, "Scheduler: Serving", "1.12.0", "scheduler server (non-blocking)"),
    PAIR("VU[", "VU]", SUBSYSTEM, "Scheduler: Submitting", "1.0.0", "task submission"),
    PAIR("VMa", "VMA", SUBSYSTEM, "Memory: Allocating", "1.0.0", "memory allocation"),
    PAIR("VMf", "VMF", SUBSYSTEM, "Memory: Freeing", "1.0.0", "memory release"),
    API("VAr", "VAR", "Create", "1.3.0", "nosv_create"),
    API("VAd", "VAD", "Destroy", "1.3.0", "nosv_destroy"),
    API("VAs", "VAS", "Submit", "1.0.0", "nosv_submit"),
    API("VAp", "VAP", "Pause", "1.0.0", "nosv_pause"),
    API("VAy", "VAY", "Yield", "1.0.0", "nosv_yield"),
    API("VAw", "VAW", "Waitfor", "1.0.0", "nosv_waitfor"),
    API("VAc", "VAC", "Scheduling point", "1.0.0", "nosv_schedpoint"),
    API("VAa", "VAA", "Attach", "1.7.0", "nosv_attach"),
    API("VAe", "VAE", "Detach", "1.7.0", "nosv_detach"),
    API("VAl", "VAL", "Mutex lock", "1.9.0", "nosv_mutex_lock"),
    API("VAt", "VAT", "Mutex trylock", "1.9.0", "nosv_mutex_trylock"),
    API("VAu", "VAU", "Mutex unlock", "1.9.0", "nosv_mutex_unlock"),
    API("VAb", "VAB", "Barrier wait", "1.9.0", "nosv_barrier_wait"),
    API("VAo", "VAO", "Cond wait", "1.11.0", "nosv_cond_wait"),
    API("VAg", "VAG", "Cond signal", "1.11.0", "nosv_cond_signal"),
    API("VAk", "VAK", "Cond broadcast", "1.11.0", "nosv_cond_broadcast"),
    API("VAj", "VAJ", "Join", "1.14.0", "nosv_join"),
    API("VAm", "VAM", "Join all", "1.14.0", "nosv_join_all"),
    API("VAi", "VAI", "Wait", "1.14.0", "nosv_wait"),
    API("VAn", "VAN", "Wait all", "1.14.0", "nosv_wait_all"),
    POINTS("VHa", "VHA", "1.0.0", "attach or detach (old form)"),
    PAIR("VHw", "VHW", SUBSYSTEM, "Thread: Worker", "1.0.0", "life as worker thread"),
    PAIR("VHd", "VHD", SUBSYSTEM, "Thread: Delegate", "1.0.0", "life as delegate thread"),
    {"VPp", "", SET, IDLE, "Progressing", "1.10.0", "thread is progressing", NONE},
    {"VPr", "", SET, IDLE, "Resting", "1.10.0", "thread is resting", NONE},
    {"VPa", "", SET, IDLE, "Absorbing noise", "1.10.0", "thread is absorbing noise", NONE},
    {"VWC", "", JUMBO_SET, COUNTERS, "(counter values)", "1.13.0", "hardware counters grew by {value}", COUNTER},

    /* nodes, D, model version 1.0.0 */
    PAIR("DR[", "DR]", SUBSYSTEM, "Dependencies: Registering task accesses", "1.0.0", "access registration"),
    PAIR("DU[", "DU]", SUBSYSTEM, "Dependencies: Unregistering task accesses", "1.0.0", "access unregistration"),
    PAIR("DW[", "DW]", SUBSYSTEM, "If0: Waiting for an If0 task", "1.0.0", "wait for an if(0) task"),
    PAIR("DI[", "DI]", SUBSYSTEM, "If0: Executing an If0 task inline", "1.0.0", "if(0) task run in place"),
    PAIR("DT[", "DT]", SUBSYSTEM, "Taskwait: Taskwait", "1.0.0", "taskwait"),
    PAIR("DC[", "DC]", SUBSYSTEM, "Add Task: Creating a task", "1.0.0", "task creation"),
    PAIR("DS[", "DS]", SUBSYSTEM, "Add Task: Submitting a task", "1.0.0", "task submission"),
    PAIR("DP[", "DP]", SUBSYSTEM, "Spawn Function: Spawning a function", "1.0.0", "function spawn"),

    /* kernel, K, model version 1.0.0 */
    {"KCO", "KCI", PUSH, CONTEXT_SWITCH, "Context switch: Out of the CPU", "1.0.0", "thread leaves the CPU", NONE},
    {"KCI", "KCO", POP, CONTEXT_SWITCH, "Context switch: Out of the CPU", "1.0.0", "thread is back on the CPU", NONE},

    /* mpi, M, model version 1.0.0 */
    MPI("MUf", "MUF", "MPI_Finalize"),
    MPI("MUi", "MUI", "MPI_Init"),
    MPI("MUt", "MUT", "MPI_Init_thread"),
    MPI("MW[", "MW]", "MPI_Wait"),
    MPI("MWa", "MWA", "MPI_Waitall"),
    MPI("MWs", "MWS", "MPI_Waitsome"),
    MPI("MWy", "MWY", "MPI_Waitany"),
    MPI("MT[", "MT]", "MPI_Test"),
    MPI("MTa", "MTA", "MPI_Testall"),
    MPI("MTy", "MTY", "MPI_Testany"),
    MPI("MTs", "MTS", "MPI_Testsome"),
    MPI("MS[", "MS]", "MPI_Send"),
    MPI("MSb", "MSB", "MPI_Bsend"),
    MPI("MSr", "MSR", "MPI_Rsend"),
    MPI("MSs", "MSS", "MPI_Ssend"),
    MPI("MR[", "MR]", "MPI_Recv"),
    MPI("MRs", "MRS", "MPI_Sendrecv"),
    MPI("MRo", "MRO", "MPI_Sendrecv_replace"),
    MPI("MAg", "MAG", "MPI_Allgather"),
    MPI("MAr", "MAR", "MPI_Allreduce"),
    MPI("MAa", "MAA", "MPI_Alltoall"),
    MPI("MCb", "MCB", "MPI_Barrier"),
    MPI("MCe", "MCE", "MPI_Exscan"),
    MPI("MCs", "MCS", "MPI_Scan"),
    MPI("MDb", "MDB", "MPI_Bcast"),
    MPI("MDg", "MDG", "MPI_Gather"),
    MPI("MDs", "MDS", "MPI_Scatter"),
    MPI("ME[", "ME]", "MPI_Reduce"),
    MPI("MEs", "MES", "MPI_Reduce_scatter"),
    MPI("MEb", "MEB", "MPI_Reduce_scatter_block"),
    MPI("Ms[", "Ms]", "MPI_Isend"),
    MPI("Msb", "MsB", "MPI_Ibsend"),
    MPI("Msr", "MsR", "MPI_Irsend"),
    MPI("Mss", "MsS", "MPI_Issend"),
    MPI("Mr[", "Mr]", "MPI_Irecv"),
    MPI("Mrs", "MrS", "MPI_Isendrecv"),
    MPI("Mro", "MrO", "MPI_Isendrecv_replace"),
    MPI("Mag", "MaG", "MPI_Iallgather"),
    MPI("Mar", "MaR", "MPI_Iallreduce"),
    MPI("Maa", "MaA", "MPI_Ialltoall"),
    MPI("Mcb", "McB", "MPI_Ibarrier"),
    MPI("Mce", "McE", "MPI_Iexscan"),
    MPI("Mcs", "McS", "MPI_Iscan"),
    MPI("Mdb", "MdB", "MPI_Ibcast"),
    MPI("Mdg", "MdG", "MPI_Igather"),
    MPI("Mds", "MdS", "MPI_Iscatter"),
    MPI("Me[", "Me]", "MPI_Ireduce"),
    MPI("Mes", "MeS", "MPI_Ireduce_scatter"),
    MPI("Meb", "MeB", "MPI_Ireduce_scatter_block"),

    /* tampi, T, model version 1.0.0 */
    TAMPI("TCi", "TCI", "Communication: Issuing a non-blocking operation", "launch of a non-blocking operation"),
    TAMPI("TGc", "TGC", "Global array: Checking pending requests", "scan of pending requests in the global array"),
    TAMPI("TLi", "TLI", "Library code: Interface function", "TAMPI code behind an API call"),
    TAMPI("TLp", "TLP", "Library code: Polling function", "TAMPI code behind a polling call"),
    TAMPI("TQa", "TQA", "Queue: Adding to a queue", "insertion of tickets or requests in a queue"),
    TAMPI("TQt", "TQT", "Queue: Transfering to global array", "transfer from queues to the global array"),
    TAMPI("TRc", "TRC", "Request: Processing a completed request", "handling of a finished request"),
    TAMPI("TRt", "TRT", "Request: Testing a request", "MPI_Test on one request"),
    TAMPI("TRa", "TRA", "Request: Testing all requests", "MPI_Testall on several requests"),
    TAMPI("TRs", "TRS", "Request: Testing some requests", "MPI_Testsome on several requests"),
    TAMPI("TTc", "TTC", "Ticket: Creating a ticket", "creation of a ticket for requests and a task"),
    TAMPI("TTw", "TTW", "Ticket: Waiting a ticket", "wait for a ticket"),

    /* openmp, P, model version 1.2.1 */
    PAIR("PBb", "PBB", SUBSYSTEM, "Barrier: Plain", "1.7.0", "plain barrier"),
    PAIR("PBj", "PBJ", SUBSYSTEM, "Barrier: Join", "1.7.0", "join barrier"),
    PAIR("PBf", "PBF", SUBSYSTEM, "Barrier: Fork", "1.7.0", "fork barrier"),
    PAIR("PBt", "PBT", SUBSYSTEM, "Barrier: Task", "1.7.0", "tasking barrier"),
    POINTS("PBs", "PBS", "1.7.0", "spin wait (no state change)"),
    PAIR("PIa", "PIA", SUBSYSTEM, "Critical: Acquiring", "1.7.0", "acquisition of a critical"),
    PAIR("PIr", "PIR", SUBSYSTEM, "Critical: Releasing", "1.7.0", "release of a critical"),
    PAIR("PI[", "PI]", SUBSYSTEM, "Critical: Section", "1.7.0", "critical section code"),
    PAIR("PWd", "PWD", SUBSYSTEM, "Work-distribution: Distribute", "1.7.0", "distribute"),
    PAIR("PWy", "PWY", SUBSYSTEM, "Work-distribution: Dynamic for initialization", "1.7.0", "set-up of a dynamic for"),
    PAIR("PWc", "PWC", SUBSYSTEM, "Work-distribution: Dynamic for chunk", "1.7.0", "chunk of a dynamic for"),
    PAIR("PWs", "PWS", SUBSYSTEM, "Work-distribution: Static for chunk", "1.7.0", "static for"),
    PAIR("PWe", "PWE", SUBSYSTEM, "Work-distribution: Section", "1.7.0", "section"),
    PAIR("PWi", "PWI", SUBSYSTEM, "Work-distribution: Single", "1.7.0", "single"),
    PAIR("PTa", "PTA", SUBSYSTEM, "Task: Allocation", "1.7.0", "task allocation"),
    PAIR("PTc", "PTC", SUBSYSTEM, "Task: Check deps", "1.7.0", "check of task dependences"),
    PAIR("PTd", "PTD", SUBSYSTEM, "Task: Duplicating", "1.7.0", "task duplication"),
    PAIR("PTr", "PTR", SUBSYSTEM, "Task: Releasing deps", "1.7.0", "release of task dependences"),
    PAIR("PT[", "PT]", SUBSYSTEM, "Task: Running task", "1.7.0", "task execution"),
    PAIR("PTi", "PTI", SUBSYSTEM, "Task: Running task if0", "1.7.0", "if(0) task execution"),
    PAIR("PTs", "PTS", SUBSYSTEM, "Task: Scheduling", "1.7.0", "task scheduling"),
    PAIR("PTg", "PTG", SUBSYSTEM, "Task: Taskgroup", "1.7.0", "taskgroup"),
    PAIR("PTt", "PTT", SUBSYSTEM, "Task: Taskwait", "1.7.0", "taskwait"),
    PAIR("PTw", "PTW", SUBSYSTEM, "Task: Taskwait deps", "1.7.0", "taskwait with dependences"),
    PAIR("PTy", "PTY", SUBSYSTEM, "Task: Taskyield", "1.7.0", "taskyield"),
    PAIR("PA[", "PA]", SUBSYSTEM, "Runtime: Attached", "1.7.0", "attachment to the runtime"),
    PAIR("PMi", "PMI", SUBSYSTEM, "Runtime: Internal microtask", "1.7.0", "runtime part of a microtask"),
    PAIR("PMu", "PMU", SUBSYSTEM, "Runtime: User microtask", "1.7.0", "user part of a microtask"),
    PAIR("PH[", "PH]", SUBSYSTEM, "Runtime: Worker main loop", "1.7.0", "worker loop"),
    PAIR("PCf", "PCF", SUBSYSTEM, "Runtime: Fork call", "1.7.0", "fork call"),
    PAIR("PCi", "PCI", SUBSYSTEM, "Runtime: Initialization", "1.7.0", "runtime initialization"),
    {"POc", "", JUMBO_POINT, 0, NULL, "1.12.0", "type {typeid} of tasks and worksharings is named {label}", TYPE_LABEL},
    {"PPc", "", POINT, 0, NULL, "1.12.0", "task {taskid} of type {typeid} is created", TASK_TYPE},
    {"PPx", "PPe", PUSH, TASK | LABEL, "(task id, label of type)", "1.12.0", "task {taskid} starts", TASK_ID},
    {"PPe", "PPx", POP, TASK | LABEL, "(task id, label of type)", "1.12.0", "task {taskid} ends", TASK_ID},
    {"PQx", "PQe", PUSH, LABEL, "(label of type)", "1.12.0", "worksharing of type {typeid} starts", TYPE_ID},
    {"PQe", "PQx", POP, LABEL, "(label of type)", "1.12.0", "worksharing of type {typeid} ends", TYPE_ID},
};
const size_t ovni_event_count = sizeof ovni_events / sizeof *ovni_events;

/* When a code of an older release applies. MT[ and MT] mean different events in two eras, which the directory layout
 * distinguishes. If even that is not enough, today's meaning applies. */
#define NEVER 0
#define BEFORE_1_0 (1 << OVNI_ERA_HEADERLESS)
#define UNTIL_1_0 (1 << OVNI_ERA_HEADERLESS | 1 << OVNI_ERA_PLAIN)
#define ALWAYS 0xff
#define OLD_PAIR(open, close, channels, state, since, eras, text)                                                      \
    {{open, close, PUSH, channels, state, since, text " starts", NONE}, eras, 0},                                      \
    {{close, open, POP, channels, state, since, text " ends", NONE}, eras, 0}

const ovni_old_event ovni_old_events[] = {
    /* tampi of 1.0.0 and older: MPI calls inside TAMPI; 1.3.0 brought all new codes */
    OLD_PAIR("TS[", "TS]", MODE, "TAMPI: Send", "2021", UNTIL_1_0, "MPI_Send inside TAMPI"),
    OLD_PAIR("TR[", "TR]", MODE, "TAMPI: Recv", "2021", UNTIL_1_0, "MPI_Recv inside TAMPI"),
    OLD_PAIR("Ts[", "Ts]", MODE, "TAMPI: Isend", "2021", UNTIL_1_0, "MPI_Isend inside TAMPI"),
    OLD_PAIR("Tr[", "Tr]", MODE, "TAMPI: Irecv", "2021", UNTIL_1_0, "MPI_Irecv inside TAMPI"),
    OLD_PAIR("TV[", "TV]", MODE, "TAMPI: Wait", "2021", UNTIL_1_0, "MPI_Wait inside TAMPI"),
    OLD_PAIR("TW[", "TW]", MODE, "TAMPI: Waitall", "2021", UNTIL_1_0, "MPI_Waitall inside TAMPI"),

    /* openmp of 1.0.0 and older; M was unused in 1.1 and 1.2 and is mpi since 1.3.0 */
    OLD_PAIR("MT[", "MT]", MODE, "OpenMP: Task", "2021", UNTIL_1_0, "OpenMP task"),
    OLD_PAIR("MP[", "MP]", MODE, "OpenMP: Parallel", "2021", UNTIL_1_0, "OpenMP parallel region"),

    /* nanos6 before 2022-09; 6Wt 6WT 6Bw 6BW meant this for a few weeks in 2022-06, but nothing in a trace tells */
    {{"6TC", "", POINT, 0, NULL, "2022-06", "task creation ends", NONE}, BEFORE_1_0, 0},
    {{"6Tb", "6Tu", PUSH, TASK, "(task paused)", "2022-06", "task {taskid} is blocked", TASK_ID}, BEFORE_1_0, 0},
    {{"6Tu", "6Tb", POP, TASK, "(task paused)", "2022-06", "task {taskid} is unblocked", TASK_ID}, BEFORE_1_0, 0},
    OLD_PAIR("6Sh", "6Sf", SUBSYSTEM, "Scheduler: Hungry", "2022-06", BEFORE_1_0, "hungry wait for work"),
    OLD_PAIR("6Su", "6SU", SUBSYSTEM, "(adding ready task)", "2022-06", BEFORE_1_0, "addReadyTask()"),
    OLD_PAIR("6Ha", "6HA", SUBSYSTEM, "(attached)", "2022-06", BEFORE_1_0, "attachment of an external thread"),
    OLD_PAIR("6Hs", "6HS", SUBSYSTEM, "(spawning)", "2022-06", BEFORE_1_0, "function spawn"),
    OLD_PAIR("6s[", "6s]", SUBSYSTEM, "(spawning)", "2022-08-31", BEFORE_1_0, "function spawn"),
    {{"6Ci", "", POINT, 0, NULL, "2022-09-06", "CPU becomes idle", NONE}, BEFORE_1_0, 0},
    {{"6Ca", "", POINT, 0, NULL, "2022-09-06", "CPU becomes active", NONE}, BEFORE_1_0, 0},
    OLD_PAIR("6Wt", "6WT", SUBSYSTEM, "Blocking: Taskwait", "2022-06", NEVER, "taskwait"),
    OLD_PAIR("6Bw", "6BW", SUBSYSTEM, "(wait for)", "2022-06", NEVER, "timed wait"),

    /* nosv before 2021-10-29 */
    OLD_PAIR("VD[", "VD]", SUBSYSTEM, NULL, "2021-10", BEFORE_1_0, "nosv_schedpoint"),
    OLD_PAIR("VI[", "VI]", SUBSYSTEM, NULL, "2021-10", BEFORE_1_0, "nosv_yield"),
    OLD_PAIR("VP[", "VP]", SUBSYSTEM, NULL, "2021-10", BEFORE_1_0, "nosv_pause"),
    OLD_PAIR("VW[", "VW]", SUBSYSTEM, NULL, "2021-10", BEFORE_1_0, "nosv_waitfor"),
    OLD_PAIR("VC[", "VC]", SUBSYSTEM, NULL, "2021-10", BEFORE_1_0, "nosv code"),
    OLD_PAIR("VM[", "VM]", SUBSYSTEM, NULL, "2021-10", BEFORE_1_0, "memory allocation"),

    /* nosv model 1.x: without a body id, so the payload is shorter */
    {{"VTx", "VTe", PUSH, RUN, "Task: In body", "2021", "task {taskid} starts", TASK_ID}, ALWAYS, 4},
    {{"VTe", "VTx", POP, RUN, "Task: In body", "2021", "task {taskid} ends", TASK_ID}, ALWAYS, 4},
    {{"VTp", "VTr", SET, TASK, "(task paused)", "2021", "task {taskid} is paused", TASK_ID}, ALWAYS, 4},
    {{"VTr", "VTp", SET, TASK, "(task running)", "2021", "task {taskid} goes on", TASK_ID}, ALWAYS, 4},

    /* declared but never written */
    {{"KO[", "", POINT, 0, NULL, "1.6.0", "thread leaves the CPU (never written)", NONE}, NEVER, 0},
    {{"KO]", "", POINT, 0, NULL, "1.6.0", "thread is back on the CPU (never written)", NONE}, NEVER, 0},

    /* not declared anywhere */
    {{"OUj", "", JUMBO_POINT, 0, NULL, "tests", "filler written by a test program", NONE}, NEVER, 0},
};
const size_t ovni_old_event_count = sizeof ovni_old_events / sizeof *ovni_old_events;
/* clang-format on */
