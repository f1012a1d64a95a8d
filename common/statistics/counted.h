/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a statistic counts: its words and columns, and functions over data of its own, as those of a table function of a
 * database. Each format has a file for each of them in common/FORMAT/statistics/; how it is shown is a row of the plugins
 * (`statistic` in showing/statistic_run.h). */
#ifndef WIRETRACE_STATISTICS_COUNTED_H
#define WIRETRACE_STATISTICS_COUNTED_H

#include "statistics/rows.h"
#include "statistics/statistic_words.h"

/* A record that is counted. Valid during the call. */
typedef struct counted_record {
    const void *tapped; /* what the session of its format knows of it */
    const void *reader; /* what whoever reads it knows in addition; in the plugins its record_seen */
    uint32_t number;    /* in the whole trace; in threads: in its stream */
    int64_t time;       /* ns since the first record */
} counted_record;

/* All pointers have static storage. `data` is that of begin(); `how` is what the format shows all its rows with, such as an
 * xray_display. */
typedef struct counted {
    /* Its rows; no columns: it writes a text of its own. */
    const rows_column *columns;
    unsigned column_count;
    const rows_column *(*columns_for)(const void *protocol, const char *arguments,
                                      unsigned *count); /* if they depend on its words, instead */
    const char *words;                                  /* its own, as statistic_words_take() has them; NULL: none */
    void *(*begin)(const statistic_words *words, const void *how); /* makes the data, with nothing counted */
    bool (*count)(void *data, const counted_record *r);            /* false if there was nothing to count */
    /* Sees every record, whatever the filter, before count() may count it; NULL: not needed. Those of a part's streams that
     * are hidden as well. */
    void (*each_record)(void *data, const counted_record *r);
    const char *every_for; /* only with this word; NULL: always */
    /* Threads may count, each into data of its own. These add the data of another one, limit it to a `share`th of the usual
     * size, and return whether it has reached that (NULL: it has no size). NULL: records must be in order. */
    void (*merge)(void *data, const void *other);
    void (*share)(void *data, unsigned share);
    bool (*full)(const void *data);
    void (*end_stream)(void *data, const void *tapped); /* in a thread; NULL: nothing to do */
    /* Adds the rows for what has been counted so far, with what is known only after all records. Rows that were there before
     * keep their order. */
    void (*fill)(void *data, const void *how, rows *to);
    void (*free)(void *data);
} counted;

#endif
