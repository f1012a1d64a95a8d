/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in the program, by name, and the objects that they are in. None of it takes a lock, the dynamic linker's included:
 * a thread that is in dlopen() may wait for one that allocates. So objects are found by _dl_find_object() (glibc 2.35;
 * with older ones only the program itself), and symbols in what the linker has loaded of them.
 *
 * A frame is written "in SYMBOL+0x1c", with the symbol as it is linked, or "at OBJECT+0x11d6", with the address in the file
 * OBJECT, where no symbol is known. */
#ifndef WIRETRACE_PLACES_H
#define WIRETRACE_PLACES_H

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include "mapped.h"

extern const char __executable_start[], _end[]; /* of the program, by the linker */
extern ElfW(Dyn) _DYNAMIC[] __attribute__((weak));
#if __GLIBC_PREREQ(2, 35)
extern __typeof__(_dl_find_object) _dl_find_object __attribute__((weak));
#endif

/* What the dynamic linker has loaded. */
struct object {
    const struct link_map *map;
    uintptr_t start, end;
};

struct symbols {
    const ElfW(Sym) * table;
    const char *names;
    const ElfW(Half) * versions;
    const uint32_t *hash; /* GNU's: buckets, first symbol, bloom words, shift; bloom, buckets, chains */
    const uint32_t *buckets, *chains;
};

/* The program and what is loaded with it, in the order in which symbols are searched; NULL: linked statically. */
static const struct link_map *first_object(void)
{
    for (const ElfW(Dyn) *d = _DYNAMIC; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_DEBUG && d->d_un.d_ptr)
            return ((const struct r_debug *)d->d_un.d_ptr)->r_map;
    return NULL;
}

static bool is_of_program(uintptr_t address)
{
    return address >= (uintptr_t)__executable_start && address < (uintptr_t)_end;
}

static bool find_object(uintptr_t address, struct object *o)
{
    if (is_of_program(address)) {
        *o = (struct object){first_object(), (uintptr_t)__executable_start, (uintptr_t)_end};
        return o->map != NULL;
    }
#if __GLIBC_PREREQ(2, 35)
    struct dl_find_object found;
    if (_dl_find_object && _dl_find_object((void *)address, &found) == 0 && found.dlfo_link_map) {
        *o = (struct object){found.dlfo_link_map, (uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end};
        return true;
    }
#endif
    return false;
}

/* --- symbols ------------------------------------------------------------------------------------------------------- */

/* Most machines' linkers have added the load address already. */
static const void *loaded(const struct link_map *map, uintptr_t p)
{
    return (const void *)(p < map->l_addr ? p + map->l_addr : p);
}

static bool find_symbols(const struct link_map *map, struct symbols *s)
{
    *s = (struct symbols){0};
    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
        const void *p = loaded(map, d->d_un.d_ptr);
        if (d->d_tag == DT_SYMTAB)
            s->table = p;
        else if (d->d_tag == DT_STRTAB)
            s->names = p;
        else if (d->d_tag == DT_VERSYM)
            s->versions = p;
        else if (d->d_tag == DT_GNU_HASH)
            s->hash = p;
    }
    if (!s->table || !s->names || !s->hash)
        return false;
    s->buckets = s->hash + 4 + s->hash[2] * (sizeof(uintptr_t) / 4);
    s->chains = s->buckets + s->hash[0];
    return true;
}

static bool is_function(const ElfW(Sym) * s)
{
    const int type = s->st_info & 0xf;
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && s->st_shndx != SHN_UNDEF;
}

/* The function that the address is in; NULL: none that is exported. */
static const char *symbol_at(const struct link_map *map, uintptr_t address, uintptr_t *offset)
{
    struct symbols s;
    const uintptr_t at = address - map->l_addr;
    if (!find_symbols(map, &s))
        return NULL;
    for (uint32_t b = 0; b < s.hash[0]; b++)
        for (uint32_t i = s.buckets[b]; i >= s.hash[1] && i; i++) {
            if (is_function(&s.table[i]) && at - s.table[i].st_value < s.table[i].st_size) {
                *offset = at - s.table[i].st_value;
                return s.names + s.table[i].st_name;
            }
            if (s.chains[i - s.hash[1]] & 1)
                break;
        }
    return NULL;
}

