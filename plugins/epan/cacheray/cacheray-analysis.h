/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a Cacheray record has to do with the records before it: the annotation in force, who shares its cache line, which
 * cache has it. State is that of the open file; it is worked out once, in the order of the file, and read back later. */
#ifndef WIRETRACE_CACHERAY_ANALYSIS_PLUGIN_H
#define WIRETRACE_CACHERAY_ANALYSIS_PLUGIN_H

#include "protocol.h"

#include <epan/prefs.h>

#include "cacheray/analysis.h"

/* Names of cacheray.line.sharing and of cacheray.event; end with {0, NULL}. */
extern const value_string cacheray_sharings[];
extern const value_string cacheray_events[];

/* Registers fields, expert infos, preferences and the tap "cacheray" (its data: cacheray_view). */
void cacheray_analysis_register(int proto, module_t *module);

/* Works out what is known of a record whose own fields (up to thread; for an add also region) are filled in. `tree` says which
 * fields are asked for, NULL: none. `name` is asked for the type name of an add when it is first seen. */
void cacheray_analysis_look(cacheray_view *v, packet_info *pinfo, proto_tree *tree, const char *(*name)(void *data),
                            void *data);
/* Adds what is known as generated fields. */
void cacheray_analysis_show(proto_tree *tree, proto_item *item, packet_info *pinfo, tvbuff_t *tvb, const cacheray_view *v);
/* What a preference names that is a text, so that a value which is none of its choices can be said: Wireshark's own kind of
 * choice takes no notice of those. Compares names and descriptions, which 0.1 saved; NULL: none. */
const enum_val_t *cacheray_choice(const enum_val_t *choices, const char *text);
/* To be called when a preference has changed. */
void cacheray_analysis_apply(void);
/* Levels of cache that are simulated for the open file; 0: none. */
unsigned cacheray_levels(void);
/* Bytes of a cache line, as the user has set it. */
unsigned cacheray_analysis_line_size(void);
extern const picture_source cacheray_picture;
/* What the dissector knows of a record, and the filters that this makes. */
const cacheray_view *cacheray_view_of(const dissection *d);
extern const protocol_filter cacheray_filters[];
/* Threads, lines and types in the tables of conversations and endpoints, and the field of their filters. */
void cacheray_endpoints_register(int proto);
void cacheray_endpoints_add(proto_tree *tree, tvbuff_t *tvb, const cacheray_view *v);
/* The statistics, which are told of records by the tap "cacheray" (its data: cacheray_view). */
void cacheray_taps_register(void);
void cacheray_taps_handoff(void);

#endif
