/* A driver whose compiler takes its time, as long as CLMOVE_TEST_BUILD_SECONDS says, or a test (slow_build.h). First it makes the
 * file that CLMOVE_TEST_BUILD_BEGUN names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "slow_build.h"
#include "entry.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATIENCE = 60 }; /* seconds, for a test that would never end otherwise */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_held, is_late, has_given_up;
static char wanted[64];
static cl_int code_then;
static unsigned count;

/* Waits for a change, with the lock held. False: the time is over. */
static bool wait_until(const struct timespec *end) {
    return pthread_cond_timedwait(&changed, &lock, end) != ETIMEDOUT;
}

static struct timespec end_of_patience(void) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE;
    return end;
}

/* Holds a call if it is to be held; whether it was. code: what it returns then, unless that is CL_SUCCESS. */
static bool hold_call(bool late, const char *options, cl_int *code) {
    const struct timespec end = end_of_patience();
    pthread_mutex_lock(&lock);
    const bool mine = is_held && late == is_late && options && strstr(options, wanted);
    if (mine) {
        *code = code_then;
        count++;
        pthread_cond_broadcast(&changed);
        while (is_held && !has_given_up)
            has_given_up = !wait_until(&end);
    }
    pthread_mutex_unlock(&lock);
    return mine;
}

static cl_int CL_API_CALL my_clBuildProgram(cl_program program, cl_uint devices, const cl_device_id *list, const char *options,
                                            void(CL_CALLBACK *notify)(cl_program, void *), void *user) {
    const char *given = getenv("CLMOVE_TEST_BUILD_SECONDS"), *sign = getenv("CLMOVE_TEST_BUILD_BEGUN");
    FILE *made = sign ? fopen(sign, "we") : NULL;
    if (made)
        fclose(made);
    struct timespec left = {.tv_sec = given ? strtol(given, NULL, 10) : 60};
    cl_int code = CL_SUCCESS;
    if (!hold_call(false, options, &code))
        while (nanosleep(&left, &left) != 0 && errno == EINTR)
            ;
    return code != CL_SUCCESS ? code : target->clBuildProgram(program, devices, list, options, notify, user);
}

static cl_int CL_API_CALL my_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint rank, const size_t *offset,
                                                    const size_t *global, const size_t *local, WAITS) {
    cl_program program;
    cl_device_id device;
    char options[256] = "";
    cl_int code = CL_SUCCESS;
    if (target->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof program, (void *)&program, NULL) == CL_SUCCESS &&
        target->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, (void *)&device, NULL) == CL_SUCCESS &&
        target->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, NULL) == CL_SUCCESS)
        hold_call(true, options, &code);
    return code != CL_SUCCESS
               ? code
               : target->clEnqueueNDRangeKernel(queue, kernel, rank, offset, global, local, waits, wait_list, event);
}

const char layer_name[] = "clmove test slow build";

void layer_begin(cl_icd_dispatch *dispatch) {
    dispatch->clBuildProgram = my_clBuildProgram;
    dispatch->clEnqueueNDRangeKernel = my_clEnqueueNDRangeKernel;
}

static void hold(const char *options, bool late, int32_t code) {
    pthread_mutex_lock(&lock);
    is_held = true;
    is_late = late;
    has_given_up = false;
    snprintf(wanted, sizeof wanted, "%s", options);
    code_then = code;
    count = 0;
    pthread_mutex_unlock(&lock);
}

static bool await(void) {
    const struct timespec end = end_of_patience();
    pthread_mutex_lock(&lock);
    while (count == 0 && wait_until(&end))
        ;
    const bool came = count > 0;
    pthread_mutex_unlock(&lock);
    return came;
}

static void let_go(void) {
    pthread_mutex_lock(&lock);
    is_held = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static unsigned held(void) {
    pthread_mutex_lock(&lock);
    const unsigned result = count;
    pthread_mutex_unlock(&lock);
    return result;
}

static bool gave_up(void) {
    pthread_mutex_lock(&lock);
    const bool result = has_given_up;
    pthread_mutex_unlock(&lock);
    return result;
}

__attribute__((visibility("default"))) extern const slow_build_interface slow_build_control;
const slow_build_interface slow_build_control = {
    .hold = hold, .await = await, .let_go = let_go, .held = held, .gave_up = gave_up};
