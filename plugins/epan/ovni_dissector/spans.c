/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States and runs of tasks as spans, and the tables with a row for each. */
#include "dissector/pdu.h"
#include "host/hidden_records.h"
#include "ovni_dissector/counting.h"
#include "taps/span_rows.h"
#include "taps/stacks.h"

/* --- states and tasks ------------------------------------------------------------------------------------------------ */

enum { STACKS_MODEL = STACKS_KINDS };

static stack_piece ovni_spans_thread(const void *tapped)
{
    return (stack_piece){STACKS_THREAD, ((const ovni_tapped *)tapped)->context->stream};
}

static unsigned ovni_spans_stack(const void *tapped, const span *s _U_, unsigned most, stack_piece *pieces)
{
    const ovni_tapped *r = tapped;
    uint32_t functions[CALLS_STACK_MAX], left_out;
    const unsigned n = ovni_region_stack(r, functions, &left_out);
    pieces[0] = (stack_piece){STACKS_MODEL, (unsigned char)r->mcv[0]};
    const unsigned count = 1 + stacks_pieces(&(stacks_stack){functions, NULL, n, left_out}, most, pieces + 1);
    for (unsigned piece = 1; piece < count; piece++) /* a label that becomes known is another name */
        if (pieces[piece].kind == STACKS_FUNCTION)
            pieces[piece].id |= (uint64_t)ovni_states_naming(ovni_file.session.states, (uint32_t)pieces[piece].id) << 32;
    return count;
}

/* The thread is that of the record. */
static void ovni_spans_name(const void *tapped, const stack_piece *piece, GString *name)
{
    char model, text[TEXT_PAIR];
    const char *state = ovni_region_name((uint32_t)piece->id, text, sizeof text, &model);
    if (piece->kind == STACKS_THREAD)
        g_string_append(name, ovni_session_stream(tapped));
    else if (piece->kind == STACKS_MODEL)
        g_string_append(name, ovni_model_words((char)piece->id));
    else
        stacks_append_piece(name, piece, state ? state : "");
}

static bool ovni_spans_caller(const void *tapped, const span *s _U_, uint32_t *function)
{
    uint32_t functions[CALLS_STACK_MAX], left_out;
    const unsigned n = ovni_region_stack(tapped, functions, &left_out);
    if (n > 1)
        *function = functions[n - 2];
    return n > 1;
}

static const char *ovni_spans_called(const packet_info *pinfo, const span *s)
{
    char model, text[TEXT_PAIR];
    if (s->kind == OVNI_SPAN_STATE) {
        const char *name = ovni_region_name(s->function, text, sizeof text, &model);
        return name == text ? wmem_strdup(pinfo->pool, text) : name;
    }
    const ovni_task *task = s->detail;
    if (!task->has_type)
        return NULL;
    return task->label ? task->label : hidden_streams_missing() ? "(unknown)" : "(no label)";
}

static const char *ovni_spans_place(const void *tapped, const span *s _U_)
{
    return ovni_model_words(((const ovni_tapped *)tapped)->mcv[0]);
}

static const span_kind ovni_kinds[] = {[OVNI_SPAN_STATE] = {"States", "State", "ovni.state.number"},
                                       [OVNI_SPAN_TASK] = {"Task types", "Task type", "ovni.task.type"},
                                       {0}};

const span_source ovni_spans = {
    .tap = "ovni",
    .title = "ovni",
    .menu = COMPAT_TREES("ovni"),
    .tree = "State Tree",
    .many = "states",
    .unit = "ns",
    .pauses = true,
    .groups = 1, /* the model */
    .kinds = ovni_kinds,
    .filtered = "ovni States and Tasks to Filter",
    .span = ovni_session_span,
    .thread = ovni_spans_thread,
    .stack = ovni_spans_stack,
    .name = ovni_spans_name,
    .caller = ovni_spans_caller,
    .called = ovni_spans_called,
    .place = ovni_spans_place,
};

