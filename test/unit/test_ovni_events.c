/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event tables are complete and consistent, and a code has the meaning that it had when it was written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "ovni/events/events.h"

/* All codes: the letter of the model, then category and value of its events. */
/* clang-format off */
static const char *const codes_of_today[] = {
    "O Ar As B. HC Hc He Hp Hr Hw Hx Cn F[ F] U[ U] M[ M] M=",
    "6 Yc Tc Tx Te Tp Tr W[ W] Wt WT Ww WW Wm WM Ws WS Wr WR Wg WG W* Pp Pr Pa C[ C] U[ U] F[ F] t[ t] "
    "O[ O] Ma MA Mf MF Dr DR Du DU S[ S] Sa SA Sp SP S@ Sr Ss Bb BB Bu BU Bw BW Bf BF He HE Hw HW Hl HL "
    "Hm HM",
    "V Tc TC Tx Te Tp Tr Yc Sr Ss S@ Sh Sf S[ S] SN Sn U[ U] Ma MA Mf MF Ar AR Ad AD As AS Ap AP Ay AY "
    "Aw AW Ac AC Aa AA Ae AE Al AL At AT Au AU Ab AB Ao AO Ag AG Ak AK Aj AJ Am AM Ai AI An AN Ha HA Hw "
    "HW Hd HD Pp Pr Pa WC",
    "D R[ R] U[ U] W[ W] I[ I] T[ T] C[ C] S[ S] P[ P]",
    "K CO CI",
    "M Uf UF Ui UI Ut UT W[ W] Wa WA Ws WS Wy WY T[ T] Ta TA Ty TY Ts TS S[ S] Sb SB Sr SR Ss SS R[ R] "
    "Rs RS Ro RO Ag AG Ar AR Aa AA Cb CB Ce CE Cs CS Db DB Dg DG Ds DS E[ E] Es ES Eb EB s[ s] sb sB sr "
    "sR ss sS r[ r] rs rS ro rO ag aG ar aR aa aA cb cB ce cE cs cS db dB dg dG ds dS e[ e] es eS eb eB",
    "T Ci CI Gc GC Li LI Lp LP Qa QA Qt QT Rc RC Rt RT Ra RA Rs RS Tc TC Tw TW",
    "P Bb BB Bj BJ Bf BF Bt BT Bs BS Ia IA Ir IR I[ I] Wd WD Wy WY Wc WC Ws WS We WE Wi WI Ta TA Tc TC "
    "Td TD Tr TR T[ T] Ti TI Ts TS Tg TG Tt TT Tw TW Ty TY A[ A] Mi MI Mu MU H[ H] Cf CF Ci CI Oc Pc Px "
    "Pe Qx Qe",
};
static const char *const codes_of_other_times[] = {
    "T S[ S] R[ R] s[ s] r[ r] V[ V] W[ W]",
    "M T[ T] P[ P]",
    "6 TC Tb Tu Sh Sf Su SU Ha HA Hs HS s[ s] Ci Ca Wt WT Bw BW",
    "V D[ D] I[ I] P[ P] W[ W] C[ C] M[ M] Tx Te Tp Tr",
    "K O[ O]",
    "O Uj",
};
/* clang-format on */

static const ovni_event *find(ovni_era era, const char *mcv, uint64_t payload)
{
    return ovni_event_find(era, mcv, payload);
}

/* The numbers of events in ovni 1.14.0. */
static void every_model_has_its_events(void **state)
{
    (void)state;
    static const struct {
        char model;
        unsigned count;
    } expected[] = {{'O', 18}, {'6', 67}, {'V', 72}, {'D', 16}, {'K', 2}, {'M', 98}, {'T', 24}, {'P', 68}};
    unsigned total = 0;
    for (size_t m = 0; m < G_N_ELEMENTS(expected); m++) {
        unsigned n = 0;
        for (size_t i = 0; i < ovni_event_count; i++)
            n += ovni_events[i].mcv[0] == expected[m].model;
        assert_int_equal(n, expected[m].count);
        assert_non_null(ovni_model_name(expected[m].model));
        total += n;
    }
    assert_int_equal(total, ovni_event_count);
    assert_int_equal(total, 365);
    assert_int_equal(ovni_old_event_count, 54);
}

