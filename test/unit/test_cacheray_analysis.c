/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The analysis of Cacheray records: visited once, looked up again by frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "cacheray/analysis.h"
#include "cacheray/members/members.h"
#include "cacheray/remap/parts.h"
#include "cacheray/remap/placing.h"
#include "own_program.h"
#include "program/executable.h"

#define BASE UINT64_C(0x1000)

static cacheray_options options(bool keep)
{
    return (cacheray_options){.layout = CACHERAY_LE64,
                              .keep = keep,
                              .annotations = true,
                              .line_size = 64,
                              .binary = "",
                              .load_bias = "",
                              .caches = "",
                              .remap = ""};
}

static cacheray_tapped access_at(uint8_t kind, uint64_t address, uint8_t size, uint64_t thread)
{
    return (cacheray_tapped){
        .kind = kind, .is_access = true, .touches = true, .address = address, .size = size, .thread = thread};
}

static cacheray_tapped add_at(uint64_t address, uint32_t size, uint32_t count)
{
    return (cacheray_tapped){
        .kind = CACHERAY_RTTA_ADD, .address = address, .region = {.elem_size = size, .elem_count = count}};
}

static cacheray_tapped remove_at(uint64_t address)
{
    return (cacheray_tapped){.kind = CACHERAY_RTTA_REMOVE, .address = address};
}

static cacheray_tapped visit(cacheray_analysis *a, uint32_t frame, cacheray_tapped v, const char *type)
{
    v.name = type;
    v.name_length = type ? (int)strlen(type) : 0;
    cacheray_analysis_visit(a, frame, &v);
    return v;
}

/* The annotation that applies, element and offset; none before, beside and after it. */
static void test_annotations(void **state)
{
    (void)state;
    const cacheray_options o = options(false);
    cacheray_analysis *a = cacheray_analysis_new(&o);
    cacheray_tapped v = visit(a, 1, access_at(CACHERAY_READ, BASE, 8, 1), NULL);
    assert_int_equal(v.number, 0);
    v = visit(a, 2, add_at(BASE, 16, 3), "struct.pair");
    assert_true(v.number && !v.overlaps);
    v = visit(a, 3, access_at(CACHERAY_READ, BASE + 36, 4, 1), NULL);
    assert_string_equal(v.type, "struct.pair");
    assert_int_equal(v.index, 2);
    assert_int_equal(v.offset, 4);
    assert_int_equal(v.region.added, 2);
    assert_null(v.member);
    v = visit(a, 4, access_at(CACHERAY_READ, BASE + 48, 1, 1), NULL);
    assert_int_equal(v.number, 0);
    v = visit(a, 5, add_at(BASE + 40, 4, 4), "int\x1b");
    assert_true(v.overlaps);
    assert_string_equal(v.type, "int\\033");
    v = visit(a, 6, remove_at(BASE + 40), NULL);
    assert_int_equal(v.region.added, 5);
    v = visit(a, 7, access_at(CACHERAY_WRITE, BASE + 40, 1, 1), NULL);
    assert_string_equal(v.type, "struct.pair"); /* applies again */
    v = visit(a, 8, remove_at(BASE + 999), NULL);
    assert_int_equal(v.number, 0);
    assert_false(cacheray_analysis_find(a, 3, &v)); /* nothing was kept */
    cacheray_analysis_free(a);
}

/* Two threads write different bytes of one line. */
static void test_lines(void **state)
{
    (void)state;
    const cacheray_options o = options(false);
    cacheray_analysis *a = cacheray_analysis_new(&o);
    cacheray_tapped v = visit(a, 1, access_at(CACHERAY_WRITE, BASE, 8, 1), NULL);
    assert_int_equal(v.line.sharing, SHARING_PRIVATE);
    v = visit(a, 9, access_at(CACHERAY_WRITE, BASE + 8, 8, 2), NULL);
    assert_int_equal(v.line.sharing, SHARING_FALSE);
    assert_int_equal(v.line.before, 1);
    assert_int_equal(v.line.line, BASE);
    cacheray_tapped untouched = access_at(CACHERAY_WRITE, BASE + 8, 8, 3);
    untouched.touches = false;
    visit(a, 10, untouched, NULL);
    v = visit(a, 11, access_at(CACHERAY_READ, BASE + 8, 8, 2), NULL);
    assert_int_equal(v.line.before, 9);
    cacheray_analysis_free(a);
}

