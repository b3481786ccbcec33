/* See spread.h. OpenVINO's header needs those of its threads, such as TBB's, which are beside it in the wheel.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "spread.h"

#ifndef OV_THREAD
#define CLMOVE_SPREADS 0
#elif !__has_include(<openvino/core/parallel.hpp>)
#define CLMOVE_SPREADS 0
#elif __has_include(<tbb/parallel_for.h>) || __has_include(<omp.h>)
#define CLMOVE_SPREADS 1
#include <openvino/core/parallel.hpp>
#else
#define CLMOVE_SPREADS 0
#endif

namespace clmove_openvino {

int64_t count_threads() {
#if CLMOVE_SPREADS
    return parallel_get_max_threads();
#else
    return 1;
#endif
}

void spread(void *, int64_t parts, void (*work)(const void *of, int64_t part), const void *of) {
#if CLMOVE_SPREADS
    try { /* the calling thread is C's: nothing may be thrown through it */
        if (parts > 1)
            return ov::parallel_nt_static(static_cast<int>(parts), [&](int part, int) { work(of, part); });
    } catch (...) { /* a part may be moved twice */
    }
#endif
    for (int64_t part = 0; part < parts; part++)
        work(of, part);
}

} // namespace clmove_openvino
