/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and variables of C++; what the comments say is explained in types.c. */
#define IS(type, bytes) static_assert(sizeof(type) == (bytes), #type)

namespace shop {
/* class.shop::Money 8: 0-3 units, 4-5 cents, 6-7 <padding> */
class Money {
public:
    static int made;
    int whole() const { return units; }
    int units = 0;
    long twice() const { return cents * 2; }
private:
    short cents = 0;
};
int Money::made = 7;
IS(Money, 8);

/* struct.shop::Thing 16: 0-7 id, 8-11 price.units, 12-13 price.cents, 14-15 <padding> */
struct Thing {
    long id;
    Money price;
};

/* class.shop::Book 40: 0-7 id, 8-11 price.units, 12-13 price.cents, 14-15 <padding>, 16-19 pages, 20-23 <padding>,
 * 24-27 shelf.row, 28-31 shelf.place, 32 open|closed, 33 closed, 34-39 <padding> */
class Book : public Thing {
public:
    int pages;
    struct Shelf {
        int row, place;
    };
    alignas(8) Shelf shelf;
    union {
        bool open;
        short closed;
    };
};
IS(Book, 40);

/* struct.shop::Book::Shelf 8: 0-3 row, 4-7 place */

/* struct.shop::Pair 16: 0-7 first, 8-11 second, 12-15 <padding> */
template <typename A, typename B> struct Pair {
    A first;
    B second;
};

namespace {
/* struct.shop::(anonymous namespace)::Local 8: 0-3 a, 4-7 b */
struct Local {
    int a, b;
};
}

/* variable shop::stock 2*8: 0-3 units, 4-5 cents, 6-7 <padding> */
Money stock[2];
/* variable shop::Money::made 1*4: 0-3 - */
}

/* class.Matrix 24: 0-3 cells[0][0], 4-7 cells[0][1], 8-11 cells[1][0], 12-15 cells[1][1], 16-23 name */
template <typename T, int N> class Matrix {
public:
    T cells[N][N];
    const char *name;
};

/* struct.Tree<int>::Node 8: 0-3 value, 4 leaf, 5-7 <padding> */
template <typename T> struct Tree {
    struct Node {
        T value;
        bool leaf;
    };
    Node root;
};

/* struct.Twin<char>::Node 8: 0-3 left, 4-7 right */
/* struct.Twin<char*>::Node.3 8: 0-3 width, 4-5 height, 6-7 <padding> */
/* struct.Twin::Node 8: 0-3 left|width, 4-5 right|height, 6-7 right|<padding> */
/* struct.Twin<bool>::Node 8: 0-3 left|width, 4-5 right|height, 6-7 right|<padding> */
template <typename T> struct Twin;
template <> struct Twin<char> {
    struct Node {
        int left, right;
    } node;
};
template <> struct Twin<char *> {
    struct Node {
        int width;
        short height;
    } node;
};
template <> struct Twin<short> { /* as the first */
    struct Node {
        int left, right;
    } node;
};

class Flags;
/* struct.Links 40: 0-7 field, 8-23 call, 24-31 null, 32-39 ref */
struct Links {
    int Flags::*field;
    int (shop::Money::*call)() const;
    decltype(nullptr) null;
    int &ref;
};
IS(Links, 40);

/* struct.Handle::Body 8: 0-3 a, 4 b, 5-7 <padding> */
struct Handle {
    struct Body;
    Body *body;
};
struct Handle::Body {
    int a;
    char b;
};

/* class.Flags 8: 0 on|level, 1 level, 2 rest, 3 <padding>, 4-7 owner */
class Flags {
public:
    unsigned on : 1, level : 9;
    unsigned char rest;
    int owner;
};
IS(Flags, 8);

/* variable main_flags 1*8: 0 on|level, 1 level, 2 rest, 3 <padding>, 4-7 owner */
Flags main_flags;

/* Virtual bases come last: where they are depends on the whole object. */
struct Virtual {
    virtual ~Virtual() {}
    long a = 1;
};
struct Left : virtual Virtual {
    long left = 1;
};
struct Right : virtual Virtual {
    short right = 1;
};
/* class.Diamond 48: 0-7 vptr, 8-15 left, 16-23 vptr, 24-25 right, 26-27 <padding>, 28-31 own, 32-39 vptr, 40-47 a */
struct Diamond : Left, Right {
    int own = 1;
};
IS(Diamond, 48);
/* variable diamond 1*48: 0-7 vptr, 8-15 left, 16-23 vptr, 24-25 right, 26-27 <padding>, 28-31 own, 32-39 vptr, 40-47 a */
Diamond diamond;

shop::Book book;
shop::Pair<long, int> pair;
Matrix<float, 2> matrix;
Tree<int> tree;
Twin<char> twin_of_char;
Twin<char *> twin_of_pointer;
Twin<short> twin_of_short;
Links links = {nullptr, &shop::Money::whole, nullptr, shop::Money::made};
Handle::Body body;
Handle handle = {&body};

int main()
{
    /* struct.OfFunction 12: 0-3 part.x, 4-7 part.y, 8 z, 9-11 <padding> */
    /* struct.main()::OfFunction::Part 8: 0-3 x, 4-7 y */
    struct OfFunction {
        struct Part {
            int x, y;
        } part;
        char z;
        int sum() const
        {
            /* struct.OfMethod 4: 0-1 p, 2-3 q */
            struct OfMethod {
                short p, q;
            } m = {1, 2};
            return m.p + m.q;
        }
    } of_function = {{1, 2}, 3};
    shop::Local local = {1, 2};
    shop::Book::Shelf shelf = {3, 4};
    return of_function.sum() + local.a + shelf.row + book.price.whole() + static_cast<int>(pair.first) + static_cast<int>(matrix.cells[0][0]) +
           shop::stock[0].units + main_flags.owner + shop::Money::made;
}
