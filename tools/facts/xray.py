# SPDX-License-Identifier: GPL-2.0-or-later
"""What tools and pages must know of this format."""
TITLE = "XRay"
STATISTICS = {
    "xray,account": ("table", "*Functions*: for each function, calls; minimum, median, 90th and 99th percentile, maximum and sum of the durations; "
                              "self time, calls without an exit, file and line"),
    "xray,slowest": ("table", "*Slowest Calls*, *Slowest Calls by Self Time*, *Slowest Calls in the List*: the calls that took longest: duration, self time, thread, records of entry and end, function, caller; 25, or `top:N`; "
                              "`sort:self` and similar: the first by another column"),
    "xray,calls": ("table", "the same: its name before 0.5"),
    "xray,calls,each": ("rows", "a row for each call when it ends, also without an exit: function, caller, begin, duration, self time, depth, "
                                "records, thread"),
    "xray,records": ("rows", "a row for each record: a column for each field, its time and what is wrong with it"),
    "xray,diff": ("table", "*Comparison with an Earlier Log*: `xray,diff,BASELINE`: per function calls, sum, self time, typical self time, mean, median, 99th percentile and calls without an exit "
                           "in an earlier log and in this one, with difference and ratio; `graph`: who calls whom"),
    "xray,call": ("table", "*Call Breakdown*: `xray,call,7`: what happened inside the call of record 7: its calls, the self time between them, moves "
                           "to other CPUs, events"),
    "xray,gaps": ("table", "*Gaps between Calls*: the same for the time between the outermost calls of each thread, when it waited or ran untraced code"),
    "xray,tree": ("tree", "*Records*: records by kind and thread, entries by function"),
    "xray,srt": ("table", "*Functions to Filter*: durations by function, as Wireshark's response times: rows can be applied as a filter; calls without an exit "
                          "are rows of their own, `NAME [unwound]`"),
    "xray.calls,tree": ("tree", "*Call Tree*: calls, time and self time, share of the whole, average, minimum and maximum duration"),
    "xray.time,tree": ("tree", "*Time Tree*: the same rows; in windows a tree of times in µs, and their percentage of the parent"),
    "xray.self,tree": ("tree", "*Self Time*: self time by function, whatever is around it: the same columns, with the share of all self time"),
    "xray,stacks": ("text", "*Stacks*: folded stacks, `outer;inner ticks`, with self time, as flame-graph tools read them; `NAME [unwound]`: a call without an exit"),
    "xray,graph": ("text", "*Call Graph*: in DOT, for Graphviz, as `xray,account,graph,dot`"),
    "xray,chrome": ("file", "*Timeline*: Chrome's trace events (JSON), for Perfetto, Speedscope and Firefox: the calls of each thread, arguments, events"),
    "xray,flame": ("file", "*Flame Graph*: of functions, an HTML page"),
    "xray,callgrind": ("file", "*Callgrind Profile*: of functions for KCachegrind and callgrind_annotate"),
    "follow,xray": ("text", "`follow,xray,ascii,N`: the calls of thread N (`xray.stream.number`), indented, with durations"),
    "conv,xray": ("table", "threads and the CPUs they ran on"),
    "endpoints,xray": ("table", "threads and CPUs by records"),
}
EXAMPLES = {"io,stat,0,\"MAX(xray.call.duration)xray.call.duration\"": "the longest call; also AVG, MIN, SUM, COUNT. It has no place for calls without an exit, which count here with `-2`: filter with `xray.call.unwound`"}