static bool has_row(bool today, const char *mcv)
{
    size_t count = today ? ovni_event_count : ovni_old_event_count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(today ? ovni_events[i].mcv : ovni_old_events[i].event.mcv, mcv) == 0)
            return true;
    return false;
}

static unsigned check_codes(bool today, const char *const *lists, size_t count)
{
    unsigned n = 0;
    for (size_t i = 0; i < count; i++) {
        char **words = g_strsplit(lists[i], " ", -1);
        for (char **w = words + 1; *w; w++, n++) {
            char mcv[4] = {lists[i][0], (*w)[0], (*w)[1], 0};
            if (!has_row(today, mcv))
                fail_msg("%s is missing", mcv);
        }
        g_strfreev(words);
    }
    return n;
}

static void no_code_is_missing(void **state)
{
    (void)state;
    assert_int_equal(check_codes(true, codes_of_today, G_N_ELEMENTS(codes_of_today)), ovni_event_count);
    assert_int_equal(check_codes(false, codes_of_other_times, G_N_ELEMENTS(codes_of_other_times)), ovni_old_event_count);
}

static void every_code_is_found_in_every_era(void **state)
{
    (void)state;
    for (size_t i = 0; i < ovni_event_count; i++) {
        const ovni_event *e = &ovni_events[i];
        assert_int_equal(strlen(e->mcv), 3);
        assert_ptr_equal(find(OVNI_ERA_V3, e->mcv, 8), e);
        assert_ptr_equal(find(OVNI_ERA_UNKNOWN, e->mcv, 8), e);
        for (int era = 0; era < OVNI_ERA_COUNT; era++)
            assert_non_null(find((ovni_era)era, e->mcv, 8));
    }
    for (size_t i = 0; i < ovni_old_event_count; i++)
        for (int era = 0; era < OVNI_ERA_COUNT; era++)
            assert_non_null(find((ovni_era)era, ovni_old_events[i].event.mcv, 0));
}

static void unknown_codes_are_not_found(void **state)
{
    (void)state;
    static const char *const unknown[] = {"Ozz", "ZZZ", "OHX", "   ", "VTz"};
    for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++)
        assert_null(find(OVNI_ERA_V3, unknown[i], 0));
    assert_null(find(OVNI_ERA_V3, "\0\0\0", 0));
    assert_null(find(OVNI_ERA_V3, "\xff\xff\xff", 0));
    assert_null(ovni_model_name('X'));
    assert_int_equal(ovni_model_number('X'), OVNI_MODEL_NONE);
    assert_null(ovni_model_name((char)0xff));
}

/* The match of a pair refers back to the event, and both have the same state. */
static void check_pair(const ovni_event *e, const ovni_event *match)
{
    assert_non_null(match);
    assert_string_equal(match->pair, e->mcv);
    assert_int_equal(match->channels, e->channels);
    if (e->role == OVNI_PUSH || e->role == OVNI_POP) {
        assert_int_equal(match->role, e->role == OVNI_PUSH ? OVNI_POP : OVNI_PUSH);
        assert_string_equal(match->state ? match->state : "", e->state ? e->state : "");
    }
}

static const ovni_event *old_event(const char *mcv)
{
    for (size_t i = 0; i < ovni_old_event_count; i++)
        if (strcmp(ovni_old_events[i].event.mcv, mcv) == 0)
            return &ovni_old_events[i].event;
    return NULL;
}

static void pairs_name_each_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < ovni_event_count; i++)
        if (*ovni_events[i].pair)
            check_pair(&ovni_events[i], find(OVNI_ERA_V3, ovni_events[i].pair, 8));
    for (size_t i = 0; i < ovni_old_event_count; i++)
        if (*ovni_old_events[i].event.pair)
            check_pair(&ovni_old_events[i].event, old_event(ovni_old_events[i].event.pair));
}

