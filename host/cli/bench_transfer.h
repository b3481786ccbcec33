/* clmove bench --transfer: whether to move a tensor here and upload the result, or to upload it and move it there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_CLI_BENCH_TRANSFER_H
#define CLMOVE_CLI_BENCH_TRANSFER_H

#include "bench_run.h"

/* How. */
typedef struct bench_transfer_manner {
    bool as_json, is_cold;
    bool calibrates;  /* the device is calibrated first, although a file says how fast it is */
    const char *more; /* for bench_repeat_text */
} bench_transfer_manner;

/* Starts this program again, with the same command line of bench, unless OMP_WAIT_POLICY is set: to `passive`. OpenMP's threads
 * otherwise look for work for a while after the host executor's last, and so does the thread that waits for them; where the
 * device is a CPU they take the processor from its threads and from each other's. On 2 cores of an AMD EPYC (Zen 5) with POCL 3.1
 * every second run on the host then takes a slice of the scheduler's, 8 ms, instead of 1.7, 2026-11-21. OpenMP reads the variable
 * when it is loaded, so that this process cannot. No device may be open. */
void bench_transfer_calm(int argc, char **argv);

/* Measures the cases chosen on an open device, and prints what was found. Returns an exit status. */
int bench_transfer(const bench_choice *choice, const executor *who, const bench_manner *manner,
                   const bench_transfer_manner *transfer);

#endif
