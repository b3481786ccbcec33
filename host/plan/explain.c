/* The text of a plan.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/launch_plan.h"
#include "host/plan/ways.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct writer {
    char *text;
    size_t capacity, length;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *to, const char *format, ...) {
    if (to->length >= to->capacity)
        return;
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(to->text + to->length, to->capacity - to->length, format, arguments);
    va_end(arguments);
    if (written > 0)
        to->length += (size_t)written;
}

static void put_map(writer *to, const clm_map *map) {
    put(to, "map      %" PRIu32 "-bit elements, source %" PRId64 " bytes%s, destination [", map->element_bits,
        clm_map_src_bytes(map), map->src_is_view ? " (a view)" : "");
    for (int32_t i = 0; i < map->rank; i++)
        put(to, "%s%" PRId64, i ? "," : "", map->dims[i]);
    put(to, "] %" PRId64 " bytes%s\n", clm_map_dst_bytes(map), map->dst_is_view ? " (a view)" : "");
}

static void put_form(writer *to, const char *label, const clm_normal_form *form) {
    put(to, "%s", label);
    if (to->length < to->capacity)
        to->length += clm_form_text(form, to->text + to->length, to->capacity - to->length);
    put(to, "\n");
}

/* ---- the summary ---- */

#define CACHE_LINE_BYTES 64
/* What a GPU reads and writes at least. */
#define SECTOR_BYTES 32

/* Blocks of up to FAST_BLOCK units reach nine tenths of a copy's speed, up to WIDE_BLOCK two thirds, larger ones a third:
 * measured with deinterleave and interleave of 2 to 64 units, on 2 cores of a virtual Xeon with AVX-512. */
enum { FAST_BLOCK = 4, WIDE_BLOCK = 16 };

/* The runs of a form that is not empty, in units. */
typedef struct runs {
    /* A piece is contiguous on both sides. */
    int64_t piece;
    /* The axis along which pieces make a longer run in the source, and in the destination. NULL: there is none. */
    const clm_axis *src, *dst;
    bool is_all;
} runs;

static runs find_runs(const clm_normal_form *form) {
    runs found = {.piece = 1, .is_all = true};
    int32_t rank = form->rank;
    if (rank > 0 && form->axes[rank - 1].src == 1 && form->axes[rank - 1].dst == 1)
        found.piece = form->axes[--rank].extent;
    for (int32_t i = 0; i < rank; i++) {
        found.is_all = false;
        if (form->axes[i].src == found.piece)
            found.src = &form->axes[i];
        if (form->axes[i].dst == found.piece)
            found.dst = &form->axes[i];
    }
    return found;
}

static int64_t run_units(const runs *found, const clm_axis *along) {
    return found->piece * (along ? along->extent : 1);
}

/* Units as bytes, or as bits if that is no whole number. */
static void put_units(writer *to, const clm_normal_form *form, int64_t units) {
    bool whole = form->unit_bits >= 8 || units % (8 / form->unit_bits) == 0;
    int64_t count = form->unit_bits >= 8 ? units * (form->unit_bits / 8) : whole ? units / (8 / form->unit_bits) : 0;
    if (whole)
        put(to, "%" PRId64 " byte%s", count, count == 1 ? "" : "s");
    else
        put(to, "%" PRId64 " bit%s", units * form->unit_bits, units * form->unit_bits == 1 ? "" : "s");
}

static void put_run(writer *to, const clm_map *map, const clm_normal_form *form, int64_t units) {
    put_units(to, form, units);
    uint32_t unit = form->unit_bits, element = map->element_bits;
    int64_t count = unit >= element ? units * (unit / element) : units / (element / unit);
    if (unit >= element ? unit % element == 0 : element % unit == 0 && units % (element / unit) == 0)
        put(to, " (%" PRId64 " element%s)", count, count == 1 ? "" : "s");
}

/* A run of one side is made of pieces that lie elsewhere on the other. what: "go to", "come from"; units: how far they lie apart.
 */
static void put_places(writer *to, const clm_normal_form *form, const char *what, int64_t units) {
    put(to, ", which %s places ", what);
    put_units(to, form, units < 0 ? -units : units);
    put(to, " apart");
}

