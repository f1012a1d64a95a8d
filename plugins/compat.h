/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every difference between Wireshark 4.0, 4.2, 4.4 and 4.6 that the plugins meet, and nothing else. */
#ifndef WIRETRACE_COMPAT_H
#define WIRETRACE_COMPAT_H

#define WS_BUILD_DLL
#include <wireshark.h>
#include <ws_version.h>

#define WIRESHARK_AT_LEAST(major, minor) \
    (WIRESHARK_VERSION_MAJOR > (major) || (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

/* Booleans of callbacks and preferences: an int up to 4.2, bool from 4.4 on. */
#if WIRESHARK_AT_LEAST(4, 4)
#include <stdbool.h>
typedef bool wsbool;
#else
typedef gboolean wsbool;
#endif

/* The words for set and not set have a header of their own from 4.6 on. */
#if WIRESHARK_AT_LEAST(4, 6) && !defined COMPAT_WIRETAP
#include <epan/tfs.h>
#endif

/* Interfaces are numbered per section of the file from 4.4 on; our files have one section. */
#if WIRESHARK_AT_LEAST(4, 4)
#define COMPAT_SECTION , 0
#else
#define COMPAT_SECTION
#endif

/* The start of a statistic says from 4.6 on whether it could start. */
#if WIRESHARK_AT_LEAST(4, 6)
typedef bool compat_stat_start;
#define COMPAT_STAT_STARTED return true
#else
typedef void compat_stat_start;
#define COMPAT_STAT_STARTED return
#endif

/* The submenu of trees is that of the protocol's own menu (plugins/epan/menus.h) from 4.4 on; before there would be two of the
 * same name. */
#if WIRESHARK_AT_LEAST(4, 4)
#define COMPAT_TREES(protocol) protocol STATS_TREE_MENU_SEPARATOR
#else
#define COMPAT_TREES(protocol) protocol " Trees/"
#endif

/* Conversation filters and followers have more parameters from 4.4 on, and the value of a field is pointed to. */
#if WIRESHARK_AT_LEAST(4, 4)
#define COMPAT_USER_DATA , void *user_data G_GNUC_UNUSED
#define COMPAT_NO_DATA , NULL
#define COMPAT_NO_COUNTS , NULL, NULL
#define COMPAT_FVALUE(field) (field)->value
#else
#define COMPAT_USER_DATA
#define COMPAT_NO_DATA
#define COMPAT_NO_COUNTS
#define COMPAT_FVALUE(field) (&(field)->value)
#endif

#if WIRESHARK_AT_LEAST(4, 6)
#define compat_try_uint(table, value, tvb, pinfo, tree) \
    dissector_try_uint_with_data(table, value, tvb, pinfo, tree, true, NULL)
#else
#define compat_try_uint(table, value, tvb, pinfo, tree) dissector_try_uint(table, value, tvb, pinfo, tree)
#endif

/* --- for the reader only --------------------------------------------------------------------------------------------- */
#ifdef COMPAT_WIRETAP

#include <stdio.h>
#include <sys/stat.h>

#include <wiretap/wtap.h>
#include <wiretap/wtap_opttypes.h>

#if WIRESHARK_AT_LEAST(4, 4)
#include <wsutil/array.h>
#endif

#if WIRESHARK_AT_LEAST(4, 6)
#include <wiretap/file_wrappers.h>
#include <wiretap/wtap_module.h>
#else

/* Older packages do not ship wiretap/wtap-int.h. Only the members that a reader or writer needs are named; the open routine
 * checks the layout against the exported getters (reader.c, layout_is_right). */
typedef wsbool (*compat_read)(struct wtap *, wtap_rec *, Buffer *, int *, char **, int64_t *);
typedef wsbool (*compat_seek_read)(struct wtap *, int64_t, wtap_rec *, Buffer *, int *, char **);

struct wtap {
    FILE_T fh;
    FILE_T random_fh;
    wsbool ispipe;
    int file_type_subtype;
    unsigned snapshot_length;
    GArray *shb_hdrs;
#if WIRESHARK_AT_LEAST(4, 4)
    GArray *shb_iface_to_global;
#endif
    GArray *interface_data;
    unsigned next_interface_data;
    GArray *nrbs;
    GArray *dsbs;
#if WIRESHARK_AT_LEAST(4, 4)
    GArray *meta_events;
#endif
    char *pathname;
    void *priv;
    void *wslua_data;
    compat_read subtype_read;
    compat_seek_read subtype_seek_read;
    void (*subtype_sequential_close)(struct wtap *);
    void (*subtype_close)(struct wtap *);
    int file_encap;
    int file_tsprec;
    /* the rest is Wireshark's own */
};

/* The leading part is the same in all releases; the tail is Wireshark's own. */
struct wtap_dumper {
    void *fh;
    int file_type_subtype;
    int snaplen;
    int encap;
    int compression_type;
    wsbool needs_reload;
    int64_t bytes_dumped;
    void *priv;
    void *wslua_data;
    wsbool (*subtype_add_idb)(struct wtap_dumper *, wtap_block_t, int *, char **);
    wsbool (*subtype_write)(struct wtap_dumper *, const wtap_rec *, const uint8_t *, int *, char **);
    wsbool (*subtype_finish)(struct wtap_dumper *, int *, char **);
};

/* Exported by libwiretap, but declared in headers that are not shipped or do not compile without ones that are not. */
WS_DLL_PUBLIC int64_t file_seek(FILE_T stream, int64_t offset, int whence, int *err);
WS_DLL_PUBLIC int64_t file_tell(FILE_T stream);
WS_DLL_PUBLIC int file_read(void *buf, unsigned int count, FILE_T file);
WS_DLL_PUBLIC int file_error(FILE_T fh, char **err_info);
WS_DLL_PUBLIC int wtap_fstat(wtap *wth, struct stat *statb, int *err);
WS_DLL_PUBLIC wsbool wtap_dump_file_write(struct wtap_dumper *wdh, const void *buf, size_t bufsize, int *err);

#endif /* before 4.6 */

/* The bytes of a record live beside it before 4.6, inside it from then on: parameters and arguments of the callbacks. */
#if WIRESHARK_AT_LEAST(4, 6)
#define COMPAT_READ_PARAMETERS wtap *wth, wtap_rec *rec, int *err, char **err_info, int64_t *data_offset
#define COMPAT_SEEK_PARAMETERS wtap *wth, int64_t seek_off, wtap_rec *rec, int *err, char **err_info
#define COMPAT_WRITE_PARAMETERS wtap_dumper *wdh, const wtap_rec *rec, int *err, char **err_info
#define COMPAT_READ_BUFFER (&rec->data)
#define COMPAT_WRITE_DATA ws_buffer_start_ptr(&rec->data)
#else
#define COMPAT_READ_PARAMETERS wtap *wth, wtap_rec *rec, Buffer *buffer, int *err, char **err_info, int64_t *data_offset
#define COMPAT_SEEK_PARAMETERS wtap *wth, int64_t seek_off, wtap_rec *rec, Buffer *buffer, int *err, char **err_info
#define COMPAT_WRITE_PARAMETERS wtap_dumper *wdh, const wtap_rec *rec, const uint8_t *data, int *err, char **err_info
#define COMPAT_READ_BUFFER buffer
#define COMPAT_WRITE_DATA data
#endif

#if WIRESHARK_AT_LEAST(4, 4)
typedef bool compat_dump_open;
#else
typedef int compat_dump_open;
#endif

/* Makes a packet record and copies its bytes: those before it, if any, then its own. */
static inline void compat_fill_record(wtap_rec *rec, int encap, Buffer *buffer, const uint8_t *before, size_t before_length,
                                      const uint8_t *data, size_t length)
{
#if WIRESHARK_AT_LEAST(4, 6)
    wtap_setup_packet_rec(rec, encap);
#else
    rec->rec_type = REC_TYPE_PACKET;
    rec->rec_header.packet_header.pkt_encap = encap;
#endif
    ws_buffer_assure_space(buffer, before_length + length);
    if (before_length)
        memcpy(ws_buffer_start_ptr(buffer), before, before_length);
    if (length)
        memcpy(ws_buffer_start_ptr(buffer) + before_length, data, length);
#if WIRESHARK_AT_LEAST(4, 6)
    ws_buffer_increase_length(buffer, before_length + length);
#endif
}

/* The library counts the bytes written from 4.4 on. */
static inline bool compat_dump_write(wtap_dumper *wdh, const void *data, size_t length, int *err)
{
    if (!wtap_dump_file_write(wdh, data, length, err))
        return false;
#if !WIRESHARK_AT_LEAST(4, 4)
    wdh->bytes_dumped += (int64_t)length;
#endif
    return true;
}

/* The descriptor of the file that is written, or -1 where it is not written as it stands. */
static inline int compat_dump_descriptor(const wtap_dumper *wdh)
{
    return wdh->compression_type == 0 && wdh->fh ? fileno((FILE *)wdh->fh) : -1;
}

#endif /* COMPAT_WIRETAP */

#endif
