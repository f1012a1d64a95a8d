/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/emulator/paraver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "ovni/emulator/breakdown.h"
#include "util/fail.h"
#include "util/output_file.h"
#include "util/text.h"

enum { THREAD, CPU, SIDES, BREAKDOWN = SIDES, ALL_SIDES = SIDES + OVNI_DOING_MODELS };
enum { PRV, PCF, ROW, FILES };
static const char *const side_names[SIDES] = {"thread", "cpu"}, *const suffixes[FILES] = {"prv", "pcf", "row"};

struct ovni_paraver {
    output_file *files[ALL_SIDES][FILES]; /* NULL: not wanted */
    ovni_breakdowns *breakdowns;          /* NULL: not wanted */
    char *made;                           /* the folder, if it was not there; it goes again if nothing is written into it */
    bool begun;
};

/* --- files --------------------------------------------------------------------------------------------------------- */

static FILE *ovni_paraver_stream_of(const ovni_paraver *p, int side, int file)
{
    return p->files[side][file]->stream;
}

static void cancel_side(ovni_paraver *p, int side)
{
    for (int file = 0; file < FILES; file++)
        if (p->files[side][file])
            output_file_cancel(p->files[side][file]);
    memset(p->files[side], 0, sizeof p->files[side]);
}

void ovni_paraver_cancel(ovni_paraver *p)
{
    for (int side = 0; side < ALL_SIDES; side++)
        cancel_side(p, side);
    ovni_breakdowns_free(p->breakdowns);
    if (p->made)
        g_rmdir(p->made);
    g_free(p->made);
    g_free(p);
}

static bool open_side(ovni_paraver *p, int side, const char *folder, bool replace, GError **error)
{
    g_autofree char *base = side < BREAKDOWN ? g_strdup(side_names[side])
                                             : g_strdup_printf("%s-breakdown",
                                                               ovni_model_words(ovni_doing_models[side - BREAKDOWN].model));
    for (int file = 0; file < FILES; file++) {
        g_autofree char *name = g_strdup_printf("%s.%s", base, suffixes[file]), *path = g_build_filename(folder, name, NULL);
        p->files[side][file] = output_file_open(path, replace);
        if (!p->files[side][file])
            return fail_with(error, "%s cannot be written: %s", path, g_strerror(errno));
    }
    return true;
}

ovni_paraver *ovni_paraver_open(const char *folder, bool replace, bool breakdown, GError **error)
{
    const bool there = g_file_test(folder, G_FILE_TEST_EXISTS);
    if (g_mkdir_with_parents(folder, 0777) != 0)
        return fail_null(error, "%s cannot be made: %s", folder, g_strerror(errno));
    ovni_paraver *p = g_new0(ovni_paraver, 1);
    p->made = there ? NULL : g_strdup(folder);
    p->breakdowns = breakdown ? ovni_breakdowns_new() : NULL;
    for (int side = 0; side < (breakdown ? ALL_SIDES : SIDES); side++)
        if (!open_side(p, side, folder, replace, error)) {
            ovni_paraver_cancel(p);
            return NULL;
        }
    return p;
}

/* How many rows it has. */
static uint32_t ovni_paraver_rows(const ovni_emulator *e, int side)
{
    uint32_t physical = 0;
    if (side == THREAD)
        return ovni_emulator_thread_count(e);
    for (uint32_t row = 0; row < ovni_emulator_cpu_count(e); row++)
        physical += !ovni_emulator_cpu(e, row)->virtual;
    return side == CPU ? ovni_emulator_cpu_count(e) : physical;
}

/* --- .prv ---------------------------------------------------------------------------------------------------------- */

/* The date is ovniemu's; the time has always as many digits, as it is known at the end only. */
static void ovni_paraver_write_header(FILE *file, int64_t duration, uint32_t rows)
{
    fprintf(file, "#Paraver (19/01/38 at 03:14):%020" G_GINT64_FORMAT "%s:0:1:1(%u:1)\n", duration, "_ns", rows);
}

static void ovni_paraver_begin(ovni_paraver *p, const ovni_emulator *e)
{
    p->begun = true;
    for (int side = 0; side < ALL_SIDES; side++)
        if (p->files[side][PRV])
            ovni_paraver_write_header(ovni_paraver_stream_of(p, side, PRV), 0, ovni_paraver_rows(e, side));
}

/* Puts a number and what follows it before `at`; returns where it begins. */
static char *ovni_paraver_put_number(char *at, int64_t number, char after)
{
    *--at = after;
    at = text_digits(at, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);
    if (number < 0)
        *--at = '-';
    return at;
}

