/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Native copies: records go out as they came in. A Cacheray trace is nothing but its records; an ovni stream needs its
 * 8-byte header once. What cannot be said in the format is refused with a reason, never dropped in silence. */
#include "reader.h"

#include "ovni/layout.h"

/* Per file being written, wtap_dumper.priv. */
typedef struct writer_state {
    bool begun;
    bool big_endian;
    uint8_t layout; /* Cacheray */
} writer_state;

int writer_can_write(format_id id, int encap)
{
    return encap == reader_encapsulation(id) || encap == WTAP_ENCAP_PER_PACKET ? 0 : WTAP_ERR_UNWRITABLE_ENCAP;
}

static bool refuse(int *err, char **err_info, const char *reason)
{
    *err = WTAP_ERR_UNWRITABLE_REC_DATA;
    *err_info = g_strdup(reason);
    return false;
}

/* The first record decides; what differs later cannot stand in the same file. */
static bool same_file(writer_state *s, const record_context *c, uint8_t layout_number)
{
    bool big = c->flags & CONTEXT_BIG_ENDIAN;
    if (!s->begun) {
        s->big_endian = big;
        s->layout = layout_number;
    }
    return s->big_endian == big && s->layout == layout_number;
}

static bool write_ovni(wtap_dumper *wdh, writer_state *s, const record_context *c, const uint8_t *data, size_t length,
                       int *err, char **err_info)
{
    static const uint8_t header_le[OVNI_HEADER_SIZE] = {'o', 'v', 'n', 'i', 1, 0, 0, 0};
    static const uint8_t header_be[OVNI_HEADER_SIZE] = {'o', 'v', 'n', 'i', 0, 0, 0, 1};
    if (c->kind == OVNI_METADATA)
        return refuse(err, err_info,
                      "An ovni stream has no room for metadata: select events only (ovni.kind == 1 || ovni.kind == 2).");
    if (!same_file(s, c, 0))
        return refuse(err, err_info, "Events of both byte orders cannot stand in one ovni stream.");
    bool header = c->kind == OVNI_HEADER;
    if (s->begun && header)
        return true; /* one header is enough: that of a second stream says the same */
    if (!s->begun && !header && c->kind != KIND_UNKNOWN && c->offset + c->length > OVNI_HEADER_SIZE &&
        !compat_dump_write(wdh, s->big_endian ? header_be : header_le, OVNI_HEADER_SIZE, err))
        return false;
    s->begun = true;
    return compat_dump_write(wdh, data, length, err);
}

static bool write_cacheray(wtap_dumper *wdh, writer_state *s, const record_context *c, const uint8_t *data,
                           size_t length, int *err, char **err_info)
{
    if (!same_file(s, c, c->cacheray.layout))
        return refuse(err, err_info, "Records of different layouts cannot stand in one Cacheray trace.");
    s->begun = true;
    return compat_dump_write(wdh, data, length, err);
}

static wsbool writer_write(COMPAT_WRITE_PARAMETERS)
{
    record_context c;
    const uint8_t *bytes = COMPAT_WRITE_DATA;
    size_t length = rec->rec_header.packet_header.caplen;
    format_id id = wdh->file_type_subtype == reader_file_type(FORMAT_OVNI) ? FORMAT_OVNI : FORMAT_CACHERAY;
    if (rec->rec_type != REC_TYPE_PACKET || rec->rec_header.packet_header.pkt_encap != reader_encapsulation(id)) {
        *err = WTAP_ERR_UNWRITABLE_ENCAP;
        return FALSE;
    }
    memcpy(&c, &rec->rec_header.packet_header.pseudo_header, sizeof c);
    if (c.length != length)
        return refuse(err, err_info, "The record has been shortened: a part of it would not be a valid record.");
    if (id == FORMAT_OVNI)
        return write_ovni(wdh, wdh->priv, &c, bytes, length, err, err_info);
    return write_cacheray(wdh, wdh->priv, &c, bytes, length, err, err_info);
}

/* An ovni stream of no events is its header; so is what a filter leaves when nothing matches. */
static wsbool writer_finish(wtap_dumper *wdh, int *err, char **err_info)
{
    static const uint8_t header[OVNI_HEADER_SIZE] = {'o', 'v', 'n', 'i', 1, 0, 0, 0};
    const writer_state *s = wdh->priv;
    (void)err_info;
    if (s->begun || wdh->file_type_subtype != reader_file_type(FORMAT_OVNI))
        return TRUE;
    return compat_dump_write(wdh, header, sizeof header, err);
}

/* Native files name no interfaces: thread and stream are in the records or in the file's name. */
static wsbool writer_add_interface(wtap_dumper *wdh, wtap_block_t block, int *err, char **err_info)
{
    (void)wdh;
    (void)block;
    (void)err;
    (void)err_info;
    return TRUE;
}

compat_dump_open writer_open(wtap_dumper *wdh, int *err, char **err_info)
{
    (void)err;
    (void)err_info;
    wdh->priv = g_new0(writer_state, 1); /* wiretap frees it */
    wdh->subtype_add_idb = writer_add_interface;
    wdh->subtype_write = writer_write;
    wdh->subtype_finish = writer_finish;
    return TRUE;
}
