/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that is kept of the open file and is of no format: it begins as zeros, and open_file_forget() frees it. The module
 * that is named is the only one that uses a member. Each format has such a struct of its own (protocol.forget_file). */
#ifndef WIRETRACE_HOST_OPEN_FILE_H
#define WIRETRACE_HOST_OPEN_FILE_H

#include "compat.h"

#include "host/shortcuts.h"
#include "core/opened_trace.h"

/* Frames that follow each other in the whole trace as well. */
typedef struct open_run {
    uint32_t frame, place; /* of the first */
} open_run;

struct hidden_record;
struct listener;

struct open_file {
    uint32_t first;         /* notices.c: the frame with messages; 0: none seen yet */
    GString *remarks;       /* notices.c: of the tables, not printed yet; NULL: none */
    bool settings_reported; /* pdu.c: that settings have no effect */
    bool unknown_reported;  /* dissectors.c: that what came before the part is not known */
    struct {                /* relations.c: the record displayed last */
        const struct protocol *protocol;
        uint32_t frame;
        unsigned stream;
    } displayed;
    struct open_hidden {   /* hidden_records.c */
        const opened *row; /* NULL: the reader has not opened it */
        bool looked_up;
        uint32_t dissected; /* the last frame that was */
        struct hidden_reader *reader;
        void (*visitor)(void *data, const struct hidden_record *r);
        void *data;
        nstime_t first;         /* what times of the hidden records that are visited are relative to */
        wmem_allocator_t *pool; /* for what one needs */
    } hidden;
    struct open_numbers { /* record_numbers.c */
        bool renumbers;   /* places are not the numbers of frames */
        GArray *runs;     /* of open_run */
        uint32_t last;    /* frame whose place is known */
    } numbers;
    struct open_counting { /* listening.c: the listeners; direct.c */
        struct listener *listeners;
        enum {
            COUNTING_BEGINS,     /* no record has come yet */
            COUNTING_UNDECIDED,  /* the first has, and is kept until it is known whether Wireshark dissects */
            COUNTING_DISSECTED,  /* Wireshark does: nothing is counted directly */
            COUNTING_EACH,       /* one after the other */
            COUNTING_IN_THREADS, /* what Wireshark sees meanwhile is kept, in case threads cannot */
            COUNTING_DONE,       /* threads have counted all */
        } state;
        GPtrArray *kept;                /* of kept_record; NULL: none are */
        bool alone;                     /* nobody else needs to see a record */
        bool ignored;                   /* Wireshark dissects what it sees for -Y, but nobody looks at the result */
        struct record_filters *filters; /* direct.c: those of the listeners; NULL: they have none */
        uint32_t counted;               /* records */
        unsigned threads;               /* that have counted all; 0: it was this one */
        int64_t shown_at;               /* when the line of progress was written, see progress_show(); 0: never */
    } counting;
    struct open_parallel {        /* parallel.c */
        struct stream_pool *pool; /* NULL: nothing is being counted */
        const struct parallel_format *format;
        struct parallel_thread *threads;
        void **data; /* of threads */
        unsigned count;
        const struct trace *trace;
        nstime_t first;       /* time of its first record */
        GArray *later;        /* of parallel_listener: what is counted when the streams have been read once; NULL: nothing */
        bool final, numbered; /* see parallel_sums */
    } parallel;
    struct open_streams {      /* pdu.c */
        GHashTable *all;       /* a set of pdu_stream */
        GPtrArray *numbers;    /* the same, by number */
        GPtrArray *interfaces; /* of pdu_stream; NULL before the first record */
        uint64_t noted;        /* the trace whose streams are all in `interfaces` */
    } streams;
};

extern struct open_file open_file;

/* Call when a file is opened or closed, after direct_end() and hidden_free(). */
void open_file_forget(void);

#endif
