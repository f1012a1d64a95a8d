/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structs whose layout the test layouts.py compares, and what a compiler makes of them: TYPE SIZE, then MEMBER OFFSET SIZE.
 * Compiled as C and as C++. */
#include <stddef.h>
#include <stdio.h>

struct point {
    int x;
    char flag; /* and 3 bytes at its end, which belong to a member of this type */
};

/* Two hot members in two lines, which one line could have. */
struct account {
    long id;
    char name[40];
    struct point at;
    char state;
    double history[4];
    long balance;
    short kind;
    union {
        int number;
        char text[4];
    } note;
    char closed;
};

/* The order makes gaps: 40 bytes instead of 24. */
struct gaps {
    char a;
    long b;
    char c;
    long d;
    char e;
};

struct whole {
    int all[16];
};

struct bits {
    unsigned small : 3, large : 13;
    int other;
};

struct account accounts[3];
struct gaps gap;
struct whole wholes[2];
struct bits bit;

#define TYPE(type) printf(#type " %zu\n", sizeof(struct type))
#define MEMBER(type, member) \
    printf(#member " %zu %zu\n", offsetof(struct type, member), sizeof(((struct type *)NULL)->member))

int main(void)
{
    accounts[1].id = gap.a = (char)(wholes[1].all[0] = (int)(bit.small = 1));
    TYPE(account);
    MEMBER(account, id);
    MEMBER(account, name);
    MEMBER(account, at);
    MEMBER(account, state);
    MEMBER(account, history);
    MEMBER(account, balance);
    MEMBER(account, kind);
    MEMBER(account, note);
    MEMBER(account, closed);
    TYPE(gaps);
    MEMBER(gaps, a);
    MEMBER(gaps, b);
    MEMBER(gaps, c);
    MEMBER(gaps, d);
    MEMBER(gaps, e);
    TYPE(whole);
    MEMBER(whole, all);
    TYPE(bits);
    puts("small|large 0 2");
    MEMBER(bits, other);
    return 0;
}
