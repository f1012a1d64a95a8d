/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/shortcuts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static wsbool preference_shortcuts = TRUE;

/* --- the command line -------------------------------------------------------------------------------------------------- */

#define OPTIONS_WITH_ARGUMENT "ABCEFGHJKMNORSTUWXYabcdefijorstuwyz"
#define OPTIONS_WITHOUT "2DILVPQghlnpqvx"

/* Options after one minus sign. Sets *taken if the argument after it is that of the last one. Returns false if one is not
 * known; `visit` may be NULL. */
static bool visit_letters(const char *letters, const char *next, bool *taken, option_visitor visit, void *data)
{
    for (*taken = false; *letters; letters++) {
        const bool has_argument = strchr(OPTIONS_WITH_ARGUMENT, *letters);
        const char *argument = !has_argument ? NULL : letters[1] ? letters + 1 : next;
        if (!has_argument && !strchr(OPTIONS_WITHOUT, *letters))
            return false;
        if (visit && (!has_argument || argument))
            visit(data, *letters, argument);
        *taken = has_argument && argument == next;
        if (has_argument)
            return true;
    }
    return true;
}

/* The argument of a long option may be the next one, which has no minus sign. */
static bool visit_words(const char *words, const char *end, option_visitor visit, void *data)
{
    for (const char *next, *word = words; word < end && strcmp(word, "--") != 0; word = next) {
        bool taken;
        next = word + strlen(word) + 1;
        if (g_str_has_prefix(word, "--")) {
            if (visit)
                visit(data, '-', word);
        } else if (word[0] == '-') {
            if (!visit_letters(word + 1, next < end ? next : NULL, &taken, visit, data))
                return false;
            next += taken ? strlen(next) + 1 : 0;
        }
    }
    return true;
}

bool shortcuts_visit_options(option_visitor visit, void *data)
{
    gsize length;
    g_autofree char *words = NULL;
    if (!preference_shortcuts || !g_file_get_contents("/proc/self/cmdline", &words, &length, NULL))
        return false;
    g_autofree char *program = g_path_get_basename(words);
    const char *first = words + strlen(words) + 1, *end = words + length;
    return strcmp(program, "tshark") == 0 && visit_words(first, end, NULL, NULL) && visit_words(first, end, visit, data);
}

/* --- fields that are printed ------------------------------------------------------------------------------------------- */

proto_tree *shortcuts_tree(void)
{
    static tree_data_t data = {.fake_protocols = TRUE};
    static proto_tree root = {.tree_data = &data};
    return &root;
}

/* Asks Wireshark about it for a moment in both states. */
bool shortcuts_references_hold(const header_field_info *field)
{
    header_field_info *own = proto_registrar_get_nth((unsigned)field->id);
    const hf_ref_type before = own->ref_type;
    own->ref_type = HF_REF_TYPE_NONE;
    const bool never = !proto_field_is_referenced(shortcuts_tree(), field->id);
    own->ref_type = HF_REF_TYPE_DIRECT;
    const bool always = proto_field_is_referenced(shortcuts_tree(), field->id);
    own->ref_type = before;
    return preference_shortcuts && never && always;
}

const header_field_info *shortcuts_referenced(const header_field_info *field)
{
    header_field_info *copy = wmem_memdup(wmem_epan_scope(), field, sizeof *copy);
    copy->ref_type = HF_REF_TYPE_DIRECT;
    return copy;
}

/* --- labels ------------------------------------------------------------------------------------------------------------ */

static enum { LABELS_UNKNOWN, LABELS_FOUND, LABELS_ELSEWHERE } labels;
static char label_room[ITEM_LABEL_LENGTH];

char *shortcuts_begin_label(const proto_item *item)
{
    if (G_LIKELY(labels == LABELS_FOUND && preference_shortcuts)) {
        PITEM_FINFO(item)->rep = wmem_new0(PNODE_POOL(item), item_label_t);
        return PITEM_FINFO(item)->rep->representation;
    }
    memset(label_room, 0, sizeof label_room);
    return label_room;
}

void shortcuts_end_label(proto_item *item, const char *label)
{
    if (G_LIKELY(label != label_room))
        return;
    proto_item_set_text(item, "%s", label);
    const item_label_t *set = PITEM_FINFO(item)->rep;
    if (set && labels == LABELS_UNKNOWN)
        labels = strcmp(set->representation, label) == 0 ? LABELS_FOUND : LABELS_ELSEWHERE;
}

/* --- the exit status --------------------------------------------------------------------------------------------------- */

/* What was registered before does not run, so files are flushed first. */
static void end_badly(void)
{
    fflush(NULL);
    _exit(2);
}

void shortcuts_fail(void)
{
    static bool failed;
    if (!failed && preference_shortcuts)
        failed = atexit(end_badly) == 0;
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

void shortcuts_register(module_t *wiretrace)
{
    prefs_register_bool_preference(
        wiretrace, "shortcuts", "Use shortcuts",
        "Use parts of Wireshark and of the system that plugins are not promised, to be faster. If "
        "something looks wrong, try without: the same must be shown.",
        &preference_shortcuts);
}
