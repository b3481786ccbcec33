/* What is benchmarked: tasks with names, from the built-in list, from a file, or of growing size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_WORKLOADS_CASE_H
#define CLMOVE_HOST_TOOLS_WORKLOADS_CASE_H

#include "host/tools/common/chosen_device.h"
#include "host/tools/move/task_options.h"
#include "host/tools/npy/npy.h"

enum { BENCH_NAME = 64 };

typedef struct bench_case {
    char name[BENCH_NAME];
    task what;
    /* The result was reported. */
    bool reported;
} bench_case;

/* Owned by the caller; free cases. */
typedef struct bench_list {
    bench_case *cases;
    size_t count;
} bench_list;

/* So many cases, all zeros. On false, here and below, a sentence has been printed and there is nothing to free. */
bool bench_list_reserve(bench_list *list, size_t count);

/* The built-in list. */
bool bench_list_builtin(bench_list *list);

/* TTC's 57 permutations, ttc01 to ttc57. */
bool bench_list_ttc(bench_list *list);

/* One case. */
bool bench_list_single(bench_list *list, const bench_case *one);

/* Reads a JSON file of workloads; "-" is standard input. Every case of the list is legal for the library. */
bool bench_list_read(bench_list *list, const char *path);

/* One operation, no move, on float32, from 4 KiB to most bytes, at most 1 GiB, source and destination together, doubling. */
bool bench_list_sweep(bench_list *list, operation_kind kind, uint64_t most);

/* The name of a kind in files of workloads, such as space_to_depth. */
const char *bench_operation_name(operation_kind kind);

/* Writes a name for a task that has none: its operation and shape. */
void bench_name_task(const task *what, char name[BENCH_NAME]);

/* Writes the command line that repeats a case on an open device. more is appended, such as " --cold". */
enum { BENCH_REPEAT = TASK_STEPS_TEXT + 2 * SHAPE_TEXT + 512 };
void bench_repeat_text(const bench_case *one, const chosen_device *who, const char *more, char text[BENCH_REPEAT]);

#endif
