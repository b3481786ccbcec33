/* Where and when a command runs: on which queue, after which events, and who hears of its end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_OPENCL_ORDER_H
#define CLMOVE_HOST_OPENCL_ORDER_H

#include "host/opencl/driver.h"

struct clm_order {
    cl_command_queue queue;
    bool out_of_order; /* the queue is: what one call enqueues keeps its order by events */
    cl_uint waits;
    const cl_event *wait_list;
    cl_event *event; /* NULL, or where the event of the end goes */
};

#endif
