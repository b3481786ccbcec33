/* A movement: a normal form cut to the shape that one kernel performs, with its launch geometry.
 *
 * Whatever the variant, a movement is `rows` times a nest of three loops:
 *
 *     for each row (the outer axes give its place in src and dst)
 *         for h < q, for i < n, for j < m:
 *             dst[row.dst + h * q_dst + i * n_dst + j * m_dst] = src[row.src + h * q_src + i * n_src + j * m_src]
 *
 * A variant is a promise about the strides of n and m. q is the innermost outer axis where a worker does it in one go, else 1.
 * All numbers count units. Work is cut along q, or along n where q is 1, into segments; a job is one segment of one row; a
 * work-item (or an iteration of the host's parallel loop) does `run` jobs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_PLAN_MOVEMENT_H
#define CLMOVE_HOST_PLAN_MOVEMENT_H

#include "host/map/normal_form.h"
#include "host/plan/tuning.h"

/* What a choice depends on besides the map: the device as far as it matters here. */
typedef struct clm_traits {
    bool few_long_runs;      /* CPU-like: few workers, each best left alone with a long run; else GPU-like: many short ones */
    bool takes_rows;         /* an item may do several rows, q of the nest, in one go */
    bool any_alignment;      /* memory may begin at any byte, whatever the unit */
    uint32_t workers;        /* compute units, or threads */
    int32_t max_outer;       /* outer axes that one launch can hold */
    uint64_t cache_bytes;    /* last-level cache, 0 if unknown */
    bool indexes_in_64_bit;  /* always uses 64-bit indices (the host), so index_bits is not a choice */
    uint64_t max_local_size; /* largest work-group, 0 if unknown */
    clm_tuning tuning;
} clm_traits;

typedef struct clm_movement {
    const struct clm_variant *variant;
    uint32_t unit_bits;
    bool msb_first;
    uint32_t index_bits; /* 32 or 64 */
    int64_t src_offset, dst_offset;

    int32_t lead_rank;  /* the first lead_rank outer axes do not fit in a launch: each of their places is a launch of its own */
    int32_t outer_rank; /* all outer axes, the leading ones included */
    clm_axis outer[CLM_MAX_AXES];

    int64_t q, q_src, q_dst;
    int64_t n, n_src, n_dst;
    int64_t m, m_src, m_dst;

    int64_t launches;   /* product of the leading extents */
    int64_t rows;       /* product of the other outer extents */
    int64_t segment;    /* of q, or of n where q is 1, in one job */
    int64_t segments;   /* in a row */
    int64_t jobs;       /* rows * segments, in one launch */
    int64_t run;        /* jobs of one work-item */
    int64_t items;      /* work-items of one launch */
    int64_t local_size; /* of a work-group */
    bool neighbours;    /* a work-item's jobs lie `items` apart (neighbouring items do neighbouring jobs), not side by side */
    bool stream;        /* much is moved (stream_min_bytes): stores may bypass the cache */
} clm_movement;

/* A memory pattern. */
typedef struct clm_variant {
    const char *name;
    const char *source;        /* the .cl file without its ending, and the kernel in it */
    const char *requires_text; /* one sentence; the same sentence opens the .cl file */
    bool block_is_constant;    /* the kernel is compiled for one m */
    /* Whether the variant can do the form; if so fills the nest and the outer axes. */
    bool (*fits)(const clm_normal_form *form, clm_movement *movement);
} clm_variant;

/* All variants in order of preference, ended by one without a name. Between them they fit every form. */
extern const clm_variant clm_variants[];

/* Checks what is forced, for clm_choose: variant is NULL or the name of one, index_bits is 0, 32 or 64. */
clmove_status clm_check_choice(const char *variant, uint32_t index_bits, clmove_error *error);

/* The variant's name as a static string; NULL for NULL. */
const char *clm_variant_name(const char *variant);

/* Chooses the variant (the one named, or the first that fits when NULL), the index width (index_bits, or the smallest that
 * reaches when 0) and the geometry. The form is normalised and not empty. Raises UNSUPPORTED when what is forced does not fit. */
clmove_status clm_choose(const clm_normal_form *form, const clm_traits *traits, const char *variant, uint32_t index_bits,
                         clm_movement *movement, clmove_error *error);

/* Whether two movements are the same in everything: what is in a struct between its fields is nobody's. */
bool clm_movements_are_equal(const clm_movement *a, const clm_movement *b);

/* Cuts the work: orders the outer axes, takes q from them where a worker does it in one go, and fills launches to stream. For
 * units below a byte also n, the bytes to visit. */
void clm_set_geometry(clm_movement *movement, const clm_traits *traits);

/* Bytes in a unit of at least 8 bits, else 1. */
int64_t clm_unit_bytes(const clm_movement *movement);

/* Bytes of the destination that the whole movement writes, sub-byte units rounded up. */
int64_t clm_written_bytes(const clm_normal_form *form);

/* Writes the map, its normal form, the variant and why, as clmove_plan_explain promises. movement is NULL when nothing moves.
 * asked_for: the variant was; else one that fits and stands before it in the table failed its test on the device. */
void clm_explain(const clm_map *map, const clm_normal_form *form, const clm_movement *movement, const char *executor,
                 bool asked_for, char *text, size_t capacity);

#endif
