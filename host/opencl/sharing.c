/* Whether a device shares the host's memory: clm_sharing_find of objects.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/opencl/objects.h"
#include "host/variables.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096

/* The bytes that the probe copies at once, and the bytes that it uses: three such parts, a whole number of lines. */
#define PART 192
#define PROBED ((size_t)3 * PART)

/* The conditions for memory that is used in place: none, or those that Intel documents for its GPUs. Other drivers require less
 * or document nothing, and copy if their conditions are not met. Smaller alignments divide larger ones, and all divide a page.
 * The last row is of devices that do not share. */
static const struct rule { size_t alignment, multiple; } rules[] = {{1, 1}, {PAGE, 64}, {0, 0}};
#define RULES (sizeof rules / sizeof *rules - 1)

/* The first rule to try: any memory for a processor, and for a driver with fine-grained system sharing. */
static size_t first_rule(const clm_opencl *opencl) {
    bool any = opencl->base.info.type == CLMOVE_DEVICE_CPU || opencl->svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
    return any ? 0 : RULES - 1;
}

/* A probe under way. */
typedef struct probe {
    clm_opencl *opencl;
    const clm_driver *driver;
    cl_command_queue queue;
    cl_mem mem;
    /* PROBED bytes of host memory in three parts: a source, and two destinations. */
    unsigned char *memory;
} probe;

/* Fills a part with bytes that no other part has. */
static void fill(unsigned char *part, unsigned seed) {
    for (size_t i = 0; i < PART; i++)
        part[i] = (unsigned char)(i * 7 + seed);
}

/* The device copies the first part to another. Whether the host sees the copy without mapping. */
static bool copies(const probe *it, size_t to) {
    return it->driver->clEnqueueCopyBuffer(it->queue, it->mem, it->mem, 0, to, PART, 0, NULL, NULL) == CL_SUCCESS &&
           clm_opencl_finish(&it->opencl->base, it->queue, NULL) == CLMOVE_OK && memcmp(it->memory + to, it->memory, PART) == 0;
}

/* Whether mapping changes neither the address nor the bytes. */
static bool maps(const probe *it) {
    unsigned char then[PROBED];
    cl_int code;
    memcpy(then, it->memory, PROBED);
    void *mapped =
        it->driver->clEnqueueMapBuffer(it->queue, it->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, PROBED, 0, NULL, NULL, &code);
    if (!mapped)
        return false;
    bool same = mapped == it->memory && memcmp(it->memory, then, PROBED) == 0;
    return it->driver->clEnqueueUnmapMemObject(it->queue, it->mem, mapped, 0, NULL, NULL) == CL_SUCCESS &&
           clm_opencl_finish(&it->opencl->base, it->queue, NULL) == CLMOVE_OK && same && memcmp(it->memory, then, PROBED) == 0;
}

/* Whether the device works on the bytes of a page of host memory themselves. */
static bool works_on(clm_opencl *opencl, cl_command_queue queue, unsigned char *page, const struct rule *rule) {
    /* An odd address and an odd size. */
    bool any = rule->alignment == 1;
    unsigned char *memory = page + (any ? PAGE / 2 + 1 : 0);
    probe it = {.opencl = opencl, .driver = opencl->driver, .queue = queue, .memory = memory};
    cl_int code;
    for (unsigned i = 0; i < 3; i++)
        fill(memory + i * PART, i + 1);
    it.mem = it.driver->clCreateBuffer(opencl->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, PROBED + any, memory, &code);
    if (!it.mem)
        return false;
    bool shares = copies(&it, PART); /* the host sees what the device writes, */
    if (shares) {
        fill(memory, 4); /* the device sees what the host writes, */
        shares = copies(&it, (size_t)2 * PART);
    }
    if (shares) {
        fill(memory + PART, 5); /* and mapping does not restore old bytes */
        shares = maps(&it);
    }
    it.driver->clReleaseMemObject(it.mem);
    return shares;
}

/* The first rule, from `rule` on, by which the device shares; RULES: none. The probe has a queue of its own, since it must not
 * wait for the caller's. */
static size_t probe_rules(clm_opencl *opencl, size_t rule) {
    clm_spare *queue = NULL;
    opencl->probe_memory = aligned_alloc(PAGE, PAGE);
    if (clm_queue_take(opencl, &queue, NULL) != CLMOVE_OK || !opencl->probe_memory)
        rule = RULES;
    while (rule < RULES && !works_on(opencl, queue->object, opencl->probe_memory, &rules[rule]))
        rule++;
    clm_spare_put(&opencl->lock, &opencl->queues, queue);
    return rule;
}

clm_sharing clm_sharing_find(clm_opencl *opencl) {
    const int forced = clm_variable_value(CLM_VARIABLE_IN_PLACE);
    bool may_share = opencl->base.info.type == CLMOVE_DEVICE_CPU || opencl->base.info.host_unified;
    size_t rule = RULES;
    if (forced == 1)
        rule = first_rule(opencl);
    else if (forced < 0 && may_share)
        rule = probe_rules(opencl, first_rule(opencl));
    return (clm_sharing){
        .shares = rule < RULES,
        .alignment = rules[rule].alignment,
        .multiple = rules[rule].multiple,
        .takes_host_memory = may_share,
    };
}
