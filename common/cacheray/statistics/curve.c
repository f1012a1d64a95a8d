/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/curve.h"

#include <math.h>

#include "cacheray/distances.h"
#include "containers/hash_map.h"
#include "util/math128.h"

static const char by_type_word[] = "by:type", fine_word[] = "fine", every_word[] = "every", block_word[] = "block:N",
                  keep_word[] = "keep:N";

static const rows_column columns[CACHERAY_CURVE_COLUMNS] = {
    [CACHERAY_CURVE_SIZE] = {"Size", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_CURVE_LINES] = {"Lines", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_CURVE_MISSES] = {"Misses", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_CURVE_RATIO] = {"Miss ratio", ROWS_PERCENT, ROWS_EACH},
    [CACHERAY_CURVE_ERROR] = {"Error", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_CURVE_HITS] = {"Hits", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_CURVE_TYPE] = {"Type", ROWS_TEXT, ROWS_EACH},
};

#define KEEP_USUAL (1u << 20) /* lines */

/* Sizes in lines: 1, 2, 3, then four for each power of two: 4, 5, 6, 7, 8, 10, 12, 14, 16, 20 ... */
enum { SIZES = 240, SIZES_BEFORE_4 = 3, SIZES_PER_DOUBLING = 4 };

static uint64_t size_at(unsigned i)
{
    const unsigned after = i < SIZES_BEFORE_4 ? 0 : i - SIZES_BEFORE_4;
    return i < SIZES_BEFORE_4 ? i + 1 : (UINT64_C(4) + after % SIZES_PER_DOUBLING) << after / SIZES_PER_DOUBLING;
}

/* The first of them that is larger than a distance, so that there is a hit. */
static unsigned size_for(uint64_t distance)
{
    if (distance < 4)
        return (unsigned)distance;
    const unsigned doublings = 61u - (unsigned)__builtin_clzll(distance);
    return SIZES_BEFORE_4 + SIZES_PER_DOUBLING * doublings + (unsigned)(distance >> doublings & 3) + 1;
}

/* Accesses by the smallest size with which they hit, and those that never do. */
typedef struct by_size {
    uint64_t hits[SIZES], never;
} by_size;

typedef struct type_sums {
    char *name;
    uint64_t accesses;
    by_size sums;
} type_sums;

struct cacheray_curve {
    bool by_type, fine, every;
    unsigned block_bits;
    distances *distances;
    unsigned halvings;                 /* that the distances below are of */
    GArray *hits;                      /* uint64_t by distance in lines that are kept: accesses */
    uint64_t accesses, never;          /* never: first accesses to lines */
    by_size *groups[DISTANCES_GROUPS]; /* what counts for more than one access; NULL: nothing does */
    hash_map known;                    /* cacheray_data_key() -> index in `types` + 1 */
    GPtrArray *types;                  /* of type_sums */
    type_sums *others;                 /* when there is no room; NULL: not needed yet */
    counting_limit limit, rows;
};

static void cacheray_curve_free_sums(gpointer data)
{
    g_free(((type_sums *)data)->name);
    g_free(data);
}

static unsigned number_of(const statistic_words *words, const char *word, unsigned usual, unsigned least, unsigned most)
{
    const char *text = statistic_words_text(words, word);
    guint64 number;
    if (!text)
        return usual;
    return g_ascii_string_to_unsigned(text, 10, least, most, &number, NULL) ? (unsigned)number : 0;
}

unsigned cacheray_curve_block(const statistic_words *words, unsigned usual)
{
    const unsigned block = number_of(words, block_word, usual, CACHERAY_CURVE_BLOCK_MIN, CACHERAY_CURVE_BLOCK_MAX);
    return block & (block - 1) ? 0 : block;
}

unsigned cacheray_curve_keep(const statistic_words *words)
{
    return number_of(words, keep_word, KEEP_USUAL, CACHERAY_CURVE_KEEP_MIN, CACHERAY_CURVE_KEEP_MAX);
}

