/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/executable.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "util/fail.h"
#include "util/regular_file.h"

#define NOTE_HEADER 16u /* three numbers and the name "GNU"; bytes */
#define READ_BLOCK 65536u

static int executable_open_file(const char *path, executable_identity *identity, GError **error)
{
    struct stat st;
    int fd = regular_file_open(path, true, &st);
    if (fd < 0)
        fail_with(error, "%s", regular_file_problem(errno));
    else
        *identity = (executable_identity){(uint64_t)st.st_dev, (uint64_t)st.st_ino, (uint64_t)st.st_size, st.st_mtim.tv_sec,
                                          st.st_mtim.tv_nsec};
    return fd;
}

static bool is_usable(executable *e, GError **error)
{
    size_t sections = 0;
    if (!e->elf)
        return fail_with(error, "its ELF header is damaged");
    if (elf_kind(e->elf) != ELF_K_ELF)
        return fail_with(error, "it is not an ELF file");
    if (!gelf_getehdr(e->elf, &e->header))
        return fail_with(error, "its ELF header is damaged");
    if (e->header.e_type != ET_EXEC && e->header.e_type != ET_DYN)
        return fail_with(error, "it is neither an executable nor a shared library");
    if (e->header.e_shoff == 0)
        return fail_with(error, "its section headers were stripped, so nothing in it can be found");
    if (elf_getshdrnum(e->elf, &sections) != 0 || sections == 0 || !elf_getscn(e->elf, 0))
        return fail_with(error, "it is cut short or damaged: its section headers are missing");
    return true;
}

void executable_reread(const executable *e, GError **error)
{
    g_autofree uint8_t *block = g_malloc(READ_BLOCK);
    uint64_t at = 0;
    int64_t n;
    while ((n = regular_file_read(e->descriptor, at, block, READ_BLOCK)) > 0)
        at += (uint64_t)n;
    if (n < 0 && error) {
        g_clear_error(error);
        fail_with(error, "%s", regular_file_problem(errno));
    }
}

executable *executable_open(const char *path, GError **error)
{
    executable *e = g_new0(executable, 1);
    e->path = g_strdup(path);
    e->descriptor = executable_open_file(path, &e->identity, error);
    if (e->descriptor >= 0) {
        elf_version(EV_CURRENT);
        e->elf = elf_begin(e->descriptor, ELF_C_READ, NULL);
        if (is_usable(e, error)) {
            e->wide = e->header.e_ident[EI_CLASS] == ELFCLASS64;
            e->big_endian = e->header.e_ident[EI_DATA] == ELFDATA2MSB;
            return e;
        }
        executable_reread(e, error);
    }
    executable_close(e);
    return NULL;
}

void executable_close(executable *e)
{
    if (!e)
        return;
    elf_end(e->elf);
    if (e->descriptor >= 0)
        close(e->descriptor);
    g_free(e->path);
    g_free(e);
}

Elf_Scn *executable_section(const executable *e, const char *name, GElf_Shdr *header)
{
    size_t names_index;
    if (elf_getshdrstrndx(e->elf, &names_index) != 0)
        return NULL;
    cursor names = executable_bytes(e, elf_getscn(e->elf, names_index));
    for (Elf_Scn *s = elf_nextscn(e->elf, NULL); s; s = elf_nextscn(e->elf, s)) {
        const char *own = gelf_getshdr(s, header) ? executable_string(&names, header->sh_name) : NULL;
        if (own && strcmp(own, name) == 0)
            return s;
    }
    return NULL;
}

Elf_Scn *executable_section_of_type(const executable *e, GElf_Word type, GElf_Shdr *header)
{
    for (Elf_Scn *s = elf_nextscn(e->elf, NULL); s; s = elf_nextscn(e->elf, s))
        if (gelf_getshdr(s, header) && header->sh_type == type)
            return s;
    return NULL;
}

cursor executable_bytes(const executable *e, Elf_Scn *section)
{
    const Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
    cursor c = {NULL, 0, e->big_endian};
    if (data && data->d_buf) {
        c.data = data->d_buf;
        c.length = data->d_size;
    }
    return c;
}

uint64_t executable_unpacked(Elf_Scn *section, const GElf_Shdr *header, const cursor *packed)
{
    GElf_Chdr how;
    cursor gnu = {packed->data, packed->length, true}; /* the older way: "ZLIB", the size, compressed data */
    if (header->sh_flags & SHF_COMPRESSED)
        return gelf_getchdr(section, &how) ? how.ch_size : UINT64_MAX;
    return cursor_has(&gnu, 4, 8) ? cursor_u64(&gnu, 4) : UINT64_MAX;
}

const char *executable_string(const cursor *strings, uint64_t offset)
{
    /* the last string must end in the table */
    if (offset >= strings->length || strings->data[strings->length - 1] != 0)
        return NULL;
    return (const char *)strings->data + offset;
}

