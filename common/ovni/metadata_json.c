/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/metadata_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/json_members.h"
#include "util/text.h"

int32_t ovni_metadata_int(double real)
{
    return real > (double)INT32_MIN - 1 && real < (double)INT32_MAX + 1 ? (int32_t)real : INT32_MIN;
}

/* --- bytes that are not UTF-8 ---------------------------------------------------------------------------------------- */

/* json-glib reads UTF-8 only, ovniemu any bytes. In the private copy of a text that is not UTF-8, each byte from 0x80 on
 * that belongs to no character becomes one of the last 128 of the last private plane, and so do the bytes of these
 * characters. */
#define BYTE_FIRST 0x10ff80u
#define BYTE_LEAD "\xf4\x8f" /* of all of them; then 0xbe or 0xbf */

static bool is_escaped_byte(const char *text)
{
    return strncmp(text, BYTE_LEAD, 2) == 0 && ((uint8_t)text[2] & 0xfe) == 0xbe;
}

/* Makes s->text UTF-8, but for zeros. */
static void mask_bytes(json_text *s)
{
    GString *to = g_string_sized_new(s->length + 1);
    for (size_t at = 0; at < s->length;) {
        const gunichar c = g_utf8_get_char_validated(s->text + at, (gssize)(s->length - at));
        const bool valid = c && c < BYTE_FIRST;
        if (valid)
            g_string_append_unichar(to, c);
        else if (!(s->text[at] & 0x80))
            g_string_append_c(to, s->text[at]);
        else
            g_string_append_unichar(to, BYTE_FIRST + ((uint8_t)s->text[at] & 0x7f));
        at += valid ? (size_t)g_unichar_to_utf8(c, NULL) : 1;
    }
    g_free(s->text);
    s->length = to->len;
    s->text = g_string_free(to, FALSE);
}

/* The bytes that a text of the file has. `masked`: by mask_bytes(). */
static char *ovni_metadata_json_bytes_of(const char *text, bool masked)
{
    char *bytes = g_strdup(text), *to = bytes;
    for (; *text; text++)
        if (masked && is_escaped_byte(text)) {
            *to++ = (char)(0x80 | ((uint8_t)text[2] & 1) << 6 | ((uint8_t)text[3] & 0x3f));
            text += 3;
        } else {
            *to++ = *text;
        }
    *to = 0;
    return bytes;
}

/* --- what is ignored --------------------------------------------------------------------------------------------------- */

typedef struct {
    ovni_metadata_visitor visitor;
    void *data;
    unsigned problems, refusals; /* how many; bits 1 << ovni_refusal */
    bool masked;
} visit;

static void ovni_metadata_json_give(visit *v, ovni_metadata_item item)
{
    g_autofree char *raw = item.text ? ovni_metadata_json_bytes_of(item.text, v->masked) : NULL,
                    *raw_key = item.key ? ovni_metadata_json_bytes_of(item.key, v->masked) : NULL;
    g_autofree char *key = raw_key ? text_show(raw_key, -1) : NULL, *text = raw ? text_show(raw, -1) : NULL;
    item.key = key;
    item.text = text;
    item.raw = raw;
    v->visitor(v->data, &item);
}

/* A problem quotes at most this many bytes of a key. */
#define KEY_SHOWN 60

/* Takes ownership of `text`. The first one of each refusal is reported in any case. */
static void ovni_metadata_json_add_problem(visit *v, ovni_refusal refusal, char *text)
{
    bool first = !(v->refusals >> refusal & 1);
    v->refusals |= 1u << refusal;
    if (v->problems++ < OVNI_METADATA_PROBLEMS || (refusal && first))
        ovni_metadata_json_give(v, (ovni_metadata_item){.kind = OVNI_ITEM_PROBLEM, .number = refusal, .text = text});
    g_free(text);
}

static void add_unused(visit *v, ovni_refusal refusal, const char *where, const char *key)
{
    int length = (int)text_fitting(key, strlen(key), KEY_SHOWN);
    ovni_metadata_json_add_problem(v, refusal, g_strdup_printf("the value of %s%.*s cannot be used", where, length, key));
}

/* --- members as the reader takes them, and as ovniemu does --------------------------------------------------------- */

static bool ovni_metadata_json_number_of(JsonObject *o, const char *key, int32_t *out)
{
    int64_t number;
    bool there = json_member_number(o, key, INT32_MIN, INT32_MAX, &number);
    if (there)
        *out = (int32_t)number;
    return there;
}

