/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by stack: whole stacks, in order, and what happens when there is no room for another one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "statistics/stack_tree.h"

/* Interned texts stand for themselves; several pieces may have one name. */
static unsigned name_of(const void *data, const stack_piece *piece, GString *name)
{
    (void)data;
    g_string_append(name, (const char *)(uintptr_t)piece->id);
    return 0;
}

static void add(stack_tree *t, const char *stack, uint64_t number)
{
    stack_piece pieces[4];
    g_auto(GStrv) names = g_strsplit(*stack ? stack : ";", ";", -1);
    unsigned n = *stack ? g_strv_length(names) : 1;
    for (unsigned i = 0; i < n; i++)
        pieces[i] = (stack_piece){number % 2, (uintptr_t)g_intern_string(names[i])};
    *stack_tree_of(t, pieces, n, NULL) += number;
}

static void enter(void *data, shown_name name, const uint64_t *numbers, bool first)
{
    GString *text = data;
    g_string_append_printf(text, "%s%s", first ? "(" : " ", name.text);
    if (numbers)
        g_string_append_printf(text, "=%u", (unsigned)numbers[0]);
}

static void leave(void *data, shown_name name)
{
    g_string_append_printf(data, "/%c", name.text[0]);
}

static const stack_tree_visitor visitor = {enter, leave};

static void written(GString *text)
{
    assert_true(text->len > 0);
}

static void test_tree(void **state)
{
    (void)state;
    stack_tree t;
    GString *text = g_string_new(NULL);
    stack_tree_init(&t, 1, name_of);
    add(&t, "b;x", 1);
    add(&t, "a;x;y", 2);
    add(&t, "a", 3);
    add(&t, "a;x;y", 4);
    add(&t, "a b", 5);
    add(&t, "b;a", 6);
    stack_tree_visit(&t, &visitor, text);
    assert_string_equal(text->str, "(a=3(x(y=6/y/x/a a b=5/a b(a=6/a x=1/x/b");
    const stack_piece two[] = {{0, (uintptr_t)g_intern_string("four")}, {0, (uintptr_t)g_intern_string("a")}};
    assert_int_equal(stack_tree_bytes(&t, two, 2, NULL), 5);
    g_string_truncate(text, 0);
    stack_tree_write(&t, text, written);
    assert_string_equal(text->str, "a 3\na;x;y 6\na b 5\nb;a 6\nb;x 1\n");
    stack_tree_clear(&t);
    stack_tree_init(&t, 1, name_of);
    add(&t, "", 7);
    g_string_truncate(text, 0);
    stack_tree_visit(&t, &visitor, text);
    assert_string_equal(text->str, "(=7/");
    stack_tree_clear(&t);
    g_string_free(text, TRUE);
}

typedef struct counted {
    uint64_t stacks, sum, others, depth, deepest;
} counted;

static void count_enter(void *data, shown_name name, const uint64_t *numbers, bool first)
{
    (void)first;
    counted *c = data;
    c->depth++;
    c->deepest = MAX(c->deepest, c->depth);
    c->stacks += numbers != NULL;
    c->sum += numbers ? numbers[1] : 0;
    if (strcmp(name.text, TEXT_OTHERS) == 0)
        c->others = numbers[1];
}

static void count_leave(void *data, shown_name name)
{
    (void)name;
    ((counted *)data)->depth--;
}

static unsigned number_of(const void *data, const stack_piece *piece, GString *name)
{
    (void)data;
    g_string_append_printf(name, "%s%u", piece->kind == 0 ? "all" : piece->kind == 2 ? "in" : "", (unsigned)piece->id);
    return 0;
}

/* Nothing is lost beyond the limit, and a stack that has sums has all of its own. */
static void test_limit(void **state)
{
    (void)state;
    enum { STACKS = 600000 };
    static const stack_tree_visitor counts = {count_enter, count_leave};
    stack_tree t;
    stack_tree_init(&t, 2, number_of);
    for (unsigned twice = 0; twice < 2; twice++)
        for (unsigned i = 0; i < STACKS; i++) {
            const stack_piece stack[] = {{0, 0}, {1, i}, {2, 0}};
            stack_tree_of(&t, stack, 3, NULL)[1]++;
        }
    assert_true(t.limit.full);
    counted c = {0};
    stack_tree_visit(&t, &counts, &c);
    assert_int_equal(c.sum, 2 * STACKS);
    assert_int_equal(c.deepest, 3);
    assert_true(c.stacks > STACKS / 10 && c.stacks < STACKS);
    assert_int_equal(c.others, 2 * STACKS - 2 * (c.stacks - 1));
    stack_tree_clear(&t);
}

static void add_both(uint64_t *to, const uint64_t *from)
{
    to[0] += from[0];
    to[1] += from[1];
}

/* What three have counted that had a third of the room each has room in one. */
static void test_share(void **state)
{
    (void)state;
    enum { SHARES = 3 };
    stack_tree all, usual;
    uint64_t stacks = 0, room = 0;
    stack_tree_init(&all, 2, number_of);
    for (unsigned share = 0; share < SHARES; share++) {
        stack_tree one;
        stack_tree_init(&one, 2, number_of);
        limit_share(&one.limit, SHARES);
        for (; !one.limit.full; stacks++) {
            const stack_piece stack[] = {{0, 0}, {1, stacks}};
            stack_tree_of(&one, stack, 2, NULL)[1]++;
        }
        stack_tree_merge(&all, &one, add_both);
        assert_false(all.limit.full);
        stack_tree_clear(&one);
    }
    assert_int_equal(all.limit.counted, stacks);
    stack_tree_init(&usual, 2, number_of);
    for (; !usual.limit.full; room++) {
        const stack_piece stack[] = {{0, 0}, {1, room}};
        stack_tree_of(&usual, stack, 2, NULL)[1]++;
    }
    assert_true(stacks <= room + SHARES && stacks > room * 99 / 100); /* one more each */
    stack_tree_clear(&usual);
    stack_tree_clear(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
