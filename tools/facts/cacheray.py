# SPDX-License-Identifier: GPL-2.0-or-later
"""What tools and pages must know of this format."""
TITLE = "Cacheray"
STATISTICS = {
    "cacheray,records": ("rows", "a row for each record: a column for each field, such as address, member, line, level of the cache"),
    "cacheray,types": ("table", "*Types*, *Types by Element*: for each type and member, reads, writes, threads, hits and misses; `elements`: each element of an array"),
    "cacheray,types,layout": ("table", "*Layout of Types*: for each struct all members by offset, also those that are never touched, and holes: cache line, hot or cold, reads, writes, misses, contended; and orders that need fewer lines; `svg`: a picture"),
    "cacheray,reuse": ("table", "*Miss-Ratio Curve*, *Miss-Ratio Curve by Type*: for caches of all sizes, hits and misses, if they are fully associative; `fine`, `every`: more sizes; `by:type`: of each type in the same cache; `block:N`: lines of N bytes, such as pages; `keep:N`: lines that are kept; `svg`: a picture"),
    "cacheray,diff": ("table", "*Comparison with an Earlier Trace*: `cacheray,diff,BASELINE`: per type and member slow accesses, accesses, reads, writes, misses and contended accesses in an earlier "
                               "trace and in this one, with difference and ratio"),
    "cacheray,lines": ("table", "*Lines*: for each cache line, reads, writes, how often it was contended, sharing, threads"),
    "cacheray,lines,offsets": ("table", "*Lines by Offset*: the same, and below each line its offsets: data, thread, and the data and thread that it conflicts with most"),
    "cacheray,regions": ("table", "*Regions*, *Regions by Type*: for each annotated region (allocation), where it was added, size, accesses, threads, misses, lifetime in records; `by:type`: of all regions of a type"),
    "cacheray,slowest": ("table", "*Slowest Accesses*, *Slowest Accesses in the List*, *Slowest Accesses by Element*: the types and members with most slow accesses, that is missed by all simulated caches or contended: percentage of all "
                                  "that are, threads, record of the first; 25, or `top:N`; `elements`: each element of an array"),
    "cacheray,whatif": ("text", "*What If*: for each type, contended accesses and misses, as traced and with the members moved by `cacheray.remap`; proposals; `within:N`: members used within N accesses count as used together; a table without proposals with `csv` and similar words"),
    "conv,cacheray": ("table", "threads and the cache lines that they write and read; bytes are those of the accesses"),
    "endpoints,cacheray": ("table", "threads, cache lines and types by accesses; rows can be applied as a filter"),
    "cacheray,tree": ("tree", "*Records*: records by kind and thread, accesses by type and member"),
    "cacheray,chrome": ("file", "*Timeline*: Chrome's trace events (JSON), for Perfetto, Speedscope and Firefox: misses and contended accesses of each region"),
    "cacheray,flame": ("file", "*Flame Graph*: of types and members, an HTML page"),
    "cacheray,callgrind": ("file", "*Callgrind Profile*: of types and members for KCachegrind and callgrind_annotate"),
}
