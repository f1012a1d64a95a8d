/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The streams of a trace, and how their records follow one another, read by the code of the plugins without Wireshark. For
 * tools/parallel, whose parts are streams.
 *   stream-order streams FILE    the protocol, then for each stream: 1 if it is in every part and else 0, its bytes, its
 *                                name, its description; each ends with a NUL
 *   stream-order records FILE    for each record the number of its stream, in 4 bytes as this machine writes them
 * WIRETRACE_TIME and the other variables of the reader apply. Status 1: not a trace, or it cannot be read to its end. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats.h"

static const format *find_format(const char *path, source *s)
{
    const uint8_t *head;
    g_auto(window) w;
    window_init(&w, s);
    size_t length = window_at(&w, 0, PROBE_LENGTH, &head);
    const probe p = {.head = head, .length = length, .whole = s->size <= PROBE_LENGTH, .path = path};
    unsigned i = 0;
    while (i < FORMAT_COUNT && !formats[i]->probe(&p))
        i++;
    window_clear(&w);
    return i < FORMAT_COUNT ? formats[i] : NULL;
}

static uint64_t bytes_of(const stream *s)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < s->ranges->len; i++) {
        const stream_range *range = &s->ranges->at[i];
        bytes += MIN(range->end, s->sequential->size) - MIN(range->begin, s->sequential->size);
    }
    return bytes;
}

static int print_streams(const trace *t)
{
    printf("%s%c", t->format->protocol, 0);
    for (uint32_t i = 0; i < t->streams->len; i++) {
        const stream *s = trace_stream(t, i);
        printf("%d%c%" PRIu64 "%c%s%c%s%c", s->framing, 0, bytes_of(s), 0, s->name, 0, s->description ? s->description : "",
               0);
    }
    return fflush(stdout) != 0;
}

static int print_records(trace *t)
{
    for (const walk *w; (w = trace_next(t));)
        if (fwrite(&w->record.context.stream, sizeof w->record.context.stream, 1, stdout) != 1)
            return 1;
    return t->merge.error || fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
    struct stat about;
    int fd = argc == 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        return 1;
    source *s = source_descriptor_new(fd, (uint64_t)about.st_size);
    const format *f = find_format(argv[2], s);
    const trace_input in = {.path = argv[2], .sequential = s, .random = s, .seekable = true};
    char *reason = NULL;
    trace *t = f ? trace_open(f, &in, &reason) : NULL;
    int status = !t ? 1 : strcmp(argv[1], "streams") == 0 ? print_streams(t) : print_records(t);
    if (t)
        trace_close(t);
    source_close(s);
    g_free(reason);
    return status;
}
