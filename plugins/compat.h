/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All differences between Wireshark 4.0, 4.2, 4.4, 4.6 and 4.7 (to be 5.0) that matter to the plugins, and nothing else. */
#ifndef WIRETRACE_COMPAT_H
#define WIRETRACE_COMPAT_H

#define WS_BUILD_DLL
#include <wireshark.h>
#include <ws_version.h>

#define WIRESHARK_AT_LEAST(major, minor) \
    (WIRESHARK_VERSION_MAJOR > (major) || (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

/* Booleans in callbacks and preferences: int up to 4.2, bool since 4.4. */
#if WIRESHARK_AT_LEAST(4, 4)
#include <stdbool.h>
typedef bool wsbool;
#else
typedef gboolean wsbool;
#endif

/* Since 4.7 offsets into a packet are unsigned. */
#if WIRESHARK_AT_LEAST(4, 7)
typedef unsigned compat_offset;
#else
typedef int compat_offset;
#endif

/* Since 4.7 several programs share a library, and whoever looks for a profile names the program by its prefix. */
#if WIRESHARK_AT_LEAST(4, 7)
#define compat_profile_exists(name, global) profile_exists(epan_get_environment_prefix(), name, global)
#else
#define compat_profile_exists(name, global) profile_exists(name, global)
#endif

/* Since 4.7 the interface for menus is among the headers of user interfaces. */
#if WIRESHARK_AT_LEAST(4, 7) && !__has_include(<epan/plugin_if.h>)
#define COMPAT_PLUGIN_IF <ui/plugins/include/plugin_if.h>
#else
#define COMPAT_PLUGIN_IF <epan/plugin_if.h>
#endif

/* tfs_set_notset and similar ones have a header of their own since 4.6. */
#if WIRESHARK_AT_LEAST(4, 6) && !defined COMPAT_WIRETAP
#include <epan/tfs.h>
#endif

/* Since 4.4 interfaces are numbered per section of the file; our files have a single section. */
#if WIRESHARK_AT_LEAST(4, 4)
#define COMPAT_SECTION , 0
#else
#define COMPAT_SECTION
#endif

/* Since 4.6 durations have the unit that fits in the details of a record. */
#define COMPAT_TIME_FITS WIRESHARK_AT_LEAST(4, 6)

/* Since 4.6 the start function of a statistic returns whether it could start. */
#if WIRESHARK_AT_LEAST(4, 6)
typedef bool compat_stat_start;
#define COMPAT_STAT_STARTED return true
#else
typedef void compat_stat_start;
#define COMPAT_STAT_STARTED return
#endif

/* Since 4.4 the submenu of statistics trees is the protocol's own (plugins/epan/host/menus.h); before, there would be two
 * with the same name. */
#if WIRESHARK_AT_LEAST(4, 4)
#define COMPAT_TREES(protocol) protocol STATS_TREE_MENU_SEPARATOR
#else
#define COMPAT_TREES(protocol) protocol " Trees/"
#endif

/* Since 4.4 conversation filters and followers have more parameters, and a field has a pointer to its value. */
#if WIRESHARK_AT_LEAST(4, 4)
#define COMPAT_USER_DATA , void *user_data _U_
#define COMPAT_NO_DATA , NULL
#define COMPAT_NO_COUNTS , NULL, NULL
#define COMPAT_FVALUE(field) (field)->value
#else
#define COMPAT_USER_DATA
#define COMPAT_NO_DATA
#define COMPAT_NO_COUNTS
#define COMPAT_FVALUE(field) (&(field)->value)
#endif

/* Since 4.4 functions set the value of a field, whose structure is in no header any more. */
#if WIRESHARK_AT_LEAST(4, 4)
#define compat_set_uint(value, number) fvalue_set_uinteger(value, number)
#define compat_set_int(value, number) fvalue_set_sinteger(value, number)
#define compat_set_uint64(value, number) fvalue_set_uinteger64(value, number)
#define compat_set_int64(value, number) fvalue_set_sinteger64(value, number)
#define compat_set_double(value, number) fvalue_set_floating(value, number)
#define compat_set_time(value, time) fvalue_set_time(value, time)
#define compat_set_string(value, text) fvalue_set_string(value, text)
#define compat_set_bytes(value, bytes, size) fvalue_set_bytes_data(value, bytes, (size_t)(size))
#else
#define compat_set_uint(value_, number) ((value_)->value.uinteger = (number))
#define compat_set_int(value_, number) ((value_)->value.sinteger = (number))
#define compat_set_uint64(value_, number) ((value_)->value.uinteger64 = (number))
#define compat_set_int64(value_, number) ((value_)->value.sinteger64 = (number))
#define compat_set_double(value_, number) ((value_)->value.floating = (number))
#define compat_set_time(value_, time_) ((value_)->value.time = *(time_))
#define compat_set_string(value_, text) \
    (wmem_strbuf_truncate((value_)->value.strbuf, 0), wmem_strbuf_append((value_)->value.strbuf, text))
#define compat_set_bytes(value_, bytes_, size) \
    (g_byte_array_set_size((value_)->value.bytes, 0), g_byte_array_append((value_)->value.bytes, bytes_, (guint)(size)))
#endif

#if WIRESHARK_AT_LEAST(4, 6)
#define compat_try_uint(table, value, tvb, pinfo, tree) \
    dissector_try_uint_with_data(table, value, tvb, pinfo, tree, true, NULL)
#else
#define compat_try_uint(table, value, tvb, pinfo, tree) dissector_try_uint(table, value, tvb, pinfo, tree)
#endif

/* --- for the reader only ----------------------------------------------------------------------------------------------- */
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

/* Older packages do not ship wiretap/wtap-int.h. This declares only the members needed by a reader or writer; before they
 * are used, the layout is compared with the exported getters (layout_is_right() in reader.c). */
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
    /* further members are not used */
};

/* The beginning is the same in all releases; further members are not used. */
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

/* Exported by libwiretap, but declared in headers that are not shipped, or that need such headers. */
WS_DLL_PUBLIC int64_t file_seek(FILE_T stream, int64_t offset, int whence, int *err);
WS_DLL_PUBLIC int64_t file_tell(FILE_T stream);
WS_DLL_PUBLIC int file_read(void *buf, unsigned int count, FILE_T file);
WS_DLL_PUBLIC int file_error(FILE_T fh, char **err_info);
WS_DLL_PUBLIC int wtap_fstat(wtap *wth, struct stat *statb, int *err);
WS_DLL_PUBLIC wsbool wtap_dump_file_write(struct wtap_dumper *wdh, const void *buf, size_t bufsize, int *err);

#endif /* before 4.6 */

/* Before 4.6 the bytes of a record are passed separately, since then inside it: parameters and arguments of callbacks. */
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

/* Makes a packet record with the bytes of `before` (may be empty), followed by `data`. */
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

/* A record may have the numbers of its process and its thread (epb_processid_threadid). Since 4.6 pcapng files keep
 * them; 4.6 takes them as they are in the file, first the process, and does not show them. Since 4.7 they are
 * frame.process..., and a file has a table of its processes with their names. */
#ifdef OPT_PKT_PROCIDTHRDID
#define COMPAT_PROCESS_KEPT true
#else
#define COMPAT_PROCESS_KEPT false
#endif
#define COMPAT_PROCESS_SHOWN WIRESHARK_AT_LEAST(4, 7)

static inline void compat_add_process(wtap_block_t block, uint32_t process, uint32_t thread)
{
#if WIRESHARK_AT_LEAST(4, 7)
    wtap_block_add_uint64_option(block, OPT_PKT_PROCIDTHRDID, (uint64_t)process << 32 | thread);
#elif defined OPT_PKT_PROCIDTHRDID
    const uint32_t in_file[] = {process, thread};
    uint64_t both;
    memcpy(&both, in_file, sizeof both);
    wtap_block_add_uint64_option(block, OPT_PKT_PROCIDTHRDID, both);
#else
    (void)block, (void)process, (void)thread;
#endif
}

/* Makes the table, when the file is opened: who copies the file asks for it then. */
static inline void compat_make_processes(wtap *wth)
{
#if WIRESHARK_AT_LEAST(4, 7)
    wth->pibs = g_array_new(FALSE, FALSE, sizeof(wtap_block_t));
#else
    (void)wth;
#endif
}

/* Wireshark does not export its own function for this. */
static inline void compat_name_process(wtap *wth, uint32_t process, const char *name)
{
#if WIRESHARK_AT_LEAST(4, 7)
    wtap_block_t block = wtap_block_create(WTAP_BLOCK_PROCESS_INFORMATION);
    ((wtapng_process_info_mandatory_t *)wtap_block_get_mandatory_data(block))->process_id = process;
    wtap_block_add_string_option(block, OPT_PIB_NAME, name, strlen(name));
    g_array_append_val(wth->pibs, block);
#else
    (void)wth, (void)process, (void)name;
#endif
}

/* Since 4.4 libwiretap counts the bytes written. */
static inline bool compat_dump_write(wtap_dumper *wdh, const void *data, size_t length, int *err)
{
    if (!wtap_dump_file_write(wdh, data, length, err))
        return false;
#if !WIRESHARK_AT_LEAST(4, 4)
    wdh->bytes_dumped += (int64_t)length;
#endif
    return true;
}

/* The descriptor of the file being written, or -1 if it is compressed. */
static inline int compat_dump_descriptor(const wtap_dumper *wdh)
{
    return wdh->compression_type == 0 && wdh->fh ? fileno((FILE *)wdh->fh) : -1;
}

#endif /* COMPAT_WIRETAP */

#endif
