/* Finding and opening OpenCL devices.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cl_kernels/move.h"
#include "host/opencl/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLATFORMS = 64 };

typedef struct found_device {
    cl_platform_id platform;
    cl_device_id device;
} found_device;

/* Adds this platform's reason to the reasons why there is no device. */
static void add_reason(const clm_driver *driver, cl_platform_id platform, cl_int code, char *text, size_t capacity) {
    char name[128] = "";
    size_t length = strlen(text);
    if (driver->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL) != CL_SUCCESS || !*name)
        snprintf(name, sizeof name, "one without a name");
    snprintf(text + length, capacity - length, "%s%s: %d (%s)", length ? "; " : "", name, code,
             code == CL_SUCCESS ? "it lists none" : clm_opencl_code_text(code));
}

/* OpenCL's functions, and all devices of all platforms, in an array that the caller frees. */
static clmove_status find_devices(const clm_driver **loaded, found_device **found, size_t *count, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver;
    cl_platform_id platforms[MOST_PLATFORMS];
    cl_device_id ids[CLM_MOST_DEVICES];
    found_device *list = NULL;
    cl_uint platform_count = 0;
    size_t total = 0;
    char reasons[384] = "";
    TRY(clm_driver_get(&driver, error));
    cl_int code = driver->clGetPlatformIDs(MOST_PLATFORMS, platforms, &platform_count);
    if (code != CL_SUCCESS || platform_count == 0) {
        status =
            clm_raise(error, CLMOVE_NO_DEVICE, code,
                      "there is no OpenCL platform: clGetPlatformIDs returned %d (%s) and %" PRIu32
                      " platforms; install a driver (Debian has one for CPUs as pocl-opencl-icd), and see that OCL_ICD_VENDORS, "
                      "if it is set, names the folder of its .icd file",
                      code, clm_opencl_code_text(code), platform_count);
        goto out;
    }
    for (cl_uint p = 0; p < platform_count && p < MOST_PLATFORMS; p++) {
        cl_uint here = 0;
        code = driver->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, CLM_MOST_DEVICES, ids, &here);
        if (code != CL_SUCCESS || here == 0) { /* no error if another platform has some */
            add_reason(driver, platforms[p], code, reasons, sizeof reasons);
            continue;
        }
        here = here < CLM_MOST_DEVICES ? here : CLM_MOST_DEVICES;
        found_device *grown = realloc(list, (total + here) * sizeof *list);
        REQUIRE(grown, OUT_OF_MEMORY, "no memory for the list of devices");
        list = grown;
        for (cl_uint d = 0; d < here; d++)
            list[total++] = (found_device){.platform = platforms[p], .device = ids[d]};
    }
    if (total == 0) {
        status = clm_raise(error, CLMOVE_NO_DEVICE, code, "none of the %" PRIu32 " OpenCL platforms has a device: %s",
                           platform_count, reasons);
        goto out;
    }
    *loaded = driver;
    *found = list;
    *count = total;
    list = NULL;
out:
    free(list);
    return status;
}

/* A text of a device, or of its platform. */
static void get_text(const clm_driver *driver, const found_device *of, bool platform, cl_uint what, char *text, size_t capacity) {
    char whole[1024] = "";
    cl_int code = platform ? driver->clGetPlatformInfo(of->platform, what, sizeof whole - 1, whole, NULL)
                           : driver->clGetDeviceInfo(of->device, what, sizeof whole - 1, whole, NULL);
    snprintf(text, capacity, "%.*s", code == CL_SUCCESS ? (int)capacity - 1 : 0, whole);
}

static uint64_t get_number(const clm_driver *driver, cl_device_id device, cl_device_info what, size_t width) {
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if (width == sizeof wide)
        return driver->clGetDeviceInfo(device, what, width, &wide, NULL) == CL_SUCCESS ? wide : 0;
    return driver->clGetDeviceInfo(device, what, width, &narrow, NULL) == CL_SUCCESS ? narrow : 0;
}

enum { PLATFORM_VERSION_BYTES = 128 };

