/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z ovni,paraver,FOLDER and Statistics > ovni > Export for Paraver: the files that ovniemu writes
 * (common/ovni/emulator/paraver.h), of the records that pass the filter. The emulator sees every record. */
#include "host/hidden_records.h"
#include "host/menus.h"
#include "host/notices.h"
#include "ovni_dissector/counting.h"
#include "ovni_dissector/record.h"
#include "ovni_dissector/statistics.h"

#include "ovni/emulator/linting.h"
#include "ovni/emulator/paraver.h"
#include "util/fail.h"

static const char replace_word[] = "replace", breakdown_word[] = "breakdown", folder_word[] = "FOLDER";

typedef struct export
{
    ovni_emulator *emulator;
    ovni_paraver *files; /* NULL: not open yet, written, or given up */
}
export;

static void *export_begin(const statistic_words *words, const void *how _U_)
{
    export *x = g_new0(export, 1);
    x->emulator = ovni_emulator_new(OVNI_EMULATE_ALL);
    if (statistic_words_has(words, OVNI_ALL_MODELS))
        ovni_emulator_enable_all(x->emulator);
    return x;
}

static void export_see(void *data, const counted_record *r)
{
    const export *x = data;
    if (x->files) {
        const ovni_played p = ovni_emulator_played(r->tapped);
        ovni_emulator_play(x->emulator, &p);
        ovni_paraver_look(x->files, x->emulator);
    }
}

static bool export_count(void *data, const counted_record *r _U_)
{
    const export *x = data;
    if (x->files)
        ovni_paraver_write(x->files, x->emulator);
    return true;
}

static void export_free(void *data)
{
    export *x = data;
    if (x->files)
        ovni_paraver_cancel(x->files);
    ovni_emulator_free(x->emulator);
    g_free(x);
}

static bool export_check(const statistic_run *run, GError **error)
{
    const char *folder = statistic_text(run, folder_word);
    return (folder && *folder) || fail_with(error, "the folder is missing: ovni,paraver,FOLDER");
}

static bool export_open(const statistic_run *run, char *const *answers _U_, GError **error)
{
    export *x = run->data;
    x->files = ovni_paraver_open(statistic_text(run, folder_word), statistic_has(run, replace_word),
                                 statistic_has(run, breakdown_word), error);
    return x->files != NULL;
}

/* Writes what is left. */
static bool export_finish(export *x, GError **error)
{
    bool written = false;
    const char *part = hidden_part_text();
    bool known = !part && ovni_emulator_has_metadata(x->emulator);
    if (known)
        written = ovni_paraver_finish(x->files, x->emulator, error);
    else
        ovni_paraver_cancel(x->files);
    x->files = NULL;
    if (part)
        return fail_with(error, "%s: nothing is written", part);
    return known ? written : fail_with(error, "there are no metadata of ovni 1.11 or later: open a stream.json");
}

/* If a breakdown is asked for that there is not. */
static void export_warn(const statistic_run *run, GString *text)
{
    uint32_t unused;
    const ovni_breakdown made = ovni_emulator_breakdown(((const export *)run->data)->emulator, &unused);
    const char *does = made == OVNI_BREAKDOWN_REFUSED ? "refuses the trace" : "makes no breakdown of it";
    if (!statistic_has(run, breakdown_word) || made == OVNI_BREAKDOWN_MADE)
        return;
    if (menus_windows())
        g_string_append_printf(text, "No nosv-breakdown is written, as ovniemu -b %s.\n", does);
    else
        notices_say(NOTICE_WARNING, "%s: no nosv-breakdown is written, as ovniemu -b %s", run->of->command, does);
}

static void export_write(const statistic_run *run, GString *text)
{
    export *x = run->data;
    g_autoptr(GError) error = NULL;
    if (!x->files)
        return;
    const bool written = export_finish(x, &error);
    if (written)
        export_warn(run, text);
    if (!written && !menus_windows()) {
        notices_say(NOTICE_FAILURE, "%s: %s", run->of->command, error->message);
    } else if (!written) {
        g_string_append_printf(text, "%s\n", error->message);
    } else if (menus_windows()) {
        g_string_append_printf(text, "thread.prv and cpu.prv, with .pcf and .row, have been written to %s.\n",
                               statistic_text(run, folder_word));
    }
}

static void export_ask(void *which)
{
    const statistic *s = which;
    g_autofree char *folder = g_build_filename(g_get_home_dir(), "paraver", NULL);
    const dialog_field fields[] = {{"Folder to write to:", folder, "\"%s\""},
                                   {"Replace existing files (yes or no):", "no", replace_word},
                                   {"Also models that no thread requires (yes or no):", "no", OVNI_ALL_MODELS},
                                   {"Breakdown of CPUs as well (yes or no):", "no", breakdown_word},
                                   {0}};
    dialog_open(s->title, fields, NULL, statistic_write_files, which);
}

static const counted counting = {.words = "replace, breakdown, " OVNI_ALL_MODELS ", FOLDER",
                                 .begin = export_begin,
                                 .each_record = export_see,
                                 .count = export_count,
                                 .free = export_free};

statistic ovni_paraver_statistic = {
    .tap = "ovni",
    .records = OVNI_RECORDS_TAP,
    .counts = &counting,
    .from = &ovni_statistics,
    .command = "ovni,paraver",
    .title = "ovni Export for Paraver",
    .check = export_check,
    .kind = STATISTIC_FILES,
    .open = export_open,
    .write = export_write,
    .start = export_ask,
};