/* Every argument has a placeholder in the text, and every placeholder an argument. */
static void check_text(const ovni_event *e)
{
    unsigned holes = 0, arguments = 0;
    assert_true(*e->text);
    for (const char *s = e->text; *s; s++)
        holes += *s == '{';
    for (int i = 0; i < OVNI_ARGUMENTS_MAX && e->arguments[i].type; i++) {
        if (e->arguments[i].type == OVNI_REPEAT)
            continue;
        char *hole = g_strdup_printf("{%s}", ovni_argument_name(e->arguments[i].id));
        if (!strstr(e->text, hole))
            fail_msg("%s has no hole %s", e->mcv, hole);
        g_free(hole);
        arguments++;
    }
    assert_int_equal(holes, arguments);
}

static void words_have_a_hole_for_every_argument(void **state)
{
    (void)state;
    for (size_t i = 0; i < ovni_event_count; i++)
        check_text(&ovni_events[i]);
    for (size_t i = 0; i < ovni_old_event_count; i++)
        check_text(&ovni_old_events[i].event);
}

static void an_argument_has_one_type(void **state)
{
    (void)state;
    uint8_t types[OVNI_ARGUMENT_COUNT] = {0};
    for (size_t i = 0; i < ovni_event_count; i++)
        for (int a = 0; a < OVNI_ARGUMENTS_MAX && ovni_events[i].arguments[a].type; a++) {
            const ovni_argument *argument = &ovni_events[i].arguments[a];
            if (argument->type == OVNI_REPEAT)
                continue;
            if (types[argument->id])
                assert_int_equal(types[argument->id], argument->type);
            types[argument->id] = argument->type;
        }
    for (int i = 0; i < OVNI_ARGUMENT_COUNT; i++)
        assert_int_not_equal(types[i], 0);
    assert_null(ovni_argument_name(OVNI_ARGUMENT_COUNT));
}

static void the_layout_dates_a_code(void **state)
{
    (void)state;
    /* M was OpenMP up to 1.0.0 */
    assert_string_equal(find(OVNI_ERA_HEADERLESS, "MT[", 0)->state, "OpenMP: Task");
    assert_string_equal(find(OVNI_ERA_PLAIN, "MT]", 0)->state, "OpenMP: Task");
    assert_string_equal(find(OVNI_ERA_V1, "MT[", 0)->state, "MPI_Test");
    assert_string_equal(find(OVNI_ERA_V3, "MT]", 0)->state, "MPI_Test");
    assert_string_equal(find(OVNI_ERA_V3, "TS[", 0)->state, "TAMPI: Send");
    /* meant something else for a few weeks, but nothing in a trace tells */
    assert_string_equal(find(OVNI_ERA_HEADERLESS, "6Wt", 0)->state, "Worker: Handling task");
    assert_string_equal(find(OVNI_ERA_HEADERLESS, "6Bw", 0)->state, "Blocking: Taskwait");
    assert_string_equal(find(OVNI_ERA_HEADERLESS, "6Sh", 0)->state, "Scheduler: Hungry");
    assert_non_null(find(OVNI_ERA_V3, "KO[", 0));
    assert_true(find(OVNI_ERA_V3, "OUj", 0)->jumbo);
}

static void the_payload_tells_old_task_events(void **state)
{
    (void)state;
    static const char *const codes[] = {"VTx", "VTe", "VTp", "VTr"};
    for (size_t i = 0; i < G_N_ELEMENTS(codes); i++) {
        const ovni_event *old = find(OVNI_ERA_V1, codes[i], 4), *today = find(OVNI_ERA_V1, codes[i], 8);
        assert_int_equal(old->arguments[1].type, OVNI_NO_ARGUMENT);
        assert_int_equal(today->arguments[1].id, OVNI_BODYID);
        assert_string_equal(old->state, today->state);
        assert_ptr_equal(find(OVNI_ERA_V3, codes[i], 4), old);
        assert_ptr_equal(find(OVNI_ERA_HEADERLESS, codes[i], 8), today);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_has_its_events),
        cmocka_unit_test(no_code_is_missing),
        cmocka_unit_test(every_code_is_found_in_every_era),
        cmocka_unit_test(unknown_codes_are_not_found),
        cmocka_unit_test(pairs_name_each_other),
        cmocka_unit_test(words_have_a_hole_for_every_argument),
        cmocka_unit_test(an_argument_has_one_type),
        cmocka_unit_test(the_layout_dates_a_code),
        cmocka_unit_test(the_payload_tells_old_task_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
