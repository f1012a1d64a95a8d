/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving records in the trace's own format: passes them to the format's writer (common/core/writing.h), and its bytes to
 * Wireshark's file. Records that cannot be saved are refused with a reason. */
#include "writer.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "core/exported.h"
#include "file_types.h"
#include "util/fail.h"

/* Data of a file being written, in wtap_dumper.priv. */
typedef struct writer_file {
    sink base;
    wtap_dumper *wdh;
    const write_ops *ops;
    void *state; /* of the format */
    format_id id;
    bool refused; /* a record could not be saved, which is reported only once */
} writer_file;

int writer_can_write(format_id id, int encap)
{
    bool known = encap == file_types_encapsulation(id) || encap == WTAP_ENCAP_WIRESHARK_UPPER_PDU;
    return known || encap == WTAP_ENCAP_PER_PACKET ? 0 : WTAP_ERR_UNWRITABLE_ENCAP;
}

static bool put_to_file(sink *s, const void *data, size_t length)
{
    writer_file *f = (writer_file *)s;
    int err = 0;
    if (compat_dump_write(f->wdh, data, length, &err))
        return true;
    s->error = err ? err : EIO;
    return false;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Removes an unfinished file, which would look like a trace: Wireshark leaves new files behind if saving fails. Its name
 * is known only on Linux. Standard output is left alone. */
static void remove_begun(const writer_file *f)
{
    struct stat opened, named;
    char descriptor[32], path[PATH_MAX];
    int fd = compat_dump_descriptor(f->wdh);
    if (fd < 0 || fstat(fd, &opened) != 0 || !S_ISREG(opened.st_mode))
        return;
    if (fstat(STDOUT_FILENO, &named) == 0 && same_file(&opened, &named))
        return;
    g_snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(descriptor, path, sizeof path - 1);
    if (length <= 0)
        return;
    path[length] = '\0';
    if (lstat(path, &named) == 0 && same_file(&opened, &named))
        unlink(path);
}

/* Fails with a reason, and removes the incomplete file. */
static wsbool give_up(writer_file *f, int *err, char **err_info, int number, char *reason)
{
    if (!f->refused)
        remove_begun(f);
    f->refused = true;
    *err = number;
    *err_info = reason;
    return FALSE;
}

static wsbool writer_refuse(writer_file *f, int *err, char **err_info, char *reason)
{
    return give_up(f, err, err_info, WTAP_ERR_UNWRITABLE_REC_DATA, reason);
}

/* Reports that the file, or something needed for it, cannot be written. */
static wsbool writer_fail(writer_file *f, int *err, char **err_info)
{
    *err = f->base.error;
    return f->base.problem ? give_up(f, err, err_info, WTAP_ERR_INTERNAL, g_steal_pointer(&f->base.problem)) : FALSE;
}

/* Writes a record, wherever its context comes from. */
static wsbool write_one(writer_file *f, const write_record *r, int *err, char **err_info)
{
    GError *error = NULL;
    if (r->context->length > RECORD_FRAME_MAX)
        return writer_refuse(f, err, err_info,
                             g_strdup("The record is larger than a frame: its end is not available to be saved."));
    if (r->context->length != r->length)
        return writer_refuse(f, err, err_info,
                             g_strdup("The record has been shortened: a part of it would not be a valid record."));
    if (f->ops->record(f->state, &f->base, r, &error))
        return TRUE;
    if (error)
        return writer_refuse(f, err, err_info, fail_words(error));
    return writer_fail(f, err, err_info);
}

static wsbool writer_write(COMPAT_WRITE_PARAMETERS)
{
    exported e = {.length = 0};
    writer_file *f = wdh->priv;
    const uint8_t *bytes = COMPAT_WRITE_DATA;
    size_t length = rec->rec_header.packet_header.caplen;
    int encap = rec->rec_type == REC_TYPE_PACKET ? rec->rec_header.packet_header.pkt_encap : WTAP_ENCAP_UNKNOWN;
    if (encap == WTAP_ENCAP_WIRESHARK_UPPER_PDU) {
        g_autoptr(GError) error = NULL;
        if (!exported_read_packet(bytes, length, formats[f->id]->protocol, &e, &error))
            return writer_refuse(f, err, err_info,
                                 g_strdup_printf("It is not a record of this format: %s.", error->message));
    } else if (encap == file_types_encapsulation(f->id)) {
        memcpy(&e.context, &rec->rec_header.packet_header.pseudo_header, sizeof e.context);
    } else {
        *err = WTAP_ERR_UNWRITABLE_ENCAP;
        return FALSE;
    }
    write_record r = {.context = &e.context,
                      .data = bytes + e.length,
                      .length = length - e.length,
                      .seconds = rec->ts.secs,
                      .nanoseconds = rec->ts.nsecs};
    return write_one(f, &r, err, err_info);
}

static wsbool writer_finish(wtap_dumper *wdh, int *err, char **err_info)
{
    writer_file *f = wdh->priv;
    bool good = f->refused || f->ops->finish(f->state, &f->base);
    f->ops->end(f->state);
    return good || writer_fail(f, err, err_info);
}

/* Native files do not name interfaces: thread and stream are in the records or in the file name. */
static wsbool writer_add_interface(wtap_dumper *wdh _U_, wtap_block_t block _U_, int *err _U_, char **err_info _U_)
{
    return TRUE;
}

static format_id writer_format_of(int file_type)
{
    int i = 0;
    while (i < FORMAT_COUNT - 1 && file_types_number((format_id)i) != file_type)
        i++;
    return (format_id)i;
}

compat_dump_open writer_open(wtap_dumper *wdh, int *err _U_, char **err_info _U_)
{
    writer_file *f = g_new0(writer_file, 1); /* libwiretap frees it */
    f->base.put = put_to_file;
    f->wdh = wdh;
    f->id = writer_format_of(wdh->file_type_subtype);
    f->ops = formats[f->id]->write;
    f->state = f->ops->begin();
    wdh->priv = f;
    wdh->subtype_add_idb = writer_add_interface;
    wdh->subtype_write = writer_write;
    wdh->subtype_finish = writer_finish;
    return TRUE;
}
