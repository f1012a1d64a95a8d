/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts in a tree of names: what is found, what is taken and when, names that have no room; those of the formats. */
#include "cacheray_statistics.h"

#include "cacheray/statistics/counts.h"
#include "ovni/statistics/counts.h"
#include "statistics/count_cells.h"
#include "xray/statistics/counts.h"
#include "xray/xray.h"

enum { NAMES, MORE };

static const char *const first[] = {"top", "bottom"};

static void append_path(GString *text, const count_cell *cell)
{
    if (cell->above)
        append_path(text, cell->above);
    g_string_append_printf(text, "%s%s", cell->name.text, cell->inner ? "/" : "");
}

/* What is taken, as lines "path count first". */
static void take(void *data, count_cell *cell)
{
    append_path(data, cell);
    g_string_append_printf(data, " %u %g\n", cell->count, cell->first);
}

static void expect(count_cells *c, const char *text)
{
    g_autoptr(GString) found = g_string_new(NULL);
    count_cells_take(c, take, found);
    assert_string_equal(found->str, text);
}

static count_cell *cell_of(count_cells *c, unsigned kind, count_cell *above, uint64_t number)
{
    const hash_pair key = {kind, number};
    count_cell *cell = count_cells_find(c, &key);
    g_autofree char *name = g_strdup_printf("n%u", (unsigned)number);
    return cell ? cell : count_cells_make(c, kind, &key, above, shown_name_of(name), kind == MORE);
}

/* A key has its cell, also after another one has had its place among the latest. */
static void test_found(void **state)
{
    (void)state;
    enum { KEYS = 3000 };
    count_cells *c = count_cells_new(first, 2);
    count_cell *cells[KEYS];
    for (unsigned i = 0; i < KEYS; i++)
        cells[i] = cell_of(c, i % 2, count_cells_first(c, 0), i);
    for (unsigned i = 0; i < 2 * KEYS; i++) {
        const unsigned number = i / 2 % KEYS; /* so that each is asked for twice in sequence */
        const hash_pair key = {number % 2, number}, other = {!(number % 2), number};
        assert_ptr_equal(count_cells_find(c, &key), cells[number]);
        assert_null(count_cells_find(c, &other));
    }
    count_cells_free(c);
}

/* Each is taken once, with the time of its first since it was taken before. */
static void test_taken(void **state)
{
    (void)state;
    count_cells *c = count_cells_new(first, 1);
    count_cell *top = count_cells_first(c, 0), *one = cell_of(c, MORE, top, 7), *below = cell_of(c, NAMES, one, 7);
    assert_ptr_equal(cell_of(c, NAMES, one, 7), below);
    expect(c, "");
    count_cells_at(c, 0.5);
    count_cells_add(c, below);
    count_cells_at(c, 1.5);
    count_cells_add(c, one);
    count_cells_add(c, below);
    expect(c, "top/n7/n7 2 0.5\ntop/n7/ 1 1.5\n");
    expect(c, "");
    count_cells_at(c, 2);
    count_cells_add(c, one);
    expect(c, "top/n7/ 1 2\n");
    count_cells_free(c);
    count_cells_free(NULL);
}

/* Names beyond the limit of their kind share a cell below the same one, and are not found. */
static void test_others(void **state)
{
    (void)state;
    count_cells *c = count_cells_new(first, 2);
    count_cell *top = count_cells_first(c, 0), *bottom = count_cells_first(c, 1);
    for (uint64_t number = 0; number < COUNT_CELLS_MAX; number++)
        cell_of(c, NAMES, top, number);
    for (uint64_t number = COUNT_CELLS_MAX; number < COUNT_CELLS_MAX + 3; number++) {
        count_cells_add(c, cell_of(c, NAMES, top, number));
        count_cells_add(c, cell_of(c, NAMES, bottom, number));
        assert_null(count_cells_find(c, &(hash_pair){NAMES, number}));
    }
    count_cells_add(c, cell_of(c, MORE, bottom, 0));
    expect(c, "top/(others) 3 0\nbottom/(others) 3 0\nbottom/n0/ 1 0\n");
    count_cells_free(c);
}

/* --- Cacheray's ---------------------------------------------------------------------------------------------------- */

static const char *kind_name(uint8_t kind)
{
    static const char *const names[] = {"Read", "Write", "Add", "Remove"};
    return kind < G_N_ELEMENTS(names) ? names[kind] : "Unknown";
}

static void add(count_cells *c, cacheray_tapped v, uint8_t kind, const char *type, const char *member)
{
    const record_context context = {.kind = kind};
    v.context = &context;
    v.kind = kind;
    v.is_access = kind <= CACHERAY_WRITE;
    v.type = type;
    v.member = member;
    cacheray_counts_add(c, &v, kind_name);
}

