/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields and expert infos of what ovniemu would say of a record. */
#include "host/hidden_records.h"
#include "containers/hash.h"
#include "host/notices.h"
#include "ovni_dissector/emulator_fields.h"
#include "ovni_dissector/file.h"
#include "containers/binary_search.h"

#include <epan/column-info.h>

#include "ovni/context.h"
#include "ovni/events/layout.h"

/* So many records have their findings kept: a trace with more has no use for further ones. */
enum { KEPT_MAX = 1 << 16 };

static int hf_lint = -1;
static int hf_running = -1;
static int hf_claimed = -1;
static int hf_tid = -1;
static int hf_idle = -1;
static int ett_cpu = -1;
static expert_field ei_rules[OVNI_LINT_RULES];

static wsbool preference_lint = TRUE;

/* This is ovni_cpu_change in less room. */
typedef struct kept_cpu {
    uint64_t idle; /* ns; KEPT_NOT_IDLE: it was not idle */
    uint32_t frame, row;
    int32_t tid;
    uint16_t running, claimed;
} kept_cpu;
#define KEPT_NOT_IDLE UINT64_MAX
_Static_assert(sizeof(kept_cpu) <= 24, "24 bytes for each change of a CPU");

static struct ovni_file *const file = &ovni_file;

bool ovni_emulator_fields_asked(void)
{
    return preference_lint;
}

static void free_findings(gpointer p)
{
    ovni_findings_free(p);
}

static void ovni_emulator_fields_clear_finding(gpointer p)
{
    g_free(((ovni_finding *)p)->text);
}

static void keep_finding(GHashTable *all, uint32_t frame, const ovni_finding *finding)
{
    file->found = true;
    GArray *of = g_hash_table_lookup(all, GUINT_TO_POINTER(frame));
    if (!of && g_hash_table_size(all) >= KEPT_MAX)
        return;
    if (!of) {
        of = g_array_new(FALSE, FALSE, sizeof(ovni_finding));
        g_array_set_clear_func(of, ovni_emulator_fields_clear_finding);
        g_hash_table_insert(all, GUINT_TO_POINTER(frame), of);
    }
    const ovni_finding copy = {finding->rule, finding->record, g_strdup(finding->text)};
    g_array_append_val(of, copy);
}

static void ovni_emulator_fields_keep(uint32_t frame, const GArray *findings, const GArray *cpus)
{
    for (guint i = 0; i < cpus->len; i++) {
        const ovni_cpu_change *c = &g_array_index(cpus, ovni_cpu_change, i);
        const kept_cpu kept = {c->was_idle ? c->idle : KEPT_NOT_IDLE, frame, c->row, c->tid, c->running, c->claimed};
        g_array_append_val(file->cpus, kept);
    }
    for (guint i = 0; i < findings->len; i++)
        keep_finding(file->findings, frame, &g_array_index(findings, ovni_finding, i));
}

/* The window may show records before the last one has been read. */
static void look_at_end(void)
{
    file->end = file->emulated;
    g_hash_table_remove_all(file->at_end);
    GArray *end = ovni_emulator_at_end(file->emulator);
    for (guint i = 0; i < end->len; i++)
        keep_finding(file->at_end, g_array_index(end, ovni_finding, i).record, &g_array_index(end, ovni_finding, i));
    ovni_findings_free(end);
}

/* Returns whether anybody needs what is known of a record, which is the same for all records of a pass. */
static bool ovni_emulator_fields_is_asked(const record_seen *seen, proto_tree *tree)
{
    static const int *const fields[] = {&hf_lint, &hf_running, &hf_claimed, &hf_tid, &hf_idle, &proto_expert};
    if (tree_visible(tree) || notices_counted() ||
        (seen->packet && seen->packet->cinfo && seen->packet->cinfo->col_first[COL_EXPERT] >= 0))
        return true;
    for (size_t i = 0; tree && i < G_N_ELEMENTS(fields); i++)
        if (tree_any_field_needed(tree, *fields[i]))
            return true;
    for (size_t i = 0; tree && i < OVNI_LINT_RULES; i++)
        if (tree_any_field_needed(tree, ei_rules[i].hf))
            return true;
    return false;
}

void ovni_emulator_fields_look(const ovni_tapped *r, const record_seen *seen, proto_tree *tree)
{
    bool keeps = (r->context->flags & CONTEXT_RANDOM_ACCESS) != 0;
    if (!preference_lint || (keeps && seen->again && file->emulator))
        return;
    if (file->asked == OVNI_UNKNOWN)
        file->asked = keeps || ovni_emulator_fields_is_asked(seen, tree) ? OVNI_ASKED : OVNI_NOT_ASKED;
    if (file->asked == OVNI_NOT_ASKED)
        return;
    if (!file->emulator) {
        file->emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
        file->findings = g_hash_table_new_full(hash_pointer, NULL, NULL, free_findings);
        file->at_end = g_hash_table_new_full(hash_pointer, NULL, NULL, free_findings);
        file->cpus = g_array_new(FALSE, FALSE, sizeof(kept_cpu));
    }
    const ovni_played p = ovni_emulator_played(r);
    ovni_emulator_play(file->emulator, &p);
    file->emulated = seen->number;
    const GArray *findings = ovni_emulator_findings(file->emulator), *cpus = ovni_emulator_cpu_changes(file->emulator);
    if (keeps && (findings->len || cpus->len))
        ovni_emulator_fields_keep(seen->number, findings, cpus);
}