static void put_contiguous(writer *to, const clm_map *map, const clm_normal_form *form, const runs *found) {
    put(to, "contiguous: ");
    put_run(to, map, form, found->piece);
    put(to, " on both sides%s", found->is_all ? ", in one run" : "");
    if (found->src || found->dst) {
        put(to, "; in the source ");
        put_units(to, form, run_units(found, found->src));
        if (found->src)
            put_places(to, form, "go to", found->src->dst);
        put(to, "; in the destination ");
        put_units(to, form, run_units(found, found->dst));
        if (found->dst && found->dst->src == 0)
            put(to, ", one piece %" PRId64 " times", found->dst->extent);
        else if (found->dst)
            put_places(to, form, "come from", found->dst->src);
    }
    put(to, "\n");
}

/* With what choosing knows of the device. */
static bool fits(const clm_variant *row, const clm_normal_form *form, const clm_launch_plan *chosen) {
    clm_launch_plan scratch = {.unit_bits = form->unit_bits,
                               .msb_first = form->msb_first,
                               .run_units = 1,
                               .src_offset = form->src_offset,
                               .dst_offset = form->dst_offset,
                               .takes_rows = chosen->takes_rows,
                               .part_squares = chosen->part_squares,
                               .has_images = chosen->has_images,
                               .has_passes = chosen->has_passes,
                               .has_short_vectors = chosen->has_short_vectors,
                               .in_strips = chosen->in_strips,
                               .in_wide_strips = chosen->in_wide_strips,
                               .has_local = chosen->has_local};
    return clm_has_variant(chosen, row) && row->fits(form, &scratch);
}

static bool was_passed_over(const clm_variant *row, const clm_launch_plan *launch_plan) {
    return launch_plan->passed_over >> row->source & 1;
}

/* The faster variants that fit are all named; if there are none, the nearest two of those that do not. */
static void put_why_not_faster(writer *to, const clm_normal_form *form, const clm_launch_plan *launch_plan, bool asked_for) {
    const clm_variant *chosen = launch_plan->variant;
    int fitting = 0, misfits = 0;
    for (const clm_variant *row = clm_variants; row != chosen; row++)
        if (fits(row, form, launch_plan)) {
            const bool is_poor = was_passed_over(row, launch_plan);
            if (is_poor && row->speed <= chosen->speed + 1 && !clm_gathers_short_rows(launch_plan) &&
                !clm_gathers_runs(launch_plan))
                continue;
            if (asked_for)
                put(to, "%s%s", fitting++ ? ", " : ". It was asked for, although faster ones fit: ", row->name);
            else
                put(to, "%s%s fits too, but %s", fitting++ ? "; " : ". ", row->name,
                    is_poor ? row->poor_since : "moves wrong bytes on this device");
        }
    for (const clm_variant *row = chosen; row-- != clm_variants && fitting == 0 && misfits < 2;)
        if (row->speed > chosen->speed && clm_has_variant(launch_plan, row) && !fits(row, form, launch_plan))
            put(to, "%s%s needs %s", misfits++ ? "; " : ". No faster variant fits: ", row->name, row->requires_in_short);
    put(to, chosen == clm_variants ? ". There is no faster one\n" : "\n");
}

static void put_variant(writer *to, const clm_normal_form *form, const clm_launch_plan *launch_plan, bool asked_for) {
    const clm_variant *chosen = launch_plan->variant;
    put(to, "variant: %s %s", chosen->name, chosen->does);
    if (form->unit_bits < 8)
        put(to, ". No faster variant fits: all others need units of whole bytes\n");
    else
        put_why_not_faster(to, form, launch_plan, asked_for);
}

static void put_bytes(writer *to, const clm_normal_form *form, const clm_launch_plan *launch_plan, const char *executor) {
    int64_t read = clm_read_bytes(form), written = clm_written_bytes(form);
    if (written > read && written % read == 0)
        put(to, "bytes: %" PRId64 " read, each written %" PRId64 " times: %" PRId64, read, written / read, written);
    else
        put(to, "bytes: %" PRId64 " read, %" PRId64 " written", read, written);
    put(to, ", in units of ");
    put_units(to, form, 1);
    if (launch_plan->chunk_bytes > 0)
        put(to, "; %" PRId64 " launches", launch_plan->launches);
    else
        put(to, "; %" PRId64 " work-item%s", launch_plan->items, launch_plan->items == 1 ? "" : "s");
    if (launch_plan->chunk_bytes == 0 && launch_plan->launches > 1)
        put(to, " in each of %" PRId64 " launches", launch_plan->launches);
    put(to, " by %s%s\n", executor, launch_plan->stream ? ", with non-temporal stores" : "");
}