static void test_cacheray(void **state)
{
    (void)state;
    static const char pair[] = "struct.pair", left[] = "left";
    count_cells *c = count_cells_new(cacheray_counts_first, CACHERAY_COUNTS_FIRST);
    add(c, access_to(0, 0, 5), CACHERAY_RTTA_ADD, pair, NULL);
    add(c, access_to(0, 0, 5), CACHERAY_READ, pair, left);
    add(c, access_to(0, 0, 6), CACHERAY_WRITE, pair, left);
    add(c, access_to(0, 0, 5), CACHERAY_READ, pair, "right");
    add(c, access_to(0, 0, 5), CACHERAY_READ, NULL, NULL);
    add(c, (cacheray_tapped){.variable = "count"}, CACHERAY_READ, NULL, NULL);
    add(c, (cacheray_tapped){0}, KIND_UNKNOWN, NULL, NULL);
    expect(c, "Kinds/Add 1 0\nThreads/5 4 0\nKinds/Read 4 0\nAccesses by type/struct.pair/left 2 0\n"
              "Kinds/Write 1 0\nThreads/6 1 0\nAccesses by type/struct.pair/right 1 0\n"
              "Accesses by type/(not annotated)/ 1 0\nThreads/0 1 0\nAccesses by type/variable count/ 1 0\n"
              "Kinds/Unknown 1 0\n");
    count_cells_free(c);
}

/* --- XRay's -------------------------------------------------------------------------------------------------------- */

enum { NEITHER, THREAD = XRAY_KNOWN_THREAD, BOTH = XRAY_KNOWN_THREAD | XRAY_KNOWN_PROCESS };

static shown_name label_xray(uint32_t function)
{
    return shown_name_of(function == 1 ? "main" : NULL);
}

static void add_xray(count_cells *c, uint8_t kind, uint8_t known, uint32_t process, uint32_t thread, uint32_t function)
{
    record_context context = {.kind = kind};
    *xray_context_of(&context) = (xray_context){.known = known, .process = process, .thread = thread};
    xray_counts_add(c, &context, function, label_xray);
}

/* Thread 7 of process 0 and thread 7 of an unknown process are two. */
static void test_xray(void **state)
{
    (void)state;
    count_cells *c = count_cells_new(xray_counts_first, XRAY_COUNTS_FIRST);
    add_xray(c, XRAY_HEADER, NEITHER, 0, 0, 0);
    add_xray(c, XRAY_ENTRY, THREAD, 0, 7, 1);
    add_xray(c, XRAY_ENTRY_ARGUMENTS, BOTH, 0, 7, 1);
    add_xray(c, XRAY_ENTRY, BOTH, UINT32_MAX, 7, UINT32_MAX);
    add_xray(c, XRAY_EXIT, THREAD, 0, 7, 1);
    add_xray(c, XRAY_EXIT, BOTH, UINT32_MAX, 7, UINT32_MAX);
    expect(c, "Kinds/File header 1 0\nKinds/Function entry 2 0\nThreads/?/7 2 0\nFunctions entered/main 2 0\n"
              "Kinds/Function entry with arguments 1 0\nThreads/0/7 1 0\n"
              "Threads/4294967295/7 2 0\nFunctions entered/#4294967295 1 0\nKinds/Function exit 2 0\n");
    count_cells_free(c);
}

/* --- ovni's -------------------------------------------------------------------------------------------------------- */

static void add_ovni(count_cells *c, const char *mcv, uint32_t thread)
{
    g_autofree char *name = g_strdup_printf("thread %u", thread);
    if (!ovni_counts_add(c, mcv, thread))
        ovni_counts_add_stream(c, thread, name);
}

/* Codes that cannot be printed are still of their model. */
static void test_ovni(void **state)
{
    (void)state;
    count_cells *c = count_cells_new(ovni_counts_first, OVNI_COUNTS_FIRST);
    add_ovni(c, "OHx", 1);
    add_ovni(c, "VTx", 2);
    add_ovni(c, "OHx", 1);
    add_ovni(c, "OH\x01", 2);
    add_ovni(c, "OHx", 0);
    expect(c, "Models and codes/ovni/OHx 3 0\nStreams/thread 1 2 0\nModels and codes/nosv/VTx 1 0\n"
              "Streams/thread 2 2 0\nModels and codes/ovni/OH. 1 0\nStreams/thread 0 1 0\n");
    count_cells_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_found),  cmocka_unit_test(test_taken),
                                       cmocka_unit_test(test_others), cmocka_unit_test(test_cacheray),
                                       cmocka_unit_test(test_xray),   cmocka_unit_test(test_ovni)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