static void ovni_emulator_fields_add_cpu(proto_tree *tree, tvbuff_t *tvb, const ovni_cpu_change *change)
{
    const ovni_emulated_cpu *cpu = ovni_emulator_cpu(file->emulator, change->row);
    info_text line;
    info_begin(&line);
    info_add(&line, cpu->virtual ? "Virtual CPU of loom " : "CPU of loom ");
    info_add_int(&line, cpu->loom);
    tree = tree_branch(tree, tvb, ett_cpu, line.text);
    tree_generated(tree, hf_running, tvb, change->running);
    tree_generated(tree, hf_claimed, tvb, change->claimed);
    if (change->running == 1)
        tree_generated(tree, hf_tid, tvb, (uint64_t)change->tid);
    if (change->was_idle)
        tree_generated_time(tree, hf_idle, tvb, change->idle);
}

static void add_kept(proto_tree *tree, tvbuff_t *tvb, const kept_cpu *kept)
{
    const bool was_idle = kept->idle != KEPT_NOT_IDLE;
    const ovni_cpu_change change = {kept->row, kept->tid, kept->running, kept->claimed, was_idle, was_idle ? kept->idle : 0};
    ovni_emulator_fields_add_cpu(tree, tvb, &change);
}

static void ovni_emulator_fields_add_cpus(proto_tree *tree, tvbuff_t *tvb, uint32_t frame, bool kept)
{
    const GArray *now = ovni_emulator_cpu_changes(file->emulator);
    for (guint i = 0; !kept && i < now->len; i++)
        ovni_emulator_fields_add_cpu(tree, tvb, &g_array_index(now, ovni_cpu_change, i));
    size_t i = BINARY_SEARCH(file->cpus->len, k, g_array_index(file->cpus, kept_cpu, k).frame < frame);
    for (; kept && i < file->cpus->len && g_array_index(file->cpus, kept_cpu, i).frame == frame; i++)
        add_kept(tree, tvb, &g_array_index(file->cpus, kept_cpu, i));
}

static void add_findings(proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb, const ovni_tapped *r,
                         const GArray *findings)
{
    for (guint i = 0; findings && i < findings->len; i++) {
        const ovni_finding *f = &g_array_index(findings, ovni_finding, i);
        if (!r->context->fault) /* which is an expert info already */
            expert_add_info_format(seen->packet, item, &ei_rules[f->rule], "ovniemu: %s", f->text);
        if (tree)
            tree_generated_string(tree, hf_lint, tvb, f->text);
    }
}

static void add_kept_findings(proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb,
                              const ovni_tapped *r)
{
    if (seen->again && file->end != file->emulated && !hidden_end_unread())
        look_at_end();
    if (!file->found)
        return;
    add_findings(tree, item, seen, tvb, r, g_hash_table_lookup(file->findings, GUINT_TO_POINTER(seen->number)));
    add_findings(tree, item, seen, tvb, r, g_hash_table_lookup(file->at_end, GUINT_TO_POINTER(seen->number)));
}

void ovni_emulator_fields_add(proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb,
                              const ovni_tapped *r)
{
    if (!preference_lint || !file->emulator)
        return;
    bool kept = (r->context->flags & CONTEXT_RANDOM_ACCESS) != 0;
    if (kept)
        add_kept_findings(tree, item, seen, tvb, r);
    else
        add_findings(tree, item, seen, tvb, r, ovni_emulator_findings(file->emulator));
    if (tree && r->is_event)
        ovni_emulator_fields_add_cpus(tree, tvb, seen->number, kept);
}

static hf_register_info hf[] = {
    {&hf_lint,
     {"Refused by ovniemu", "ovni.lint", FT_STRING, BASE_NONE, NULL, 0, "What ovniemu would not accept, and why", HFILL}},
    {&hf_running,
     {"Threads running", "ovni.cpu.running", FT_UINT32, BASE_DEC, NULL, 0, "Threads that run on the CPU from this event on",
      TREE_SEVERAL}},
    {&hf_claimed,
     {"Threads bound", "ovni.cpu.claimed", FT_UINT32, BASE_DEC, NULL, 0,
      "Threads that are bound to the CPU from this event on, running or not", TREE_SEVERAL}},
    {&hf_tid,
     {"Running thread", "ovni.cpu.tid", FT_INT32, BASE_DEC, NULL, 0, "The only thread that runs on the CPU", HFILL}},
    {&hf_idle,
     {"Idle until now", "ovni.cpu.idle", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, "How long no thread has run on the CPU",
      HFILL}},
};

static ei_register_info ei[] = {
#define LINT_ERROR PI_WARN
#define LINT_STRICT PI_NOTE
#define LINT_UNJUDGED PI_NOTE
#define LINT_RULE(id, name, severity, words) \
    {&ei_rules[OVNI_LINT_##id], {"ovni.lint." name, PI_PROTOCOL, severity, words, EXPFILL}},
#include "ovni/emulator/lint.def"
};

void ovni_emulator_fields_register(int proto, module_t *module)
{
    static int *ett[] = {&ett_cpu};
    for (int i = 0; i < OVNI_LINT_RULES; i++)
        ei_rules[i] = (expert_field)EI_INIT;
    tree_fields_register(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
    prefs_register_bool_preference(module, "lint", "Check as ovniemu does",
                                   "Expert infos where ovniemu would refuse the trace, and what runs on each CPU.",
                                   &preference_lint);
}