static const ElfW(Sym) * symbol_named(const struct symbols *s, const char *name)
{
    uint32_t hash = 5381;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (unsigned char)*c;
    for (uint32_t i = s->hash[0] ? s->buckets[hash % s->hash[0]] : 0; i >= s->hash[1] && i; i++) {
        const uint32_t link = s->chains[i - s->hash[1]];
        const bool hidden = s->versions && s->versions[i] & 0x8000; /* a former version of the function */
        if ((link | 1) == (hash | 1) && !hidden && is_function(&s->table[i]) &&
            !strcmp(s->names + s->table[i].st_name, name))
            return &s->table[i];
        if (link & 1)
            break;
    }
    return NULL;
}

/* The function that the program would call without the recorder; NULL: there is none. */
static void *next_function(const char *name)
{
    struct symbols s;
    const struct link_map *map = first_object();
    while (map && (map = map->l_next)) {
        const ElfW(Sym) *found = find_symbols(map, &s) ? symbol_named(&s, name) : NULL;
        if (!found)
            continue;
        void *p = (void *)(map->l_addr + found->st_value);
        return (found->st_info & 0xf) == STT_GNU_IFUNC ? ((void *(*)(void))p)() : p;
    }
    return NULL;
}

/* --- objects ------------------------------------------------------------------------------------------------------- */

/* Texts are not on the stack, which may be small. */
struct two_texts {
    struct text line, path;
};

