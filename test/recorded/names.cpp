/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A variable of a class in a namespace. */
namespace shop {
struct book {
    long a;
    char cold[120];
    long b;
};
book global;
} // namespace shop

int main()
{
    for (int i = 0; i < 100; i++) {
        shop::global.a += i;
        shop::global.b += shop::global.a;
    }
}
