/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/contents.h"

#include <glib.h>

void cacheray_contents_read(const record_context *c, cursor bytes, cacheray_contents *r)
{
    *r = (cacheray_contents){.context = c, .bytes = bytes};
    uint8_t kind = cursor_u8(&bytes, 0) & CACHERAY_KIND_MASK;
    if (c->kind == KIND_UNKNOWN || c->kind == KIND_PADDING || kind >= CACHERAY_KINDS)
        return;
    r->layout = cacheray_layout_of((cacheray_layout)cacheray_context_of(c)->layout, kind);
    cacheray_read((cacheray_layout)cacheray_context_of(c)->layout, kind, &bytes, r->value);
}

bool cacheray_contents_whole(const cacheray_contents *r)
{
    return cursor_has(&r->bytes, 0, r->layout->length);
}

/* How many bytes of the type name the frame has. */
int cacheray_contents_name(const cacheray_contents *r)
{
    size_t after = cacheray_contents_whole(r) ? r->bytes.length - r->layout->length : 0;
    return (int)MIN(r->value[CACHERAY_FIELD_NAME_LENGTH], after);
}

/* What the record itself says. */
void cacheray_contents_view(const cacheray_contents *r, cacheray_tapped *v)
{
    const uint8_t tag = (uint8_t)r->value[CACHERAY_FIELD_TYPE];
    uint8_t kind = r->layout && cacheray_contents_whole(r) ? r->context->kind : KIND_UNKNOWN;
    if (kind <= CACHERAY_WRITE && r->value[CACHERAY_FIELD_SIZE] == 0)
        kind = KIND_PADDING;
    *v = (cacheray_tapped){
        .context = r->context,
        .kind = kind,
        .is_access = kind == CACHERAY_READ || kind == CACHERAY_WRITE,
        .atomic = tag & CACHERAY_ATOMIC,
        .unaligned = tag & CACHERAY_UNALIGNED,
        .address = r->value[CACHERAY_FIELD_ADDRESS],
        .thread = r->value[CACHERAY_FIELD_THREAD],
        .size = (uint8_t)r->value[CACHERAY_FIELD_SIZE],
        .region.elem_size = (uint32_t)r->value[CACHERAY_FIELD_ELEM_SIZE],
        .region.elem_count = (uint32_t)r->value[CACHERAY_FIELD_ELEM_COUNT],
    };
    if (kind != CACHERAY_RTTA_ADD)
        return;
    v->name = (const char *)r->bytes.data + r->layout->length;
    v->name_length = cacheray_contents_name(r);
}
