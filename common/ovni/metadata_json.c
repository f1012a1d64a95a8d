/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "metadata_json.h"

#include "json_members.h"
#include "text.h"

static bool number_of(JsonObject *o, const char *key, int32_t *out)
{
    int64_t number;
    bool there = json_member_number(o, key, INT32_MIN, INT32_MAX, &number);
    if (there)
        *out = (int32_t)number;
    return there;
}

static void read_object(ovni_metadata *m, JsonObject *root)
{
    JsonObject *ovni = json_member_object(root, "ovni");
    ovni_context *c = &m->identity;
    m->has_ovni = ovni != NULL;
    m->loom = g_strdup(json_member_text(ovni, "loom"));
    if (number_of(ovni, "pid", &c->process))
        c->known |= OVNI_KNOWN_PROCESS;
    if (number_of(ovni, "tid", &c->thread))
        c->known |= OVNI_KNOWN_THREAD;
    /* in metadata.json these two stand outside the "ovni" object */
    if (number_of(ovni, "rank", &c->rank) || number_of(root, "rank", &c->rank))
        c->known |= OVNI_KNOWN_RANK;
    if (number_of(ovni, "app_id", &c->app) || number_of(root, "app_id", &c->app))
        c->known |= OVNI_KNOWN_APP;
}

/* --- what is ignored --------------------------------------------------------------------------------------------------- */

typedef struct {
    ovni_metadata_visitor visitor;
    void *data;
    unsigned problems;
} visit;

static void give(visit *v, ovni_metadata_item item)
{
    g_autofree char *key = item.key ? text_show(item.key, -1) : NULL, *text = item.text ? text_show(item.text, -1) : NULL;
    item.key = key;
    item.text = text;
    v->visitor(v->data, &item);
}

/* A problem quotes at most this many bytes of a key. */
#define KEY_SHOWN 60

/* Takes ownership of `text`. */
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
    switch (what) {
    case NUMBER:
        return number_of(o, key, &unused);
    case TEXT:
        return json_member_text(o, key) != NULL;
    case OBJECT:
        return json_member_object(o, key) != NULL;
    default:
        return json_member_array(o, key) != NULL;
    }
}

/* Members that are used wherever they are present: the type that each must have. */
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

/* --- the other items --------------------------------------------------------------------------------------------------- */

/* Parses a key that must be a decimal number from `min` to `max`. */
static bool key_of(const char *text, int64_t min, int64_t max, int64_t *number)
{
    return g_ascii_string_to_signed(text, 10, min, max, number, NULL);
}

static void visit_labels(visit *v, JsonObject *labels, int64_t type)
{
    g_autoptr(GList) keys = labels ? json_object_get_members(labels) : NULL;
    for (const GList *k = keys; k; k = k->next) {
        int64_t value;
        const char *text = json_member_text(labels, k->data);
        if (text && key_of(k->data, INT64_MIN, INT64_MAX, &value))
            give(v, (ovni_metadata_item){OVNI_ITEM_MARK_LABEL, type, value, k->data, text});
        else
            add_unused(v, "ovni.mark...labels.", k->data);
    }
}

static void visit_marks(visit *v, JsonObject *marks)
{
    static const wanted_row in_mark[] = {{"title", TEXT}, {"labels", OBJECT}, {NULL, NUMBER}};
    g_autoptr(GList) keys = marks ? json_object_get_members(marks) : NULL;
    for (int labels = 0; labels < 2; labels++)
        for (const GList *k = keys; k; k = k->next) {
            int64_t type;
            JsonObject *mark = json_member_object(marks, k->data);
            const char *title = json_member_text(mark, "title");
            if (!mark || !key_of(k->data, INT32_MIN, INT32_MAX, &type)) {
                if (labels)
                    add_unused(v, "ovni.mark.", k->data);
                continue;
            }
            if (labels)
                visit_labels(v, json_member_object(mark, "labels"), type);
            else if (title)
                give(v, (ovni_metadata_item){OVNI_ITEM_MARK_TITLE, type, 0, k->data, title});
            if (labels)
                check_members(v, mark, "ovni.mark...", in_mark);
        }
}

static void visit_counters(visit *v, JsonObject *counters)
{
    g_autoptr(GList) keys = counters ? json_object_get_members(counters) : NULL;
    for (const GList *k = keys; k; k = k->next) {
        int64_t index;
        const char *name = json_member_text(json_member_object(counters, k->data), "name");
        if (name && key_of(k->data, 0, INT32_MAX, &index))
            give(v, (ovni_metadata_item){OVNI_ITEM_COUNTER, index, 0, k->data, name});
        else
            add_unused(v, "nosv.hwc.", k->data);
    }
}

static void visit_requirements(visit *v, JsonObject *models)
{
    g_autoptr(GList) keys = models ? json_object_get_members(models) : NULL;
    for (const GList *k = keys; k; k = k->next) {
        const char *version = json_member_text(models, k->data);
        if (version)
            give(v, (ovni_metadata_item){OVNI_ITEM_REQUIREMENT, 0, 0, k->data, version});
        else
            add_unused(v, "ovni.require.", k->data);
    }
}

static void visit_cpus(visit *v, JsonObject *o, const char *key)
{
    JsonArray *cpus = json_member_array(o, key);
    for (guint i = 0; cpus && i < json_array_get_length(cpus); i++) {
        JsonObject *cpu = json_element_object(cpus, i);
        int32_t index, system;
        if (number_of(cpu, "index", &index) && number_of(cpu, "phyid", &system))
            give(v, (ovni_metadata_item){OVNI_ITEM_CPU, index, system, NULL, NULL});
        else
            add_unused(v, "", key);
    }
}

