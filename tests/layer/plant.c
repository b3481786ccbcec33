/* An OpenCL layer that stands for a compiler that is wrong: in the source of a program it puts another kernel behind the one that
 * is there, which calls that and then spoils a byte; or does so at the end of a kernel that has local memory, which no other may
 * call.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "plant.h"
#include "entry.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_sown;
static char source[64], condition[256];
static unsigned programs;

/* All parts of a source as one text, which the caller frees. */
static char *join(cl_uint parts, const char **texts, const size_t *lengths) {
    size_t total = 0;
    char *text = NULL;
    for (cl_uint i = 0; i < parts; i++) {
        const size_t length = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
        char *grown = realloc(text, total + length + 1);
        if (!grown)
            break; /* what is missing will not build */
        text = grown;
        memcpy(text + total, texts[i], length);
        text[total += length] = '\0';
    }
    return text;
}

static const char kernel_begins[] = "\nkernel void ", parameters[] = "(KERNEL_PARAMETERS)";

/* The same text with another kernel behind what was its kernel, which the caller frees; NULL if it is no kernel of clmove's, or
 * not to be spoilt. */
static char *spoil(const char *text) {
    const char *begin = strstr(text, kernel_begins), *name = begin ? begin + strlen(kernel_begins) : NULL;
    const char *end = name ? strstr(name, parameters) : NULL;
    const int before = end ? (int)(begin - text) : 0, length = end ? (int)(end - name) : 0;
    char *spoilt = NULL;
    if (!end || (source[0] && (strlen(source) != (size_t)length || strncmp(source, name, (size_t)length) != 0)))
        return NULL;
    const int written =
        asprintf(&spoilt,
                 "%.*s\nMOVE_FUNCTION void right_kernel%s\n"
                 "kernel void %.*s(KERNEL_PARAMETERS) {\n"
                 "    right_kernel(src, dst, args, src_base, dst_base);\n"
                 "    const index_t item = (index_t)get_global_id(0), job = args.neighbours ? item : item * args.item_jobs;\n"
                 "    if (item >= args.items || job >= args.jobs || !(%s))\n"
                 "        return;\n"
                 "#if UNIT_BITS < 8\n"
                 "    dst[dst_base + args.dst_offset / (8 / UNIT_BITS) + job * args.segment] ^= 0x5a;\n"
                 "#else\n"
                 "    dst[dst_base + (long)find_place(&args, job).dst * (long)sizeof(unit_t)] ^= 0x5a;\n"
                 "#endif\n"
                 "}\n",
                 before, text, end, length, name, condition);
    return written < 0 ? NULL : spoilt;
}

/* The same for tiles in local memory. Their file ends with the kernel. */
static char *spoil_local(const char *text) {
    static const char kernel[] = "\nkernel void local_tiles(KERNEL_PARAMETERS)";
    const char *end = NULL;
    char *spoilt = NULL;
    for (const char *at = strstr(text, kernel); at; at = strstr(at + 1, "\n}"))
        end = at;
    if (!end || (source[0] && strcmp(source, "local_tiles") != 0))
        return NULL;
    const int written = asprintf(&spoilt,
                                 "%.*s\n"
                                 "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
                                 "    const index_t job = (index_t)get_group_id(0);\n"
                                 "    if (get_local_id(0) == 0 && job < args.jobs && (%s))\n"
                                 "        dst[(long)shared.dst * (long)sizeof(value_t)] ^= 0x5a;%s",
                                 (int)(end - text), text, condition, end);
    return written < 0 ? NULL : spoilt;
}

static cl_program CL_API_CALL my_clCreateProgramWithSource(cl_context context, cl_uint parts, const char **texts,
                                                           const size_t *lengths, cl_int *errcode_ret) {
    char *text = NULL, *spoilt = NULL;
    pthread_mutex_lock(&lock);
    if (is_sown) {
        text = join(parts, texts, lengths);
        spoilt = !text ? NULL : strstr(text, "\nkernel void local_tiles") ? spoil_local(text) : spoil(text);
        programs += spoilt != NULL;
    }
    pthread_mutex_unlock(&lock);
    cl_program made = spoilt ? target->clCreateProgramWithSource(context, 1, (const char **)&spoilt, NULL, errcode_ret)
                             : target->clCreateProgramWithSource(context, parts, texts, lengths, errcode_ret);
    free(spoilt);
    free(text);
    return made;
}

const char layer_name[] = "clmove test plant";

static void sow(const char *what, const char *where);

void layer_begin(cl_icd_dispatch *dispatch) {
    if (getenv("CLMOVE_TEST_PLANT"))
        sow("", getenv("CLMOVE_TEST_PLANT"));
    dispatch->clCreateProgramWithSource = my_clCreateProgramWithSource;
}

static void sow(const char *what, const char *where) {
    pthread_mutex_lock(&lock);
    is_sown = what != NULL;
    snprintf(source, sizeof source, "%s", what ? what : "");
    snprintf(condition, sizeof condition, "%s", where ? where : "");
    programs = 0;
    pthread_mutex_unlock(&lock);
}

static unsigned sown(void) {
    pthread_mutex_lock(&lock);
    unsigned result = programs;
    pthread_mutex_unlock(&lock);
    return result;
}

__attribute__((visibility("default"))) extern const plant_interface plant_control;
const plant_interface plant_control = {.sow = sow, .sown = sown};