/* Most of the time of an export was spent in fprintf(). */
static void write_change(FILE *file, const ovni_change *c, int64_t time)
{
    static const char head[] = "2:0:1:1:";
    char line[96], *end = line + sizeof line, *at = ovni_paraver_put_number(end, c->value, '\n');
    at = ovni_paraver_put_number(at, c->type, ':');
    at = ovni_paraver_put_number(at, time, ':');
    at = ovni_paraver_put_number(at, c->row + INT64_C(1), ':');
    at = memcpy(at - strlen(head), head, strlen(head));
    fwrite(at, 1, (size_t)(end - at), file);
}

void ovni_paraver_look(ovni_paraver *p, const ovni_emulator *e)
{
    if (p->breakdowns)
        ovni_breakdowns_look(p->breakdowns, e);
}

static void write_breakdown(ovni_paraver *p, const ovni_emulator *e, unsigned model)
{
    const GArray *changes = ovni_breakdowns_changes(p->breakdowns, model);
    if (!p->begun && changes->len)
        ovni_paraver_begin(p, e);
    for (guint i = 0; i < changes->len; i++)
        write_change(ovni_paraver_stream_of(p, BREAKDOWN + (int)model, PRV), &g_array_index(changes, ovni_change, i),
                     ovni_emulator_time(e));
}

void ovni_paraver_write(ovni_paraver *p, const ovni_emulator *e)
{
    const GArray *changes = ovni_emulator_changes(e);
    if (!p->begun && changes->len)
        ovni_paraver_begin(p, e);
    for (guint i = 0; i < changes->len; i++) {
        const ovni_change *c = &g_array_index(changes, ovni_change, i);
        write_change(ovni_paraver_stream_of(p, c->of_cpu, PRV), c, ovni_emulator_time(e));
    }
    for (unsigned model = 0; p->breakdowns && model < OVNI_DOING_MODELS; model++)
        write_breakdown(p, e, model);
}

/* --- .row ---------------------------------------------------------------------------------------------------------- */

static char *cpu_name(const ovni_emulated_cpu *cpu)
{
    return cpu->virtual ? g_strdup_printf("vCPU %u.*", cpu->loom) : g_strdup_printf(" CPU %u.%d", cpu->loom, cpu->system);
}

static void ovni_paraver_write_rows(FILE *file, const ovni_emulator *e, int side)
{
    const uint32_t n = ovni_paraver_rows(e, side);
    fprintf(file, "LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE %u\n", n);
    for (uint32_t i = 0; i < n; i++)
        if (side >= BREAKDOWN) {
            fprintf(file, "~CPU %4u\n", n - i);
        } else if (side == CPU) {
            g_autofree char *name = cpu_name(ovni_emulator_cpu(e, i));
            fprintf(file, "%s\n", name);
        } else {
            const ovni_emulated_thread *t = ovni_emulator_thread(e, i);
            fprintf(file, "TH %d.%d\n", t->app, t->tid);
        }
}

/* --- .pcf ---------------------------------------------------------------------------------------------------------- */

static void write_options(FILE *file)
{
    static const uint32_t colours[] = {0x000000, 0x0082c8, 0xd9d9d9, 0xe6194b, 0x3cb44b, 0xffe119, 0xf58230, 0x911eb4,
                                       0x46f0f0, 0xf032e6, 0xd2f53c, 0xfabed4, 0x008080, 0x808080, 0xdcbeff, 0xaa6e28,
                                       0xfffac8, 0x800000, 0xaaffc3, 0x808000, 0xffd7b4, 0x000080, 0x0000ff};
    fputs("DEFAULT_OPTIONS\n\n"
          "LEVEL               THREAD\nUNITS               NANOSEC\nLOOK_BACK           100\n"
          "SPEED               1\nFLAG_ICONS          ENABLED\nNUM_OF_STATE_COLORS 1000\n"
          "YMAX_SCALE          37\n\n\nDEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\n\nSTATES_COLOR\n",
          file);
    for (unsigned i = 0; i < G_N_ELEMENTS(colours); i++)
        fprintf(file, "%-3u {%3u, %3u, %3u}\n", i, colours[i] >> 16, colours[i] >> 8 & 0xff, colours[i] & 0xff);
}

static void write_type(FILE *file, int32_t type, const char *title, const char *whose)
{
    fprintf(file, "\n\nEVENT_TYPE\n0 %-10d %s%s\nVALUES\n", type, title, whose);
}

static void ovni_paraver_write_value(FILE *file, int32_t value, const char *label)
{
    fprintf(file, "%-4d %s\n", value, label);
}

static void write_values(FILE *file, const ovni_value_label *labels)
{
    for (; labels && labels->of; labels++)
        ovni_paraver_write_value(file, labels->value, ovni_value_words(labels));
}