/* The speed beside a copy's, from the best to the worst. */
typedef enum { AS_A_COPY, NEARLY, SOMEWHAT_BELOW, BELOW, FAR_BELOW } expected_speed;

/* Units of the runs that memory sees: interleave reads long runs and writes all of a row, deinterleave the other way round. */
static int64_t find_run_units(const clm_launch_plan *launch_plan, const runs *found) {
    return launch_plan->variant->speed != 1 ? found->piece : launch_plan->n;
}

static bool fills_lines(const clm_launch_plan *launch_plan, const runs *found) {
    return find_run_units(launch_plan, found) * clm_unit_bytes(launch_plan) >= CACHE_LINE_BYTES;
}

/* What is stored several times is read once. */
static bool mostly_writes(const clm_launch_plan *launch_plan, const runs *found) {
    const clm_variant *variant = launch_plan->variant;
    return variant->speed < 3 && !variant->is_local && !variant->makes_tiles && launch_plan->run_units <= 1 &&
           (variant->source == CLM_PERIOD || (found->dst && found->dst->src == 0 && variant->speed == 2));
}

static expected_speed find_expected_speed(const clm_launch_plan *launch_plan, const runs *found) {
    const int speed = launch_plan->variant->speed;
    const int64_t unit_bytes = clm_unit_bytes(launch_plan);
    const int64_t least_run = launch_plan->src_run < launch_plan->dst_run ? launch_plan->src_run : launch_plan->dst_run;
    if (speed == 3)
        return AS_A_COPY;
    if (launch_plan->variant->is_local)
        return least_run * unit_bytes < SECTOR_BYTES ? BELOW : NEARLY;
    if (launch_plan->run_units > 1)
        return launch_plan->run_units * unit_bytes < CACHE_LINE_BYTES ? BELOW : NEARLY;
    if (launch_plan->variant->makes_tiles)
        return clm_tiles_line_up(launch_plan) ? NEARLY : BELOW;
    if (clm_gathers_short_rows(launch_plan) || clm_gathers_runs(launch_plan))
        return BELOW;
    if (speed == 0)
        return FAR_BELOW;
    if (launch_plan->variant->source == CLM_SHUFFLE_BYTES)
        return NEARLY;
    if (launch_plan->variant->makes_passes)
        return BELOW;
    if (mostly_writes(launch_plan, found))
        return NEARLY;
    const bool is_wide = speed == 1 && launch_plan->m > FAST_BLOCK;
    if (is_wide && launch_plan->m > WIDE_BLOCK)
        return FAR_BELOW;
    if (is_wide || !fills_lines(launch_plan, found))
        return BELOW;
    return speed == 2 ? NEARLY : SOMEWHAT_BELOW;
}

bool clm_is_below_copy(const clm_normal_form *form, const clm_launch_plan *launch_plan) {
    const runs found = find_runs(form);
    return find_expected_speed(launch_plan, &found) >= BELOW;
}

