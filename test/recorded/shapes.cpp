/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structs of all kinds for which another order of members is better. Declarations are one a line, which moved.py reads. */
#include <cstdio>
#include <thread>
#include <vector>

namespace shop {
struct book {
    long a;
    char cold[120];
    long b;
};
book global;
} // namespace shop

struct gaps {
    char c1;
    double d1;
    char c2;
    double d2;
    char name[49];
    int i1;
    short s1;
    long l1;
    char tail[101];
    int i2;
};

struct flags {
    char pad0[60];
    unsigned f1 : 3;
    unsigned f2 : 7;
    char pad1[70];
    int x;
    char pad2[40];
    int y;
};

struct nested {
    char c1;
    struct {
        int in1;
        char in2;
    };
    char pad[90];
    union {
        long u1;
        char u2;
    };
    char c2;
};

struct base {
    virtual ~base() = default;
    int b1 = 0;
};
struct derived : base {
    int first = 0;
    char pad[100] = {};
    long last = 0;
    char c = 0;
};

struct counters {
    long left;
    long right;
    int seldom;
};

struct __attribute__((packed)) dense {
    char p1;
    int p2;
    char pad[100];
    int p3;
};

static gaps many[40];
static flags flag[20];
static nested inner[20];
static derived deep[20];
static counters shared;
static dense tight[20];
static std::vector<int> numbers(100);

static void left()
{
    for (int i = 0; i < 2000; i++)
        shared.left += i;
}

static void right()
{
    for (int i = 0; i < 2000; i++)
        shared.right += i;
}

int main()
{
    std::thread one(left), other(right);
    one.join();
    other.join();
    for (int i = 0; i < 400; i++) {
        gaps &g = many[i % 40];
        g.i2 += i;
        g.d1 += g.l1;
        g.c1++;
        flag[i % 20].x += flag[i % 20].y + (int)flag[i % 20].f2;
        inner[i % 20].c1 = (char)(inner[i % 20].c2 + inner[i % 20].in1 + (int)inner[i % 20].u1);
        deep[i % 20].last += deep[i % 20].first + deep[i % 20].b1;
        tight[i % 20].p1 = (char)tight[i % 20].p3;
        shop::global.a += i;
        shop::global.b += shop::global.a;
        numbers[(unsigned)i % 100] += i;
    }
    shared.seldom = 1;
    return 0;
}
