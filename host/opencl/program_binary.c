/* See program_binary.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/program_binary.h"

#include "host/opencl/foreign.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the key: everything that decides what the compiler makes ---- */

/* A text and the 0 after it, so that no two lists of texts are the same bytes. */
static bool append(clm_bytes *key, const char *text) {
    size_t bytes = strlen(text) + 1;
    unsigned char *grown = realloc(key->data, key->size + bytes);
    if (!grown)
        return false;
    key->data = grown;
    memcpy(grown + key->size, text, bytes);
    key->size += bytes;
    return true;
}

/* What the device says of itself, or its platform where that is not NULL: as long as it is, unlike clmove_device_info. */
static bool append_fact(const clm_opencl *opencl, clm_bytes *key, cl_platform_id platform, cl_uint what) {
    const clm_driver *driver = opencl->driver;
    size_t bytes = 0;
    cl_int code = platform ? driver->clGetPlatformInfo(platform, what, 0, NULL, &bytes)
                           : driver->clGetDeviceInfo(opencl->device, what, 0, NULL, &bytes);
    char *text = code == CL_SUCCESS ? calloc(bytes + 1, 1) : NULL;
    if (text)
        code = platform ? driver->clGetPlatformInfo(platform, what, bytes, text, NULL)
                        : driver->clGetDeviceInfo(opencl->device, what, bytes, text, NULL);
    bool done = text && code == CL_SUCCESS && append(key, text);
    free(text);
    return done;
}

/* The caller frees key->data, on failure too. */
static bool make_key(const clm_opencl *opencl, const clm_program_source *source, clm_bytes *key) {
    static const cl_device_info device_facts[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION,
                                                  CL_DEVICE_EXTENSIONS};
    static const cl_platform_info platform_facts[] = {CL_PLATFORM_NAME, CL_PLATFORM_VERSION};
    char widths[64];
    cl_platform_id platform = NULL;
    bool done = opencl->driver->clGetDeviceInfo(opencl->device, CL_DEVICE_PLATFORM, sizeof platform, (void *)&platform, NULL) ==
                    CL_SUCCESS &&
                platform;
    snprintf(widths, sizeof widths, "%" PRIu32 "-bit device, %zu-bit process", opencl->base.info.address_bits,
             sizeof(void *) * CHAR_BIT);
    done = done && append(key, widths) && append(key, source->options);
    for (size_t i = 0; i < sizeof device_facts / sizeof *device_facts; i++)
        done = done && append_fact(opencl, key, NULL, device_facts[i]);
    for (size_t i = 0; i < sizeof platform_facts / sizeof *platform_facts; i++)
        done = done && append_fact(opencl, key, platform, platform_facts[i]);
    for (size_t i = 0; i < CLM_PROGRAM_TEXTS; i++)
        done = done && append(key, source->texts[i]);
    return done;
}

static void explain_key(char *why) {
    snprintf(why, CLM_PROGRAM_CACHE_WHY, "the device does not say what it is, or there is no memory for it");
}

/* ---- programs ---- */

/* Whether the driver takes the binary, and finds the kernel in it. */
static bool build_binary(const clm_opencl *opencl, const clm_program_source *source, clm_bytes binary, cl_program *program,
                         char *why) {
    const clm_driver *driver = opencl->driver;
    const unsigned char *data = binary.data;
    const char *call = "clCreateProgramWithBinary";
    cl_int code = CL_SUCCESS, verdict = CL_SUCCESS;
    cl_kernel kernel = NULL;
    cl_program built =
        driver->clCreateProgramWithBinary(opencl->context, 1, &opencl->device, &binary.size, &data, &verdict, &code);
    if (built && code == CL_SUCCESS)
        code = verdict;
    if (built && code == CL_SUCCESS) {
        call = "clBuildProgram";
        code = driver->clBuildProgram(built, 1, &opencl->device, source->options, NULL, NULL);
    }
    if (built && code == CL_SUCCESS) {
        call = "clCreateKernel";
        kernel = driver->clCreateKernel(built, source->kernel, &code);
    }
    if (kernel) {
        driver->clReleaseKernel(kernel);
        *program = built;
        return true;
    }
    snprintf(why, CLM_PROGRAM_CACHE_WHY, "the driver refused its own binary of %s: %s failed with %d (%s)", source->kernel, call,
             code, clm_opencl_code_text(code));
    if (built)
        driver->clReleaseProgram(built);
    return false;
}

bool clm_program_load(const clm_opencl *opencl, const clm_program_source *source, cl_program *program,
                      char why[CLM_PROGRAM_CACHE_WHY]) {
    clm_bytes key = {0}, binary = {0};
    bool done = false;
    *why = '\0';
    if (!opencl->cache.is_on)
        return false;
    if (make_key(opencl, source, &key))
        done = clm_program_cache_load(&opencl->cache, key, &binary, why) && build_binary(opencl, source, binary, program, why);
    else
        explain_key(why);
    free(binary.data);
    free(key.data);
    return done;
}

/* The binary of a program for the device, which need not be the only one of the caller's context: OpenCL answers for all of
 * them, in its order, and leaves out those whose pointer is NULL. The caller frees binary->data. */
static bool get_binary(const clm_opencl *opencl, cl_program program, clm_bytes *binary, char *why) {
    const clm_driver *driver = opencl->driver;
    cl_device_id *devices = NULL;
    size_t *sizes = NULL, bytes = 0, place = 0;
    unsigned char **all = NULL;
    cl_int code = driver->clGetProgramInfo(program, CL_PROGRAM_DEVICES, 0, NULL, &bytes);
    size_t count = code == CL_SUCCESS ? bytes / sizeof *devices : 0;
    if (count > 0) {
        devices = calloc(count, sizeof *devices);
        sizes = calloc(count, sizeof *sizes);
        all = calloc(count, sizeof *all);
    }
    if (devices && sizes && all)
        code = driver->clGetProgramInfo(program, CL_PROGRAM_DEVICES, bytes, devices, NULL);
    if (devices && sizes && all && code == CL_SUCCESS)
        code = driver->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof *sizes, sizes, NULL);
    if (devices && sizes && all && code == CL_SUCCESS && clm_find_device(driver, opencl->device, devices, count, &place))
        binary->size = sizes[place];
    binary->data = binary->size > 0 ? malloc(binary->size) : NULL;
    if (binary->data) {
        all[place] = binary->data;
        code = driver->clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof *all, (void *)all, NULL);
    }
    free(devices);
    free(sizes);
    free(all);
    if (binary->data && code == CL_SUCCESS)
        return true;
    snprintf(why, CLM_PROGRAM_CACHE_WHY, "the driver gives no binary of a program: %zu bytes, clGetProgramInfo returned %d (%s)",
             binary->size, code, clm_opencl_code_text(code));
    return false;
}

void clm_program_save(const clm_opencl *opencl, const clm_program_source *source, cl_program program,
                      char why[CLM_PROGRAM_CACHE_WHY]) {
    clm_bytes key = {0}, binary = {0};
    *why = '\0';
    if (!opencl->cache.is_on)
        return;
    if (!make_key(opencl, source, &key))
        explain_key(why);
    else if (get_binary(opencl, program, &binary, why))
        clm_program_cache_store(&opencl->cache, key, binary, why);
    free(binary.data);
    free(key.data);
}
