/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "metadata.h"

#include <errno.h>
#include <glib.h>
#include <math.h>

#include "json_text.h"
#include "regular.h"
#include "text.h"

#ifdef HAVE_JSON_GLIB
#include <json-glib/json-glib.h>
#endif

static bool scan_fault(ovni_metadata *m, fault f, uint64_t value, size_t at)
{
    m->fault = f;
    m->fault_value = value;
    m->fault_at = at;
    return false;
}

/* Goes through the text up to the closing brace, after which s->length ends. */
static bool scan_object(json_text *s, ovni_metadata *m)
{
    switch (json_text_scan(s)) {
    case JSON_TEXT_SOUND:
        return true;
    case JSON_TEXT_DEEP:
        return scan_fault(m, FAULT_OVNI_JSON_DEPTH, OVNI_METADATA_DEPTH, s->at);
    case JSON_TEXT_WIDE:
        return scan_fault(m, FAULT_OVNI_JSON_MEMBERS, JSON_TEXT_MEMBERS, s->at);
    default:
        return scan_fault(m, FAULT_OVNI_JSON, s->at, s->at);
    }
}

#ifdef HAVE_JSON_GLIB
/* ovni's tools read numbers as double and cut them. */
static bool number_of(JsonObject *o, const char *key, int32_t *out)
{
    JsonNode *n = o ? json_object_get_member(o, key) : NULL;
    if (!n || !JSON_NODE_HOLDS_VALUE(n))
        return false;
    GType type = json_node_get_value_type(n);
    if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
        return false;
    double d = trunc(json_node_get_double(n));
    if (!(d >= INT32_MIN && d <= INT32_MAX))
        return false;
    *out = (int32_t)d;
    return true;
}

static JsonObject *object_of(JsonObject *o, const char *key)
{
    JsonNode *n = json_object_get_member(o, key);
    return n && JSON_NODE_HOLDS_OBJECT(n) ? json_node_get_object(n) : NULL;
}

/* A string; NULL where there is none, or a very long one. JSON can name halves of characters, which are no text. */
static const char *text_of(JsonObject *o, const char *key)
{
    JsonNode *n = o ? json_object_get_member(o, key) : NULL;
    bool text = n && JSON_NODE_HOLDS_VALUE(n) && json_node_get_value_type(n) == G_TYPE_STRING;
    const char *s = text ? json_node_get_string(n) : NULL;
    return s && g_utf8_validate(s, -1, NULL) && strlen(s) <= TEXT_MAX ? s : NULL;
}

static void read_numbers(ovni_metadata *m, JsonObject *root, JsonObject *ovni)
{
    if (number_of(root, "version", &m->version))
        m->known |= OVNI_HAS_VERSION;
    if (number_of(ovni, "pid", &m->process))
        m->known |= OVNI_HAS_PROCESS;
    if (number_of(ovni, "tid", &m->thread))
        m->known |= OVNI_HAS_THREAD;
    /* metadata.json has these two outside of an "ovni" object */
    if (number_of(ovni, "rank", &m->rank) || number_of(root, "rank", &m->rank))
        m->known |= OVNI_HAS_RANK;
    if (number_of(ovni, "app_id", &m->app) || number_of(root, "app_id", &m->app))
        m->known |= OVNI_HAS_APP;
}

static void read_object(ovni_metadata *m, JsonObject *root)
{
    JsonObject *ovni = object_of(root, "ovni");
    if (ovni) {
        m->known |= OVNI_HAS_OVNI;
        m->loom = g_strdup(text_of(ovni, "loom"));
    }
    read_numbers(m, root, ovni);
}

/* --- what is not used ------------------------------------------------------------------------------------------------------ */

typedef struct {
    ovni_metadata_visitor visitor;
    void *data;
    unsigned problems;
} visit;

static void give(visit *v, ovni_metadata_item item)
{
    char *key = item.key ? text_show(item.key, -1) : NULL, *text = item.text ? text_show(item.text, -1) : NULL;
    item.key = key;
    item.text = text;
    v->visitor(v->data, &item);
    g_free(key);
    g_free(text);
}

/* Bytes of a key in a problem: keys may have any length. */
#define KEY_SHOWN 60

