/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "settings.h"

#include <string.h>

#include "cacheray/cacheray.h"
#include "exported.h"
#include "ovni/clocks.h"
#include "text.h"

/* Bytes of a value that are shown. */
#define VALUE_SHOWN 64

typedef struct setting {
    const char *variable, *preference; /* which sets it */
    const char *protocol;    /* NULL: all */
    const char *values[6];   /* that it may have, NULL behind them; not set or empty is usual */
    const char *consequence; /* of another one */
} setting;

static const setting settings[] = {
    {CACHERAY_LAYOUT_VARIABLE, "cacheray.layout", "cacheray", {"auto", "le64", "be64", "le32", "be32"}, "the layout is recognised"},
    {OVNI_CLOCKS_VARIABLE, "ovni.clock_offsets", "ovni", {"0", "1"}, "clock offsets are applied"},
    {EXPORTED_VARIABLE, "wiretrace.pdu", NULL, {"0", "1"}, "records are not opened as exported PDUs"},
};

bool settings_switch(const char *variable, bool usual)
{
    const char *value = g_getenv(variable);
    if (!value || (strcmp(value, "0") != 0 && strcmp(value, "1") != 0))
        return usual;
    return *value == '1';
}

static bool is_known(const setting *s, const char *value)
{
    unsigned i = 0;
    while (s->values[i] && strcmp(s->values[i], value) != 0)
        i++;
    return s->values[i] != NULL;
}

static void blame(const setting *s, const char *value, settings_listener listener, void *data)
{
    char *shown = g_strndup(value, text_fitting(value, strlen(value), VALUE_SHOWN));
    char *valid = text_tame(g_utf8_make_valid(shown, -1)), *all = g_strjoinv(", ", (char **)s->values);
    char *sentence = g_strdup_printf("%s (preference %s) is '%s%s', but may be %s: %s", s->variable,
                                     s->preference, valid, strlen(shown) < strlen(value) ? "..." : "", all, s->consequence);
    listener(data, sentence);
    g_free(sentence);
    g_free(all);
    g_free(valid);
    g_free(shown);
}

void settings_check(const char *protocol, settings_listener listener, void *data)
{
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        const char *value = g_getenv(settings[i].variable);
        bool matters = !settings[i].protocol || strcmp(settings[i].protocol, protocol) == 0;
        if (matters && value && *value && !is_known(&settings[i], value))
            blame(&settings[i], value, listener, data);
    }
}
