/* SpaceToDepth and DepthToSpace by every block that has a kernel of its own, and by one that has none, at each width and at sizes
 * about those of vectors: compilers make other code of each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_BLOCK_CASES_H
#define CLMOVE_TESTS_BLOCK_CASES_H

#include "cases.h"

const test_case *block_cases(size_t *count);

#endif
