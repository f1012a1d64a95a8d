/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts in a tree of names: what is taken and when, names that have no room; those of the formats. */
#include "cacheray_statistics.h"

#include "cacheray/statistics/counts.h"
#include "ovni/statistics/counts.h"
#include "statistics/count_cells.h"
#include "xray/statistics/counts.h"
#include "xray/xray.h"

enum { FIRST, NAMES, MORE };

/* What is taken, as lines "path count first"; children name their parents. */
typedef struct taken {
    GPtrArray *paths; /* by cell */
    GString *text;
} taken;

static void take(void *data, const count_cells_counted *c)
{
    taken *t = data;
    if (c->cell >= t->paths->len)
        g_ptr_array_set_size(t->paths, (gint)c->cell + 1);
    const char *above = g_ptr_array_index(t->paths, c->parent);
    char *path = g_strdup_printf("%s%s%s", above ? above : "", c->name, c->inner ? "/" : "");
    g_free(g_ptr_array_index(t->paths, c->cell));
    g_ptr_array_index(t->paths, c->cell) = path;
    g_string_append_printf(t->text, "%s %u %g\n", path, c->count, c->first);
}

/* g_free() it. */
static char *text_of(count_cells *c)
{
    taken t = {g_ptr_array_new_with_free_func(g_free), g_string_new(NULL)};
    g_ptr_array_set_size(t.paths, 1);
    count_cells_take(c, take, &t);
    g_ptr_array_free(t.paths, TRUE);
    return g_string_free(t.text, FALSE);
}

static void expect(count_cells *c, const char *text)
{
    g_autofree char *found = text_of(c);
    assert_string_equal(found, text);
}

static uint32_t cell_of(count_cells *c, unsigned kind, uint32_t parent, uint64_t key, bool inner)
{
    uint32_t cell = count_cells_known(c, parent, key);
    g_autofree char *name = g_strdup_printf("n%u", (unsigned)key);
    return cell ? cell : count_cells_make(c, kind, parent, key, name, inner);
}

/* What is counted with a key alone is in the cells of that key, also after they were taken and after another key had its
 * place. */
static void test_alike(void **state)
{
    (void)state;
    enum { KEYS = 3000 };
    count_cells *c = count_cells_new();
    const uint32_t all = cell_of(c, FIRST, COUNT_CELLS_TOP, 1, false), odd = cell_of(c, FIRST, COUNT_CELLS_TOP, 2, false);
    for (unsigned round = 1; round <= 3; round++) {
        for (unsigned i = 0; i < 2 * KEYS; i++) {
            const unsigned number = i / round % KEYS; /* so that some are asked for several times in sequence */
            const count_cells_key key = {{number % 2, number & 4, number & 8, number / 16}};
            count_cells_at(c, round + 0.5 * (i > 2));
            if (count_cells_again(c, &key))
                continue;
            count_cells_add(c, all);
            if (number % 2)
                count_cells_add(c, odd);
        }
        g_autofree char *text = g_strdup_printf("n1 %u %u\nn2 %u %g\n", 2 * KEYS, round, KEYS, round + 0.5 * (round > 2));
        expect(c, text);
    }
    count_cells_free(c);
}

/* Each is taken once, with the time of its first since it was taken before. */
static void test_taken(void **state)
{
    (void)state;
    count_cells *c = count_cells_new();
    const uint32_t top = cell_of(c, FIRST, COUNT_CELLS_TOP, 7, true), below = cell_of(c, NAMES, top, 7, false);
    assert_int_equal(top, 1);
    assert_int_equal(cell_of(c, NAMES, top, 7, false), below);
    assert_int_equal(count_cells_known(c, below, 7), 0);
    expect(c, "");
    count_cells_at(c, 0.5);
    count_cells_add(c, below);
    count_cells_at(c, 1.5);
    count_cells_add(c, top);
    expect(c, "n7/ 2 0.5\nn7/n7 1 0.5\n");
    expect(c, "");
    count_cells_at(c, 2);
    count_cells_add(c, top);
    expect(c, "n7/ 1 2\n");
    count_cells_free(c);
    count_cells_free(NULL);
}

