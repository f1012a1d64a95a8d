// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads that count.
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<long> total{0};

__attribute__((noinline)) static void count_one()
{
    total++;
}

static void count(int number)
{
    while (number-- > 0)
        count_one();
}

int main()
{
    std::thread first(count, 100), second(count, 100);
    first.join();
    second.join();
    std::printf("%ld\n", total.load());
}
