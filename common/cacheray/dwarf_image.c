/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/dwarf_image.h"

#if defined HAVE_LIBELF && defined HAVE_LIBDW
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <unistd.h>

#define SIZE_MAX_READ ((uint64_t)1 << 30) /* larger files are not read */
#define MARGIN 65536u

/* Compressed sections of real programs have three to ten times as many bytes when they are unpacked, those of a file that is
 * made to fill the memory a thousand times and more. */
#define UNPACKED_RATIO_MAX 64u
#define UNPACKED_ANYWAY ((uint64_t)16 << 20)
#define UNPACKED_MAX ((uint64_t)4 << 30)

/* Whether what libdw is going to unpack is in proportion to the size of the file. */
static bool in_proportion(const executable *e, Elf *elf)
{
    const uint64_t most = CLAMP(e->identity.size * UNPACKED_RATIO_MAX, UNPACKED_ANYWAY, UNPACKED_MAX);
    uint64_t all = 0;
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return true;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        const char *name = gelf_getshdr(s, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || !(header.sh_flags & SHF_COMPRESSED || g_str_has_prefix(name, ".zdebug")))
            continue;
        cursor packed = executable_bytes(e, s);
        uint64_t length = executable_unpacked(s, &header, &packed);
        if (length > most - all)
            return false;
        all += length;
    }
    return true;
}

/* The sections with names, as libdw has unpacked them. */
static void add_sections(GPtrArray *all, Elf *elf)
{
    static const char *const wanted[] = {".debug_info",  ".debug_types",  ".debug_str",  ".debug_line_str",
                                         ".zdebug_info", ".zdebug_types", ".zdebug_str", ".zdebug_line_str"};
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        const char *name = gelf_getshdr(s, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        for (unsigned i = 0; name && i < G_N_ELEMENTS(wanted); i++)
            if (strcmp(name, wanted[i]) == 0 && elf_getdata(s, NULL))
                g_ptr_array_add(all, elf_getdata(s, NULL));
    }
}

/* Whether libdw would open a file that this one names, whatever that is, when it comes to an entry or a name in it. */
static bool is_shared(Dwarf *dwarf)
{
    const char *name;
    const void *build_id;
    return dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &build_id) > 0;
}

/* Whether a string ends within the section that it stands in. */
static bool ends(const dwarf_image *image, const char *string)
{
    for (guint i = 0; i < image->sections->len; i++) {
        const Elf_Data *d = g_ptr_array_index(image->sections, i);
        size_t at = (size_t)((uintptr_t)string - (uintptr_t)d->d_buf);
        if (at < d->d_size)
            return memchr(string, 0, d->d_size - at) != NULL;
    }
    return false;
}

const char *dwarf_image_name(const dwarf_image *image, Dwarf_Die *entry)
{
    const char *name = dwarf_diename(entry);
    return name && ends(image, name) ? name : NULL;
}

const char *dwarf_image_open(dwarf_image *image, const executable *e)
{
    uint64_t size = e->identity.size, done = 0;
    ssize_t n = 1;
    *image = (dwarf_image){.bytes = NULL};
    if (size > SIZE_MAX_READ)
        return "it has more than 1 GiB";
    image->bytes = g_try_malloc0(size + MARGIN);
    if (!image->bytes)
        return g_strerror(ENOMEM);
    while (done < size && n > 0) {
        n = pread(e->descriptor, image->bytes + done, size - done, (off_t)done);
        done += n > 0 ? (uint64_t)n : 0;
    }
    image->elf = elf_memory(image->bytes, done);
    if (image->elf && !in_proportion(e, image->elf))
        return "its compressed debug information is out of proportion to its size";
    image->dwarf = image->elf ? dwarf_begin_elf(image->elf, DWARF_C_READ, NULL) : NULL;
    if (!image->dwarf)
        return DWARF_IMAGE_DAMAGED;
    if (is_shared(image->dwarf))
        return "dwz has moved debug information of it to another file, which is not read";
    image->sections = g_ptr_array_new();
    add_sections(image->sections, image->elf);
    return NULL;
}

void dwarf_image_close(dwarf_image *image)
{
    if (image->sections)
        g_ptr_array_free(image->sections, TRUE);
    if (image->dwarf)
        dwarf_end(image->dwarf);
    elf_end(image->elf);
    g_free(image->bytes);
}

#else
typedef int dwarf_image_without_libdw; /* a translation unit must hold something */
#endif
