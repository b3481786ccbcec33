/* The text of a plan.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/launch_plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct writer {
    char *text;
    size_t capacity, length;
} writer;

static void put(writer *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(writer *to, const char *format, ...) {
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

void clm_explain(const clm_map *map, const clm_normal_form *form, const clm_launch_plan *launch_plan, const char *executor,
                 bool asked_for, char *text, size_t capacity) {
    writer to = {.text = text, .capacity = capacity};
    clm_normal_form raw;
    clm_form_from_map(map, &raw);
    put_map(&to, map);
    put_form(&to, "axes     ", &raw);
    put_form(&to, "normal   ", form);
    if (!launch_plan) {
        put(&to, "variant  none: nothing moves\n");
        return;
    }
    put(&to, "variant  %s: %s\n", launch_plan->variant->name, launch_plan->variant->requires_text);
    if (form->unit_bits < 8)
        put(&to, "         not the others: they need units of whole bytes\n");
    clm_launch_plan scratch;
    for (const clm_variant *row = clm_variants; row != launch_plan->variant && form->unit_bits >= 8; row++)
        put(&to,
            !row->fits(form, &scratch) ? "         not %s: needs %s\n"
            : asked_for                ? "         not %s, which fits too: this variant was asked for\n"
                                       : "         not %s, which fits too: it moves wrong bytes on this device\n",
            row->name, row->requires_text);
    put(&to,
        "nest     %" PRId64 " x %" PRId64 " rows; q %" PRId64 " (src %+" PRId64 ", dst %+" PRId64 "), n %" PRId64
        " (src %+" PRId64 ", dst %+" PRId64 "), m %" PRId64 " (src %+" PRId64 ", dst %+" PRId64 ")\n",
        launch_plan->launches, launch_plan->rows, launch_plan->q, launch_plan->q_src, launch_plan->q_dst, launch_plan->n,
        launch_plan->n_src, launch_plan->n_dst, launch_plan->m, launch_plan->m_src, launch_plan->m_dst);
    put(&to, "launch   %s, %" PRId64 " items of %" PRId64 " jobs of %" PRId64 " of %s, %" PRIu32 "-bit indices%s", executor,
        launch_plan->items, launch_plan->run, launch_plan->segment, launch_plan->q > 1 ? "q" : "n", launch_plan->index_bits,
        launch_plan->stream ? ", streaming stores" : "");
    if (launch_plan->local_size > 1)
        put(&to, ", groups of %" PRId64, launch_plan->local_size);
    put(&to, "\n");
}
