# SPDX-License-Identifier: GPL-2.0-or-later
"""What tools and pages must know of this format."""
TITLE = "ovni"
STATISTICS = {
    "ovni,events": ("rows", "a row for each event: a column for each field, its time and what is wrong with it"),
    "ovni,states,each": ("rows", "a row for each state when it ends, also for those open at the end: begin, duration, active and self time, depth, records, thread"),
    "ovni,tasks,each": ("rows", "a row for each run of a task when it ends: the same, with type and task"),
    "ovni,states": ("table", "*States*: for each state, count; minimum, mean, maximum and sum of the durations; active time; active self time, as Paraver shows it; `by:rank`, `by:process`, `by:thread`, `by:cpu`, `by:loom`, `by:node`: of each; `within:FROM,TO`: of a part of the time; `within:TITLE=LABEL`: while its process has set a mark"),
    "ovni,diff": ("table", "*Comparison with an Earlier Trace*: `ovni,diff,BASELINE`: per state count, sum, typical duration, mean, median, 99th percentile and active time in an earlier trace and in this one, with "
                           "difference and ratio"),
    "ovni,tasks": ("table", "*Tasks*: for each task type, count; minimum, mean, maximum and sum of the durations; active time, active self time, time on a CPU; groups as above"),
    "ovni,slowest": ("table", "*Slowest States and Tasks*, *Slowest States and Tasks in the List*: the states, values and runs of tasks that took longest: duration, active time, rank, thread, records of begin and end; 25, or "
                              "`top:N`; `every`: also those that say only that a thread lives, runs, rests or has ended"),
    "ovni,lint": ("text", "*Lint*: what ovniemu would refuse, record by record; the last line is the verdict"),
    "ovni,cpus": ("text", "*CPUs*: for each CPU, time with one thread, none or several; in tasks, in the runtime, resting; `breakdown`: instead by type and subsystem; `by:node`: of each node"),
    "ovni,at": ("text", "*At a Moment*: `ovni,at,3.25`: state, CPU and nested states of each thread at this second"),
    "ovni,balance": ("text", "*Balance of Load*: for each MPI rank, time running, in MPI, outside and in tasks; balance of load and of tasks"),
    "ovni,paraver": ("files", "*Export for Paraver*: `ovni,paraver,FOLDER`: thread.prv, cpu.prv, .pcf and .row as ovniemu writes them for Paraver; `ovni,paraver,replace,FOLDER` replaces them; `ovni,paraver,breakdown,FOLDER`: also those of `ovniemu -b`"),
    "ovni,tree": ("tree", "*Events*: events by model and code, and by stream"),
    "ovni,srt": ("table", "*States and Tasks to Filter*: durations by state and by type of task, as response times: rows can be applied as a filter"),
    "ovni.states,tree": ("tree", "*State Tree*: states, time and self time, share of the whole, average, minimum and maximum duration"),
    "ovni.time,tree": ("tree", "*Time Tree*: the same rows; in windows a tree of times in µs, and their percentage of the parent"),
    "follow,ovni": ("text", "`follow,ovni,ascii,N`: the states of stream N (`ovni.stream.number`), indented, with durations"),
    "ovni.self,tree": ("tree", "*Self Time*: self time by state, whatever is around it: the same columns, with the share of all self time"),
    "ovni,stacks": ("text", "*Stacks*: folded stacks of states, with self time, as flame-graph tools read them"),
    "ovni,chrome": ("file", "*Timeline*: Chrome's trace events (JSON), for Perfetto, Speedscope and Firefox: states of each thread, tasks, CPUs, counters"),
    "ovni,flame": ("file", "*Flame Graph*: of states, an HTML page"),
    "ovni,callgrind": ("file", "*Callgrind Profile*: of states for KCachegrind and callgrind_annotate"),
}
