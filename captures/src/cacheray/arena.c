/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cooperative annotations made by hand: nested, overlapping, repeated, never removed, removed twice,
   an access after removal, an access that runs over the end of a region. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* hooks that the runtime exports */
void __malloc_recorded(long bytes, char *type_name, void *addr);
void __calloc_recorded(long n, long size, char *type_name, void *addr);
void __free_recorded(void *addr);

typedef uint64_t u64u __attribute__((aligned(1)));

struct vec {
    double x, y, z;
};
struct obj {
    uint32_t id;
    uint32_t flags;
    struct vec at;
    struct obj *peer;
};

static unsigned char *base;
static double acc;

int main(void)
{
    base = aligned_alloc(4096, 8192);
    __malloc_recorded(8192, "struct.arena", base); /* outer region */
    base[0] = 1;                                   /* -> struct.arena */
    struct obj *o = (struct obj *)(base + 256);
    __calloc_recorded(8, sizeof *o, "struct.obj", o); /* inner array, 8 elements */
    for (int i = 0; i < 8; i++) {
        o[i].id = (uint32_t)i;
        o[i].flags = 0;
        o[i].at.x = i;
        o[i].at.z = -i;
        o[i].peer = &o[(i + 1) % 8];
    }
    __malloc_recorded(sizeof(struct vec), "struct.vec", &o[3].at); /* third level, inside element 3 */
    o[3].at.y = 2.5;                                               /* -> struct.vec */
    o[3].id += 1;                                                  /* -> struct.obj element 3 */
    __free_recorded(&o[3].at);
    o[3].at.y += 1;                               /* -> struct.obj again */
    __calloc_recorded(64, 4, "i32*", base + 512); /* overlaps the tail of the object array */
    o[6].id = 77;                                 /* newest annotation wins: i32* */
    ((uint32_t *)(base + 512))[63] = 1;
    *(uint64_t *)(base + 512 + 252 - 4) = 2; /* 8 bytes, last 4 inside the region end */
    *(u64u *)(base + 512 + 252) = 3;         /* runs past the end of i32* */
    __free_recorded(o);
    o[1].id = 5;                                        /* object array gone: -> struct.arena */
    __free_recorded(o);                                 /* removed twice: nothing starts there now */
    __malloc_recorded(16, "struct.first", base + 2048); /* same start added twice ... */
    __malloc_recorded(32, "struct.second", base + 2048);
    base[2048 + 4] = 1;                                  /* -> struct.second */
    base[2048 + 20] = 1;                                 /* -> struct.second */
    __free_recorded(base + 2048);                        /* ... takes the newest away */
    base[2048 + 4] = 2;                                  /* -> struct.first */
    base[2048 + 20] = 2;                                 /* -> struct.arena */
    __calloc_recorded(0, 8, "struct.none", base + 3000); /* empty region */
    base[3000] = 1;                                      /* -> struct.arena */
    __free_recorded(base + 100);                         /* inside a region but no region starts here */
    base[100] = 1;                                       /* -> struct.arena */
    for (int i = 0; i < 8; i++)
        acc += o[i].at.x + o[i].at.y;
    __free_recorded(base);
    base[8000] = 9;                               /* use after removal: no type */
    __malloc_recorded(8192, "struct.leak", base); /* still live at the end */
    base[4096] = 1;
    printf("%g\n", acc);
    return 0;
}