/* Takes the text. */
static void add_problem(visit *v, char *text)
{
    if (v->problems++ < OVNI_METADATA_PROBLEMS)
        give(v, (ovni_metadata_item){OVNI_ITEM_PROBLEM, 0, 0, NULL, text});
    g_free(text);
}

static void add_unused(visit *v, const char *where, const char *key)
{
    int length = (int)text_fitting(key, strlen(key), KEY_SHOWN);
    add_problem(v, g_strdup_printf("the value of %s%.*s cannot be used", where, length, key));
}

typedef enum { NUMBER, TEXT, OBJECT, ARRAY } wanted;

static bool is_wanted(JsonObject *o, const char *key, wanted what)
{
    int32_t unused;
    JsonNode *n = json_object_get_member(o, key);
    switch (what) {
    case NUMBER:
        return number_of(o, key, &unused);
    case TEXT:
        return text_of(o, key) != NULL;
    case OBJECT:
        return JSON_NODE_HOLDS_OBJECT(n);
    default:
        return JSON_NODE_HOLDS_ARRAY(n);
    }
}

/* Members that are read wherever they are: what they hold must be of this kind. */
typedef struct {
    const char *key;
    wanted what;
} wanted_row;

static void check_members(visit *v, JsonObject *o, const char *where, const wanted_row *rows)
{
    for (; o && rows->key; rows++)
        if (json_object_has_member(o, rows->key) && !is_wanted(o, rows->key, rows->what))
            add_unused(v, where, rows->key);
}

static void check_all(visit *v, JsonObject *root, JsonObject *ovni, JsonObject *nosv, JsonObject *lib)
{
    static const wanted_row in_root[] = {{"version", NUMBER}, {"rank", NUMBER}, {"nranks", NUMBER}, {"app_id", NUMBER},
                                         {"cpus", ARRAY},     {"ovni", OBJECT}, {"nosv", OBJECT},   {NULL, NUMBER}};
    static const wanted_row in_ovni[] = {{"pid", NUMBER},    {"tid", NUMBER},      {"rank", NUMBER},     {"nranks", NUMBER},
                                         {"app_id", NUMBER}, {"finished", NUMBER}, {"loom", TEXT},       {"lib", OBJECT},
                                         {"mark", OBJECT},   {"require", OBJECT},  {"loom_cpus", ARRAY}, {NULL, NUMBER}};
    static const wanted_row in_nosv[] = {{"hwc", OBJECT}, {NULL, NUMBER}}, in_lib[] = {{"version", TEXT}, {NULL, NUMBER}};
    check_members(v, root, "", in_root);
    check_members(v, ovni, "ovni.", in_ovni);
    check_members(v, lib, "ovni.lib.", in_lib);
    check_members(v, nosv, "nosv.", in_nosv);
}

/* --- what else it says --------------------------------------------------------------------------------------------------- */

/* A decimal key between two numbers. */
static bool key_of(const char *text, int64_t min, int64_t max, int64_t *number)
{
    return g_ascii_string_to_signed(text, 10, min, max, number, NULL);
}

static void visit_labels(visit *v, JsonObject *labels, int64_t type)
{
    GList *keys = labels ? json_object_get_members(labels) : NULL;
    for (const GList *k = keys; k; k = k->next) {
        int64_t value;
        const char *text = text_of(labels, k->data);
        if (text && key_of(k->data, INT64_MIN, INT64_MAX, &value))
            give(v, (ovni_metadata_item){OVNI_ITEM_MARK_LABEL, type, value, k->data, text});
        else
            add_unused(v, "ovni.mark...labels.", k->data);
    }
    g_list_free(keys);
}

static void visit_marks(visit *v, JsonObject *marks)
{
    static const wanted_row in_mark[] = {{"title", TEXT}, {"labels", OBJECT}, {NULL, NUMBER}};
    GList *keys = marks ? json_object_get_members(marks) : NULL;
    for (int labels = 0; labels < 2; labels++)
        for (const GList *k = keys; k; k = k->next) {
            int64_t type;
            JsonObject *mark = object_of(marks, k->data);
            const char *title = text_of(mark, "title");
            if (!mark || !key_of(k->data, INT32_MIN, INT32_MAX, &type)) {
                if (labels)
                    add_unused(v, "ovni.mark.", k->data);
                continue;
            }
            if (labels)
                visit_labels(v, object_of(mark, "labels"), type);
            else if (title)
                give(v, (ovni_metadata_item){OVNI_ITEM_MARK_TITLE, type, 0, k->data, title});
            if (labels)
                check_members(v, mark, "ovni.mark...", in_mark);
        }
    g_list_free(keys);
}

