/* What the OpenCL loader asks of each layer: who it is, and which functions stand before those behind it. entry.c answers, with
 * what a layer gives here.
 *
 * Specification: cl_layer.h of the OpenCL headers, interface 1.00.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_TESTS_LAYER_ENTRY_H
#define CLMOVE_TESTS_LAYER_ENTRY_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>
#ifdef __ALTIVEC__ /* OpenCL's headers bring POWER's altivec.h, whose bool is a vector */
#undef bool
#define bool _Bool
#endif

/* The last parameters of a command. */
#define WAITS cl_uint waits, const cl_event *wait_list, cl_event *event

/* The functions behind the layer, once the loader has called it. */
extern const cl_icd_dispatch *target;

/* A layer's own: its name, and what it does first; dispatch is a copy of *target, to put its functions into. */
extern const char layer_name[];
void layer_begin(cl_icd_dispatch *dispatch);

#endif