static void assert_same(const cacheray_tapped *x, const cacheray_tapped *y)
{
    assert_int_equal(x->number, y->number);
    assert_int_equal(x->overlaps, y->overlaps);
    assert_ptr_equal(x->type, y->type);
    assert_int_equal(x->index, y->index);
    assert_int_equal(x->offset, y->offset);
    assert_int_equal(x->region.added, y->region.added);
    assert_int_equal(x->line.line, y->line.line);
    assert_int_equal(x->line.split, y->line.split);
    assert_int_equal(x->line.sharing, y->line.sharing);
    assert_int_equal(x->line.before, y->line.before);
}

enum { RECORDS = 3000 };

/* Few addresses and threads, so that they meet often. */
static cacheray_tapped record_of(uint32_t frame)
{
    uint32_t r = frame * 2654435761u >> 8;
    uint64_t address = BASE + r % 300;
    if (r % 11 == 0)
        return add_at(address, 1 + r % 24, 1 + r % 5);
    if (r % 13 == 0)
        return remove_at(BASE + r / 13 % 300);
    return access_at(r % 3 ? CACHERAY_READ : CACHERAY_WRITE, address, (uint8_t)(1 + r % 16), r % 4);
}

/* Looking up gives the same as visiting, even after the lines were freed. */
static void test_found_again(void **state)
{
    (void)state;
    const cacheray_options o = options(true);
    cacheray_analysis *a = cacheray_analysis_new(&o);
    static cacheray_tapped seen[RECORDS];
    unsigned known = 0, shared = 0;
    for (uint32_t frame = 1; frame < RECORDS; frame++) {
        seen[frame] = visit(a, frame, record_of(frame), frame % 2 ? "struct.a" : "struct.b");
        known += seen[frame].is_access && seen[frame].number;
        shared += seen[frame].line.sharing != 0;
    }
    assert_true(known > RECORDS / 10 && shared > RECORDS / 10);
    cacheray_analysis_finish(a);
    for (uint32_t i = 1; i < RECORDS; i++) {
        uint32_t frame = i * 7919u % (RECORDS - 1) + 1;
        cacheray_tapped again = record_of(frame);
        assert_true(cacheray_analysis_find(a, frame, &again));
        assert_same(&again, &seen[frame]);
    }
    cacheray_tapped v = record_of(1);
    assert_false(cacheray_analysis_find(a, RECORDS + 5, &v));
    assert_false(cacheray_analysis_find(a, 200000, &v));
    cacheray_analysis_free(a);
}

/* If the file has changed meanwhile, no element outside its region is reported. */
static void test_changed(void **state)
{
    (void)state;
    const cacheray_options o = options(true);
    cacheray_analysis *a = cacheray_analysis_new(&o);
    visit(a, 1, add_at(BASE, 16, 2), "struct.pair");
    visit(a, 2, access_at(CACHERAY_READ, BASE + 20, 4, 1), NULL);
    cacheray_tapped inside = access_at(CACHERAY_READ, BASE + 31, 1, 1), outside = access_at(CACHERAY_READ, BASE + 32, 1, 1);
    assert_true(cacheray_analysis_find(a, 2, &inside) && cacheray_analysis_find(a, 2, &outside));
    assert_int_equal(inside.offset, 15);
    assert_int_equal(outside.number, 0);
    assert_null(outside.type);
    cacheray_analysis_free(a);
}

/* Options that cannot be used, and annotations turned off. */
static void test_options(void **state)
{
    (void)state;
    cacheray_options o = options(false);
    o.binary = "/none/program";
    o.caches = "/none/caches.json";
    o.annotations = false;
    cacheray_analysis *a = cacheray_analysis_new(&o);
    const cacheray_problems p = cacheray_analysis_problems(a);
    assert_int_equal(p.binaries->len, 1);
    assert_string_equal(g_ptr_array_index(p.binaries, 0),
                        "/none/program: No such file or directory, so members and variables are not known");
    assert_non_null(p.caches);
    assert_null(p.notices);
    assert_true(p.no_members);
    assert_int_equal(p.unknown_struct, 0);
    visit(a, 1, add_at(BASE, 16, 2), "struct.pair");
    cacheray_tapped v = visit(a, 2, access_at(CACHERAY_READ, BASE, 4, 1), NULL);
    assert_int_equal(v.number, 0);
    cacheray_analysis_free(a);
    cacheray_analysis_free(NULL);
}