static struct two_texts *new_texts(void)
{
    void *p = mmap(NULL, sizeof(struct two_texts), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Adds to the list of objects, if that is still there. It is not kept open. */
static void list_line(const struct text *line)
{
    struct stat now;
    struct undisturbed u;
    const int error = errno;
    undisturbed_begin(&u);
    const int file = (int)syscall(SYS_openat, AT_FDCWD, objects_output.path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file >= 0 && fstat(file, &now) == 0 && is_same_file(&now, &objects_output.is))
        syscall(SYS_write, file, line->bytes, line->length);
    if (file >= 0)
        syscall(SYS_close, file);
    undisturbed_end(&u);
    errno = error;
}

enum { OBJECTS = 1024 };
static struct {
    const struct link_map *map; /* NULL: free; it is set first, so that an object is listed once */
    uintptr_t start, end;       /* end 0: not loaded any more */
    bool instrumented;
} objects[OBJECTS];
static unsigned long long objects_forgotten, frames_forgotten;
static unsigned unloads; /* libraries have been unloaded so many times */

/* A library may be named as it was asked for, from the folder of the program. */
static void text_library(struct text *path, const char *name)
{
    if (*name != '/' && syscall(SYS_getcwd, path->bytes, PATH_MAX) > 0) {
        path->length = strlen(path->bytes);
        text_add(path, "/");
    }
    text_add(path, name);
}

static void list_object(unsigned number, const struct object *o)
{
    const int error = errno;
    struct two_texts *t = new_texts();
    const ElfW(Ehdr) *e = (const ElfW(Ehdr) *)o->start;
    if (!t)
        return;
    if (number == 0)
        text_program(&t->line);
    else {
        text_library(&t->path, o->map->l_name);
        text_object(&t->line, number, o->map->l_addr, (const ElfW(Phdr) *)(o->start + e->e_phoff), e->e_phnum,
                    t->path.bytes);
    }
    list_line(&t->line);
    munmap(t, sizeof *t);
    errno = error;
}

/* Another thread may be about to do so. */
static bool is_listed(unsigned i, const struct object *o)
{
    return objects[i].map == o->map && (objects[i].end == o->end || objects[i].start == 0);
}

/* Lists the object of an address, once for each time that it is loaded. `instrumented`: what it copies is recorded. */
static void note_object(uintptr_t address, bool instrumented)
{
    struct object o;
    if (!find_object(address, &o))
        return;
    for (unsigned i = 0; i < OBJECTS; i++) {
        const struct link_map *none = NULL;
        const bool mine = !LOAD(objects[i].map) && CHANGE(objects[i].map, &none, o.map);
        if (mine) {
            objects[i].start = o.start;
            objects[i].end = o.end;
            list_object(i, &o);
        }
        if (mine || is_listed(i, &o)) {
            objects[i].instrumented |= instrumented;
            return;
        }
    }
    ADD_TO(objects_forgotten, 1);
}

/* After a library may have been unloaded: others can get its addresses. */
static void forget_objects(void)
{
    struct object now;
    for (unsigned i = 1; i < OBJECTS && LOAD(objects[i].map); i++)
        if (objects[i].end && (!find_object(objects[i].start, &now) || now.map != objects[i].map)) {
            objects[i].end = 0;
            ADD_TO(unloads, 1);
        }
}

static bool is_instrumented(uintptr_t address)
{
    for (unsigned i = 0; i < OBJECTS && LOAD(objects[i].map); i++)
        if (address >= objects[i].start && address < objects[i].end && objects[i].instrumented)
            return true;
    return false;
}

/* --- frames -------------------------------------------------------------------------------------------------------- */

enum { KNOWN = 1 << 14, PROBES = 8, NAMES = 1 << 24, NAME_ROOM = 4096 };
enum frame_kind {
    OF_PROGRAM,
    OF_LIBRARY,
    OF_LANGUAGE
}; /* the second, of C or C++; the last, of C++ but compiled into the program */
struct frame {
    uintptr_t address;
    unsigned unloads; /* when it was looked up */
    enum frame_kind kind;
    size_t length;
    char text[]; /* "in main+0x1c" */
};
static struct frame *known_frames[KNOWN];

static enum frame_kind kind_of(const struct object *o, const char *symbol)
{
    static const char *const libraries[] = {"libc.",     "libc-", "libstdc++.", "libc++.", "libc++abi.",
                                            "libgcc_s.", "libm.", "libpthread", "ld-"};
    static const char *const language[] = {"_ZNSt",  "_ZNKSt",        "_ZSt",           "_ZNSa", "_ZNSs",
                                           "_ZNKSs", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_Znw",  "_Zna"};
    const char *base = strrchr(o->map->l_name, '/');
    for (size_t i = 0; base && i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(base + 1, libraries[i], strlen(libraries[i])) == 0)
            return OF_LIBRARY;
    for (size_t i = 0; symbol && i < sizeof language / sizeof *language; i++)
        if (strncmp(symbol, language[i], strlen(language[i])) == 0)
            return OF_LANGUAGE;
    return OF_PROGRAM;
}

static const char *base_name(const struct object *o)
{
    const char *path = *o->map->l_name ? o->map->l_name : trace_program, *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static char *names; /* memory for frames, which is never given back */

static void begin_names(void)
{
    names = mmap(NULL, NAMES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (names == MAP_FAILED)
        names = NULL;
    else
        keep_unlocked(1, names, NAMES);
}

/* NULL: there is no more. */
static struct frame *new_frame(size_t length)
{
    static size_t used;
    const size_t bytes = (sizeof(struct frame) + length + 15) / 16 * 16;
    const size_t at = names && LOAD(used) < NAMES ? ADD_TO(used, bytes) : NAMES;
    return at + bytes <= NAMES ? (struct frame *)(names + at) : NULL;
}

static struct frame *describe_frame(uintptr_t address)
{
    struct object o;
    uintptr_t offset = 0;
    char number[40];
    if (!find_object(address, &o))
        o.map = NULL;
    const unsigned before = LOAD(unloads);
    const char *symbol = o.map ? symbol_at(o.map, address, &offset) : NULL, *name = symbol  ? symbol
                                                                                    : o.map ? base_name(&o)
                                                                                            : "?";
    if (!symbol)
        offset = address - (o.map ? o.map->l_addr : 0);
    const size_t length = strnlen(name, NAME_ROOM),
                 digits = (size_t)snprintf(number, sizeof number, "+0x%lx", (unsigned long)offset);
    struct frame *f = new_frame(3 + length + digits);
    if (!f) {
        ADD_TO(frames_forgotten, 1);
        return NULL;
    }
    *f = (struct frame){.address = address, .unloads = before, .length = 3 + length + digits};
    f->kind = o.map ? kind_of(&o, symbol) : OF_PROGRAM;
    copy_bytes(f->text, symbol ? "in " : "at ", 3);
    copy_bytes(f->text + 3, name, length);
    copy_bytes(f->text + 3 + length, number, digits);
    if (o.map)
        note_object(address, false);
    return f;
}

/* The frame of a return address, looked up once; NULL: no memory. */
static const struct frame *frame_of(uintptr_t address)
{
    const size_t hash = (size_t)((address >> 1) * (uintptr_t)2654435761u);
    struct frame *f = NULL;
    for (size_t i = 0; i < PROBES; i++) {
        struct frame **slot = &known_frames[(hash + i) % KNOWN], *there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (there && there->address == address && (there->unloads == LOAD(unloads) || is_of_program(address)))
            return there;
        if (there && there->address != address)
            continue;
        if (!f)
            f = describe_frame(address);
        if (!f || CHANGE(*slot, &there, f))
            return f;
    }
    return f ? f : describe_frame(address);
}

/* --- callers: the innermost frames of instrumented functions of a thread --------------------------------------------- */

/* Of the outermost ones as many are kept, so that they are still known after a deep recursion. */
enum { INNERMOST = 32, OUTERMOST = 32, FRAMES_MOST = 8 };
struct call {
    uintptr_t inside, caller; /* an address in the function, and where it returns to */
    uintptr_t stack;          /* of the function: a call whose address is below that of a later one has ended, however */
    unsigned depth;
};
static __thread struct call calls[OUTERMOST + INNERMOST];
static __thread unsigned depth;

/* NULL: it was overwritten by a deeper one. */
static inline struct call *call_at(unsigned n)
{
    struct call *c = &calls[n < OUTERMOST ? n : OUTERMOST + n % INNERMOST];
    return c->depth == n ? c : NULL;
}

/* The depth without the calls that were left by a jump or an exception, below `stack`. */
static inline unsigned without_left(uintptr_t stack)
{
    const struct call *c;
    unsigned n = depth;
    while (n > 0 && (c = call_at(n - 1)) && c->stack < stack)
        n--;
    if (n > OUTERMOST && !c && calls[OUTERMOST - 1].stack < stack)
        for (n = OUTERMOST; n > 0 && calls[n - 1].stack < stack;)
            n--;
    return n;
}

static inline void enter_function(uintptr_t inside, uintptr_t caller, uintptr_t stack)
{
    const unsigned n = without_left(stack + 1);
    calls[n < OUTERMOST ? n : OUTERMOST + n % INNERMOST] = (struct call){inside, caller, stack, n};
    depth = n + 1;
}

/* The last thing that a function does may be a jump there: then its frame is gone, and `after` is where it returns to. */
static inline void leave_function(uintptr_t after, uintptr_t stack)
{
    const struct call *c = depth > 0 ? call_at(depth - 1) : NULL;
    const unsigned n = c && c->stack < stack && c->caller == after ? depth : without_left(stack);
    depth = n > 0 ? n - 1 : 0;
}

/* Returns whether a frame is of a function that is not instrumented, which the one of `inside` has called. */
static bool is_outside(const struct frame *f, const struct frame *inside)
{
    size_t same = 0;
    while (same < f->length && same < inside->length && f->text[same] == inside->text[same] && f->text[same] != '+')
        same++;
    const bool known = f->text[0] == 'i' && inside->text[0] == 'i';
    return f->kind == OF_LIBRARY || (known && !(f->text[same] == '+' && inside->text[same] == '+'));
}

/* The first `most` frames outside of the libraries of C and C++, from the one that called the recorder at `address`. If that
 * is one of C or C++, the first one anyway. Returns how many. */
static unsigned find_callers(const struct frame **frames, unsigned most, uintptr_t address, uintptr_t stack)
{
    const struct frame *first = frame_of(address), *f = first;
    unsigned count = 0, n = without_left(stack);
    while (f && count < most) {
        if (f->kind == OF_PROGRAM)
            frames[count++] = f;
        const struct call *c = n > 0 ? call_at(n - 1) : NULL;
        if (!c || c->stack < stack)
            break;
        const struct frame *inside = frame_of(c->inside);
        if (inside && f->address != c->inside && is_outside(f, inside)) {
            f = inside;
            continue;
        }
        f = frame_of(c->caller);
        stack = c->stack;
        n--;
    }
    if (count == 0 && first)
        frames[count++] = first;
    return count;
}

#endif
