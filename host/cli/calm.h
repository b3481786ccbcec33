/* Threads that wait quietly, for commands that measure the host and a device beside each other.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_CLI_CALM_H
#define CLMOVE_CLI_CALM_H

/* Starts this program again unless OMP_WAIT_POLICY is set: to `passive`. OpenMP's threads otherwise look for work for a while
 * after the host executor's last, and so does the thread that waits for them; where the device is a CPU they take the processor
 * from its threads and from each other's. On 2 cores of an AMD EPYC (Zen 5) with POCL 3.1 every second run on the host then takes
 * a slice of the scheduler's, 8 ms, instead of 1.7, 2026-11-21. OpenMP reads the variable when it is loaded, so that this process
 * cannot. argv: of the subcommand, its name first. No device may be open. */
void calm_threads(int argc, char **argv);

#endif
