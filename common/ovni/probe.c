/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recognising ovni files. Strict: a matching name or a few matching bytes are not enough to claim a file. */
#include <dirent.h>
#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "ovni/discover.h"
#include "ovni/framing.h"
#include "ovni/events/layout.h"
#include "ovni/metadata.h"
#include "ovni/ovni.h"
#include "util/text.h"

/* What the name says, without the suffix of a compressed file. */
static ovni_file_name ovni_probe_name_of(const char *path)
{
    g_autofree char *unpacked = text_unpacked(path), *basename = g_path_get_basename(unpacked);
    return ovni_file_name_read(basename);
}

/* Returns whether a file that cannot be read, is broken or holds too little to tell is ovni's, by the names of its folders.
 */
static bool is_in_trace(const char *path)
{
    g_autofree char *directory = g_path_get_dirname(path), *real = realpath(directory, NULL);
    g_autofree char *full = g_build_filename(real ? real : directory, "file", NULL);
    g_auto(ovni_location) p;
    ovni_location_read(&p, full);
    return ovni_location_is_in_trace(&p);
}

/* For ovni_shape_of(). */
static unsigned enough_of(const char *path, const ovni_file_name *f)
{
    if (f->kind != OVNI_FILE_EVENTS || f->era != OVNI_ERA_PLAIN)
        return 0;
    return is_in_trace(path) ? OVNI_ENOUGH_IN_TRACE : OVNI_ENOUGH_NAMED;
}

bool ovni_stream_probe(const probe *p)
{
    if (p->length < 8)
        return false;
    ovni_file_name f = p->path ? ovni_probe_name_of(p->path) : (ovni_file_name){0};
    ovni_shape shape = ovni_shape_of(p->head, p->length, p->whole, enough_of(p->path, &f));
    return (shape.kind == OVNI_SHAPE_HEADERLESS && shape.clock_known) ||
           (shape.kind == OVNI_SHAPE_HEADER && shape.known_version);
}

static bool may_be_there(int err)
{
    return err != ENOENT && err != ENOTDIR && err != ELOOP && err != EINVAL; /* missing, or not a file */
}

/* Returns whether a file beside the metadata begins like an event file. */
static bool begins_with_events(const char *path, const ovni_file_name *f)
{
    int err = 0;
    uint8_t head[PROBE_LENGTH];
    source *s = source_path_new(path, &err);
    int64_t n = s ? source_read(s, 0, head, sizeof head, &err) : -1;
    bool whole = n >= 0 && (uint64_t)n == s->size;
    source_close(s);
    if (n < (int64_t)OVNI_EVENT_SIZE && (n >= 0 || may_be_there(err)) && is_in_trace(path))
        return true;
    if (n < (int64_t)4)
        return false;
    ovni_shape shape = ovni_shape_of(head, (size_t)n, whole, enough_of(path, f));
    return shape.kind == OVNI_SHAPE_HEADER || (shape.kind == OVNI_SHAPE_HEADERLESS && shape.clock_known) ||
           shape.kind == OVNI_SHAPE_CUT_HEADER;
}

/* In the older layouts the event files of a process are beside its metadata. No more than this many are tried. */
#define CANDIDATES_MAX 16

static bool has_event_files(const char *directory)
{
    DIR *d = opendir(directory);
    const struct dirent *entry = NULL;
    bool found = false;
    int err = d ? 0 : errno;
    for (int candidates = 0; d && !found && candidates < CANDIDATES_MAX && (errno = 0, entry = readdir(d)) != NULL;) {
        ovni_file_name f = ovni_file_name_read(entry->d_name);
        if (f.kind != OVNI_FILE_EVENTS || f.era == OVNI_ERA_V3)
            continue;
        g_autofree char *path = g_build_filename(directory, entry->d_name, NULL);
        found = begins_with_events(path, &f);
        candidates++;
    }
    if (d && !found && !entry)
        err = errno; /* of readdir(): also nothing, at the end */
    if (d)
        closedir(d);
    g_autofree char *inside = g_build_filename(directory, "thread", NULL);
    return found || (err && may_be_there(err) && is_in_trace(inside));
}

static bool is_ovni_json(const char *path)
{
    int err;
    ovni_metadata *m = ovni_metadata_load(path, &err);
    bool ours = m && m->fault == FAULT_NONE && m->has_ovni;
    ovni_metadata_free(m);
    return ours;
}

bool ovni_trace_probe(const probe *p)
{
    if (!p->path)
        return false;
    ovni_file_name f = ovni_probe_name_of(p->path);
    if (f.kind != OVNI_FILE_STREAM_METADATA && f.kind != OVNI_FILE_PROCESS_METADATA)
        return false;
    static const ovni_file_name events = {OVNI_FILE_EVENTS, OVNI_ERA_V3, false, 0};
    g_autofree char *directory = g_path_get_dirname(p->path), *beside = g_build_filename(directory, "stream.obs", NULL);
    return (f.era == OVNI_ERA_V3 ? begins_with_events(beside, &events) : has_event_files(directory)) ||
           (f.kind == OVNI_FILE_STREAM_METADATA && (is_ovni_json(p->path) || is_in_trace(p->path)));
}