/* --- separate debug information ---------------------------------------------------------------------------------------- */

typedef struct debug_link {
    cursor build_id; /* empty if there is none */
    const char *name;
    uint32_t checksum;
} debug_link;

/* libdw would not find one whose length is not a multiple of four, as ld writes it with --build-id=0x... */
static cursor build_id(const executable *e)
{
    GElf_Shdr header;
    cursor note = executable_bytes(e, executable_section(e, ".note.gnu.build-id", &header));
    uint32_t name = cursor_u32(&note, 0), length = cursor_u32(&note, 4), type = cursor_u32(&note, 8);
    if (name != sizeof "GNU" || type != NT_GNU_BUILD_ID || length < 2 || length > EXECUTABLE_BUILD_ID_MAX ||
        !cursor_has(&note, NOTE_HEADER, length))
        return (cursor){NULL, 0, e->big_endian};
    return (cursor){note.data + NOTE_HEADER, length, e->big_endian};
}

char *executable_build_id(const executable *e)
{
    cursor id = build_id(e);
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < id.length; i++)
        g_string_append_printf(text, "%02x", id.data[i]);
    return g_string_free(text, !id.length);
}

void executable_span(const executable *e, uint64_t *begin, uint64_t *end)
{
    GElf_Phdr s;
    size_t count = 0;
    if (elf_getphdrnum(e->elf, &count) != 0)
        return;
    for (size_t i = 0; i < MIN(count, EXECUTABLE_SEGMENTS_MAX) && gelf_getphdr(e->elf, (int)i, &s); i++)
        if (s.p_type == PT_LOAD) {
            *begin = MIN(*begin, s.p_vaddr);
            *end = MAX(*end, s.p_vaddr + s.p_memsz);
        }
}

static debug_link debug_link_read(const executable *e)
{
    debug_link link = {.build_id = build_id(e)};
    link.name = dwelf_elf_gnu_debuglink(e->elf, &link.checksum);
    /* must be a plain file name, so that it cannot lead out of the folders that are searched */
    if (link.name && (!*link.name || strchr(link.name, '/')))
        link.name = NULL;
    return link;
}

/* Compares with the CRC-32 of the whole file, as computed by objcopy --add-gnu-debuglink. */
static bool checksum_is(const executable *e, uint32_t wanted)
{
    g_autofree uint8_t *block = g_malloc(READ_BLOCK);
    uLong crc = 0;
    int64_t n;
    for (uint64_t at = 0; (n = regular_file_read(e->descriptor, at, block, READ_BLOCK)) > 0; at += (uint64_t)n)
        crc = crc32(crc, block, (uInt)n);
    return n == 0 && crc == wanted;
}

static bool belongs_to(const executable *debug, const executable *e, const debug_link *link)
{
    if (debug->wide != e->wide || debug->big_endian != e->big_endian || debug->header.e_machine != e->header.e_machine)
        return false;
    cursor id = build_id(debug);
    if (id.length && link->build_id.length)
        return id.length == link->build_id.length && memcmp(id.data, link->build_id.data, id.length) == 0;
    return link->name && checksum_is(debug, link->checksum);
}

/* Takes ownership of `path`. */
static executable *debug_file_try(char *path, const executable *e, const debug_link *link)
{
    g_autofree char *own = path;
    g_autoptr(executable) debug = executable_open(own, NULL);
    return debug && belongs_to(debug, e, link) ? g_steal_pointer(&debug) : NULL;
}

static executable *debug_file_by_id(const executable *e, const char *root, const debug_link *link)
{
    GString *path = g_string_new(root);
    g_string_append_printf(path, "/.build-id/%02x/", link->build_id.data[0]);
    for (size_t i = 1; i < link->build_id.length; i++)
        g_string_append_printf(path, "%02x", link->build_id.data[i]);
    return debug_file_try(g_string_free(g_string_append(path, ".debug"), FALSE), e, link);
}

static executable *debug_file_by_name(const executable *e, const char *root, const debug_link *link)
{
    g_autofree char *real = realpath(e->path, NULL), *folder = g_path_get_dirname(real ? real : e->path);
    executable *debug = debug_file_try(g_build_filename(folder, link->name, NULL), e, link);
    if (!debug)
        debug = debug_file_try(g_build_filename(folder, ".debug", link->name, NULL), e, link);
    if (!debug)
        debug = debug_file_try(g_build_filename(root, folder, link->name, NULL), e, link);
    return debug;
}

executable *executable_debug_file(const executable *e, const char *root)
{
    debug_link link = debug_link_read(e);
    executable *debug = link.build_id.length ? debug_file_by_id(e, root, &link) : NULL;
    if (!debug && link.name)
        debug = debug_file_by_name(e, root, &link);
    return debug;
}