/* What limits the speed. */
static void put_expectation(writer *to, const clm_normal_form *form, const clm_launch_plan *launch_plan, const runs *found) {
    static const char *const texts[] = {"", "nearly ", "somewhat below ", "below ", "far below "};
    const int speed = launch_plan->variant->speed;
    const int64_t unit_bytes = clm_unit_bytes(launch_plan);
    put(to, "expect: %s", texts[find_expected_speed(launch_plan, found)]);
    if (mostly_writes(launch_plan, found)) {
        put(to, "the speed of writing: what is stored several times is read once\n");
        return;
    }
    put(to, "a copy's speed");
    if (launch_plan->variant->is_local)
        put(to, ": runs of %" PRId64 " bytes are read, of %" PRId64 " bytes written", launch_plan->src_run * unit_bytes,
            launch_plan->dst_run * unit_bytes);
    else if (launch_plan->run_units > 1)
        put(to, ": runs of %" PRId64 " bytes are read, whole lines written", launch_plan->run_units * unit_bytes);
    else if (launch_plan->variant->makes_tiles)
        put(to, ": pieces of %" PRId64 " bytes are read, whole lines written",
            unit_bytes < 4 ? 16 * unit_bytes : CACHE_LINE_BYTES);
    else if (launch_plan->variant->source == CLM_SHUFFLE_BYTES)
        put(to, ": %" PRId64 " bytes at a time are looked up in one part of the source",
            launch_plan->blocks_together * launch_plan->n * unit_bytes);
    else if (launch_plan->variant->makes_passes)
        put(to, ": blocks of %" PRId64 " bytes are moved twice, and stay in the cache between", launch_plan->n * unit_bytes);
    else if (clm_gathers_runs(launch_plan)) {
        put(to, ": runs of ");
        put_units(to, form, launch_plan->m);
        put(to, " are moved one by one");
    } else if (speed == 0) {
        put(to, ": each unit of ");
        put_units(to, form, 1);
        put(to, " is read alone");
    } else if (speed == 1 && fills_lines(launch_plan, found))
        put(to, ": neighbouring units %s %" PRId64 " places", launch_plan->n_dst == 1 ? "go to" : "come from", launch_plan->m);
    else if (speed != 3) {
        put(to, ": %sruns of ", speed != 1 ? "" : launch_plan->n_dst == 1 ? "destination " : "source ");
        put_units(to, form, find_run_units(launch_plan, found));
        put(to, fills_lines(launch_plan, found) ? " fill cache lines" : " fill no cache line");
    }
    put(to, "\n");
}

static void put_summary(writer *to, const clm_map *map, const clm_normal_form *form, const clm_launch_plan *launch_plan,
                        const char *executor, bool asked_for) {
    if (!launch_plan) {
        put(to, "contiguous: nothing, since the destination has no elements\n"
                "variant: none\n"
                "bytes: 0 read, 0 written; nothing is launched\n"
                "expect: nothing to wait for\n\n");
        return;
    }
    runs found = find_runs(form);
    put_contiguous(to, map, form, &found);
    put_variant(to, form, launch_plan, asked_for);
    put_bytes(to, form, launch_plan, executor);
    put_expectation(to, form, launch_plan, &found);
    put(to, "\n");
}

/* ---- the details ---- */

static void put_axes(writer *to, const char *name, int64_t extent, const clm_axis *axes, int32_t rank) {
    put(to, "%s %" PRId64 " = ", name, extent);
    for (int32_t i = 0; i < rank; i++)
        put(to, "[%" PRId64 ":%" PRId64 ":%" PRId64 "]", axes[i].extent, axes[i].src, axes[i].dst);
}

/* How tiles and rows are moved past the cache, as the tuning's strips says; "": by 1, or strips are nothing to the variant.
 */
static const char *way_past_cache(const clm_launch_plan *launch_plan) {
    const bool makes_tiles = launch_plan->variant->makes_tiles;
    if (!launch_plan->stream || !launch_plan->in_strips ||
        !(makes_tiles || (launch_plan->variant->source == CLM_COPY_ROWS && launch_plan->q > 1)))
        return "";
    return !makes_tiles || launch_plan->run_units > 1 ? ", rows in turn"
           : launch_plan->in_rooms                    ? ", by way of rooms"
           : launch_plan->in_wide_strips              ? ", strips of two lines"
                                                      : ", strips";
}