static void write_title(void *file, int32_t type, int64_t value, const char *title)
{
    (void)value;
    write_type(file, type, title, "");
}

static void write_label(void *file, int32_t type, int64_t value, const char *label)
{
    (void)type;
    ovni_paraver_write_value(file, (int32_t)value, label);
}

static const char *whose(const ovni_channel *c, bool of_cpu)
{
    static const char *const words[OVNI_TRACKS] = {" ", " of the RUNNING thread", " of the ACTIVE thread"};
    return words[of_cpu ? OVNI_TRACK_RUNNING : c->track];
}

static void write_channel(FILE *file, const ovni_emulator *e, uint32_t id, bool of_cpu)
{
    const ovni_channel *c = &ovni_channels[id];
    write_type(file, c->type, c->title, whose(c, of_cpu));
    write_values(file, c->labels);
    if (id == OVNI_CH_NOSV_TYPE || id == OVNI_CH_NANOS6_TYPE || id == OVNI_CH_OPENMP_LABEL)
        ovni_emulator_each_type(e, c->model, write_label, file);
    if (id == OVNI_CH_FLUSH)
        ovni_emulator_each_mark(e, write_title, write_label, file);
    if (id == OVNI_CH_NOSV_IDLE)
        ovni_emulator_each_counter(e, write_title, file);
}

static void write_thread_types(FILE *file, const ovni_emulator *e)
{
    static const char *const titles[] = {"Thread: CPU affinity", "Thread: TID of the ACTIVE thread", "Thread: thread state"};
    write_type(file, OVNI_PRV_CPU, titles[0], "");
    for (uint32_t i = 0; i < ovni_emulator_cpu_count(e); i++) {
        g_autofree char *name = cpu_name(ovni_emulator_cpu(e, i));
        ovni_paraver_write_value(file, (int32_t)i + 1, name);
    }
    write_type(file, OVNI_PRV_TID, titles[1], "");
    write_type(file, OVNI_PRV_STATE, titles[2], "");
    write_values(file, ovni_thread_labels);
}

static void write_breakdown_names(FILE *file, const ovni_emulator *e, const ovni_doing_model *m)
{
    write_options(file);
    write_type(file, m->prv, m->title, "");
    write_values(file, ovni_channels[m->subsystem].labels);
    if (m->idle != OVNI_CH_COUNT)
        write_values(file, ovni_channels[m->idle].labels);
    ovni_emulator_each_type(e, m->model, write_label, file);
}

static void write_names(FILE *file, const ovni_emulator *e, bool of_cpu)
{
    write_options(file);
    if (!of_cpu)
        write_thread_types(file, e);
    for (uint32_t i = 0; i < OVNI_CH_COUNT; i++)
        if (ovni_emulator_enabled(e, ovni_channels[i].model))
            write_channel(file, e, i, of_cpu);
}

/* --- the end ------------------------------------------------------------------------------------------------------- */

/* False if it cannot be written. */
static bool finish_side(const ovni_paraver *p, const ovni_emulator *e, int side)
{
    FILE *names = ovni_paraver_stream_of(p, side, PCF), *changes = ovni_paraver_stream_of(p, side, PRV);
    ovni_paraver_write_rows(ovni_paraver_stream_of(p, side, ROW), e, side);
    if (side >= BREAKDOWN)
        write_breakdown_names(names, e, &ovni_doing_models[side - BREAKDOWN]);
    else
        write_names(names, e, side == CPU);
    if (fseek(changes, 0, SEEK_SET) != 0)
        return false;
    ovni_paraver_write_header(changes, ovni_emulator_time(e), ovni_paraver_rows(e, side));
    return true;
}

/* Places all files together. */
static bool place_files(ovni_paraver *p)
{
    output_file *all[ALL_SIDES * FILES];
    size_t count = 0;
    for (int i = 0; i < ALL_SIDES * FILES; i++)
        if (p->files[i / FILES][i % FILES])
            all[count++] = p->files[i / FILES][i % FILES];
    memset(p->files, 0, sizeof p->files);
    return output_files_finish(all, count);
}

bool ovni_paraver_finish(ovni_paraver *p, const ovni_emulator *e, GError **error)
{
    bool good = true;
    for (unsigned model = 0; model < OVNI_DOING_MODELS; model++)
        if (!ovni_breakdowns_made(e, model))
            cancel_side(p, BREAKDOWN + (int)model);
    if (!p->begun)
        ovni_paraver_begin(p, e);
    for (int side = 0; side < ALL_SIDES && good; side++)
        good = !p->files[side][PRV] || finish_side(p, e, side);
    good = good && place_files(p);
    if (!good)
        fail_with(error, "the files cannot be written: %s", g_strerror(errno));
    ovni_paraver_cancel(p);
    return good;
}
