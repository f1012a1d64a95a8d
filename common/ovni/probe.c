/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files are ovni's. Strict: nothing foreign is claimed, also where a name or a few bytes agree. */
#include <glib.h>
#include <string.h>

#include "discover.h"
#include "framing.h"
#include "metadata.h"
#include "ovni.h"

/* The name of a file, or of what is compressed in it. */
static ovni_file_name name_of(const char *path)
{
    char *unpacked = ovni_uncompressed_name(path), *basename = g_path_get_basename(unpacked);
    ovni_file_name f = ovni_file_name_read(basename);
    g_free(basename);
    g_free(unpacked);
    return f;
}

static bool may_be_headerless(const ovni_file_name *f)
{
    return f->kind == OVNI_FILE_EVENTS && f->era == OVNI_ERA_PLAIN;
}

bool ovni_stream_probe(const probe *p)
{
    if (p->length < 8)
        return false;
    ovni_file_name f = p->path ? name_of(p->path) : (ovni_file_name){0};
    ovni_shape shape = ovni_shape_of(p->head, p->length, p->whole, may_be_headerless(&f));
    return (shape.kind == OVNI_SHAPE_HEADERLESS && shape.clock_known) ||
           (shape.kind == OVNI_SHAPE_HEADER && shape.known_version);
}

/* Whether a file beside the metadata begins as event files do. */
static bool begins_with_events(const char *path, const ovni_file_name *f)
{
    int err;
    source *s = source_path_new(path, &err);
    if (!s)
        return false;
    uint8_t head[PROBE_LENGTH];
    int64_t n = s->ops->read(s, 0, head, sizeof head, &err);
    bool whole = n >= 0 && (uint64_t)n == s->size;
    source_close(s);
    if (n < (int64_t)4)
        return false;
    ovni_shape shape = ovni_shape_of(head, (size_t)n, whole, may_be_headerless(f));
    return shape.kind == OVNI_SHAPE_HEADER || (shape.kind == OVNI_SHAPE_HEADERLESS && shape.clock_known) ||
           shape.kind == OVNI_SHAPE_CUT_HEADER;
}

/* A process of the old layouts has event files by these names beside its metadata. Looks at no more than this many. */
#define CANDIDATES_MAX 16

static bool has_event_files(const char *directory)
{
    GDir *d = g_dir_open(directory, 0, NULL);
    const char *name;
    bool found = false;
    for (int candidates = 0; d && !found && candidates < CANDIDATES_MAX && (name = g_dir_read_name(d)) != NULL;) {
        ovni_file_name f = ovni_file_name_read(name);
        if (f.kind != OVNI_FILE_EVENTS || f.era == OVNI_ERA_V3)
            continue;
        char *path = g_build_filename(directory, name, NULL);
        found = begins_with_events(path, &f);
        candidates++;
        g_free(path);
    }
    if (d)
        g_dir_close(d);
    return found;
}

static bool is_ovni_json(const char *path)
{
    int err;
    ovni_metadata *m = ovni_metadata_load(path, &err);
    bool ours = m && m->fault == FAULT_NONE && (m->known & OVNI_HAS_OVNI);
    ovni_metadata_free(m);
    return ours;
}

bool ovni_trace_probe(const probe *p)
{
    if (!p->path)
        return false;
    ovni_file_name f = name_of(p->path);
    if (f.kind != OVNI_FILE_STREAM_METADATA && f.kind != OVNI_FILE_PROCESS_METADATA)
        return false;
    char *directory = g_path_get_dirname(p->path);
    bool ours;
    if (f.era == OVNI_ERA_V3) {
        static const ovni_file_name events = {OVNI_FILE_EVENTS, OVNI_ERA_V3, false, 0};
        char *beside = g_build_filename(directory, "stream.obs", NULL);
        ours = begins_with_events(beside, &events);
        g_free(beside);
    } else {
        ours = has_event_files(directory);
    }
    if (!ours && f.kind == OVNI_FILE_STREAM_METADATA)
        ours = is_ovni_json(p->path);
    g_free(directory);
    return ours;
}
