/* This program once more, as fresh processes with caches of their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_START_PROCESS_H
#define CLMOVE_HOST_TOOLS_START_PROCESS_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>

enum { BENCH_FOLDER = PATH_MAX / 2 };

/* Makes a folder for temporary files. On false, here and below, a sentence has been printed. */
bool bench_folder_make(char folder[BENCH_FOLDER]);

/* Makes one in it, empty, for the caches of programs. */
bool bench_caches_make(const char *folder, const char *name, char made[BENCH_FOLDER]);

/* Removes a folder and all that is in it. */
void bench_folder_remove(const char *folder);

/* Runs this program with arguments, which end with NULL, and the caches of a folder, and waits for its end. Changes the
 * environment of this process. Returns the JSON value that it printed; NULL when it failed, and then it or this process has
 * printed a sentence. */
json_t *bench_process_run(char *const *arguments, const char *caches);

#endif
