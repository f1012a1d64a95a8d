/* SPDX-License-Identifier: GPL-2.0-or-later */
struct price {
    long cents;
    int of;
};
long total_of(struct price *prices, int count);