/* Returns a string of any length; NULL if the member is not one. */
static const char *ovni_metadata_json_text_of(JsonObject *o, const char *key)
{
    JsonNode *n = o ? json_object_get_member(o, key) : NULL;
    bool text = n && JSON_NODE_HOLDS_VALUE(n) && json_node_get_value_type(n) == G_TYPE_STRING;
    return text ? json_node_get_string(n) : NULL;
}

/* For ovniemu all numbers are doubles, and what is not a number is 0. */
static double real_of(JsonObject *o, const char *key)
{
    JsonNode *n = o ? json_object_get_member(o, key) : NULL;
    GType type = n && JSON_NODE_HOLDS_VALUE(n) ? json_node_get_value_type(n) : G_TYPE_INVALID;
    return type == G_TYPE_INT64 ? (double)json_node_get_int(n) : type == G_TYPE_DOUBLE ? json_node_get_double(n) : 0;
}

static void read_object(ovni_metadata *m, JsonObject *root, bool masked)
{
    JsonObject *ovni = json_member_object(root, "ovni");
    const char *loom = ovni_metadata_json_text_of(ovni, "loom");
    g_autofree char *bytes = loom ? ovni_metadata_json_bytes_of(loom, masked) : NULL;
    ovni_context *c = &m->identity;
    m->has_ovni = ovni != NULL;
    m->loom = bytes ? text_show(bytes, -1) : NULL;
    if (ovni_metadata_json_number_of(ovni, "pid", &c->process))
        c->known |= OVNI_KNOWN_PROCESS;
    if (ovni_metadata_json_number_of(ovni, "tid", &c->thread))
        c->known |= OVNI_KNOWN_THREAD;
    /* in metadata.json these two are outside the "ovni" object */
    if (ovni_metadata_json_number_of(ovni, "rank", &c->rank) || ovni_metadata_json_number_of(root, "rank", &c->rank))
        c->known |= OVNI_KNOWN_RANK;
    if (!ovni_metadata_json_number_of(ovni, "nranks", &m->ranks))
        ovni_metadata_json_number_of(root, "nranks", &m->ranks);
    if (ovni_metadata_json_number_of(ovni, "app_id", &c->app) || ovni_metadata_json_number_of(root, "app_id", &c->app))
        c->known |= OVNI_KNOWN_APP;
}

typedef enum { NUMBER, TEXT, BOOLEAN, OBJECT, ARRAY } member_type;
enum { USED = 1, ASKED = 2, BOTH = USED | ASKED }; /* by the reader, wherever the member is present; by ovniemu, or shown */

typedef struct {
    const char *key; /* NULL ends a list */
    member_type type;
    unsigned uses;
} member;

static const member in_root[] = {
    {"version", NUMBER, BOTH}, {"rank", NUMBER, USED}, {"nranks", NUMBER, USED}, {"app_id", NUMBER, USED},
    {"cpus", ARRAY, USED},     {"ovni", OBJECT, USED}, {"nosv", OBJECT, USED},   {NULL, 0, 0}};
static const member in_ovni[] = {{"pid", NUMBER, BOTH},
                                 {"tid", NUMBER, BOTH},
                                 {"rank", NUMBER, BOTH},
                                 {"nranks", NUMBER, BOTH},
                                 {"app_id", NUMBER, BOTH},
                                 {"finished", NUMBER, BOTH},
                                 {"loom", TEXT, BOTH},
                                 {"lib", OBJECT, USED},
                                 {"mark", OBJECT, USED},
                                 {"require", OBJECT, BOTH},
                                 {"loom_cpus", ARRAY, BOTH},
                                 {"part", TEXT, ASKED},
                                 {NULL, 0, 0}};
static const member in_lib[] = {{"version", TEXT, BOTH}, {"commit", TEXT, ASKED}, {NULL, 0, 0}};
static const member in_nosv[] = {
    {"hwc", OBJECT, BOTH}, {"can_breakdown", BOOLEAN, ASKED}, {"lib_version", TEXT, ASKED}, {NULL, 0, 0}};

/* False if the member has another type. */
static bool ovni_metadata_json_read_member(JsonObject *o, const member *m, ovni_metadata_item *item)
{
    int32_t unused;
    JsonObject *object = m->type == OBJECT ? json_member_object(o, m->key) : NULL;
    JsonArray *array = m->type == ARRAY ? json_member_array(o, m->key) : NULL;
    JsonNode *node = m->type == BOOLEAN ? json_object_get_member(o, m->key) : NULL;
    const bool boolean = node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_BOOLEAN;
    item->real = m->type == NUMBER ? real_of(o, m->key) : 0;
    item->text = m->type == TEXT ? ovni_metadata_json_text_of(o, m->key) : NULL;
    item->number = object    ? json_object_get_size(object)
                   : array   ? json_array_get_length(array)
                   : boolean ? json_node_get_boolean(node) != 0
                             : 0u;
    return object || array || boolean || item->text ||
           (m->type == NUMBER && ovni_metadata_json_number_of(o, m->key, &unused));
}

