/* The file of one device that tune writes, and calibrate has the library write: replaced whole, in one step.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_MEASURED_FILE_H
#define CLMOVE_HOST_TOOLS_MEASURED_FILE_H

#include <stdbool.h>

/* Makes the folders above a file that is to be written. Checks that it can be written, and that it has comments, keys and this
 * header alone. none: why the path is "". On false a sentence has been printed. */
bool measured_file_prepare(const char *path, const char *header, const char *none);

/* Writes the header, a comment with the command and the day, and the lines below, each ended, to a file beside the one that it
 * will replace. On false a sentence has been printed; on true measured_file_end comes next. */
bool measured_file_stage(const char *path, const char *header, const char *command, const char *body);

/* Gives the staged file its name in one step, or removes it. On false it was not to be kept, or a sentence has been printed, and
 * the file is as it was. */
bool measured_file_end(const char *path, bool is_kept);

#endif
