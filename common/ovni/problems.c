/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/problems.h"

#include "util/text.h"

void ovni_problem(ovni_problems *p, const char *format, ...)
{
    if (p->count++ >= OVNI_PROBLEMS_SHOWN)
        return;
    va_list arguments;
    va_start(arguments, format);
    if (p->text)
        g_string_append(p->text, "; ");
    else
        p->text = g_string_new(NULL);
    g_string_append_vprintf(p->text, format, arguments);
    va_end(arguments);
}

void ovni_problem_fault(ovni_problems *p, fault f, uint64_t value)
{
    char words[160];
    if (!p->fault) {
        p->fault = f;
        p->value = value;
    }
    ovni_problem(p, "%s", fault_text(&ovni_faults, f, value, words, sizeof words));
}

void ovni_problems_append(const ovni_problems *p, GString *comment)
{
    if (!p->count)
        return;
    /* names of files may have any bytes, but a comment is UTF-8 */
    char *text = g_utf8_make_valid(p->text->str, (gssize)p->text->len);
    g_string_append_printf(comment, " Problems: %s", text_sanitize(text));
    g_free(text);
    if (p->count > OVNI_PROBLEMS_SHOWN)
        g_string_append_printf(comment, "; and %u more", p->count - OVNI_PROBLEMS_SHOWN);
    g_string_append_c(comment, '.');
}

void ovni_problems_clear(ovni_problems *p)
{
    if (p->text)
        g_string_free(p->text, TRUE);
    *p = (ovni_problems){0};
}
