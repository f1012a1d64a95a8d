/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/metadata.h"

#include <errno.h>
#include <glib.h>

#include "util/json_text.h"
#include "ovni/metadata_json.h"
#include "util/regular_file.h"

static bool scan_fault(ovni_metadata *m, fault f, uint64_t value, size_t at)
{
    m->fault = f;
    m->fault_value = value;
    m->fault_at = at;
    return false;
}

/* Scans the text; s->length then ends at the closing brace. False: *m has the fault. */
static bool scan_object(json_text *s, ovni_metadata *m)
{
    switch (json_text_scan(s)) {
    case JSON_TEXT_VALID:
        return true;
    case JSON_TEXT_DEEP:
        return scan_fault(m, FAULT_OVNI_JSON_DEPTH, OVNI_METADATA_DEPTH, s->at);
    case JSON_TEXT_WIDE:
        return scan_fault(m, FAULT_OVNI_JSON_MEMBERS, JSON_TEXT_MEMBERS, s->at);
    default:
        return scan_fault(m, FAULT_OVNI_JSON, s->at, s->at);
    }
}

static void ovni_metadata_own_parse(ovni_metadata *m, const char *text, size_t length, ovni_metadata_visitor visitor,
                                    void *data)
{
    size_t at;
    *m = (ovni_metadata){0};
    if (length > OVNI_METADATA_MAX) {
        scan_fault(m, FAULT_OVNI_JSON_SIZE, OVNI_METADATA_MAX, 0);
        return;
    }
    json_text s = json_text_new(text, length);
    if (scan_object(&s, m) && !ovni_metadata_read_json(m, &s, visitor, data, &at))
        scan_fault(m, FAULT_OVNI_JSON, at, at);
    g_free(s.text);
}

static void ovni_metadata_note_problem(void *data, const ovni_metadata_item *item)
{
    ovni_metadata *m = data;
    char *before = m->problems;
    if (item->kind != OVNI_ITEM_PROBLEM)
        return;
    m->problems = before ? g_strconcat(before, ", ", item->text, NULL) : g_strdup(item->text);
    g_free(before);
}

size_t ovni_metadata_extent(const char *text, size_t length)
{
    ovni_metadata m;
    if (length > OVNI_METADATA_MAX)
        return 0;
    json_text s = json_text_new(text, length);
    bool found = scan_object(&s, &m);
    g_free(s.text);
    return found ? s.length : 0;
}

void ovni_metadata_parse(ovni_metadata *m, const char *text, size_t length)
{
    ovni_metadata_own_parse(m, text, length, ovni_metadata_note_problem, m);
}

void ovni_metadata_visit(const char *text, size_t length, ovni_metadata_visitor visitor, void *data)
{
    ovni_metadata m;
    ovni_metadata_own_parse(&m, text, length, visitor, data);
    ovni_metadata_clear(&m);
}

void ovni_metadata_clear(ovni_metadata *m)
{
    g_free(m->loom);
    g_free(m->problems);
    *m = (ovni_metadata){0};
}

ovni_metadata *ovni_metadata_load(const char *path, int *err)
{
    size_t length = OVNI_METADATA_MAX + 1; /* the length when the file is too large: regular_file_text() then leaves it as it
                                            * is */
    g_autofree char *text = regular_file_text(path, false, OVNI_METADATA_MAX, &length);
    if (!text && errno != EFBIG) {
        *err = errno;
        return NULL;
    }
    ovni_metadata *m = g_new0(ovni_metadata, 1);
    ovni_metadata_parse(m, text, length);
    return m;
}

void ovni_metadata_free(void *m)
{
    if (m)
        ovni_metadata_clear(m);
    g_free(m);
}
