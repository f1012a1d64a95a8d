// SPDX-License-Identifier: GPL-2.0-or-later
// Accesses of all kinds from C++: two threads share a line falsely, and an atomic counter truly; virtual functions, exceptions, the heap.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cacheray-types.h"

struct shape {
    virtual ~shape() = default;
    virtual int area() const = 0;
};

struct square : shape {
    int side;
    explicit square(int length) : side(length)
    {
    }
    int area() const override
    {
        if (side > 8)
            throw std::range_error("too large");
        return side * side;
    }
};

struct alignas(128) wide {
    long values[16];
};

struct order {
    int id;
    double price;
};

alignas(64) long hits[8];
alignas(64) std::atomic<int> total{0};
alignas(64) std::atomic<unsigned char> byte{0};
alignas(64) std::atomic<short> two{0};
alignas(64) std::atomic<long long> eight{5};

static void count(int me)
{
    for (int i = 0; i < 500; i++) {
        hits[me]++;
        total++;
        byte |= 1;
        two ^= 3;
        if (i % 10 == 0)
            std::this_thread::yield();
    }
    long long five = 5;
    eight.compare_exchange_strong(five, 6);
    eight.exchange(7);
}

int main()
{
    std::vector<std::unique_ptr<shape>> shapes;
    int sum = 0, failed = 0;
    for (int i = 0; i < 10; i++)
        shapes.push_back(std::make_unique<square>(i));
    for (const auto &one : shapes)
        try {
            sum += one->area();
        } catch (const std::exception &) {
            failed++;
        }
    std::thread first(count, 1), second(count, 2);
    first.join();
    second.join();
    std::map<std::string, int> numbers;
    for (int i = 0; i < 20; i++)
        numbers["a name that is long enough, with number " + std::to_string(i)] = i;
    char from[100], to[100];
    std::memset(from, 3, sizeof from);
    std::memcpy(to, from, sizeof to);
    std::memmove(to + 1, to, 50);
    order *orders = new order[10];
    WIRETRACE_ALLOCATED(orders, order, 10);
    orders[3].price = 2;
    delete[] orders;
    wide *line = new wide;
    line->values[3] = 4;
    delete line;
    void *block = std::malloc(10);
    block = std::realloc(block, 1000);
    std::free(block);
    std::free(nullptr);
    std::printf("%d %d %d %d %lld %zu\n", sum, failed, total.load(), to[50], eight.load(), numbers.size());
}
