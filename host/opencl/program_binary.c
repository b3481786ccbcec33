/* Programs from the binaries that an earlier process kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Logs a fault, unless it is "" or the device logged one before. */
static void note(clm_opencl *opencl, const char *why) {
    char text[CLM_CACHE_WHY + 16];
    if (!*why || !opencl->log || atomic_exchange(&opencl->has_noted, true))
        return;
    snprintf(text, sizeof text, "program cache: %s", why);
    opencl->log(opencl->log_user, text);
}

void clm_program_cache_open(clm_opencl *opencl, const char *platform_version) {
    static const cl_device_info facts[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION,
                                           CL_DEVICE_EXTENSIONS};
    cl_int code = CL_SUCCESS;
    char text[16384], why[CLM_CACHE_WHY] = "";
    const bool is_needed = clm_keeps_no_programs(platform_version, &opencl->base.info);
    clm_cache_open(&opencl->cache, is_needed, why);
    if (!opencl->cache.is_on) {
        note(opencl, why);
        return;
    }
    snprintf(text, sizeof text, "clmove %d.%d.%d, device of %d bits, process of %d", CLMOVE_VERSION_MAJOR, CLMOVE_VERSION_MINOR,
             CLMOVE_VERSION_PATCH, (int)opencl->base.info.address_bits, (int)sizeof(void *) * CHAR_BIT);
    uint64_t key = clm_cache_key(0, text);
    key = clm_cache_key(key, opencl->base.info.platform);
    key = clm_cache_key(key, platform_version);
    for (size_t i = 0; code == CL_SUCCESS && i < sizeof facts / sizeof *facts; i++) {
        code = opencl->driver->clGetDeviceInfo(opencl->device, facts[i], sizeof text, text, NULL);
        key = clm_cache_key(key, text);
    }
    opencl->cache_key = key;
    opencl->cache.is_on = code == CL_SUCCESS;
    if (code != CL_SUCCESS)
        snprintf(why, sizeof why, "the device does not say what it is: %d (%s)", code, clm_opencl_code_text(code));
    note(opencl, why);
}

static uint64_t key_of(const clm_opencl *opencl, const clm_program_source *source) {
    uint64_t key = clm_cache_key(opencl->cache_key, source->options);
    for (cl_uint i = 0; i < source->count; i++)
        key = clm_cache_key(key, source->texts[i]);
    return key;
}

bool clm_program_load(clm_opencl *opencl, const clm_program_source *source, cl_program *program) {
    const clm_driver *driver = opencl->driver;
    const char *call = "clCreateProgramWithBinary";
    cl_int code = CL_SUCCESS, verdict = CL_SUCCESS;
    cl_kernel kernel = NULL;
    clm_binary binary;
    char why[CLM_CACHE_WHY] = "";
    if (!opencl->cache.is_on || !clm_cache_load(&opencl->cache, key_of(opencl, source), &binary, why)) {
        note(opencl, why);
        return false;
    }
    cl_program built = driver->clCreateProgramWithBinary(opencl->context, 1, &opencl->device, &binary.size,
                                                         (const unsigned char **)(uintptr_t)&binary.data, &verdict, &code);
    free(binary.data);
    code = code == CL_SUCCESS ? verdict : code;
    if (built && code == CL_SUCCESS) {
        call = "clBuildProgram";
        code = driver->clBuildProgram(built, 1, &opencl->device, source->options, NULL, NULL);
    }
    if (built && code == CL_SUCCESS) { /* whether the kernel is in it */
        call = "clCreateKernel";
        kernel = driver->clCreateKernel(built, source->kernel, &code);
    }
    if (kernel) {
        driver->clReleaseKernel(kernel);
        *program = built;
        return true;
    }
    snprintf(why, sizeof why, "the driver refused its own binary of %s: %s failed with %d (%s)", source->kernel, call, code,
             clm_opencl_code_text(code));
    note(opencl, why);
    if (built)
        driver->clReleaseProgram(built);
    return false;
}

/* OpenCL answers for all devices of the caller's context, in its order, and leaves out those whose pointer is NULL. */
void clm_program_save(clm_opencl *opencl, const clm_program_source *source, cl_program program) {
    const clm_driver *driver = opencl->driver;
    cl_device_id devices[CLM_MOST_DEVICES];
    size_t sizes[CLM_MOST_DEVICES], bytes = 0, place = 0;
    unsigned char *all[CLM_MOST_DEVICES] = {NULL};
    clm_binary binary = {0};
    char why[CLM_CACHE_WHY] = "";
    if (!opencl->cache.is_on)
        return;
    cl_int code = driver->clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes);
    if (code == CL_SUCCESS)
        code = driver->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL);
    if (code == CL_SUCCESS && clm_find_device(driver, opencl->device, devices, bytes / sizeof *devices, &place))
        binary.size = sizes[place];
    binary.data = all[place] = binary.size > 0 ? malloc(binary.size) : NULL;
    if (binary.data)
        code = driver->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof all, (void *)all, NULL);
    if (binary.data && code == CL_SUCCESS)
        clm_cache_store(&opencl->cache, key_of(opencl, source), binary, why);
    else
        snprintf(why, sizeof why, "the driver gives no binary of a program: %zu bytes, clGetProgramInfo returned %d (%s)",
                 binary.size, code, clm_opencl_code_text(code));
    note(opencl, why);
    free(binary.data);
}
