// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that begin with what is inlined into them, defined before and after: a function has the line of its declaration, which its
// symbol follows as a comment. Compiled with -O1 -g.
volatile int seen;

__attribute__((always_inline)) static inline int above(int x)
{
    seen = x;
    return seen;
}

__attribute__((always_inline)) static inline int below(int x);

struct thing {
    int member(int x);
    __attribute__((noinline)) static int inside(int x) // _ZN5thing6insideEi
    {
        return above(x) + 1;
    }
};

int thing::member(int x) // _ZN5thing6memberEi
{
    return above(x) + inside(x);
}

namespace outer {
namespace {
__attribute__((noinline)) int hidden(int x) // _ZN5outer12_GLOBAL__N_16hiddenEi
{
    return below(x) + 2;
}
}

template <class T> __attribute__((noinline)) T twice(T x) // _ZN5outer5twiceIiEET_S1_
{
    return static_cast<T>(above(x) + x);
}

int named(int x) // _ZN5outer5namedEi
{
    return below(x) + hidden(x) + twice(x);
}
}

int main(int count, char **) // main
{
    return above(count) + thing().member(count) + outer::named(count);
}

static inline int below(int x)
{
    seen = x + 1;
    return seen;
}