/* For ovniemu what is not a number is 0. */
static void visit_members(visit *v, JsonObject *o, const char *path, const member *m)
{
    ovni_metadata_item item = {.kind = OVNI_ITEM_MEMBER};
    for (; o && m->key; m++) {
        g_autofree char *name = g_strconcat(path, m->key, NULL);
        item.key = name;
        if (m->uses & ASKED && json_object_has_member(o, m->key) &&
            (ovni_metadata_json_read_member(o, m, &item) || m->type == NUMBER))
            ovni_metadata_json_give(v, item);
    }
}

static void check_members(visit *v, ovni_refusal refusal, JsonObject *o, const char *path, const member *m)
{
    ovni_metadata_item unused;
    for (; o && m->key; m++)
        if (m->uses & USED && json_object_has_member(o, m->key) && !ovni_metadata_json_read_member(o, m, &unused))
            add_unused(v, refusal, path, m->key);
}

/* --- the other items --------------------------------------------------------------------------------------------------- */

/* Parses a key as ovniemu does: blanks and a sign may precede the digits, nothing may follow. */
static bool ovni_metadata_json_key_of(const char *text, int64_t min, int64_t max, int64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == 0 && *number >= min && *number <= max;
}

static void visit_labels(visit *v, JsonObject *labels, int64_t type)
{
    g_autoptr(GList) keys = labels ? json_object_get_members(labels) : NULL;
    for (const GList *k = keys; k; k = k->next) {
        int64_t value;
        const char *text = ovni_metadata_json_text_of(labels, k->data);
        if (text && ovni_metadata_json_key_of(k->data, INT64_MIN, INT64_MAX, &value))
            ovni_metadata_json_give(
                v, (ovni_metadata_item){
                       .kind = OVNI_ITEM_MARK_LABEL, .number = type, .value = value, .key = k->data, .text = text});
        else
            add_unused(v, OVNI_REFUSED_THREAD, "ovni.mark...labels.", k->data);
    }
}

static void visit_marks(visit *v, JsonObject *marks)
{
    static const member in_mark[] = {{"title", TEXT, USED}, {"labels", OBJECT, USED}, {NULL, 0, 0}};
    g_autoptr(GList) keys = marks ? json_object_get_members(marks) : NULL;
    for (int labels = 0; labels < 2; labels++)
        for (const GList *k = keys; k; k = k->next) {
            int64_t type;
            JsonObject *mark = json_member_object(marks, k->data);
            const char *title = ovni_metadata_json_text_of(mark, "title");
            if (!mark || !ovni_metadata_json_key_of(k->data, INT32_MIN, INT32_MAX, &type)) {
                if (labels)
                    add_unused(v, OVNI_REFUSED_THREAD, "ovni.mark.", k->data);
                continue;
            }
            if (labels)
                visit_labels(v, json_member_object(mark, "labels"), type);
            else if (title)
                ovni_metadata_json_give(
                    v, (ovni_metadata_item){.kind = OVNI_ITEM_MARK_TITLE, .number = type, .key = k->data, .text = title});
            if (labels)
                check_members(v, OVNI_REFUSED_THREAD, mark, "ovni.mark...", in_mark);
        }
}

static void visit_counters(visit *v, JsonObject *counters)
{
    g_autoptr(GList) keys = counters ? json_object_get_members(counters) : NULL;
    for (const GList *k = keys; k; k = k->next) {
        int64_t index;
        const char *name = ovni_metadata_json_text_of(json_member_object(counters, k->data), "name");
        if (name && ovni_metadata_json_key_of(k->data, 0, INT32_MAX, &index))
            ovni_metadata_json_give(
                v, (ovni_metadata_item){.kind = OVNI_ITEM_COUNTER, .number = index, .key = k->data, .text = name});
        else
            add_unused(v, OVNI_REFUSED_COUNTER, "nosv.hwc.", k->data);
    }
}

