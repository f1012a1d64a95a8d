/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two plugins share: they have no variables in common, but GLib. */
#ifndef WIRETRACE_CORE_PLUGIN_SHARED_H
#define WIRETRACE_CORE_PLUGIN_SHARED_H

#include <glib.h>

/* What is there under a name; NULL: nothing. */
static inline void *plugin_shared_get(const char *name)
{
    return g_dataset_get_data(g_intern_static_string("wiretrace"), name);
}

/* Takes the data, which `free` frees when other data take its place. */
static inline void plugin_shared_set(const char *name, void *data, GDestroyNotify free)
{
    g_dataset_set_data_full(g_intern_static_string("wiretrace"), name, data, free);
}

#endif
