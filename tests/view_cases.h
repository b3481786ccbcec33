/* Sources that are seen through a view: backwards, with gaps, in windows that overlap, turned, and some of the units that lie
 * side by side, at each width and at sizes about those of blocks, vectors and tiles.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_VIEW_CASES_H
#define CLMOVE_TESTS_VIEW_CASES_H

#include "cases.h"

const test_case *view_cases(size_t *count);

#endif