static void visit_requirements(visit *v, JsonObject *models)
{
    g_autoptr(GList) keys = models ? json_object_get_members(models) : NULL;
    for (const GList *k = keys; k; k = k->next) {
        const char *version = ovni_metadata_json_text_of(models, k->data);
        if (version)
            ovni_metadata_json_give(v, (ovni_metadata_item){.kind = OVNI_ITEM_REQUIREMENT, .key = k->data, .text = version});
        else
            add_unused(v, OVNI_ACCEPTED_ITEM, "ovni.require.", k->data);
    }
}

/* A CPU without one of its numbers has 0 there, as for ovniemu, which reads those of ovni.loom_cpus. */
static void visit_cpus(visit *v, JsonObject *o, const char *key, bool of_loom)
{
    JsonArray *cpus = json_member_array(o, key);
    static const member in_cpu[] = {{"index", NUMBER, USED}, {"phyid", NUMBER, USED}, {NULL, 0, 0}};
    for (guint i = 0; cpus && i < json_array_get_length(cpus); i++) {
        JsonObject *cpu = json_element_object(cpus, i);
        const int32_t index = ovni_metadata_int(real_of(cpu, "index")), system = ovni_metadata_int(real_of(cpu, "phyid"));
        if (cpu)
            ovni_metadata_json_give(
                v, (ovni_metadata_item){.kind = OVNI_ITEM_CPU, .number = index, .value = system, .key = key});
        else
            add_unused(v, of_loom ? OVNI_REFUSED_THREAD : OVNI_ACCEPTED_ITEM, "", key);
        check_members(v, OVNI_ACCEPTED_ITEM, cpu, "a CPU's ", in_cpu);
    }
}

/* Visits the kind of every mark; one that is missing is empty. */
static void visit_mark_kinds(visit *v, JsonObject *marks)
{
    g_autoptr(GList) keys = marks ? json_object_get_members(marks) : NULL;
    for (const GList *k = keys; k; k = k->next) {
        int64_t type;
        JsonObject *mark = json_member_object(marks, k->data);
        const char *kind = ovni_metadata_json_text_of(mark, "chan_type");
        if (mark && ovni_metadata_json_key_of(k->data, INT32_MIN, INT32_MAX, &type))
            ovni_metadata_json_give(v, (ovni_metadata_item){.kind = OVNI_ITEM_MARK_KIND,
                                                            .number = type,
                                                            .value = ovni_metadata_json_text_of(mark, "title") != NULL,
                                                            .key = k->data,
                                                            .text = kind ? kind : ""});
    }
}

static void visit_all(visit *v, JsonObject *root)
{
    int32_t number;
    JsonObject *ovni = json_member_object(root, "ovni"), *nosv = json_member_object(root, "nosv");
    JsonObject *lib = json_member_object(ovni, "lib");
    visit_members(v, root, "", in_root);
    visit_members(v, ovni, "ovni.", in_ovni);
    visit_members(v, lib, "ovni.lib.", in_lib);
    visit_members(v, nosv, "nosv.", in_nosv);
    visit_marks(v, json_member_object(ovni, "mark"));
    visit_counters(v, json_member_object(nosv, "hwc"));
    visit_requirements(v, json_member_object(ovni, "require"));
    visit_cpus(v, ovni, "loom_cpus", true);
    visit_cpus(v, root, "cpus", false); /* in metadata.json */
    if (ovni_metadata_json_number_of(ovni, "finished", &number))
        ovni_metadata_json_give(v, (ovni_metadata_item){.kind = OVNI_ITEM_FINISHED, .number = number});
    if (ovni_metadata_json_number_of(ovni, "nranks", &number) || ovni_metadata_json_number_of(root, "nranks", &number))
        ovni_metadata_json_give(v, (ovni_metadata_item){.kind = OVNI_ITEM_RANKS, .number = number});
    if (ovni_metadata_json_text_of(lib, "version"))
        ovni_metadata_json_give(
            v, (ovni_metadata_item){.kind = OVNI_ITEM_LIBRARY, .text = ovni_metadata_json_text_of(lib, "version")});
    visit_mark_kinds(v, json_member_object(ovni, "mark"));
    check_members(v, OVNI_ACCEPTED_ITEM, root, "", in_root);
    check_members(v, OVNI_ACCEPTED_ITEM, ovni, "ovni.", in_ovni);
    check_members(v, OVNI_ACCEPTED_ITEM, lib, "ovni.lib.", in_lib);
    check_members(v, OVNI_ACCEPTED_ITEM, nosv, "nosv.", in_nosv);
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
        ovni_metadata_json_add_problem(
            v, OVNI_REFUSED_ALL, g_strdup_printf("%u members are repeated, the last of each counts", m->read - m->kept));
}