static void visit_mark_kinds(visit *v, JsonObject *marks)
{
    g_autoptr(GList) keys = marks ? json_object_get_members(marks) : NULL;
    for (const GList *k = keys; k; k = k->next) {
        int64_t type;
        const char *kind = json_member_text(json_member_object(marks, k->data), "chan_type");
        if (kind && key_of(k->data, INT32_MIN, INT32_MAX, &type))
            give(v, (ovni_metadata_item){OVNI_ITEM_MARK_KIND, type, 0, k->data, kind});
    }
}

static void visit_member(visit *v, const char *name, JsonObject *o, const char *key, wanted what)
{
    ovni_metadata_item item = {.kind = OVNI_ITEM_MEMBER, .key = name};
    int32_t number;
    if (!o || !is_wanted(o, key, what))
        return;
    if (what == NUMBER && number_of(o, key, &number))
        item.number = number;
    else if (what == TEXT)
        item.text = json_member_text(o, key);
    else if (what == ARRAY)
        item.number = json_array_get_length(json_member_array(o, key));
    else if (what == OBJECT)
        item.number = json_object_get_size(json_member_object(o, key));
    give(v, item);
}

/* What ovniemu asks for. */
static void visit_members(visit *v, JsonObject *root, JsonObject *ovni, JsonObject *nosv, JsonObject *lib)
{
    static const struct {
        const char *name;
        unsigned of; /* of the four objects */
        const char *key;
        wanted what;
    } rows[] = {{"version", 0, "version", NUMBER},
                {"ovni.part", 1, "part", TEXT},
                {"ovni.loom", 1, "loom", TEXT},
                {"ovni.pid", 1, "pid", NUMBER},
                {"ovni.tid", 1, "tid", NUMBER},
                {"ovni.finished", 1, "finished", NUMBER},
                {"ovni.app_id", 1, "app_id", NUMBER},
                {"ovni.rank", 1, "rank", NUMBER},
                {"ovni.nranks", 1, "nranks", NUMBER},
                {"ovni.require", 1, "require", OBJECT},
                {"ovni.loom_cpus", 1, "loom_cpus", ARRAY},
                {"nosv.hwc", 2, "hwc", OBJECT},
                {"ovni.lib.version", 3, "version", TEXT},
                {"ovni.lib.commit", 3, "commit", TEXT}};
    JsonObject *const objects[] = {root, ovni, nosv, lib};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        visit_member(v, rows[i].name, objects[rows[i].of], rows[i].key, rows[i].what);
}

static void visit_all(visit *v, JsonObject *root)
{
    int32_t number;
    JsonObject *ovni = json_member_object(root, "ovni"), *nosv = json_member_object(root, "nosv");
    JsonObject *lib = json_member_object(ovni, "lib");
    visit_marks(v, json_member_object(ovni, "mark"));
    visit_counters(v, json_member_object(nosv, "hwc"));
    visit_requirements(v, json_member_object(ovni, "require"));
    visit_cpus(v, ovni, "loom_cpus");
    visit_cpus(v, root, "cpus"); /* in metadata.json */
    if (number_of(ovni, "finished", &number))
        give(v, (ovni_metadata_item){OVNI_ITEM_FINISHED, number, 0, NULL, NULL});
    if (number_of(ovni, "nranks", &number) || number_of(root, "nranks", &number))
        give(v, (ovni_metadata_item){OVNI_ITEM_RANKS, number, 0, NULL, NULL});
    if (json_member_text(lib, "version"))
        give(v, (ovni_metadata_item){OVNI_ITEM_LIBRARY, 0, 0, NULL, json_member_text(lib, "version")});
    visit_mark_kinds(v, json_member_object(ovni, "mark"));
    visit_members(v, root, ovni, nosv, lib);
    check_all(v, root, ovni, nosv, lib);
}

/* json-glib keeps the last of several members with the same name; comparing the two numbers shows that there were some. */
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

/* Adds how many more problems there were than were described. */
static void add_rest(visit *v)
{
    if (v->problems <= OVNI_METADATA_PROBLEMS)
        return;
    unsigned more = v->problems - OVNI_METADATA_PROBLEMS;
    v->problems = 0;
    add_problem(v, g_strdup_printf("and %u more", more));
}

/* --- reading ----------------------------------------------------------------------------------------------------------- */

/* Where parsing failed. json-glib counts lines from 1 and characters from 0, and tells them only while it reports the
 * error. The position is approximate. */
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

bool ovni_metadata_read_json(ovni_metadata *m, const json_text *s, ovni_metadata_visitor visitor, void *data, size_t *at)
{
    visit v = {visitor, data, 0};
    place found = {s, 0};
    members all = {0, 0};
    g_autoptr(JsonParser) p = json_parser_new();
    g_signal_connect(p, "error", G_CALLBACK(on_error), &found);
    g_signal_connect(p, "object-member", G_CALLBACK(on_member), &all);
    g_signal_connect(p, "object-end", G_CALLBACK(on_object), &all);
    if (!json_parser_load_from_data(p, s->text, (gssize)s->length, NULL)) {
        *at = found.at;
        return false;
    }
    JsonObject *root = json_node_get_object(json_parser_get_root(p));
    read_object(m, root);
    visit_all(&v, root);
    check_repeated(&v, &all);
    add_rest(&v);
    return true;
}
