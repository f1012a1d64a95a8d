/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and variables of C. Comments of the form "type size: bytes member, ..." say what is where on x86-64; they were
 * worked out by hand, and the compiler checks the sizes. "variable NAME elements*size" is a variable; "-" means no
 * members. */
#define IS(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)

/* struct.inner 8: 0 first, 1-3 <padding>, 4-7 second */
struct inner {
    char first;
    int second;
};
IS(struct inner, 8);

/* struct.point_t 8: 0-3 x, 4-7 y */
typedef struct {
    float x, y;
} point_t;

/* union.number 8: 0-3 whole|real|halves[0], 4-7 real|halves[1] */
union number {
    int whole;
    double real;
    int halves[2];
};

/* struct.outer 80: 0-7 id, 8 pairs[0].first, 9-11 <padding>, 12-15 pairs[0].second, 16 pairs[1].first, 17-19 <padding>,
 * 20-23 pairs[1].second, 24-25 grid[0][0], 26-27 grid[0][1], 28-29 grid[0][2], 30-31 grid[1][0], 32-33 grid[1][1],
 * 34-35 grid[1][2], 36 whole|parts[0]|low, 37 whole|parts[1]|low, 38 whole|parts[2]|high, 39 whole|parts[3]|high,
 * 40-43 at.x, 44-47 at.y, 48-51 either.whole|either.real|either.halves[0], 52-55 either.real|either.halves[1],
 * 56-63 next, 64-71 call, 72-75 kind, 76-79 <padding> */
struct outer {
    long id;
    struct inner pairs[2];
    short grid[2][3];
    union {
        int whole;
        unsigned char parts[4];
        struct {
            short low, high;
        };
    };
    const volatile point_t at;
    union number either;
    struct outer *next;
    void (*call)(int);
    enum { NORTH, SOUTH } kind;
};
IS(struct outer, 80);

/* struct.bits 16: 0 small|middle, 1 middle|large, 2 large, 3 <padding>, 4 alone, 5-7 <padding>, 8-11 wide, 12 wide|flag,
 * 13-15 <padding> */
struct bits {
    unsigned small : 3, middle : 7, large : 10;
    unsigned : 0;
    int alone : 2;
    unsigned long wide : 35, flag : 1;
};
_Static_assert(sizeof(struct bits) == 16, "bits");

/* struct.packed 11: 0 tag, 1-8 value, 9-10 tail */
struct __attribute__((packed)) packed {
    char tag;
    long value;
    short tail;
};
IS(struct packed, 11);

/* struct.flexible 32: 0-3 length, 4 items[0].first, 5-7 <padding>, 8-11 items[0].second, 12 items[1].first,
 * 13-15 <padding>, 16-19 items[1].second, 20 items[2].first, 21-23 <padding>, 24-27 items[2].second, 28 items[3].first,
 * 29-31 <padding> */
struct flexible {
    int length;
    struct inner items[];
};

/* struct.marked 12: 0-3 length, 4-7 value, 8 last, 9-11 <padding> */
struct marked {
    int length;
    int values[0];
    int value;
    struct inner others[0];
    char last;
};
IS(struct marked, 12);

/* struct.vectors 48: 0-15 lanes, 16-31 others[0], 32-47 others[1] */
typedef float lanes_t __attribute__((vector_size(16)));
struct vectors {
    lanes_t lanes, others[2];
};
IS(struct vectors, 48);

/* struct.renamed 8: 0 first, 1-3 <padding>, 4-7 second */
typedef struct inner renamed;

/* variable counter 1*8: 0-7 - */
long counter = 1;
/* variable hidden 1*4: 0-3 - */
static int hidden = 2;
/* variable table 2*8: 0 first, 1-3 <padding>, 4-7 second */
struct inner table[2];
/* variable shared 1*8: 0 first, 1-3 <padding>, 4-7 second */
struct inner shared;
/* variable cells 6*2: 0-1 - */
short cells[2][3];
/* variable calls 1*4: 0-3 - */
int next_call(void);
int next_call(void)
{
    static int calls = 3;
    return calls++;
}

/* Several of one name. The functions tell the local ones apart; the global one keeps its name. */
/* variable same 1*2: 0-1 - */
short same = 4;
/* variable with_struct::same 1*8: 0 first, 1-3 <padding>, 4-7 second */
int with_struct(void);
int with_struct(void)
{
    static struct inner same __asm__("same_of_with_struct") = {1, 2};
    return same.second++;
}
/* variable with_number::same 1*4: 0-3 - */
int with_number(void);
int with_number(void)
{
    static int same __asm__("same_of_with_number") = 5;
    return same++;
}

struct outer used_outer;
struct bits used_bits;
struct packed used_packed;
struct flexible *used_flexible;
struct marked used_marked;
struct vectors used_vectors;
union number used_number;
point_t used_point;
renamed *used_renamed;

int main(void)
{
    return next_call() + hidden + (int)counter + with_struct() + with_number();
}