/* --- with the program's debug information: this one's -------------------------------------------------------------- */

struct pair {
    int64_t left, right; /* 16 bytes */
};
struct pair pairs[4]; /* not static, or the compiler may leave them out */

struct holder {
    int32_t held;
};
struct holder holder;

static cacheray_options own_options(const char *moves, const char *simulated)
{
    cacheray_options o = options(true);
    o.layout = G_BYTE_ORDER == G_BIG_ENDIAN ? (sizeof(void *) == 8 ? CACHERAY_BE64 : CACHERAY_BE32)
                                            : (sizeof(void *) == 8 ? CACHERAY_LE64 : CACHERAY_LE32);
    o.binary = own_program();
    o.remap = moves;
    o.caches = simulated;
    return o;
}

static char *write_text(const char *text)
{
    char *path = NULL;
    int descriptor = g_file_open_tmp("analysis-XXXXXX", &path, NULL);
    assert_true(descriptor >= 0);
    g_close(descriptor, NULL);
    assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

static void drop_text(char *path)
{
    g_unlink(path);
    g_free(path);
}

/* Members of regions; what is in the way of variables. */
static void test_members(void **state)
{
    (void)state;
    pairs[1].left = 1; /* unused types have no debug information */
    cacheray_options o = own_options("", "");
    o.load_bias = "xyz";
    cacheray_analysis *a = cacheray_analysis_new(&o);
    cacheray_problems p = cacheray_analysis_problems(a);
    if (p.no_members) {
        cacheray_analysis_free(a);
        skip();
    }
    assert_non_null(strstr(g_ptr_array_index(p.binaries, 0), "not a hexadecimal number"));
    visit(a, 1, add_at(BASE, 24, 1), "struct.unheard_of");
    assert_int_equal(cacheray_analysis_problems(a).unknown_struct, 1);
    visit(a, 2, add_at(BASE + 64, 16, 3), "struct.pair");
    assert_int_equal(cacheray_analysis_problems(a).unknown_struct, 0);
    cacheray_tapped v = visit(a, 3, access_at(CACHERAY_READ, BASE + 64 + 24, 8, 1), NULL);
    assert_string_equal(v.member, "right");
    assert_int_equal(v.placed, v.address);
    assert_true(cacheray_analysis_kept(a));
    assert_false(cacheray_analysis_remaps(a));
    assert_null(cacheray_analysis_parts(a, 0));
    struct_parts *parts = cacheray_analysis_parts(a, v.layout);
    assert_int_equal(parts->size, 16);
    assert_int_equal(parts_named(parts, "right"), 1);
    parts_free(parts);
    assert_int_equal(cacheray_analysis_region(a, v.number)->added, 2);
    assert_int_equal(cacheray_analysis_levels(a), 0);
    assert_null(cacheray_analysis_caches(a));
    v = visit(a, 4, (cacheray_tapped){.kind = KIND_UNKNOWN}, NULL);
    assert_int_equal(v.number, 0);
    cacheray_analysis_free(a);
}

/* Where the program was loaded, from the address of a variable as it was linked. */
static char *own_bias(void)
{
    const members_machine machine = {sizeof(void *) == 8, G_BYTE_ORDER == G_BIG_ENDIAN};
    members *m = members_open(own_program(), &machine, NULL);
    char *line = NULL, *text = NULL;
    assert_non_null(m);
    if (!members_fixed(m)) { /* its first mapping; sanitizers have their own before */
        assert_true(g_file_get_contents("/proc/self/maps", &text, NULL, NULL));
        const char *own = strstr(text, "/test_cacheray_analysis");
        assert_non_null(own);
        while (own > text && own[-1] != '\n')
            own--;
        line = g_strndup(own, strcspn(own, "-"));
    }
    members_close(m);
    g_free(text);
    return line ? line : g_strdup("0");
}

/* The variable at an access of a new analysis with these options; NULL: there is none. */
static bool knows_pairs(const cacheray_options *o)
{
    cacheray_analysis *a = cacheray_analysis_new(o);
    cacheray_tapped v = visit(a, 1, access_at(CACHERAY_READ, (uintptr_t)&pairs[2].right, 8, 1), NULL);
    const bool known = v.variable && strcmp(v.variable, "pairs") == 0 && v.base == (uintptr_t)pairs && v.index == 2;
    cacheray_analysis_free(a);
    return known;
}

/* The recorder has listed the program, and where it was loaded: with the preference for programs, without it, and another
 * one that was loaded elsewhere. */
static void test_objects(void **state)
{
    (void)state;
    g_autoptr(executable) e = executable_open(own_program(), NULL);
    g_autofree char *id = e ? executable_build_id(e) : NULL, *bias = own_bias();
    cacheray_options o = own_options("", "");
    if (!id)
        skip();
    g_autofree char *path_of = write_text(""), *objects = g_strconcat(path_of, ".objects", NULL);
    g_autofree char *twice = g_strconcat("/none;", own_program(), NULL);
    g_autofree char *text = g_strdup_printf("# objects 1\n0 0x%s %s %s\n1 0x10 - /none\n", bias, id, own_program());
    assert_true(g_file_set_contents(objects, text, -1, NULL));
    assert_int_equal(knows_pairs(&o), strcmp(bias, "0") == 0); /* without the list only if it is fixed */
    o.trace = path_of;
    assert_true(knows_pairs(&o));
    o.binary = twice;
    assert_true(knows_pairs(&o));
    o.binary = "";
    assert_true(knows_pairs(&o));
    cacheray_analysis *a = cacheray_analysis_new(&o);
    assert_int_equal(cacheray_analysis_problems(a).notices->len, 1);
    assert_int_equal(cacheray_analysis_problems(a).binaries->len, 0);
    assert_false(cacheray_analysis_problems(a).no_members);
    visit(a, 1, add_at(BASE, 16, 3), "struct.pair");
    assert_string_equal(visit(a, 2, access_at(CACHERAY_READ, BASE + 8, 8, 1), NULL).member, "right");
    cacheray_analysis_free(a);
    g_unlink(objects);
    g_unlink(path_of);
}

/* Structs lie elsewhere: their regions keep the address if the size stays, else they get one of their own. */
static void test_remapped(void **state)
{
    (void)state;
    char *swapped = write_text("struct pair=left,8;right,0\n"),
         *larger = write_text("struct pair=right,32;sizeof,64;alignof,64\n"), *bad = write_text("struct pair=none,8\n"),
         *none = write_text("struct unheard_of=a,8\n"), *bias = own_bias();
    pairs[1].left = 1;
    const uint64_t own = (uintptr_t)&pairs[2].left;
    cacheray_options o = own_options(swapped, "");
    o.load_bias = bias;
    cacheray_analysis *a = cacheray_analysis_new(&o);
    assert_true(cacheray_analysis_remaps(a));
    visit(a, 1, add_at(BASE, 16, 3), "struct.pair");
    visit(a, 2, add_at(BASE + 1024, 4, 3), "int");
    cacheray_tapped v = visit(a, 3, access_at(CACHERAY_READ, BASE + 16, 4, 1), NULL);
    assert_int_equal(v.placed, BASE + 24);
    holder.held = 1;
    visit(a, 3, add_at(BASE + 2048, 4, 3), "struct.holder"); /* the file does not name it */
    v = visit(a, 4, access_at(CACHERAY_READ, BASE + 2052, 4, 1), NULL);
    assert_string_equal(v.member, "held");
    assert_int_equal(v.placed, BASE + 2052);
    v = visit(a, 4, access_at(CACHERAY_READ, BASE + 1028, 4, 1), NULL);
    assert_int_equal(v.placed, BASE + 1028);
    v = visit(a, 5, access_at(CACHERAY_READ, own, 4, 1), NULL);
    assert_string_equal(v.variable, "pairs");
    assert_string_equal(v.member, "left");
    assert_int_equal(v.index, 2);
    assert_true(v.many);
    assert_int_equal(v.placed, own + 8);
    cacheray_analysis_free(a);
    o.remap = larger;
    a = cacheray_analysis_new(&o);
    visit(a, 1, add_at(BASE, 16, 3), "struct.pair");
    v = visit(a, 2, access_at(CACHERAY_READ, BASE + 16 + 8, 4, 1), NULL);
    const uint64_t first = v.placed - 64 - 32;
    assert_true(first % 64 == 0 && first >= UINT64_C(1) << 60);
    visit(a, 3, remove_at(BASE), NULL);
    visit(a, 4, add_at(BASE, 16, 3), "struct.pair"); /* again: the same place */
    v = visit(a, 5, access_at(CACHERAY_READ, BASE, 4, 1), NULL);
    assert_int_equal(v.placed, first);
    visit(a, 6, add_at(BASE + 0x10000, 16, 5), "struct.pair"); /* behind it */
    v = visit(a, 7, access_at(CACHERAY_READ, BASE + 0x10000, 4, 1), NULL);
    assert_int_equal(v.placed, first + 3 * 64 + 64);
    assert_true(cacheray_analysis_find(a, 7, &v));
    assert_int_equal(v.placed, first + 3 * 64 + 64);
    cacheray_analysis_free(a);
    const char *const refused[][2] = {{bad, "struct pair: it has no member 'none'"},
                                      {none, "struct unheard_of: the program has no such struct"},
                                      {"/none/file", ""}};
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        o.remap = refused[i][0];
        a = cacheray_analysis_new(&o);
        assert_false(cacheray_analysis_remaps(a));
        const cacheray_problems p = cacheray_analysis_problems(a);
        assert_non_null(strstr(p.remap ? p.remap : g_ptr_array_index(p.remap_lines, 0), refused[i][1]));
        cacheray_analysis_free(a);
    }
    placing_free(NULL);
    drop_text(swapped);
    drop_text(larger);
    drop_text(bad);
    drop_text(none);
    g_free(bias);
}