static void *curve_begin(const statistic_words *words, const void *how)
{
    const unsigned block = cacheray_curve_block(words, ((const cacheray_display *)how)->line_size);
    cacheray_curve *c = g_new0(cacheray_curve, 1);
    c->by_type = statistic_words_has(words, by_type_word);
    c->fine = statistic_words_has(words, fine_word) || statistic_words_has(words, CACHERAY_CURVE_SVG);
    c->every = statistic_words_has(words, every_word);
    c->block_bits = (unsigned)g_bit_storage(MAX(block, 1)) - 1;
    c->distances = distances_new(MAX(cacheray_curve_keep(words), 1));
    c->hits = g_array_new(FALSE, TRUE, sizeof(uint64_t));
    hash_map_init(&c->known);
    c->types = g_ptr_array_new_with_free_func(cacheray_curve_free_sums);
    c->limit = LIMIT_OF_BYTES;
    c->rows = LIMIT_OF_ROWS;
    return c;
}

static void curve_free(void *data)
{
    cacheray_curve *c = data;
    distances_free(c->distances);
    g_array_free(c->hits, TRUE);
    for (unsigned i = 0; i < DISTANCES_GROUPS; i++)
        g_free(c->groups[i]);
    hash_map_clear(&c->known);
    g_ptr_array_free(c->types, TRUE);
    g_free(c);
}

unsigned cacheray_curve_halvings(const cacheray_curve *c)
{
    return c->halvings;
}

