/* The keys of all classes, as sentences name them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_TUNING_KEYS_H
#define CLMOVE_TESTS_TUNING_KEYS_H

#define TUNING_KEYS                                                                                                              \
    "segment_bytes, item_min_bytes, items_per_worker, max_dst_rows, near_bytes, short_run_bytes, max_items, strips, "            \
    "stream_min_bytes, chunk_bytes, "                                                                                            \
    "local_size and piece_bytes"

#endif
