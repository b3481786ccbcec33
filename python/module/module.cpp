/* The module clmove._core.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "module.h"

NB_MODULE(_core, module) {
    nanobind::set_leak_warnings(false); /* devices and plans are kept until the process ends */
    add_errors(module);
    add_map(module);
    add_device(module);
    add_plan(module);
    add_opencl(module);
    add_dlpack(module);
    add_arrays(module);
}
