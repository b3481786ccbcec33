/* SPDX-License-Identifier: Apache-2.0 */
#include "entry.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

const cl_icd_dispatch *target;
static cl_icd_dispatch dispatch;

EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void *value, size_t *size) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *from = what == CL_LAYER_NAME ? (const void *)layer_name : &version;
    size_t bytes = what == CL_LAYER_NAME ? strlen(layer_name) + 1 : sizeof version;
    if ((what != CL_LAYER_NAME && what != CL_LAYER_API_VERSION) || (value && room < bytes))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, bytes);
    if (size)
        *size = bytes;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *behind, cl_uint *our_entries,
                                      const cl_icd_dispatch **ours) {
    const cl_uint all = sizeof dispatch / sizeof(void *);
    if (!behind || !our_entries || !ours || entries < all)
        return CL_INVALID_VALUE;
    target = behind;
    dispatch = *behind;
    layer_begin(&dispatch);
    *our_entries = all;
    *ours = &dispatch;
    return CL_SUCCESS;
}