static void visit_counters(visit *v, JsonObject *counters)
{
    GList *keys = counters ? json_object_get_members(counters) : NULL;
    for (const GList *k = keys; k; k = k->next) {
        int64_t index;
        const char *name = text_of(object_of(counters, k->data), "name");
        if (name && key_of(k->data, 0, INT32_MAX, &index))
            give(v, (ovni_metadata_item){OVNI_ITEM_COUNTER, index, 0, k->data, name});
        else
            add_unused(v, "nosv.hwc.", k->data);
    }
    g_list_free(keys);
}

static void visit_requirements(visit *v, JsonObject *models)
{
    GList *keys = models ? json_object_get_members(models) : NULL;
    for (const GList *k = keys; k; k = k->next) {
        const char *version = text_of(models, k->data);
        if (version)
            give(v, (ovni_metadata_item){OVNI_ITEM_REQUIREMENT, 0, 0, k->data, version});
        else
            add_unused(v, "ovni.require.", k->data);
    }
    g_list_free(keys);
}

static void visit_cpus(visit *v, JsonObject *o, const char *key)
{
    JsonNode *n = o ? json_object_get_member(o, key) : NULL;
    JsonArray *cpus = n && JSON_NODE_HOLDS_ARRAY(n) ? json_node_get_array(n) : NULL;
    for (guint i = 0; cpus && i < json_array_get_length(cpus); i++) {
        JsonNode *cpu = json_array_get_element(cpus, i);
        int32_t index, system;
        if (JSON_NODE_HOLDS_OBJECT(cpu) && number_of(json_node_get_object(cpu), "index", &index) &&
            number_of(json_node_get_object(cpu), "phyid", &system))
            give(v, (ovni_metadata_item){OVNI_ITEM_CPU, index, system, NULL, NULL});
        else
            add_unused(v, "", key);
    }
}

static void visit_all(visit *v, JsonObject *root)
{
    int32_t number;
    JsonObject *ovni = object_of(root, "ovni"), *nosv = object_of(root, "nosv");
    JsonObject *lib = ovni ? object_of(ovni, "lib") : NULL;
    visit_marks(v, ovni ? object_of(ovni, "mark") : NULL);
    visit_counters(v, nosv ? object_of(nosv, "hwc") : NULL);
    visit_requirements(v, ovni ? object_of(ovni, "require") : NULL);
    visit_cpus(v, ovni, "loom_cpus");
    visit_cpus(v, root, "cpus"); /* of metadata.json */
    if (number_of(ovni, "finished", &number))
        give(v, (ovni_metadata_item){OVNI_ITEM_FINISHED, number, 0, NULL, NULL});
    if (number_of(ovni, "nranks", &number) || number_of(root, "nranks", &number))
        give(v, (ovni_metadata_item){OVNI_ITEM_RANKS, number, 0, NULL, NULL});
    if (text_of(lib, "version"))
        give(v, (ovni_metadata_item){OVNI_ITEM_LIBRARY, 0, 0, NULL, text_of(lib, "version")});
    check_all(v, root, ovni, nosv, lib);
}

/* Of members of one name json-glib keeps the last. */
typedef struct {
    unsigned read, kept;
} members;

static void on_member(JsonParser *p, JsonObject *o, const char *name, gpointer data)
{
    (void)p;
    (void)o;
    (void)name;
    ((members *)data)->read++;
}

static void on_object(JsonParser *p, JsonObject *o, gpointer data)
{
    (void)p;
    ((members *)data)->kept += json_object_get_size(o);
}

static void check_repeated(visit *v, const members *m)
{
    if (m->read > m->kept)
        add_problem(v, g_strdup_printf("%u members are repeated, the last of each holds", m->read - m->kept));
}

/* Says how many more problems there are than have been told. */
static void add_rest(visit *v)
{
    if (v->problems <= OVNI_METADATA_PROBLEMS)
        return;
    unsigned more = v->problems - OVNI_METADATA_PROBLEMS;
    v->problems = 0;
    add_problem(v, g_strdup_printf("and %u more", more));
}

