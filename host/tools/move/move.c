/* clmove tile, space-to-depth, depth-to-space, permute and move: one .npy file to another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/commands.h"
#include "host/tools/common/chosen_device.h"
#include "host/tools/common/message.h"
#include "host/tools/common/progress.h"
#include "host/tools/common/temporary.h"
#include "host/tools/move/task_options.h"
#include "host/tools/npy/source.h"
#include "host/tools/npy/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct request {
    task what;
    chosen_device who;
    const char *src, *dst;
    bool verify, verbose;
} request;

static bool take_option(void *user, int id, const char *value) {
    request *asked = user;
    asked->verify |= id == OPTION_VERIFY;
    asked->verbose |= id == OPTION_VERBOSE;
    asked->who.quiet |= id == OPTION_QUIET;
    asked->who.allow_fallback |= id == OPTION_ALLOW_FALLBACK;
    return task_operation_option(&asked->what, id, value) && chosen_device_option(&asked->who, id, value) != OPTION_REFUSED;
}

/* Returns OPTIONS_READ, or what to end with. */
static int read_options(request *asked, int argc, char **argv, const command *self) {
    const char *name = self->name;
    int status = options_read(argc, argv, self, take_option, asked);
    if (status != OPTIONS_READ)
        return status;
    if (asked->verbose && asked->who.quiet)
        return misused("%s: --verbose and --quiet exclude each other", name);
    if (argc - optind < 2)
        return misused("%s needs two files, SRC.npy and DST.npy; see clmove %s --help", name, name);
    if (argc - optind > 2)
        return misused("%s takes two files, and '%s' is one too many; see clmove %s --help", name, argv[optind + 2], name);
    asked->src = argv[optind];
    asked->dst = argv[optind + 1];
    if (*asked->src == '\0' || *asked->dst == '\0')
        return misused("%s needs two files, and one of the names is empty", name);
    return task_operation_complete(&asked->what) ? OPTIONS_READ : STATUS_MISUSED;
}

static bool verify(const request *asked, const tensor_source *source, const tensor_target *target) {
    unsigned char *expected = malloc(target->bytes + 1);
    const unsigned char *got = target->data;
    size_t i = 0;
    bool computed = expected && (target->bytes == 0 || task_compute(&asked->what, source->data, expected));
    while (computed && i < target->bytes && got[i] == expected[i])
        i++;
    if (!computed)
        failed("%s: is not written, since there is no memory to verify its %zu bytes", asked->dst, target->bytes);
    else if (i < target->bytes)
        failed("%s: is not written, since byte %zu of its data is 0x%02x and must be 0x%02x", asked->dst, i, got[i], expected[i]);
    free(expected);
    return computed && i == target->bytes;
}

static void print_tensor(const char *path, const npy_header *header, int32_t rank, const int64_t *dims, int64_t bytes) {
    char shape[SHAPE_TEXT];
    report("%s: %s of %.79s, %" PRId64 " bytes", path, shape_text(rank, dims, shape), header->descr, bytes);
}

/* The most of its memory that this process had resident so far, in KiB; 0 where the system does not say. getrusage would count
 * what the process that started this one had. */
static long most_resident(void) {
    char line[128];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "VmHWM: %ld kB", &kib) != 1)
        continue;
    if (file)
        fclose(file);
    return kib;
}

static void print_run(const chosen_device *who, const clmove_plan *plan, const clmove_run_info *run, int64_t bytes,
                      bool verified) {
    clmove_device_info device = {.struct_size = sizeof device};
    clmove_plan_info info = {.struct_size = sizeof info};
    if (clmove_device_get_info(who->device, &device, NULL) != CLMOVE_OK || clmove_plan_get_info(plan, &info, NULL) != CLMOVE_OK)
        return;
    if (strcmp(info.variant, "none") == 0) {
        report("device %s (%s), an empty tensor: nothing is moved", device.name, clmove_device_type_text(device.type));
        return;
    }
    report("device %s (%s), variant %s, units of %" PRIu32 " bits, %" PRIu32 "-bit indices, done by %s", device.name,
           clmove_device_type_text(device.type), info.variant, info.unit_bits, info.index_bits,
           clmove_executor_text(info.run_executor));
    const char *why = clmove_device_fallback(who->device);
    if (*why && !who->noted)
        report("on the host: %s", why);
    report("moved in %.6f s, %.3f GB/s%s", run->seconds, run->seconds > 0 ? (double)bytes / run->seconds * 1e-9 : 0.0,
           verified ? ", verified" : ", not verified");
    if (run->pieces > 0)
        report("%s, in %" PRId64 " piece%s of at most %" PRId64 " bytes, %" PRId64 " bytes of staging; at most %ld KiB resident",
               clmove_run_method_text(run->method), run->pieces, run->pieces == 1 ? "" : "s", run->piece_bytes,
               run->staging_bytes, most_resident());
}

