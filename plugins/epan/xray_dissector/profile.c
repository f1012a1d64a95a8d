/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of an XRay profile, which has the sums of all calls that took the same path, and no single call. */
#include "xray_dissector/profile.h"

#include <epan/tap.h>

#include "core/opened_trace.h"
#include "host/notices.h"
#include "showing/stacks.h"
#include "xray/layouts.h"
#include "xray/profile_self.h"
#include "xray_dissector/file.h"
#include "xray_dissector/names.h"

#define PROFILE_SUMS \
    "A profile has sums of calls and no single call: xray,account, xray,graph, xray,diff, xray,stacks, xray,flame, " \
    "xray,callgrind and the trees of calls show them."
#define PROFILE_TICKS \
    "Times are shown in ticks: a profile does not have how many there are in a second. Set xray.profile_frequency, for example to " \
    "what a log of the same machine has (xray.header.cycle_frequency)."

static int hf_function = -1;
static int hf_time = -1;
static expert_field ei_unsure = EI_INIT;

/* At the first record. */
static void note_profile(const record_context *c)
{
    xray_file.profile = true;
    if (!xray_context_of(c)->frequency && have_tap_listener(find_tap_id("xray")))
        notices_say(NOTICE_REMARK, "%s", PROFILE_TICKS);
}

void xray_profile_remark(void)
{
    if (!xray_file.remarked)
        notices_say(NOTICE_REMARK, "%s", PROFILE_SUMS);
    xray_file.remarked = true;
}

/* Self times are known in advance or not at all. */
static void read_self(const record_context *c)
{
    const opened *o = c->flags & CONTEXT_EXPORTED ? NULL : opened_trace_find(c->trace);
    if (o && o->trace && !o->exported)
        xray_session_look_ahead(&xray_file.session, o->trace, NULL, false, true);
}

void xray_profile_look(const xray_tapped *r, bool asked)
{
    if (!xray_file.profile)
        note_profile(r->context);
    if (asked && !xray_file.asked_for_sums)
        read_self(r->context);
    xray_file.asked_for_sums |= asked;
}

static void inform_path(info_text *t, const xray_tapped *r)
{
    if (r->bytes.length != r->context->length) { /* an exported record that was shortened */
        info_add(t, "Call path, not in full");
        return;
    }
    const uint64_t count = r->value[XRAY_FIELD_PROFILE_CALLS], ticks = r->value[XRAY_FIELD_PROFILE_TICKS];
    const uint64_t frequency = xray_context_of(r->context)->frequency;
    info_add_uint(t, count);
    info_add(t, count == 1 ? " call of " : " calls of ");
    if (r->has_function)
        xray_names_inform(t, r->function);
    else
        info_add(t, "no function");
    info_add(t, ", ");
    if (xray_profile_is_unsure(r->value)) {
        info_add(t, "unknown time");
    } else if (frequency) {
        info_add_duration(t, xray_nanoseconds(ticks, frequency));
    } else {
        info_add_uint(t, ticks);
        info_add(t, ticks == 1 ? " tick" : " ticks");
    }
    for (uint32_t i = 1, n = MIN(xray_path_functions(r->context, &r->bytes), 8u); i < n; i++) {
        info_add(t, i == 1 ? ", called by " : " < ");
        xray_names_inform(t, xray_path_function(&r->bytes, i));
    }
    info_add(t, xray_path_functions(r->context, &r->bytes) > 8 ? " < ..." : "");
}

void xray_profile_inform(info_text *t, const xray_tapped *r)
{
    const xray_context *x = xray_context_of(r->context);
    if (r->context->kind == XRAY_PROFILE_PATH) {
        inform_path(t, r);
    } else if (r->context->kind == XRAY_PROFILE_BLOCK) {
        info_add(t, "Block ");
        info_add_uint(t, r->value[XRAY_FIELD_PROFILE_BLOCK]);
        info_add(t, " of ");
        info_add_uint(t, r->value[XRAY_FIELD_PROFILE_SIZE]);
        info_add(t, " bytes, thread ");
        info_add_uint(t, x->thread);
    } else {
        info_add(t, "Profile of process ");
        info_add_uint(t, x->process);
    }
}

