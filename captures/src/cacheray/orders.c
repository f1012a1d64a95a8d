/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Struct arrays, nested members, typedefs, realloc growth, address reuse after free. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct money {
    int units;
    short cents;
};
struct order {
    long id;
    struct money price;
    char tag[6];
    unsigned char side;
    struct order *next;
};
typedef struct {
    float x, y;
} point_t;
typedef struct item {
    unsigned short kind;
    unsigned int qty[3];
    point_t pos;
} item_t;

static struct order *head;
static long checksum;

static void push(long id)
{
    struct order *o = malloc(sizeof *o); /* one struct per malloc */
    o->id = id;
    o->price.units = (int)(id * 7);
    o->price.cents = (short)(id % 100);
    for (int i = 0; i < 5; i++)
        o->tag[i] = (char)('a' + (id + i) % 26);
    o->tag[5] = 0;
    o->side = (unsigned char)(id & 1);
    o->next = head;
    head = o;
}

static void walk(void)
{
    for (struct order *o = head; o; o = o->next)
        checksum += o->id + o->price.units + o->price.cents + o->tag[2] + o->side;
}

static void drop(int n)
{
    while (n-- && head) {
        struct order *o = head;
        head = o->next;
        free(o);
    }
}

int main(void)
{
    for (long i = 1; i <= 24; i++)
        push(i);
    walk();
    drop(10);                                           /* freed blocks are handed out again below */
    struct money *reuse = malloc(sizeof(struct order)); /* other type, same size class */
    reuse->units = 5;
    reuse->cents = 6;
    reuse[2].units = 9; /* array of 8-byte elements inside one malloc */
    checksum += reuse->units + reuse[2].units;
    free(reuse);

    item_t *items = calloc(20, sizeof(item_t)); /* element size and count are separate */
    for (int i = 0; i < 20; i++) {
        items[i].kind = (unsigned short)i;
        for (int k = 0; k < 3; k++)
            items[i].qty[k] += (unsigned)(i * k);
        items[i].pos.x = (float)i;
        items[i].pos.y = items[i].pos.x * 2;
    }

    int cap = 4, n = 0;
    int *ids = malloc(sizeof(int) * (size_t)cap); /* array of base type */
    for (int i = 0; i < 60; i++) {
        if (n == cap) {
            cap *= 2;
            ids = realloc(ids, sizeof(int) * (size_t)cap);
        }
        ids[n++] = i * 3;
    }
    for (int i = 0; i < n; i += 5)
        checksum += ids[i];
    char *blob = malloc(100); /* no cast target: plain bytes */
    for (int i = 0; i < 100; i += 9)
        blob[i] = (char)i;
    free(blob);
    for (int i = 0; i < 20; i += 3)
        checksum += items[i].qty[2] + (long)items[i].pos.y;
    free(ids);
    free(items);
    walk();
    drop(1000);
    free(NULL);
    printf("%ld\n", checksum);
    return 0;
}
