/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States and runs of tasks as spans, and the tables with a row for each, or for those that took longest. */
#include "dissector/pdu.h"
#include "host/hidden_records.h"
#include "ovni_dissector/spans.h"
#include "ovni_dissector/file.h"
#include "ovni_dissector/names.h"
#include "showing/record_list.h"
#include "showing/span_rows.h"
#include "showing/stacks.h"

static struct ovni_file *const file = &ovni_file;

/* --- states and tasks ------------------------------------------------------------------------------------------------ */

enum { STACKS_MODEL = STACKS_KINDS };

static stack_piece ovni_spans_thread(const void *tapped)
{
    return (stack_piece){STACKS_THREAD, ((const ovni_tapped *)tapped)->context->stream};
}

/* The regions around the record's region, outermost first (calls.h). */
static unsigned region_stack(const ovni_tapped *r, uint32_t functions[CALLS_STACK_MAX], uint32_t *left_out)
{
    return ovni_states_stack(file->session.states, &r->known, functions, left_out);
}

static unsigned ovni_spans_stack(const void *tapped, const span *s _U_, unsigned most, stack_piece *pieces)
{
    const ovni_tapped *r = tapped;
    uint32_t functions[CALLS_STACK_MAX], left_out;
    const unsigned n = region_stack(r, functions, &left_out);
    pieces[0] = (stack_piece){STACKS_MODEL, (unsigned char)r->mcv[0]};
    const unsigned count = 1 + stacks_pieces(&(stacks_stack){functions, NULL, n, left_out}, most, pieces + 1);
    for (unsigned piece = 1; piece < count; piece++) /* a label that becomes known is another name */
        if (pieces[piece].kind == STACKS_FUNCTION)
            pieces[piece].id |= (uint64_t)ovni_states_naming(file->session.states, (uint32_t)pieces[piece].id) << 32;
    return count;
}

/* The thread is that of the record. */
static unsigned ovni_spans_name(const void *tapped, const stack_piece *piece, GString *name)
{
    char model, text[TEXT_PAIR];
    const char *state = ovni_region_name((uint32_t)piece->id, text, sizeof text, &model);
    if (piece->kind == STACKS_THREAD)
        g_string_append(name, ovni_session_stream(tapped));
    else if (piece->kind == STACKS_MODEL)
        g_string_append(name, ovni_model_words((char)piece->id));
    else
        return stacks_append_piece(name, piece, &(shown_name){.text = state ? state : ""});
    return 0;
}

static bool ovni_spans_caller(const void *tapped, const span *s _U_, uint32_t *function)
{
    uint32_t functions[CALLS_STACK_MAX], left_out;
    const unsigned n = region_stack(tapped, functions, &left_out);
    if (n > 1)
        *function = functions[n - 2];
    return n > 1;
}

static const char *name_of(const span *s, char text[TEXT_PAIR])
{
    char model;
    const ovni_task *task = s->detail;
    if (s->kind == OVNI_SPAN_STATE)
        return ovni_region_name(s->function, text, TEXT_PAIR, &model);
    if (!task->has_type)
        return NULL;
    return task->label ? task->label : hidden_streams_missing() ? "(unknown)" : "(no label)";
}

static shown_name ovni_spans_called(wmem_allocator_t *pool, const span *s)
{
    char text[TEXT_PAIR];
    const char *name = name_of(s, text);
    return shown_name_of(name == text ? wmem_strdup(pool, text) : name);
}