void clm_explain(const clm_map *map, const clm_normal_form *form, const clm_launch_plan *launch_plan, const char *executor,
                 bool asked_for, char *text, size_t capacity) {
    writer to = {.text = text, .capacity = capacity};
    clm_normal_form raw;
    put_summary(&to, map, form, launch_plan, executor, asked_for);
    clm_form_from_map(map, &raw);
    put_map(&to, map);
    put_form(&to, "axes     ", &raw);
    put_form(&to, "normal   ", form);
    if (!launch_plan) {
        put(&to, "variant  none: nothing moves\n");
        return;
    }
    put(&to, "variant  %s: %s\n", launch_plan->variant->name, launch_plan->variant->requires_in_full);
    if (form->unit_bits < 8)
        put(&to, "         not the others: they need units of whole bytes\n");
    for (const clm_variant *row = clm_variants; row != launch_plan->variant && form->unit_bits >= 8; row++)
        if (clm_has_variant(launch_plan, row))
            put(&to, !fits(row, form, launch_plan) ? "         not %s: needs %s\n" : "         not %s, which fits too: %s\n",
                row->name,
                !fits(row, form, launch_plan)       ? row->requires_in_full
                : asked_for                         ? "this variant was asked for"
                : was_passed_over(row, launch_plan) ? row->poor_since
                                                    : "it moves wrong bytes on this device");
    put(&to, "nest     %" PRId64 " x %" PRId64 " rows; ", launch_plan->chunk_bytes > 0 ? 1 : launch_plan->launches,
        launch_plan->rows);
    if (launch_plan->variant->makes_tiles) {
        const clm_axis *columns = &launch_plan->outer[launch_plan->outer_rank];
        put_axes(&to, "n", launch_plan->n, columns, launch_plan->n_rank);
        put_axes(&to, ", m", launch_plan->m, columns + launch_plan->n_rank, launch_plan->m_rank);
        if (launch_plan->run_units > 1)
            put(&to, ", runs of %" PRId64, launch_plan->run_units);
        put(&to, "\n");
    } else if (launch_plan->variant->is_local) {
        static const char *const ways[4] = {"units", "groups", "lines", "lines"}; /* as in local.c */
        const clm_axis *read = &launch_plan->outer[launch_plan->outer_rank], *written = read + launch_plan->m_rank;
        put_axes(&to, "tile", launch_plan->src_run * launch_plan->src_runs, read, launch_plan->m_rank);
        put_axes(&to, " to", launch_plan->dst_run * launch_plan->dst_runs, written, launch_plan->n_rank);
        put(&to, ", runs of %" PRId64 " read by %s, and of %" PRId64 " written by %s\n", launch_plan->src_run,
            ways[launch_plan->constant % 4], launch_plan->dst_run, ways[launch_plan->constant / 4 % 4]);
    } else if (launch_plan->variant->makes_blocks) {
        put(&to, "q %" PRId64 " (src %+" PRId64 ", dst %+" PRId64 "), ", launch_plan->q, launch_plan->q_src, launch_plan->q_dst);
        put_axes(&to, "n", launch_plan->n, &launch_plan->outer[launch_plan->outer_rank], launch_plan->n_rank);
        put(&to, "\n");
    } else
        put(&to,
            "q %" PRId64 " (src %+" PRId64 ", dst %+" PRId64 "), n %" PRId64 " (src %+" PRId64 ", dst %+" PRId64 "), m %" PRId64
            " (src %+" PRId64 ", dst %+" PRId64 ")\n",
            launch_plan->q, launch_plan->q_src, launch_plan->q_dst, launch_plan->n, launch_plan->n_src, launch_plan->n_dst,
            launch_plan->m, launch_plan->m_src, launch_plan->m_dst);
    put(&to, "launch   %s, ", executor);
    if (launch_plan->chunk_bytes > 0)
        put(&to, "%" PRId64 " launches", launch_plan->launches);
    else
        put(&to, "%" PRId64 " item%s", launch_plan->items, launch_plan->items == 1 ? "" : "s");
    if (launch_plan->chunk_bytes > 0)
        put(&to, ", two for each chunk of %" PRId64 " bytes at most, or of one block", launch_plan->chunk_bytes);
    else if (launch_plan->variant->is_local)
        put(&to, ", a group for each tile");
    else
        put(&to, " of %" PRId64 " job%s of %" PRId64 " of %s", launch_plan->item_jobs, launch_plan->item_jobs == 1 ? "" : "s",
            launch_plan->segment, launch_plan->q > 1 ? "q" : "n");
    if (launch_plan->variant->makes_tiles)
        put(&to, " and %" PRId64 " of m", launch_plan->band);
    put(&to, ", %" PRIu32 "-bit indices%s%s", launch_plan->index_bits, launch_plan->stream ? ", non-temporal stores" : "",
        way_past_cache(launch_plan));
    if (launch_plan->local_size > 1)
        put(&to, ", groups of %" PRId64, launch_plan->local_size);
    put(&to, "\n");
}
