#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How the sample programs were built (Debian 12: clang 14.0.6 and clang 19.1.7 with their compiler-rt).
set -e
F="-fno-omit-frame-pointer -fxray-instrument -fxray-instruction-threshold=1"
mkdir -p bin
for p in calls threads events cpus args; do clang++-19 -O1 -no-pie $F $p.cpp -o bin/$p -lpthread; done
clang++-14 -O2 -no-pie $F -fxray-modes=xray-profiling profile.cpp -o bin/profile -lpthread
for p in calls args left; do clang++-14 -O1 -no-pie $F $p.cpp -o bin/$p-14 -lpthread; done
clang++-19 -O2 -fPIE -pie -fxray-instrument -fxray-instruction-threshold=1 tails.cpp -o bin/tails -lpthread
# search: without what it does not need, as it is kept beside its logs. They are older than the recorder: main() started XRay itself
clang-14 -O2 -fxray-instrument -c ../../../tools/recorders/xray.c -o bin/recorder.o
clang++-14 -std=c++17 -O1 -fxray-instrument -fxray-instruction-threshold=1 -ffunction-sections -fdata-sections -Wl,--gc-sections \
    search.cpp bin/recorder.o -o bin/search
# Example run:  bin/calls xray-fdr func_duration_threshold_us=0
