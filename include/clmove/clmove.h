/* clmove: moves tensor data with OpenCL, or on the host.
 *
 * Three verbs. Describe: a clmove_map states which source element each destination element is. Plan: a clmove_plan is a map made
 * ready for one device. Run: a plan moves bytes, any number of times, from any thread. This header includes one for each subject,
 * and states what holds for all of them. clmove/advice.h and clmove/opencl.h are included by those who need them.
 *
 * Shapes and units: shapes have the outermost dimension first. Every count, index and size of a tensor is int64_t. Sizes count
 * elements unless a name says bytes or bits. Widths in bits are uint32_t, since none is large. Bytes of one buffer and of
 * memory in this process are size_t; totals of a device are uint64_t, as it may have more than a process of 32 bits can address.
 *
 * Errors: no call prints, exits or aborts. A call that fails returns a status, fills *error if error is not NULL, and writes no
 * other output.
 *
 * Thread-safety: any thread may call any function, also on the same handles; any number of threads may run one plan at once.
 * Memory of the caller that a call writes, such as a clmove_map, must not be used by another thread during the call. Closing or
 * destroying a handle is its last use. Functions that list or open devices, and those about files of a device, read the
 * environment, which no thread may change during the call. This holds for all headers of clmove; a function that requires more
 * states it.
 *
 * Structs that begin with struct_size may be older or newer than the library. The caller sets struct_size to the sizeof of the
 * struct that it was compiled with.
 * - Params: a field that an older struct lacks has its default, which is 0 for every field. A field that is newer than the
 *   library must be 0. A struct_size of 0 is an error.
 * - Outputs: the library fills the fields that it knows and that the struct has room for. It leaves struct_size and all other
 *   fields as they are. A struct_size of 0, as in = {0}, means the struct of the first release of this minor version.
 * - Arrays of outputs: entries lie struct_size apart, so that a struct_size of 0 is an error. clmove_error never grows.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_CLMOVE_H
#define CLMOVE_CLMOVE_H

#include <clmove/buffer.h>
#include <clmove/device.h>
#include <clmove/enqueue.h>
#include <clmove/map.h>
#include <clmove/plan.h>
#include <clmove/status.h>
#include <clmove/tuning.h>

#endif