/* What goes on while pieces are moved. */
typedef struct watch {
    const tensor_source *source;
    const tensor_target *target;
    /* It lets go of what was moved: both files together are larger than memory. */
    bool lets_go;
} watch;

static bool look(void *user, const clmove_progress *now) {
    watch *it = user;
    if (it->lets_go) {
        tensor_source_let_go(it->source);
        tensor_target_let_go(it->target);
    }
    progress_show(now->bytes_done, now->bytes_total, now->seconds);
    return true;
}

/* How much memory can be had, as far as anyone knows. */
static uint64_t most_memory(const chosen_device *who) {
    clmove_memory_info memory = {.struct_size = sizeof memory};
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t most = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX;
    if (clmove_device_get_memory(who->device, &memory, NULL) == CLMOVE_OK && memory.budget_bytes < most)
        most = memory.budget_bytes;
    return most;
}

/* From the planned source to the file. */
static bool write_result(const request *asked, const tensor_source *source, const clmove_map *map, clmove_plan *plan) {
    clmove_error error;
    tensor_target target;
    clmove_run_info run = {.struct_size = sizeof run};
    const npy_header *header = &source->header;
    uint64_t bytes = (uint64_t)clmove_map_dst_bytes(map), both = (uint64_t)header->data_bytes + bytes;
    const uint64_t most = most_memory(&asked->who);
    watch watched = {.source = source, .target = &target, .lets_go = both > most};
    const uint64_t needed = bytes + task_compute_bytes(&asked->what, (uint64_t)header->data_bytes, bytes);
    if (asked->verify && bytes > 0 && needed > most) {
        char more[48] = "";
        if (needed > bytes)
            snprintf(more, sizeof more, ", and it takes %" PRIu64, needed);
        return refused("%s: is not written, since there is no memory to verify its %" PRIu64 " bytes: the budget has %" PRIu64
                       "%s",
                       asked->dst, bytes, most, more);
    }
    if (!tensor_target_create(&target, asked->dst, header, map))
        return false;
    const clmove_run_params params = {.struct_size = sizeof params, .progress = look, .progress_user = &watched, .info = &run};
    progress_start(asked->who.quiet);
    clmove_status status =
        clmove_run_with(plan, source->data, (size_t)header->data_bytes, target.data, target.bytes, &params, &error);
    progress_end();
    /* A source that changed would be reported as a wrong result. */
    bool done = (status == CLMOVE_OK || refused("%s: %s", asked->dst, error.text)) && tensor_source_check(source) &&
                (!asked->verify || (verify(asked, source, &target) && tensor_source_check(source)));
    if (!done) {
        tensor_target_discard(&target);
        return false;
    }
    /* Everything is printed before the file gets its name, which is the last step that can fail. */
    if (asked->verbose) {
        print_tensor(asked->src, header, header->rank, header->dims, header->data_bytes);
        print_tensor(asked->dst, header, (int32_t)clmove_map_rank(map), clmove_map_dims(map), (int64_t)bytes);
        print_run(&asked->who, plan, &run, (int64_t)both, asked->verify);
    }
    return tensor_target_commit(&target);
}

static int move(request *asked) {
    int status = STATUS_FAILED;
    clmove_error error;
    clmove_map map;
    clmove_plan *plan = NULL;
    tensor_source source;
    temporary_catch_signals();
    if (!tensor_source_open(&source, asked->src))
        return STATUS_FAILED;
    const npy_header *header = &source.header;
    asked->what.element_bits = header->element_bytes * 8;
    asked->what.rank = header->rank;
    asked->what.fortran_order = header->fortran_order;
    memcpy(asked->what.dims, header->dims, sizeof header->dims);
    if (task_describe(&asked->what, &map, &error) != CLMOVE_OK)
        failed("%s: %s", asked->src, error.text);
    else if (chosen_device_open(&asked->who)) {
        if (chosen_device_plan(&asked->who, &map, &plan, &error) != CLMOVE_OK)
            failed("%s", error.text);
        else if (tensor_source_check(&source) && write_result(asked, &source, &map, plan)) /* devices take their time to start */
            status = STATUS_DONE;
    }
    clmove_plan_destroy(&plan);
    chosen_device_close(&asked->who);
    tensor_source_close(&source);
    return status;
}

int command_move(const command *self, int argc, char **argv) {
    request asked = {0};
    operation_named(self->name, &asked.what.op.kind);
    int status = read_options(&asked, argc, argv, self);
    return status == OPTIONS_READ ? move(&asked) : status;
}
