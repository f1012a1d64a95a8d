// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that do nothing, called often, and others that work: tiny THREADS COUNT. Each thread calls step() COUNT times, which calls each
// of the tiny ones once, and two of them twice; and work() once for every hundred steps.
#include <cstdlib>
#include <thread>
#include <vector>

#define CALLED __attribute__((noinline))

static volatile long sum;

extern "C" CALLED void plain(long number)
{
    sum = number;
}

static CALLED void hidden(long number)
{
    sum = number;
}

namespace
{
CALLED long nameless(long number)
{
    return sum = number;
}
}

template <typename T> CALLED void of_type(T number)
{
    sum = (long)number;
}

struct point {
    long x;
    CALLED explicit point(long of) : x(of) { sum = of; }
    CALLED ~point() { sum = x; }
    CALLED long get() const { return sum = x; }
    CALLED bool operator<(const point &other) const
    {
        sum = x;
        return x < other.x;
    }
};

// Outside of its class, so that it is linked under two names
struct pair {
    long x, y;
    CALLED pair(long of, long other);
};

pair::pair(long of, long other) : x(of), y(other)
{
    sum = of;
}

CALLED long work(long rounds)
{
    long all = 0;
    for (long i = 0; i < rounds; i++)
        all += i ^ sum;
    return all;
}

static const auto lambda = [](long number) CALLED { sum = number; };

CALLED void step(long i)
{
    const point a(i), b(i + 1); // each has a destructor
    if (a < b)
        plain(a.get());
    hidden(pair(i, 1).x);
    nameless(i);
    of_type<short>((short)i);
    lambda(i);
}

CALLED void run(long count)
{
    for (long i = 0; i < count; i++) {
        step(i);
        if (i % 100 == 0)
            work(2500000);
    }
}

int main(int argc, char **argv)
{
    std::vector<std::thread> threads;
    for (int i = 0; argc == 3 && i < std::atoi(argv[1]); i++)
        threads.emplace_back(run, std::atol(argv[2]));
    for (auto &one : threads)
        one.join();
}
