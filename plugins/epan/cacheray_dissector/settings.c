/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The preferences that an analysis depends on. */
#include "cacheray_dissector/settings.h"

#include "host/notices.h"

static const enum_val_t line_sizes[] = {
    {"16", "16 bytes", 16},    {"32", "32 bytes", 32},    {"64", "64 bytes", 64},
    {"128", "128 bytes", 128}, {"256", "256 bytes", 256}, {NULL, NULL, 0},
};

static const char *preference_binary = "";
static const char *preference_load_bias = "";
static const char *preference_caches = "";
static const char *preference_remap = "";
static wsbool preference_coherence = FALSE;
static wsbool preference_write_allocate = TRUE;
static wsbool preference_annotations = TRUE;
static const char *preference_line_size = "64";
#define LINE_SIZE_USUAL 64u
static unsigned line_size = LINE_SIZE_USUAL;

cacheray_options cacheray_settings_options(void)
{
    return (cacheray_options){.annotations = preference_annotations,
                              .line_size = line_size,
                              .binary = preference_binary,
                              .load_bias = preference_load_bias,
                              .caches = preference_caches,
                              .coherence = preference_coherence,
                              .no_write_allocate = !preference_write_allocate,
                              .remap = preference_remap};
}

const enum_val_t *cacheray_settings_choice(const enum_val_t *choices, const char *text)
{
    while (choices->name && g_ascii_strcasecmp(choices->name, text) != 0 &&
           g_ascii_strcasecmp(choices->description, text) != 0)
        choices++;
    return choices->name ? choices : NULL;
}

char *cacheray_settings_line_size_problem(void)
{
    if (!*preference_line_size || cacheray_settings_choice(line_sizes, preference_line_size))
        return NULL;
    return g_strdup_printf("cacheray.line_size is '%.64s', but may be 16, 32, 64, 128, 256: lines have %u bytes",
                           preference_line_size, line_size);
}

void cacheray_settings_apply(void)
{
    const enum_val_t *choice = cacheray_settings_choice(line_sizes, preference_line_size);
    line_size = choice ? (unsigned)choice->value : LINE_SIZE_USUAL;
    g_autofree char *problem = cacheray_settings_line_size_problem();
    if (problem)
        notices_say(NOTICE_WARNING, "%s", problem);
}

unsigned cacheray_settings_line_size(void)
{
    return line_size;
}

bool cacheray_settings_coherence(void)
{
    return preference_coherence;
}

void cacheray_settings_register(module_t *module)
{
    prefs_register_filename_preference(
        module, "binary", "Traced executable",
        "The traced program with debug information (-g), or the .dwarf.json that "
        "dwarf2json makes of it: for members of structs and, from a program, variables. Libraries "
        "may follow, separated by ';'. Without it, the objects that the recorder has listed "
        "beside the trace are used.",
        &preference_binary, FALSE);
    prefs_register_string_preference(
        module, "load_bias", "Load bias",
        "Hexadecimal offset of the addresses in a position-independent executable "
        "(the start of its first mapping), for variables, where the recorder has not listed it.",
        &preference_load_bias);
    prefs_register_bool_preference(module, "annotations", "Follow annotations",
                                   "Match accesses with the annotation that applies to them.", &preference_annotations);
    prefs_register_string_preference(module, "line_size", "Cache line (bytes)",
                                     "Bytes of a cache line: 16, 32, 64, 128 or 256.", &preference_line_size);
    prefs_register_filename_preference(module, "caches", "Caches",
                                       "Description of caches to simulate, as Cacheray's simulator reads it (JSON).",
                                       &preference_caches, FALSE);
    prefs_register_bool_preference(module, "coherence", "Coherent caches",
                                   "A write removes its line from the private caches of other threads, as in real machines, "
                                   "so that false sharing shows as misses.",
                                   &preference_coherence);
    prefs_register_bool_preference(module, "write_allocate", "Writes load lines",
                                   "A write that misses a cache loads its line. Otherwise it bypasses the cache.",
                                   &preference_write_allocate);
    prefs_register_filename_preference(
        module, "remap", "Moved members",
        "File with new offsets for members of structs, as Cacheray's simulator reads it: cache "
        "lines and caches are computed with these offsets.",
        &preference_remap, FALSE);
}