/* Adds how many more problems there were than were described. */
static void add_rest(visit *v)
{
    if (v->problems <= OVNI_METADATA_PROBLEMS)
        return;
    unsigned more = v->problems - OVNI_METADATA_PROBLEMS;
    v->problems = 0;
    ovni_metadata_json_add_problem(v, OVNI_ACCEPTED_ITEM, g_strdup_printf("and %u more", more));
}

/* --- words of the text --------------------------------------------------------------------------------------------- */

/* The length of an escape that ovniemu reads; 0: it does not. */
static size_t ovni_metadata_json_escape_length(const char *escape)
{
    if (!escape[1] || escape[1] != 'u')
        return escape[1] && strchr("\"\\/bfnrt", escape[1]) ? 2 : 0;
    int unit = json_text_unit(escape + 2, strnlen(escape + 2, 4)), second;
    if (unit < 0xd800 || unit > 0xdfff)
        return unit < 0 ? 0 : 6;
    second = unit < 0xdc00 && escape[6] == '\\' && escape[7] == 'u' ? json_text_unit(escape + 8, strnlen(escape + 8, 4))
                                                                    : -1;
    return second >= 0xdc00 && second <= 0xdfff ? 12 : 0;
}

/* The length of a string with its quotes, likewise. */
static size_t string_length(const char *text)
{
    const char *at = text + 1;
    bool zero = false;
    while (*at != '"') {
        size_t length = *at == '\\' ? ovni_metadata_json_escape_length(at) : (uint8_t)*at >= ' ';
        zero = zero || (length == 6 && memcmp(at, "\\u0000", 6) == 0);
        if (!length)
            return 0;
        at += length;
    }
    const size_t length = (size_t)(at - text) + 1, blanks = strspn(at + 1, " \t\n\v\f\r");
    return zero && at[1 + blanks] == ':' ? 0 : length;
}

/* The length of a number, likewise: what strtod() reads of it, in decimal and finite. */
static size_t number_length(const char *text)
{
    char *end;
    const double number = g_ascii_strtod(text, &end);
    const size_t length = (size_t)(end - text), sign = *text == '-';
    const bool finite = fabs(number)<HUGE_VAL, zeros = length> sign + 1 && text[sign] == '0' && text[sign + 1] != '.';
    const bool decimal = !memchr(text, 'x', length) && !memchr(text, 'X', length);
    return finite && !zeros && decimal ? length : 0;
}

/* The length of a word, string, number or sign, likewise. */
static size_t word_length(const char *text)
{
    static const char *const words[] = {"true", "false", "null"};
    if (*text == '"')
        return string_length(text);
    if (*text == '-' || g_ascii_isdigit(*text))
        return number_length(text);
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return strlen(words[i]);
    return *text && strchr("{}[]:, \t\n\v\f\r", *text) != NULL;
}

/* The position of the first word that ovniemu does not read; s->length if it reads all. json-glib reads more, but knows
 * fewer blanks: these are replaced. */
static size_t check_words(json_text *s)
{
    size_t at = 0, length;
    for (; at < s->length && (length = word_length(s->text + at)) > 0; at += length)
        if (s->text[at] == '\v' || s->text[at] == '\f')
            s->text[at] = ' ';
    return at;
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

bool ovni_metadata_read_json(ovni_metadata *m, json_text *s, ovni_metadata_visitor visitor, void *data, size_t *at)
{
    visit v = {.visitor = visitor, .data = data, .masked = !g_utf8_validate(s->text, (gssize)s->length, NULL)};
    place found = {s, 0};
    members all = {0, 0};
    const size_t length = s->length; /* masked it is longer, and places are later */
    if (v.masked)
        mask_bytes(s);
    const size_t strict = check_words(s);
    g_autoptr(JsonParser) p = json_parser_new();
    g_signal_connect(p, "error", G_CALLBACK(on_error), &found);
    g_signal_connect(p, "object-member", G_CALLBACK(on_member), &all);
    g_signal_connect(p, "object-end", G_CALLBACK(on_object), &all);
    if (!json_parser_load_from_data(p, s->text, (gssize)s->length, NULL)) {
        *at = MIN(found.at, length);
        return false;
    }
    JsonObject *root = json_node_get_object(json_parser_get_root(p));
    read_object(m, root, v.masked);
    visit_all(&v, root);
    check_repeated(&v, &all);
    if (strict < s->length)
        ovni_metadata_json_add_problem(&v, OVNI_REFUSED_ALL,
                                       g_strdup_printf("near byte %zu it is not strictly JSON", MIN(strict, length)));
    add_rest(&v);
    return true;
}