unsigned cacheray_curve_kept(const cacheray_curve *c)
{
    return distances_kept(c->distances);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

/* What an access finds. */
typedef struct found {
    uint64_t lines;    /* its distance in lines, also those that are not kept; NEVER: it is the first one to a line */
    unsigned halvings; /* of the time when it was found: it counts for 2^halvings accesses */
    unsigned group;
    bool counts; /* its line is kept */
} found;
#define NEVER UINT64_MAX

static uint64_t weight_of(const found *f)
{
    return UINT64_C(1) << f->halvings;
}

static void count_size(by_size *to, const found *f)
{
    if (f->lines == NEVER)
        to->never += weight_of(f);
    else
        to->hits[size_for(f->lines)] += weight_of(f);
}

static type_sums *new_type(char *name)
{
    type_sums *s = g_new0(type_sums, 1);
    s->name = name;
    return s;
}

static type_sums *type_of(cacheray_curve *c, const cacheray_tapped *v)
{
    const uint64_t key = cacheray_data_key(v);
    uint32_t number = hash_map_find(&c->known, key);
    if (!number && limit_allows(&c->limit, (c->types->len + 1) * sizeof(type_sums))) {
        number = hash_map_add(&c->known, key);
        g_ptr_array_add(c->types, new_type(cacheray_data_name(v)));
    }
    if (number)
        return g_ptr_array_index(c->types, number - 1);
    if (!c->others)
        g_ptr_array_add(c->types, c->others = new_type(g_strdup(TEXT_OTHERS)));
    return c->others;
}

/* Distances so far become those in half as many lines. */
static void fold(cacheray_curve *c)
{
    for (; c->halvings < distances_halvings(c->distances); c->halvings++) {
        for (guint i = 0; i < c->hits->len; i++) {
            const uint64_t hits = g_array_index(c->hits, uint64_t, i);
            g_array_index(c->hits, uint64_t, i) = 0;
            g_array_index(c->hits, uint64_t, i / 2) += hits;
        }
        g_array_set_size(c->hits, (c->hits->len + 1) / 2);
    }
}

static void count_found(cacheray_curve *c, const found *f)
{
    if (f->halvings && !c->groups[f->group])
        c->groups[f->group] = g_new0(by_size, 1);
    if (f->halvings)
        count_size(c->groups[f->group], f);
    if (f->lines == NEVER) {
        c->never += weight_of(f);
        return;
    }
    const guint kept = (guint)(f->lines >> c->halvings);
    if (kept >= c->hits->len)
        g_array_set_size(c->hits, kept + 1);
    g_array_index(c->hits, uint64_t, kept) += weight_of(f);
}

static found use_line(const cacheray_curve *c, uint64_t line)
{
    const uint32_t distance = distances_use(c->distances, line);
    found f = {.halvings = distances_halvings(c->distances), .counts = distance != DISTANCE_NONE};
    f.lines = distance == DISTANCE_FIRST ? NEVER : (uint64_t)distance << f.halvings;
    f.group = f.halvings && f.counts ? distances_group(line) : 0;
    return f;
}

/* An access to two lines hits if both are there. If one of them is not kept, the first one decides. */
static found use_lines(const cacheray_curve *c, const cacheray_tapped *v)
{
    const uint64_t line = v->placed >> c->block_bits, next = (line + 1) << c->block_bits;
    found f = use_line(c, line);
    if (!next || next - v->placed >= MAX(v->size, 1))
        return f;
    const found second = use_line(c, line + 1);
    if (second.counts)
        f.lines = MAX(f.lines, second.lines);
    return f;
}

static bool curve_count(void *data, const counted_record *r)
{
    cacheray_curve *c = data;
    const cacheray_tapped *v = r->tapped;
    if (!v->is_access)
        return false;
    const found f = use_lines(c, v);
    type_sums *type = c->by_type ? type_of(c, v) : NULL;
    c->accesses++;
    c->limit.counted++;
    c->rows.counted++;
    if (type)
        type->accesses++;
    fold(c);
    if (f.counts && type)
        count_size(&type->sums, &f);
    else if (f.counts)
        count_found(c, &f);
    return true;
}

/* --- how far misses may be off ----------------------------------------------------------------------------------------- */

/* The curve when it is shown. */
typedef struct filling {
    const cacheray_curve *c;
    rows *to;
    GArray *misses; /* uint64_t: of caches of 0, 1, 2 ... lines that are kept; then it is `never` */
} filling;

static uint64_t misses_of(const filling *f, uint64_t kept)
{
    return kept < f->misses->len ? g_array_index(f->misses, uint64_t, kept) : f->c->never;
}

/* How much the misses in the groups differ, as they would if other lines were kept: two standard deviations of their sum. */
static double spread_of_groups(const cacheray_curve *c, uint64_t lines)
{
    double sum = 0, squares = 0;
    for (unsigned g = 0; g < DISTANCES_GROUPS; g++) {
        const by_size *group = c->groups[g];
        double misses = group ? (double)group->never : 0;
        for (unsigned i = 0; group && i < SIZES; i++)
            misses += size_at(i) > lines ? (double)group->hits[i] : 0;
        sum += misses;
        squares += misses * misses;
    }
    const double variance = squares - sum * sum / DISTANCES_GROUPS, part = ldexp(1, -(int)c->halvings);
    return 2 * sqrt(MAX(variance, 0) * DISTANCES_GROUPS / (DISTANCES_GROUPS - 1) * (1 - part));
}

/* A distance is the number of lines between two uses that are kept, which is by chance, too: two standard deviations. The
 * misses may be those of a cache that is smaller or larger by as much. */
static uint64_t error_of(const filling *f, uint64_t lines, uint64_t misses)
{
    const double kept = ldexp((double)lines, -(int)f->c->halvings), off = 2 * sqrt(kept) + 1;
    const uint64_t more = misses_of(f, kept > off ? (uint64_t)(kept - off) : 0),
                   fewer = misses_of(f, (uint64_t)ceil(kept + off));
    return (uint64_t)spread_of_groups(f->c, lines) + MAX(more - misses, misses - fewer);
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

static rows_cell *fill_row(const cacheray_curve *c, uint64_t lines, uint64_t misses, uint64_t accesses, rows *to)
{
    rows_cell *cells = rows_add(to);
    misses = MIN(misses, accesses);
    cells[CACHERAY_CURVE_SIZE] = rows_number(lines << c->block_bits);
    cells[CACHERAY_CURVE_LINES] = rows_number(lines);
    cells[CACHERAY_CURVE_MISSES] = rows_number(misses);
    cells[CACHERAY_CURVE_RATIO] = rows_number(mul_div_nearest_u64(misses, 1000, accesses));
    cells[CACHERAY_CURVE_HITS] = rows_number(accesses - misses);
    return cells;
}

/* Returns whether a size has a row: all of them, or only powers of two. */
static bool has_row(const cacheray_curve *c, uint64_t lines)
{
    return c->fine || c->every || !(lines & (lines - 1));
}

static void fill_type(const cacheray_curve *c, const type_sums *s, rows *to)
{
    uint64_t misses = s->sums.never;
    for (unsigned i = 0; i < SIZES; i++)
        misses += s->sums.hits[i];
    bool last = false;
    for (unsigned i = 0; i < SIZES && !last; i++) {
        misses -= s->sums.hits[i];
        if (!has_row(c, size_at(i)))
            continue;
        rows_cell *cells = fill_row(c, size_at(i), misses, s->accesses, to);
        cells[CACHERAY_CURVE_TYPE] = rows_text(to, s->name);
        last = misses == s->sums.never;
    }
}

/* Returns the misses. */
static uint64_t fill_size(const filling *f, uint64_t lines)
{
    const uint64_t one = UINT64_C(1) << f->c->halvings, misses = misses_of(f, (lines + one - 1) / one);
    rows_cell *cells = fill_row(f->c, lines, misses, f->c->accesses, f->to);
    if (f->c->halvings)
        cells[CACHERAY_CURVE_ERROR] = rows_number(MIN(error_of(f, lines, misses), f->c->accesses));
    return misses;
}

/* All sizes with fewer misses, but for the first one. Returns the last one of these. */
static uint64_t fill_every(const filling *f)
{
    counting_limit room = f->c->rows;
    uint64_t lines = 1;
    for (guint i = 1; i < f->c->hits->len && limit_allows_row(&room, rows_length(f->to)); i++)
        if (g_array_index(f->c->hits, uint64_t, i))
            fill_size(f, lines = ((uint64_t)i + 1) << f->c->halvings);
    return lines;
}

static void fill_sizes(const filling *f)
{
    uint64_t misses = fill_size(f, 1), done = 1;
    if (f->c->every) {
        done = fill_every(f);
        misses = misses_of(f, done >> f->c->halvings);
    }
    if (f->c->every && misses > f->c->never)
        f->to->missing = "There was no room for all sizes: larger ones have four rows each time the size doubles.";
    for (unsigned i = 1; i < SIZES && misses > f->c->never; i++)
        if (size_at(i) > done && has_row(f->c, size_at(i)))
            misses = fill_size(f, size_at(i));
}

/* Adds up from the largest distance. */
static void fill_all(const cacheray_curve *c, rows *to)
{
    const filling f = {c, to, g_array_sized_new(FALSE, FALSE, sizeof(uint64_t), c->hits->len)};
    uint64_t misses = c->never;
    g_array_set_size(f.misses, c->hits->len);
    for (guint i = c->hits->len; i-- > 0;)
        g_array_index(f.misses, uint64_t, i) = misses += g_array_index(c->hits, uint64_t, i);
    fill_sizes(&f);
    g_array_free(f.misses, TRUE);
}

static void curve_fill(void *data, const void *how, rows *to)
{
    (void)how;
    const cacheray_curve *c = data;
    if (c->accesses && !c->by_type)
        fill_all(c, to);
    for (guint i = 0; i < c->types->len; i++)
        fill_type(c, g_ptr_array_index(c->types, i), to);
    if (c->others)
        to->missing = ROWS_FIRST_COME;
}

const counted cacheray_curve_counted = {.columns = columns,
                                        .column_count = CACHERAY_CURVE_COLUMNS,
                                        .words = "by:type|every, fine, block:N, keep:N, " CACHERAY_CURVE_SVG,
                                        .begin = curve_begin,
                                        .count = curve_count,
                                        .fill = curve_fill,
                                        .free = curve_free};