/* --- a row for each state and each run of a task -----------------------------------------------------------------------
 */

enum { EACH_STREAM = SPAN_COLUMNS, EACH_PROCESS, EACH_THREAD, EACH_RANK, EACH_MODEL, EACH_TASK, EACH_BODY, EACH_COLUMNS };
#define OWN_COLUMNS \
    [EACH_STREAM] = {"Stream", ROWS_TEXT, ROWS_EACH}, [EACH_PROCESS] = {"Process", ROWS_NUMBER, ROWS_EACH}, \
    [EACH_THREAD] = {"Thread", ROWS_NUMBER, ROWS_EACH}, [EACH_RANK] = {"Rank", ROWS_NUMBER, ROWS_EACH}, \
    [EACH_MODEL] = {"Model", ROWS_TEXT, ROWS_EACH}, [EACH_TASK] = {"Task id", ROWS_ORDINAL, ROWS_EACH}, \
    [EACH_BODY] = {"Body id", ROWS_ORDINAL, ROWS_EACH}
static const rows_column state_columns[EACH_COLUMNS] = {SPAN_ROWS_COLUMNS("State", "State id"), OWN_COLUMNS};
static const rows_column task_columns[EACH_COLUMNS] = {SPAN_ROWS_COLUMNS("Label", "Type id"), OWN_COLUMNS};

static void each_fill(const packet_info *pinfo _U_, const void *tapped, const span *s, bool full _U_, rows_cell *own)
{
    const ovni_tapped *r = tapped;
    const ovni_context *x = ovni_context_of(r->context);
    const ovni_task *task = s->kind == OVNI_SPAN_TASK ? s->detail : NULL;
    own[EACH_STREAM - SPAN_COLUMNS] = rows_lasting_text(ovni_session_stream(r));
    own[EACH_PROCESS - SPAN_COLUMNS] = rows_signed(x->process);
    own[EACH_THREAD - SPAN_COLUMNS] = rows_signed(x->thread);
    if (x->known & OVNI_KNOWN_RANK)
        own[EACH_RANK - SPAN_COLUMNS] = rows_signed(x->rank);
    own[EACH_MODEL - SPAN_COLUMNS] = rows_lasting_text(ovni_model_words(r->mcv[0]));
    if (task && task->has_id)
        own[EACH_TASK - SPAN_COLUMNS] = rows_number(task->id);
    if (task && task->has_body)
        own[EACH_BODY - SPAN_COLUMNS] = rows_number(task->body);
}

static const char *each_name(const packet_info *pinfo, const span *s, bool full _U_)
{
    return ovni_spans_called(pinfo, s);
}

static const char *each_caller(const packet_info *pinfo, const void *tapped, const span *s, bool full _U_)
{
    span around = {.kind = OVNI_SPAN_STATE};
    return s->kind == OVNI_SPAN_STATE && ovni_spans_caller(tapped, s, &around.function) ? ovni_spans_called(pinfo, &around)
                                                                                        : NULL;
}

static const span_table each_state = {
    .from = &ovni_spans,
    .kind = OVNI_SPAN_STATE,
    .command = "ovni,states,each",
    .title = "ovni States One by One",
    .usual = "time,duration,self,thread,model,depth,begin,end,state",
    .columns = state_columns,
    .count = EACH_COLUMNS,
    .fill = each_fill,
    .name = each_name,
    .caller = each_caller,
};

static const span_table each_task = {
    .from = &ovni_spans,
    .kind = OVNI_SPAN_TASK,
    .command = "ovni,tasks,each",
    .title = "ovni Tasks One by One",
    .usual = "time,duration,active,thread,model,task_id,begin,end,label",
    .columns = task_columns,
    .count = EACH_COLUMNS,
    .fill = each_fill,
    .name = each_name,
    .caller = each_caller,
};

void ovni_spans_register_rows(void)
{
    span_rows_register(&each_state);
    span_rows_register(&each_task);
}
