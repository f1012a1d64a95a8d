/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the Open dialog shows as "All Capture Files", with patterns made from extensions as Wireshark does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reader.h"

static GPtrArray *own, *patterns; /* Wireshark's own; with ours */

static GPtrArray *all_patterns(void)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    GSList *all = wtap_get_all_capture_file_extensions_list();
    for (GSList *at = all; at; at = at->next) {
        char *pattern = g_strconcat("*.", at->data, NULL), **each = g_strsplit(pattern, " ", -1);
        for (char **one = each; *one; one++)
            g_ptr_array_add(found, *one);
        g_free(each);
        g_free(pattern);
    }
    wtap_free_extensions_list(all);
    return found;
}

static int register_formats(void **state)
{
    (void)state;
    wtap_init(FALSE);
    own = all_patterns();
    reader_register();
    patterns = all_patterns();
    return 0;
}

static int forget(void **state)
{
    (void)state;
    g_ptr_array_free(own, TRUE);
    g_ptr_array_free(patterns, TRUE);
    wtap_cleanup();
    return 0;
}

static bool is_shown(const GPtrArray *by, const char *name)
{
    for (guint i = 0; i < by->len; i++)
        if (g_pattern_match_simple(g_ptr_array_index(by, i), name))
            return true;
    return false;
}

static void traces(void **state)
{
    (void)state;
    static const char *const names[] = {
        "xray-log.program.Ab12Cd",
        "xray-log.program.Ab12Cd.zst",
        "a.xray",
        "a.xray.gz",
        "orders.trace",
        "orders.trace.lz4",
        "cacheray.trace.17",
        "a.cacheray",
        "stream.obs",
        "stream.json",
        "thread.17",
        "thread.17.obs",
        "thread.17.json",
        "thread.17.ovnistream",
        "metadata.json",
        "a.pcapng",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (!is_shown(patterns, names[i]))
            fail_msg("%s is not shown", names[i]);
}

static void other_files(void **state)
{
    (void)state;
    static const char *const names[] = {"README", "notes.txt", "package.json", "xray.c", "threads.c", "program.Ab12Cd"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (is_shown(patterns, names[i]) && !is_shown(own, names[i])) /* Wireshark 4.6 itself shows all *.json */
            fail_msg("%s is shown", names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(traces), cmocka_unit_test(other_files)};
    return cmocka_run_group_tests(tests, register_formats, forget);
}
