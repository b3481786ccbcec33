/* How long this process's threads were ready to run and had no processor, because others had it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_MEASURED_PROCESSOR_WAIT_H
#define CLMOVE_HOST_TOOLS_MEASURED_PROCESSOR_WAIT_H

/* Nanoseconds of all threads that there are, since each began. 0 and 0 where the system does not tell. */
typedef struct processor_wait {
    double ran, waited;
} processor_wait;

processor_wait processor_wait_now(void);

/* The share of the time since then that threads waited: 0 for none of it, towards 1 for all. */
double processor_wait_share(processor_wait since);

#endif
