/* SPDX-License-Identifier: Apache-2.0 */
#include "host/opencl/driver.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static clm_driver loaded;
static bool is_loaded;
static char failure[384];

/* The first object is the program. */
static int find_interpreter(struct dl_phdr_info *object, size_t size, void *user) {
    (void)size;
    bool *found = user;
    for (int i = 0; i < object->dlpi_phnum; i++)
        *found |= object->dlpi_phdr[i].p_type == PT_INTERP;
    return 1;
}

/* What such a program opens gets a C library of its own, in which the loader's first call crashes (glibc 2.36). */
static bool is_linked_statically(void) {
    bool has_interpreter = false;
    dl_iterate_phdr(find_interpreter, &has_interpreter);
    return !has_interpreter;
}

static void load(void) {
    if (is_linked_statically()) {
        snprintf(failure, sizeof failure,
                 "there is no OpenCL loader in a program that is linked with -static, which can open none");
        return;
    }
    const char *name = secure_getenv("CLMOVE_OPENCL_LIBRARY"); /* not for a program with more rights than its user */
    if (!name || !*name)
        name = "libOpenCL.so.1";
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(failure, sizeof failure,
                 "there is no OpenCL loader: %.200s (Debian has it as ocl-icd-libopencl1; CLMOVE_OPENCL_LIBRARY names another)",
                 dlerror());
        return;
    }
    const char *missing = NULL;
    void *symbol;
#define DRIVER_LOAD_NEWER(function)                                                                                              \
    symbol = dlsym(library, #function);                                                                                          \
    memcpy(&loaded.function, &symbol, sizeof symbol); /* ISO C has no cast from an object to a function */
#define DRIVER_LOAD(function)                                                                                                    \
    DRIVER_LOAD_NEWER(function)                                                                                                  \
    if (!symbol)                                                                                                                 \
        missing = #function;
    CLM_DRIVER_FUNCTIONS(DRIVER_LOAD)
    CLM_DRIVER_NEWER_FUNCTIONS(DRIVER_LOAD_NEWER)
#undef DRIVER_LOAD
#undef DRIVER_LOAD_NEWER
    is_loaded = !missing;
    if (missing)
        snprintf(failure, sizeof failure, "the OpenCL loader %s lacks %s", name, missing);
}

clmove_status clm_driver_get(const clm_driver **driver, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    pthread_once(&once, load);
    REQUIRE(is_loaded, NO_DEVICE, "%s", failure);
    *driver = &loaded;
out:
    return status;
}

const char *clm_opencl_code_text(cl_int code) {
    static const struct {
        cl_int code;
        const char *text;
    } names[] = {
#define CODE(name) {CL_##name, #name}
        CODE(SUCCESS),
        CODE(DEVICE_NOT_FOUND),
        CODE(DEVICE_NOT_AVAILABLE),
        CODE(COMPILER_NOT_AVAILABLE),
        CODE(PROFILING_INFO_NOT_AVAILABLE),
        CODE(MEM_OBJECT_ALLOCATION_FAILURE),
        CODE(OUT_OF_RESOURCES),
        CODE(OUT_OF_HOST_MEMORY),
        CODE(BUILD_PROGRAM_FAILURE),
        CODE(MAP_FAILURE),
        CODE(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        CODE(INVALID_VALUE),
        CODE(INVALID_PLATFORM),
        CODE(INVALID_DEVICE),
        CODE(INVALID_CONTEXT),
        CODE(INVALID_COMMAND_QUEUE),
        CODE(INVALID_HOST_PTR),
        CODE(INVALID_MEM_OBJECT),
        CODE(INVALID_BUILD_OPTIONS),
        CODE(INVALID_PROGRAM),
        CODE(INVALID_PROGRAM_EXECUTABLE),
        CODE(INVALID_KERNEL_NAME),
        CODE(INVALID_KERNEL_ARGS),
        CODE(INVALID_ARG_SIZE),
        CODE(INVALID_WORK_GROUP_SIZE),
        CODE(INVALID_GLOBAL_WORK_SIZE),
        CODE(INVALID_EVENT),
        CODE(INVALID_OPERATION),
        CODE(INVALID_BUFFER_SIZE),
        {-1001, "PLATFORM_NOT_FOUND_KHR"},
        {-9999, "an illegal access on an NVIDIA device"},
#undef CODE
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code)
            return names[i].text;
    return "an error without a name";
}

clmove_status clm_raise_opencl(clmove_error *error, cl_int code, const char *call) {
    clmove_status status = CLMOVE_DEVICE_FAILED;
    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY || code == CL_INVALID_BUFFER_SIZE)
        status = CLMOVE_OUT_OF_MEMORY;
    else if (code == CL_BUILD_PROGRAM_FAILURE || code == CL_COMPILER_NOT_AVAILABLE)
        status = CLMOVE_BUILD_FAILED;
    return clm_raise(error, status, code, "%s failed with %d (%s)", call, code, clm_opencl_code_text(code));
}
