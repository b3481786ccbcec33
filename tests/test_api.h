/* What the parts of test_api share: the device under test, and a map to try things with.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_API_H
#define CLMOVE_TESTS_API_H

#include "support.h"

extern const char *api_selector;
extern clmove_device *api_device;

/* 4 x 6 floats, transposed: 96 bytes on both sides. */
#define API_BYTES 96
clmove_map api_map(void);
void api_transpose(const uint8_t *src, uint8_t *dst);

/* Each must succeed. */
clmove_plan *api_plan(clmove_device *on, const clmove_map *map);
clmove_buffer *api_buffer(clmove_device *on, size_t bytes);
clmove_device *api_another_device(void);
clmove_device *api_open_with_budget(uint64_t bytes);
clmove_memory_info api_memory_of(const clmove_device *device);
clmove_pool_info api_pool_of(const clmove_pool *pool);
clmove_device_type api_type_of(const clmove_device *device);

/* The parts; each returns how many of its tests failed. */
int api_device_tests(void);
int api_plan_tests(void);
int api_memory_tests(void);
int api_params_tests(void);
int api_output_tests(void);
int api_buffer_tests(void);
int api_mapping_tests(void);
int api_budget_tests(void);
int api_pool_tests(void);
int api_submit_tests(void);
int api_spread_tests(void);
int api_thread_tests(void);

#endif