/* Simulated caches: of 1 KiB, with one way. */
static void test_caches(void **state)
{
    (void)state;
    char *simulated = write_text("{\"caches\":[{\"name\":\"L\",\"cache_size\":10,\"block_size\":6,\"write_policy\":0,"
                                 "\"set_assoc\":1,\"rep_policy\":0}]}");
    cacheray_options o = options(true);
    o.caches = simulated;
    cacheray_analysis *a = cacheray_analysis_new(&o);
    assert_null(cacheray_analysis_problems(a).caches);
    assert_int_equal(cacheray_analysis_levels(a), 1);
    assert_int_equal(cacheray_analysis_caches(a)->levels[0].size, 1 << 10);
    static const uint64_t addresses[] = {0x1000, 0x1000, 0x1400, 0x1000};
    static const uint8_t levels[] = {0, 1, 0, 0};
    cacheray_tapped v;
    for (uint32_t i = 0; i < 4; i++) {
        v = visit(a, i + 1, access_at(CACHERAY_WRITE, addresses[i], 4, 1), NULL);
        assert_true(v.has_cache);
        assert_int_equal(v.cache.level, levels[i]);
        assert_int_equal(v.cache.evicts, i >= 2);
    }
    assert_int_equal(v.cache.evicted, 0x1400);
    cacheray_tapped again = access_at(CACHERAY_WRITE, 0x1400, 4, 1);
    assert_true(cacheray_analysis_find(a, 3, &again));
    assert_int_equal(again.cache.level, 0);
    assert_int_equal(again.cache.evicted, 0x1000);
    cacheray_analysis_free(a);
    drop_text(simulated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_annotations), cmocka_unit_test(test_lines),    cmocka_unit_test(test_found_again),
        cmocka_unit_test(test_changed),     cmocka_unit_test(test_options),  cmocka_unit_test(test_members),
        cmocka_unit_test(test_objects),     cmocka_unit_test(test_remapped), cmocka_unit_test(test_caches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