/* Fills an entry of the list but for what clm_dialect_choose fills. */
static void get_info(const clm_driver *driver, const found_device *found, int32_t index, clmove_device_info *info,
                     char platform_version[PLATFORM_VERSION_BYTES]) {
    memset(info, 0, sizeof *info);
    cl_device_id device = found->device;
    cl_device_type type = get_number(driver, device, CL_DEVICE_TYPE, sizeof(cl_device_type));
    info->type = type & CL_DEVICE_TYPE_GPU   ? CLMOVE_DEVICE_GPU
                 : type & CL_DEVICE_TYPE_CPU ? CLMOVE_DEVICE_CPU
                                             : CLMOVE_DEVICE_ACCELERATOR;
    info->index = index;
    get_text(driver, found, false, CL_DEVICE_NAME, info->name, sizeof info->name);
    get_text(driver, found, false, CL_DEVICE_VERSION, info->version, sizeof info->version);
    get_text(driver, found, false, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    get_text(driver, found, true, CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    get_text(driver, found, true, CL_PLATFORM_VERSION, platform_version, PLATFORM_VERSION_BYTES);
    info->compute_units = (int64_t)get_number(driver, device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint));
    info->address_bits = (uint32_t)get_number(driver, device, CL_DEVICE_ADDRESS_BITS, sizeof(cl_uint));
    info->memory_bytes = get_number(driver, device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong));
    info->max_alloc_bytes = get_number(driver, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong));
    info->cache_bytes = get_number(driver, device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof(cl_ulong));
    info->host_unified = get_number(driver, device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(cl_bool)) != 0;
}

clmove_status clm_opencl_list(clmove_device_info **infos, size_t *count, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver;
    found_device *found = NULL;
    clmove_device_info *list;
    size_t total = 0;
    char platform_version[PLATFORM_VERSION_BYTES];
    clm_dialect dialect;
    TRY(find_devices(&driver, &found, &total, error));
    list = calloc(total, sizeof *list);
    REQUIRE(list, OUT_OF_MEMORY, "no memory for the list of devices");
    for (size_t i = 0; i < total; i++) {
        get_info(driver, &found[i], (int32_t)i, &list[i], platform_version);
        clm_dialect_choose(platform_version, &list[i], &dialect, NULL);
    }
    *infos = list;
    *count = total;
out:
    free(found);
    return status;
}

/* What to open: device `index` of the list, with a context and a queue of clmove's own unless the caller gives them. */
typedef struct opening {
    const clmove_device_params *params;
    /* Negative where the device is not in the list. */
    int32_t index;
    found_device found;
    cl_context context;
    cl_command_queue queue;
} opening;

static clmove_status make_context(clm_opencl *opened, const opening *what, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = opened->driver;
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)what->found.platform, 0};
    cl_int code;
    if (what->context) {
        CL_TRY(driver, clRetainContext, what->context);
        opened->context = what->context;
        CL_TRY(driver, clRetainDevice, what->found.device); /* sub-devices are counted */
        opened->device_is_callers = true;
        goto out;
    }
    opened->context = driver->clCreateContext(properties, 1, &opened->device, NULL, NULL, &code);
    if (!opened->context)
        status = clm_raise_opencl(error, code, "clCreateContext");
out:
    return status;
}

/* clmove's own commands need an in-order queue. If the caller's is out of order, clmove makes another one. */
static clmove_status make_queue(clm_opencl *opened, const opening *what, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver = opened->driver;
    cl_command_queue_properties properties = what->params->profile ? CL_QUEUE_PROFILING_ENABLE : 0;
    void *made;
    if (what->queue) {
        CL_TRY(driver, clGetCommandQueueInfo, what->queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
        CL_TRY(driver, clRetainCommandQueue, what->queue);
        opened->given = what->queue;
    }
    opened->base.profiles = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
    if (what->queue && !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {
        opened->queue = what->queue;
        goto out;
    }
    TRY(clm_queue_make(&opened->base, &made, error));
    opened->queue = made;
out:
    return status;
}

/* Whether the device is this processor, by way of POCL, and it looks bytes up in a whole line at once. POCL's remote driver is of
 * interest only where CLMOVE_KERNELS asks for these kernels. Where POCL compiles without AVX-512, they take windows of 16 bytes.
 */
static bool has_vbmi(const clm_opencl *opencl) {
#if defined(__x86_64__)
    const clmove_device_info *info = &opencl->base.info;
    return opencl->dialect == CLM_DIALECT_CLANG && info->type == CLMOVE_DEVICE_CPU &&
           strcmp(info->platform, "Portable Computing Language") == 0 && !strstr(info->version, "pocl-remote") &&
           __builtin_cpu_supports("avx512vbmi");
#else
    (void)opencl;
    return false;
#endif
}

/* The traits, without the tuning. */
static void get_traits(const clm_opencl *opencl, clm_traits *traits) {
    const uint32_t workers = opencl->base.info.compute_units ? (uint32_t)opencl->base.info.compute_units : 1; /* a cl_uint */
    *traits = (clm_traits){
        .few_long_runs = opencl->base.info.type == CLMOVE_DEVICE_CPU,
        .takes_rows = opencl->dialect == CLM_DIALECT_CLANG,
        .has_passes = opencl->dialect == CLM_DIALECT_CLANG && opencl->base.info.type == CLMOVE_DEVICE_CPU,
        .any_alignment = opencl->dialect == CLM_DIALECT_CLANG,
        .items_make_tables = true,
        .workers = workers,
        .max_outer = MOVE_OUTER_64,
        .max_outer_narrow = MOVE_OUTER_32,
        .cache_bytes = clm_cache_for_workers(opencl->base.info.cache_bytes, workers, workers),
        .max_local_size = get_number(opencl->driver, opencl->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t)),
        .local_bytes = get_number(opencl->driver, opencl->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong)),
    };
#if defined(__x86_64__) || defined(__i386__) /* cpu/lanes.h knows no instruction of other processors */
    traits->shuffle_window = opencl->has_vbmi ? 64 : 16;
    traits->has_short_vectors = !opencl->has_vbmi;
#endif
}

