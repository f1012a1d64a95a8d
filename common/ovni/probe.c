/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files are ovni's. Strict: nothing foreign is claimed, also where a name or a few bytes agree. */
#include <dirent.h>
#include <errno.h>
#include <glib.h>
#include <stdlib.h>
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

/* Of an event file that is there and cannot be read the folders that it stands in must say that it is one. */
static bool stands_in_trace(const char *path, int err)
{
    ovni_place p;
    if (err == ENOENT || err == ENOTDIR || err == ELOOP || err == EINVAL) /* not there, or no file */
        return false;
    char *directory = g_path_get_dirname(path), *real = realpath(directory, NULL);
    char *full = g_build_filename(real ? real : directory, "file", NULL);
    ovni_place_read(&p, full);
    bool stands = p.loom && p.process_known;
    ovni_place_clear(&p);
    g_free(full);
    free(real);
    g_free(directory);
    return stands;
}

/* Whether a file beside the metadata begins as event files do. */
static bool begins_with_events(const char *path, const ovni_file_name *f)
{
    int err = 0;
    uint8_t head[PROBE_LENGTH];
    source *s = source_path_new(path, &err);
    int64_t n = s ? s->ops->read(s, 0, head, sizeof head, &err) : -1;
    bool whole = n >= 0 && (uint64_t)n == s->size;
    source_close(s);
    if (n < 0)
        return stands_in_trace(path, err);
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
    DIR *d = opendir(directory);
    const struct dirent *entry;
    bool found = false;
    if (!d) {
        int err = errno;
        char *inside = g_build_filename(directory, "thread", NULL);
        found = stands_in_trace(inside, err);
        g_free(inside);
    }
    for (int candidates = 0; d && !found && candidates < CANDIDATES_MAX && (entry = readdir(d)) != NULL;) {
        ovni_file_name f = ovni_file_name_read(entry->d_name);
        if (f.kind != OVNI_FILE_EVENTS || f.era == OVNI_ERA_V3)
            continue;
        char *path = g_build_filename(directory, entry->d_name, NULL);
        found = begins_with_events(path, &f);
        candidates++;
        g_free(path);
    }
    if (d)
        closedir(d);
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
