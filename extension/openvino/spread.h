/* OpenVINO's own threads, for the work of clmove.
 *
 * The plugin gives each of its threads the same part of every tensor, so that what an operator wrote is in the cache of the
 * thread that reads it next. They also spin between operators: threads of others wait for a processor then.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_OPENVINO_SPREAD_H
#define CLMOVE_OPENVINO_SPREAD_H

#include <cstdint>

namespace clmove_openvino {

/* Of the stream that runs the operator: the calling thread and those that help it. */
int64_t count_threads();

/* As clmove_run_params.spread: part i on thread i. user is not used. */
void spread(void *user, int64_t parts, void (*work)(const void *of, int64_t part), const void *of);

} // namespace clmove_openvino

#endif
