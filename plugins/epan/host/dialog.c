/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/dialog.h"

#include <string.h>

#include "host/menus.h"

/* What is done with the answers; freed by Wireshark with the dialog. */
typedef struct dialog {
    const char *words[DIALOG_FIELDS]; /* of the fields; NULL: none */
    dialog_done done;
    void *data;
} dialog;

bool dialog_yes(const char *answer)
{
    return g_ascii_tolower(*answer) == 'y';
}

static void append_word(GString *words, const char *word, const char *answer)
{
    const char *place = word ? strstr(word, "%s") : NULL;
    if (!word || !(place ? *answer != '\0' : dialog_yes(answer)))
        return;
    if (words->len)
        g_string_append_c(words, ',');
    g_string_append_len(words, word, place ? place - word : (gssize)strlen(word));
    if (place)
        g_string_append_printf(words, "%s%s", answer, place + strlen("%s"));
}

static void take_answers(char **texts, void *data)
{
    const dialog *d = data;
    g_autoptr(GString) words = g_string_new(NULL);
    for (char **text = texts; *text; text++)
        g_strstrip(*text);
    for (unsigned i = 0; texts[1 + i]; i++)
        append_word(words, d->words[i], texts[1 + i]);
    d->done(words->str, texts[0], texts + 1, d->data);
    g_strfreev(texts);
}

void dialog_open(const char *title, const dialog_field *fields, bool (*fits)(const char *filter), dialog_done done,
                 void *data)
{
    const funnel_ops_t *ops = menus_windows();
    if (!ops)
        return;
    const char *filter = ops->get_filter(ops->ops_id);
    const bool offered = filter && (!fits || fits(filter));
    const char *names[DIALOG_FIELDS + 2] = {"Display filter:"}, *values[DIALOG_FIELDS + 2] = {offered ? filter : ""};
    dialog *d = g_new0(dialog, 1);
    d->done = done;
    d->data = data;
    for (unsigned i = 0; fields && i < DIALOG_FIELDS && fields[i].label; i++) {
        names[1 + i] = fields[i].label;
        values[1 + i] = fields[i].answer ? fields[i].answer : "";
        d->words[i] = fields[i].word;
    }
    ops->new_dialog(ops->ops_id, title, names, values, take_answers, d, g_free);
}

void dialog_say(const char *title, const char *text)
{
    const funnel_ops_t *ops = menus_windows();
    ops->append_text(ops->new_text_window(ops->ops_id, title), text);
}