/* Adds the functions in the order of the bytes, innermost first, with their names. */
static void add_functions(proto_tree *tree, const dissection *d, const xray_tapped *r, uint32_t n)
{
    const bool named = xray_names_known() && tree_visible(tree);
    for (uint32_t i = 0; i < n && tree_field_needed(tree, hf_function); i++) {
        const uint32_t function = xray_path_function(&r->bytes, i);
        const char *name = named ? xray_names_of(function) : NULL;
        proto_item *item = tree_add_number(tree, hf_function, d->tvb, (int)(i * 4), 4, function);
        if (name)
            proto_item_append_text(item, " (%s)", name);
    }
}

void xray_profile_add_experts(proto_item *item, const record_seen *seen, const xray_tapped *r)
{
    if (r->context->kind == XRAY_PROFILE_PATH && xray_profile_is_unsure(r->value))
        expert_add_info_format(seen->packet, item, &ei_unsure,
                               "the sum is below 0: an exception or longjmp has left calls of this path, and the runtime "
                               "subtracts their time more than once");
}

void xray_profile_add(const tree_protocol *p, dissection *d)
{
    const xray_tapped *r = d->record;
    const uint32_t n = xray_path_functions(r->context, &r->bytes);
    const unsigned length = (unsigned)d->bytes.length, sums = length - XRAY_PATH_SUMS_LENGTH;
    const uint64_t frequency = xray_context_of(d->context)->frequency;
    if (d->bytes.length != d->context->length)
        return; /* an exported record that was shortened */
    add_functions(d->fields, d, r, n);
    tree_add_undecoded(p, d->fields, d->tvb, true, n * 4, sums);
    for (enum xray_field field = XRAY_FIELD_PROFILE_CALLS; field <= XRAY_FIELD_PROFILE_TICKS; field++) {
        const layout_row *row = xray_row(XRAY_LAYOUT_PATH_SUMS, field);
        if (tree_field_needed(d->fields, p->fields[field]))
            tree_add_number(d->fields, p->fields[field], d->tvb, (int)(sums + row->offset), row->width, r->value[field]);
    }
    d->covered = length;
    if (!n)
        return;
    tree_generated(d->fields, p->fields[XRAY_FIELD_FUNCTION], d->tvb, r->function);
    if (frequency && !xray_profile_is_unsure(r->value) && tree_field_needed(d->fields, hf_time))
        tree_generated_time(d->fields, hf_time, d->tvb, xray_nanoseconds(r->value[XRAY_FIELD_PROFILE_TICKS], frequency));
}

unsigned xray_profile_stack(const xray_tapped *r, unsigned most, stack_piece *pieces)
{
    const uint32_t n = xray_path_functions(r->context, &r->bytes), kept = MIN(n, (uint32_t)CALLS_STACK_MAX);
    uint32_t functions[CALLS_STACK_MAX];
    stacks_stack s = {.functions = functions, .n = kept, .left_out = n - kept};
    for (uint32_t i = 0; i < kept; i++) /* the outer and the inner half of a long one */
        functions[i] = xray_path_function(&r->bytes, i < kept / 2 ? n - 1 - i : kept - 1 - i);
    return stacks_pieces(&s, most, pieces);
}

static hf_register_info hf[] = {
    {&hf_function,
     {"Function", "xray.profile.function", FT_UINT32, BASE_DEC, NULL, 0,
      "A function of the path, from the innermost to the outermost", TREE_SEVERAL}},
    {&hf_time,
     {"Sum (time)", "xray.profile.sum_time", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
      "Sum of the durations of these calls, with their callees: where xray.profile_frequency is set", HFILL}},
};

static ei_register_info ei[] = {
    {&ei_unsure, {"xray.profile.unsure", PI_SEQUENCE, PI_NOTE, "Sum of a path unknown", EXPFILL}},
};

void xray_profile_register(int proto)
{
    tree_fields_register(proto, hf, array_length(hf));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
