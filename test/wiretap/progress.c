/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far Wireshark believes to be in the opened file, which its progress bar shows, compared with the position in all
 * records.
 *   progress FILE    prints both in thousandths, for every record at which either has changed
 * Finds the plugins as Wireshark's programs do. */
#include <stdio.h>
#include <stdlib.h>

#define COMPAT_WIRETAP
#include "compat.h"

#include <wsutil/filesystem.h>
#include <wsutil/privileges.h>

static bool read_one(wtap *wth, wtap_rec *rec, Buffer *bytes, int *err)
{
    char *words = NULL;
    int64_t offset;
#if WIRESHARK_AT_LEAST(4, 6)
    (void)bytes;
    bool got = wtap_read(wth, rec, err, &words, &offset);
#else
    bool got = wtap_read(wth, rec, bytes, err, &words, &offset);
#endif
    g_free(words);
    return got;
}

/* Bytes of all records. */
static uint64_t read_all(const char *path, uint64_t total)
{
    int err = 0;
    char *words = NULL;
    wtap_rec rec;
    Buffer bytes;
    uint64_t done = 0, before = 0;
    wtap *wth = wtap_open_offline(path, WTAP_TYPE_AUTO, &err, &words, TRUE);
    if (!wth)
        exit(2);
    ws_buffer_init(&bytes, 1500);
#if WIRESHARK_AT_LEAST(4, 6)
    wtap_rec_init(&rec, 1514);
#else
    wtap_rec_init(&rec);
#endif
    int64_t size = wtap_file_size(wth, &err);
    while (read_one(wth, &rec, &bytes, &err)) {
        if (wtap_read_so_far(wth) == 0) /* Wireshark divides by it */
            exit(3);
        done += rec.rec_header.packet_header.len;
        uint64_t now = total ? (uint64_t)(wtap_read_so_far(wth) * 1000 / size) << 16 | done * 1000 / total : 0;
        if (now != before)
            printf("%u %u\n", (unsigned)(now >> 16), (unsigned)(now & 0xffff));
        before = now;
    }
    ws_buffer_free(&bytes);
    wtap_close(wth);
    return done;
}

int main(int argc, char **argv)
{
    init_process_policies();
    if (argc != 2)
        return 1;
#if WIRESHARK_AT_LEAST(4, 6)
    g_free(configuration_init(argv[0]));
#else
    g_free(configuration_init(argv[0], NULL));
#endif
    wtap_init(TRUE);
    read_all(argv[1], read_all(argv[1], 0));
    wtap_cleanup();
    return 0;
}
