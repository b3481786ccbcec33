/* Trying a kernel before anything is trusted to it: what is known of its program, and launches on memory that is nobody's.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_TRIAL_H
#define CLMOVE_HOST_OPENCL_TRIAL_H

#include "host/opencl/opencl.h"

/* What is known of a program, which all kernels of one key share. */
typedef enum clm_verdict { CLM_UNTRIED, CLM_RIGHT, CLM_WRONG } clm_verdict;

/* What is known of a kernel's program, once no other thread tests it. CLM_UNTRIED: the caller is to test it, and then to call
 * judge, with CLM_UNTRIED where the test came to nothing: the next one tries. Thread-safe, both. */
clm_verdict clm_opencl_kernel_verdict(clm_opencl_kernel *kernel);
void clm_opencl_kernel_judge(clm_opencl_kernel *kernel, clm_verdict verdict);

/* One launch: a movement that the kernel's program does, and the bytes at which its source and its destination begin. */
typedef struct clm_trial_launch {
    const clm_movement *movement;
    size_t src_base, dst_base;
} clm_trial_launch;

typedef struct clm_trial {
    const clm_trial_launch *launches; /* each of one launch only, none of which waits for another's bytes; the best first */
    size_t count, least;              /* so many at least, and more as far as the time that one takes lets expect */
    double seconds;                   /* that they take no longer than this */
    const void *src;
    size_t src_bytes;
    void *dst; /* what is there before, and then what is there afterwards */
    size_t dst_bytes;
} clm_trial;

/* Does the launches on memory and a queue of their own, with which no other work has to do, and returns when they are done and
 * everything but the queue is released. *done: how many of them, from the first on. What is kept for later may be given up for
 * the memory. No lock may be held that this needs: see clm_opencl_set_let_go. On failure dst is undefined. Thread-safe: trials of
 * one device do not wait for each other, as a driver may build a program when it is first launched. */
clmove_status clm_opencl_try(clm_opencl_kernel *kernel, const clm_trial *trial, size_t *done, clmove_error *error);

#endif