static source_place ovni_spans_place(const void *tapped, const span *s _U_)
{
    return (source_place){.text = ovni_model_words(((const ovni_tapped *)tapped)->mcv[0])};
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

/* --- a row for each state and each run of a task ----------------------------------------------------------------------- */

/* Cells of states and tasks; those of a row for each come first. */
enum { CELL_STREAM = SPAN_COLUMNS, CELL_PROCESS, CELL_THREAD, CELL_RANK, CELL_MODEL, CELL_TASK, CELL_BODY, EACH_COLUMNS };
enum { CELL_OWN = EACH_COLUMNS, CELL_KIND };
#define OWN_COLUMNS \
    [CELL_STREAM] = {"Stream", ROWS_TEXT, ROWS_EACH}, [CELL_PROCESS] = {"Process", ROWS_NUMBER, ROWS_EACH}, \
    [CELL_THREAD] = {"Thread", ROWS_NUMBER, ROWS_EACH}, [CELL_RANK] = {"Rank", ROWS_NUMBER, ROWS_EACH}, \
    [CELL_MODEL] = {"Model", ROWS_TEXT, ROWS_EACH}, [CELL_TASK] = {"Task id", ROWS_ORDINAL, ROWS_EACH}, \
    [CELL_BODY] = {"Body id", ROWS_ORDINAL, ROWS_EACH}
static const rows_column state_columns[EACH_COLUMNS] = {SPAN_ROWS_COLUMNS("State", "State id"), OWN_COLUMNS};
static const rows_column task_columns[EACH_COLUMNS] = {SPAN_ROWS_COLUMNS("Label", "Type id"), OWN_COLUMNS};

/* Of what is open at the end, for which there is no record. */
typedef struct owner {
    record_context context;
    const char *stream; /* its name */
} owner;

static const owner *owner_of(uint32_t stream)
{
    return file->owners && stream < file->owners->len ? g_ptr_array_index(file->owners, stream) : NULL;
}

static void note_owner(const ovni_tapped *r)
{
    const uint32_t stream = r->context->stream;
    if (owner_of(stream))
        return;
    if (!file->owners)
        file->owners = g_ptr_array_new_with_free_func(g_free);
    if (stream >= file->owners->len)
        g_ptr_array_set_size(file->owners, (gint)stream + 1);
    owner *new = g_new(owner, 1);
    *new = (owner){.context = *r->context, .stream = ovni_session_stream(r)};
    g_ptr_array_index(file->owners, stream) = new;
}

static bool each_begins(const void *tapped)
{
    const ovni_tapped *r = tapped;
    const uint32_t place = r->number;
    const bool begins = r->has_state && (ovni_known_begins(&r->known, place, OVNI_SPAN_STATE) ||
                                         ovni_known_begins(&r->known, place, OVNI_SPAN_TASK));
    if (begins)
        note_owner(r);
    return begins;
}

/* ovni_event_clock() has turned the sign. */
static uint64_t each_now(const void *tapped)
{
    const ovni_tapped *r = tapped;
    return r->is_event
               ? (ovni_event_clock(&r->bytes) + (uint64_t)ovni_context_of(r->context)->clock_offset) ^ UINT64_C(1) << 63
               : 0;
}

typedef struct opening {
    uint64_t now;
    span_opened visit;
    void *data;
    uint64_t stack; /* of the latest state, and its number */
    uint32_t state;
} opening;

/* They come stack by stack, outermost first. */
static void open_state(opening *o, const span *s, ovni_tapped *r)
{
    char text[TEXT_PAIR];
    const uint64_t stack = *(const uint64_t *)s->detail;
    ovni_region_name(s->function, text, sizeof text, r->mcv);
    r->known.previous_function = stack == o->stack ? o->state : 0;
    o->stack = stack;
    o->state = s->function;
}

static void each_visit(void *data, uint32_t stream, char model, const span *open)
{
    opening *o = data;
    const owner *of = owner_of(stream);
    span s = *open;
    if (!of)
        return;
    ovni_tapped r = {.session = &file->session, .context = &of->context, .mcv = {model}};
    if (s.kind == OVNI_SPAN_STATE)
        open_state(o, &s, &r);
    s.call.until = o->now - s.call.until;
    o->visit(o->data, &r, &s);
}

static void each_open(const void *tapped _U_, uint64_t now, span_opened visit, void *data)
{
    hidden_finish();
    if (file->session.states && !hidden_end_missing())
        ovni_states_each_open(file->session.states, each_visit, &(opening){.now = now, .visit = visit, .data = data});
}

static const char *stream_of(const ovni_tapped *r)
{
    return r->reader ? ovni_session_stream(r) : owner_of(r->context->stream)->stream;
}

static char model_of(const ovni_tapped *r, const span *s)
{
    char text[TEXT_PAIR], model = r->mcv[0];
    if (s->kind == OVNI_SPAN_STATE)
        ovni_region_name(s->function, text, sizeof text, &model);
    return model;
}

static rows_cell cell_of_span(unsigned which, const record_seen *seen _U_, const void *tapped, const span *s, bool ticks _U_)
{
    const rows_cell none = {0};
    const ovni_tapped *r = tapped;
    const ovni_context *x = ovni_context_of(r->context);
    const ovni_task *task = s->kind == OVNI_SPAN_TASK ? s->detail : NULL;
    const bool value = !task && !s->nests; /* values do not nest, so all of their time is their own */
    switch (which) {
    case CELL_STREAM:
        return rows_lasting_text(stream_of(r));
    case CELL_PROCESS:
        return rows_signed(x->process);
    case CELL_THREAD:
        return rows_signed(x->thread);
    case CELL_RANK:
        return x->known & OVNI_KNOWN_RANK ? rows_signed(x->rank) : none;
    case CELL_MODEL:
        return rows_lasting_text(ovni_model_words(model_of(r, s)));
    case CELL_TASK:
        return task && task->has_id ? rows_number(task->id) : none;
    case CELL_BODY:
        return task && task->has_body ? rows_number(task->body) : none;
    case CELL_OWN:
        return rows_number(value ? s->call.duration - s->call.away : span_active_self(s));
    default:
        return rows_lasting_text(task ? "task" : value ? "value" : "state");
    }
}

static shown_name each_name(const record_seen *seen _U_, const span *s, bool full _U_)
{
    static char text[TEXT_PAIR];
    return shown_name_of(name_of(s, text));
}

static shown_name each_caller(const record_seen *seen _U_, const void *tapped, const span *s, bool full _U_)
{
    static char text[TEXT_PAIR];
    const ovni_tapped *r = tapped;
    span around = {.kind = OVNI_SPAN_STATE, .function = r->known.previous_function};
    const bool known = r->reader ? ovni_spans_caller(r, s, &around.function) : around.function != 0;
    return shown_name_of(s->kind == OVNI_SPAN_STATE && known ? name_of(&around, text) : NULL);
}

static const span_table each_state = {
    .from = &ovni_spans,
    .kind = OVNI_SPAN_STATE,
    .command = "ovni,states,each",
    .title = "ovni States One by One",
    .usual = "time,duration,self,thread,model,depth,begin,end,state",
    .columns = state_columns,
    .count = EACH_COLUMNS,
    .cell = cell_of_span,
    .name = each_name,
    .caller = each_caller,
    .now = each_now,
    .each_open = each_open,
    .begins = each_begins,
};

static const span_table each_task = {
    .from = &ovni_spans,
    .kind = OVNI_SPAN_TASK,
    .command = "ovni,tasks,each",
    .title = "ovni Tasks One by One",
    .usual = "time,duration,active,thread,model,task_id,begin,end,label",
    .columns = task_columns,
    .count = EACH_COLUMNS,
    .cell = cell_of_span,
    .name = each_name,
    .caller = each_caller,
    .now = each_now,
    .each_open = each_open,
    .begins = each_begins,
};

/* --- those that took longest ------------------------------------------------------------------------------------------- */

enum { SLOW_BEGIN_COLUMN = 5, SLOW_COLUMNS = 10 };
static const rows_column slow_columns[SLOW_COLUMNS] = {
    {"Duration", ROWS_TIME, ROWS_EACH}, {"Active", ROWS_TIME, ROWS_EACH},    {"Own active", ROWS_TIME, ROWS_EACH},
    {"Rank", ROWS_ORDINAL, ROWS_EACH},  {"Thread", ROWS_ORDINAL, ROWS_EACH}, {"Begin", ROWS_ORDINAL, ROWS_EACH},
    {"End", ROWS_ORDINAL, ROWS_EACH},   {"Kind", ROWS_TEXT, ROWS_EACH},      {"Name", ROWS_TEXT, ROWS_EACH},
    {"Model", ROWS_TEXT, ROWS_EACH}};
static const unsigned char slow_cells[SLOW_COLUMNS] = {SPAN_DURATION, SPAN_ACTIVE, CELL_OWN,  CELL_RANK, CELL_THREAD,
                                                       SPAN_BEGIN,    SPAN_END,    CELL_KIND, SPAN_NAME, CELL_MODEL};

/* Returns whether a state says no more than that a thread lives, runs, rests or has ended; or repeats what the row of a task
 * has. */
static bool slow_is_background(const span *s)
{
    if (s->kind == OVNI_SPAN_TASK)
        return false;
    const ovni_event *event = ovni_states_event(file->session.states, s->function);
    if (!event)
        return true;
    const char what = event->mcv[2];
    if (event->channels & OVNI_THREAD_STATE)
        return what == 'x' || what == 'r' || what == 'e';
    return event->channels & (OVNI_IDLE | OVNI_THREAD_TYPE | OVNI_TASK) || strncmp(event->mcv, "VH", 2) == 0 ||
           strncmp(event->mcv, "PH", 2) == 0;
}

static shown_name slow_name(const record_seen *seen _U_, const span *s, bool full _U_)
{
    static char text[TEXT_PAIR];
    const bool task = s->kind == OVNI_SPAN_TASK;
    return shown_name_of(task ? ovni_task_type_words(s->detail, hidden_streams_missing(), text, sizeof text)
                              : name_of(s, text));
}

static const span_table slowest = {
    .from = &ovni_spans,
    .kind = SPAN_ALL_KINDS,
    .command = "ovni,slowest",
    .title = "ovni Slowest States and Tasks",
    .slowest = "ovni slowest states and tasks",
    .usual = "duration,own_active,begin,rank,thread,end,active,name,kind,model",
    .columns = slow_columns,
    .count = SLOW_COLUMNS,
    .cells = slow_cells,
    .cell = cell_of_span,
    .name = slow_name,
    .is_background = slow_is_background,
    .now = each_now,
    .each_open = each_open,
    .begins = each_begins,
};

void ovni_spans_register_rows(void)
{
    static const char list_title[] = "ovni Slowest States and Tasks in the List";
    record_list_add(span_rows_register(&slowest), list_title, SLOW_BEGIN_COLUMN);
    span_rows_register(&each_state);
    span_rows_register(&each_task);
}
