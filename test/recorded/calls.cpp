// SPDX-License-Identifier: GPL-2.0-or-later
// Calls that can be counted: calls THREADS COUNT [how...]. Each thread calls work(), which calls pair() COUNT times, and that leaf() twice.
// Without "how" nothing starts XRay, so that the recorder can be linked. "begin OPTIONS": starts the flight data recorder itself. "late
// OPTIONS": likewise, when all threads are inside calls already. "fork": a child calls pair() once. "rest": rest() twice, of 30 ms each.
// "deep": dive() calls itself 300 times. "wait": until a signal comes.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <xray/xray_interface.h>
#include <xray/xray_log_interface.h>

#define CALLED __attribute__((noinline))

static volatile long sum;
static std::atomic<bool> begun{false};
static std::atomic<int> waiting{0};

CALLED void leaf(int number)
{
    sum = sum + number;
}

CALLED void pair(int number)
{
    leaf(number);
    leaf(number + 1);
}

CALLED void work(int count)
{
    waiting++;
    while (!begun)
        std::this_thread::yield();
    for (int i = 0; i < count; i++)
        pair(i);
}

CALLED void dive(int deeper)
{
    if (deeper)
        dive(deeper - 1);
    sum = sum + deeper;
}

__attribute__((xray_never_instrument)) static void begin(const char *options)
{
    __xray_log_select_mode("xray-fdr");
    __xray_log_init_mode("xray-fdr", options);
    __xray_patch();
}

CALLED __attribute__((xray_always_instrument, xray_log_args(1))) long priced(long cents)
{
    return sum + cents;
}

CALLED void rest()
{
    usleep(30000);
    leaf(0);
}

int main(int argc, char **argv)
{
    const int threads = std::atoi(argv[1]), count = std::atoi(argv[2]);
    const char *how = argc > 3 ? argv[3] : "";
    if (!std::strcmp(how, "begin"))
        begin(argv[4]);
    std::vector<std::thread> others;
    for (int i = 1; i < threads; i++)
        others.emplace_back(work, count);
    while (waiting < threads - 1)
        std::this_thread::yield();
    if (!std::strcmp(how, "late"))
        begin(argv[4]);
    begun = true;
    work(count);
    for (auto &other : others)
        other.join();
    for (long cents = 1000; cents < 1003; cents++)
        priced(cents);
    if (!std::strcmp(how, "rest")) {
        rest();
        rest();
    }
    if (!std::strcmp(how, "deep"))
        dive(299);
    if (!std::strcmp(how, "fork")) {
        if (fork() == 0) {
            pair(0);
            return 0;
        }
        wait(nullptr);
    }
    while (!std::strcmp(how, "wait"))
        usleep(1000);
    if (argc > 4) {
        __xray_log_finalize();
        __xray_log_flushLog();
    }
}