/* Names beyond the limit of their kind share a cell below the same parent, and are not known. */
static void test_others(void **state)
{
    (void)state;
    count_cells *c = count_cells_new();
    const uint32_t left = cell_of(c, FIRST, COUNT_CELLS_TOP, 1, true), right = cell_of(c, FIRST, COUNT_CELLS_TOP, 2, true);
    for (uint64_t key = 0; key < COUNT_CELLS_MAX; key++)
        cell_of(c, NAMES, left, key, false);
    for (uint64_t key = 0; key < 3; key++) {
        count_cells_add(c, cell_of(c, NAMES, left, COUNT_CELLS_MAX + key, false));
        count_cells_add(c, cell_of(c, NAMES, right, key, false));
        assert_int_equal(count_cells_known(c, right, key), 0);
    }
    count_cells_add(c, cell_of(c, MORE, right, 0, false));
    expect(c, "n1/ 3 0\nn1/(others) 3 0\nn2/ 4 0\nn2/(others) 3 0\nn2/n0 1 0\n");
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
    count_cells *c = cacheray_counts_new();
    add(c, access_to(0, 0, 5), CACHERAY_RTTA_ADD, pair, NULL);
    add(c, access_to(0, 0, 5), CACHERAY_READ, pair, left);
    add(c, access_to(0, 0, 6), CACHERAY_WRITE, pair, left);
    add(c, access_to(0, 0, 5), CACHERAY_READ, pair, "right");
    add(c, access_to(0, 0, 5), CACHERAY_READ, NULL, NULL);
    add(c, (cacheray_tapped){.variable = "count"}, CACHERAY_READ, NULL, NULL);
    add(c, (cacheray_tapped){0}, KIND_UNKNOWN, NULL, NULL);
    expect(c, "Kinds/ 7 0\nKinds/Add 1 0\nThreads/ 6 0\nThreads/5 4 0\nKinds/Read 4 0\n"
              "Accesses by type/ 5 0\nAccesses by type/struct.pair/ 3 0\nAccesses by type/struct.pair/left 2 0\n"
              "Kinds/Write 1 0\nThreads/6 1 0\nAccesses by type/struct.pair/right 1 0\n"
              "Accesses by type/(not annotated)/ 1 0\nThreads/0 1 0\nAccesses by type/variable count/ 1 0\n"
              "Kinds/Unknown 1 0\n");
    count_cells_free(c);
}

/* --- XRay's -------------------------------------------------------------------------------------------------------- */

enum { NEITHER, THREAD = XRAY_KNOWN_THREAD, BOTH = XRAY_KNOWN_THREAD | XRAY_KNOWN_PROCESS };

static const char *label_xray(uint32_t function)
{
    return function == 1 ? "main" : NULL;
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
    count_cells *c = xray_counts_new();
    add_xray(c, XRAY_HEADER, NEITHER, 0, 0, 0);
    add_xray(c, XRAY_ENTRY, THREAD, 0, 7, 1);
    add_xray(c, XRAY_ENTRY_ARGUMENTS, BOTH, 0, 7, 1);
    add_xray(c, XRAY_ENTRY, BOTH, UINT32_MAX, 7, UINT32_MAX);
    add_xray(c, XRAY_EXIT, THREAD, 0, 7, 1);
    add_xray(c, XRAY_EXIT, BOTH, UINT32_MAX, 7, UINT32_MAX);
    expect(c,
           "Kinds/ 6 0\nKinds/File header 1 0\nKinds/Function entry 2 0\nThreads/ 5 0\nThreads/?/7 2 0\n"
           "Functions entered/ 3 0\nFunctions entered/main 2 0\nKinds/Function entry with arguments 1 0\nThreads/0/7 1 0\n"
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
    count_cells *c = ovni_counts_new();
    add_ovni(c, "OHx", 1);
    add_ovni(c, "VTx", 2);
    add_ovni(c, "OHx", 1);
    add_ovni(c, "OH\x01", 2);
    add_ovni(c, "OHx", 0);
    expect(c, "Models and codes/ 5 0\nModels and codes/ovni/ 4 0\nModels and codes/ovni/OHx 3 0\nStreams/ 5 0\n"
              "Streams/thread 1 2 0\nModels and codes/nosv/ 1 0\nModels and codes/nosv/VTx 1 0\nStreams/thread 2 2 0\n"
              "Models and codes/ovni/OH. 1 0\nStreams/thread 0 1 0\n");
    count_cells_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alike),  cmocka_unit_test(test_taken),
                                       cmocka_unit_test(test_others), cmocka_unit_test(test_cacheray),
                                       cmocka_unit_test(test_xray),   cmocka_unit_test(test_ovni)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