static void visit_text(const json_text *s, visit *v)
{
    members m = {0, 0};
    JsonParser *p = json_parser_new();
    JsonNode *root = NULL;
    g_signal_connect(p, "object-member", G_CALLBACK(on_member), &m);
    g_signal_connect(p, "object-end", G_CALLBACK(on_object), &m);
    if (json_parser_load_from_data(p, s->text, (gssize)s->length, NULL))
        root = json_parser_get_root(p);
    if (root && JSON_NODE_HOLDS_OBJECT(root)) {
        visit_all(v, json_node_get_object(root));
        check_repeated(v, &m);
        add_rest(v);
    }
    g_object_unref(p);
}

/* --- reading --------------------------------------------------------------------------------------------------------------- */

/* json-glib counts lines and characters from 1 and 0, and knows them only while the error is being told; its place is
 * roughly where the fault is. */
typedef struct {
    const json_text *text;
    size_t at;
} place;

static void on_error(JsonParser *p, GError *unused, gpointer data)
{
    (void)unused;
    place *found = data;
    const json_text *s = found->text;
    guint line = json_parser_get_current_line(p), column = json_parser_get_current_pos(p);
    size_t at = 0;
    for (guint i = 1; i < line; i++) {
        const char *end = memchr(s->text + at, '\n', s->length - at);
        if (!end)
            break;
        at = (size_t)(end - s->text) + 1;
    }
    found->at = MIN(at + column, s->length);
}

static void read_text(ovni_metadata *m, json_text *s)
{
    place found = {s, 0};
    JsonParser *p = json_parser_new();
    JsonNode *root = NULL;
    g_signal_connect(p, "error", G_CALLBACK(on_error), &found);
    if (json_parser_load_from_data(p, s->text, (gssize)s->length, NULL))
        root = json_parser_get_root(p);
    if (root && JSON_NODE_HOLDS_OBJECT(root))
        read_object(m, json_node_get_object(root));
    else
        scan_fault(m, FAULT_OVNI_JSON, found.at, found.at);
    g_object_unref(p);
}
#else
static void read_text(ovni_metadata *m, json_text *s)
{
    (void)m;
    (void)s;
}

typedef struct {
    ovni_metadata_visitor visitor;
    void *data;
    unsigned problems;
} visit;

static void visit_text(const json_text *s, visit *v)
{
    (void)s;
    (void)v;
}
#endif

static void note_problem(void *data, const ovni_metadata_item *item)
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
    *m = (ovni_metadata){0};
    if (length > OVNI_METADATA_MAX) {
        scan_fault(m, FAULT_OVNI_JSON_SIZE, OVNI_METADATA_MAX, 0);
        return;
    }
    json_text s = json_text_new(text, length);
    if (scan_object(&s, m))
        read_text(m, &s);
    if (m->fault == FAULT_NONE) {
        visit v = {note_problem, m, 0};
        visit_text(&s, &v);
    }
    g_free(s.text);
}

void ovni_metadata_visit(const char *text, size_t length, ovni_metadata_visitor visitor, void *data)
{
    ovni_metadata m = {0};
    visit v = {visitor, data, 0};
    if (length > OVNI_METADATA_MAX)
        return;
    json_text s = json_text_new(text, length);
    if (scan_object(&s, &m))
        visit_text(&s, &v);
    g_free(s.text);
}

void ovni_metadata_clear(ovni_metadata *m)
{
    g_free(m->loom);
    g_free(m->problems);
    *m = (ovni_metadata){0};
}

ovni_metadata *ovni_metadata_load(const char *path, int *err)
{
    size_t length = OVNI_METADATA_MAX + 1; /* where there are too many to be read */
    char *text = regular_text(path, false, OVNI_METADATA_MAX, &length);
    if (!text && errno != EFBIG) {
        *err = errno;
        return NULL;
    }
    ovni_metadata *m = g_new0(ovni_metadata, 1);
    ovni_metadata_parse(m, text, length);
    g_free(text);
    return m;
}

void ovni_metadata_free(ovni_metadata *m)
{
    if (m)
        ovni_metadata_clear(m);
    g_free(m);
}