static clmove_status open_it(const clm_driver *driver, const opening *what, clm_executor **executor, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char platform_version[PLATFORM_VERSION_BYTES];
    clm_opencl *opened = calloc(1, sizeof *opened);
    REQUIRE(opened, OUT_OF_MEMORY, "no memory for a device");
    pthread_mutex_init(&opened->lock, NULL);
    opened->base.calls = &clm_opencl_calls;
    pthread_cond_init(&opened->settled, NULL);
    opened->driver = driver;
    opened->device = what->found.device;
    opened->log = what->params->log;
    opened->log_user = what->params->log_user;
    get_info(driver, &what->found, what->index, &opened->base.info, platform_version);
    TRY(clm_dialect_choose(platform_version, &opened->base.info, &opened->dialect, error));
    clm_program_cache_open(opened, platform_version);
    opened->finish_is_early = clm_finish_is_early(platform_version, &opened->base.info);
    opened->builds_collide = clm_builds_collide(platform_version, &opened->base.info);
    if (driver->clSetKernelArgSVMPointer && driver->clEnqueueSVMMap && driver->clEnqueueSVMUnmap)
        opened->svm = get_number(driver, opened->device, CL_DEVICE_SVM_CAPABILITIES, sizeof opened->svm);
    TRY(make_context(opened, what, error));
    TRY(make_queue(opened, what, error));
    opened->base.sharing = clm_sharing_find(opened);
    opened->base.info.host_unified = opened->base.sharing.shares;
    opened->base.queue_is_given = opened->queue == opened->given;
    opened->has_vbmi = has_vbmi(opened);
    get_traits(opened, &opened->base.traits);
    *executor = &opened->base;
    opened = NULL;
out:
    if (opened)
        clm_opencl_close(&opened->base);
    return status;
}

clmove_status clm_opencl_open(int32_t index, const clmove_device_params *params, clm_executor **executor, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver;
    found_device *found = NULL;
    size_t total = 0;
    TRY(find_devices(&driver, &found, &total, error));
    REQUIRE(index >= 0 && (size_t)index < total, NO_DEVICE, "there is no OpenCL device %" PRId32 ": there are %zu", index, total);
    TRY(open_it(driver, &(opening){.params = params, .index = index, .found = found[index]}, executor, error));
out:
    free(found);
    return status;
}

clmove_status clm_opencl_open_on(cl_context context, cl_device_id device, cl_command_queue queue,
                                 const clmove_device_params *params, clm_executor **executor, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    const clm_driver *driver;
    found_device *found = NULL;
    size_t total = 0;
    opening what = {.params = params, .index = -1, .found.device = device, .context = context, .queue = queue};
    TRY(clm_driver_get(&driver, error));
    TRY(clm_check_device_of(driver, context, device, error));
    if (queue)
        TRY(clm_check_queue_of(driver, context, device, queue, error));
    CL_TRY(driver, clGetDeviceInfo, device, CL_DEVICE_PLATFORM, sizeof what.found.platform, &what.found.platform, NULL);
    if (find_devices(&driver, &found, &total, NULL) == CLMOVE_OK)
        for (size_t i = 0; i < total; i++)
            what.index = found[i].device == device ? (int32_t)i : what.index;
    TRY(open_it(driver, &what, executor, error));
out:
    free(found);
    return status;
}
