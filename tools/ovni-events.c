/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints docs/ovni-events.md from the event tables in common/ovni:
 *   build/ovni-events >docs/ovni-events.md
 * Takes no arguments. */
#include <stdio.h>
#include <string.h>

#include "ovni/events/events.h"

static const char introduction[] =
    "# ovni events\n"
    "\n"
    "<!-- Printed by tools/ovni-events.c from common/ovni/events/event_tables.c: change those. -->\n"
    "\n"
    "The %zu events of ovni 1.14.0 by model, then %zu codes of other times. What models, states and marks are:\n"
    "[ovni](ovni.md). How an event is stored: [the format](formats/ovni.md#events).\n"
    "\n"
    "| column | field | what it says |\n"
    "| --- | --- | --- |\n"
    "| code | `ovni.mcv` | model, category and value. One by one they are `ovni.model`, `ovni.category`, `ovni.value` |\n"
    "| arguments | `ovni.arg.NAME` | types and names, in the order of the payload: `i32`, `i64` with a sign, `u32`, `u64` without, `str` a text "
    "up to a NUL or the end of the payload; `...` repeats the one before up to the end. *jumbo*: it is a jumbo event |\n"
    "| state | `ovni.state` | the state that the event enters (push), leaves (pop) or sets |\n"
    "| since | | first release of ovni that has it; a date if there was no release yet |\n"
    "| description | `ovni.description` | the event in words, with its arguments in place of `{NAME}` |\n"
    "\n"
    "States in parentheses have no name in ovni's own tools. Two codes in a row are the event that enters a state or begins something,\n"
    "and the one that leaves or ends it.\n";

static const char *type_name(uint8_t type)
{
    static const char *const names[] = {
        [OVNI_I32] = "i32", [OVNI_U32] = "u32", [OVNI_I64] = "i64", [OVNI_U64] = "u64", [OVNI_STR] = "str",
    };
    return names[type];
}

static void print_arguments(const ovni_event *e)
{
    const char *before = e->jumbo ? " *jumbo* " : " ";
    for (int i = 0; i < OVNI_ARGUMENTS_MAX && e->arguments[i].type != OVNI_NO_ARGUMENT; i++) {
        const ovni_argument *a = &e->arguments[i];
        if (a->type == OVNI_REPEAT)
            printf(", ...");
        else
            printf("%s%s %s", before, type_name(a->type), ovni_argument_name((ovni_argument_id)a->id));
        before = ", ";
    }
}

static void print_state(const ovni_event *e)
{
    static const char *const does[] = {[OVNI_PUSH] = "push", [OVNI_POP] = "pop", [OVNI_SET] = "set"};
    if (e->role != OVNI_POINT && e->state)
        printf(" %s %s", does[e->role], e->state);
}

static void print_event(const ovni_event *e)
{
    printf("| `%s` |", e->mcv);
    print_arguments(e);
    printf(" |");
    print_state(e);
    printf(" | %s | %s |", e->since, e->text);
}

static bool same_arguments(const ovni_event *a, const ovni_event *b)
{
    bool same = a->jumbo == b->jumbo;
    for (int i = 0; i < OVNI_ARGUMENTS_MAX && same; i++)
        same = a->arguments[i].type == b->arguments[i].type && a->arguments[i].id == b->arguments[i].id;
    return same;
}

/* Whether the second leaves the state that the first one enters, or ends what it begins, and is like it in all else: they
 * have a row together. */
static bool is_pair(const ovni_event *begin, const ovni_event *end)
{
    bool states = begin->role == OVNI_PUSH && end->role == OVNI_POP && begin->state && end->state &&
                  strcmp(begin->state, end->state) == 0;
    bool brackets = !begin->state && !end->state && begin->mcv[1] == end->mcv[1] && begin->mcv[2] == '[' &&
                    end->mcv[2] == ']';
    return (states || brackets) && strcmp(begin->since, end->since) == 0 && same_arguments(begin, end);
}

/* Both texts, without repeating the words that both begin with. */
static void print_pair(const ovni_event *begin, const ovni_event *end)
{
    size_t words = 0;
    for (size_t i = 0; begin->text[i] && begin->text[i] == end->text[i]; i++)
        if (begin->text[i] == ' ')
            words = i + 1;
    printf("| `%s`, `%s` |", begin->mcv, end->mcv);
    print_arguments(begin);
    printf(begin->state ? " | push, pop %s |" : " | |", begin->state);
    printf(" %s | %s; %s |", begin->since, begin->text, end->text + words);
}

/* Prints the events of a model, which are adjacent. Returns the index of the next model. */
static size_t print_model(size_t first)
{
    char model = ovni_events[first].mcv[0];
    size_t end = first;
    while (end < ovni_event_count && ovni_events[end].mcv[0] == model)
        end++;
    printf("\n## %s: model %c, %zu events\n", ovni_model_name(model), model, end - first);
    printf("\n| code | arguments | state | since | description |\n| --- | --- | --- | --- | --- |\n");
    for (size_t i = first; i < end; i++) {
        if (i + 1 < end && is_pair(&ovni_events[i], &ovni_events[i + 1])) {
            print_pair(&ovni_events[i], &ovni_events[i + 1]);
            i++;
        } else
            print_event(&ovni_events[i]);
        putchar('\n');
    }
    return end;
}

static bool means_something_today(const char *mcv)
{
    for (size_t i = 0; i < ovni_event_count; i++)
        if (strcmp(ovni_events[i].mcv, mcv) == 0)
            return true;
    return false;
}

/* Prints in which eras an older code applies. */
static void print_where(const ovni_old_event *o)
{
    if (!means_something_today(o->event.mcv))
        printf("everywhere");
    else if (o->payload)
        printf("payload of %u bytes", o->payload);
    else if (!o->eras)
        printf("nowhere: no file tells");
    else
        printf(o->eras & 1 << OVNI_ERA_PLAIN ? "event files `thread.N`" : "files without header");
}

static void print_old_events(void)
{
    printf("\n## Codes of other times\n\n"
           "What older programs wrote, and what was declared but never written. The last column says which traces\n"
           "are read so: a code that has got another meaning since is distinguished by the file or the payload.\n\n"
           "| code | arguments | state | since | description | read so in |\n| --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < ovni_old_event_count; i++) {
        const ovni_old_event *o = &ovni_old_events[i], *next = i + 1 < ovni_old_event_count ? o + 1 : NULL;
        if (next && is_pair(&o->event, &next->event) && next->payload == o->payload && next->eras == o->eras &&
            means_something_today(next->event.mcv) == means_something_today(o->event.mcv)) {
            print_pair(&o->event, &next->event);
            i++;
        } else
            print_event(&o->event);
        printf(" ");
        print_where(o);
        printf(" |\n");
    }
}

int main(void)
{
    printf(introduction, ovni_event_count, ovni_old_event_count);
    for (size_t i = 0; i < ovni_event_count;)
        i = print_model(i);
    print_old_events();
    return fflush(stdout) != 0 || ferror(stdout);
}
