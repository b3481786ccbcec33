/* The user's file of tunings, of which one device's section is replaced and all else stays as it is.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_TUNE_FILE_H
#define CLMOVE_HOST_TOOLS_TUNE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The text with the section of a header, which has no white space around it, replaced, or appended where there is none; others
 * with the same header go. A section ends with its last key: comments behind that belong to what follows. body: its lines, each
 * ended. The caller frees it; NULL: out of memory. */
char *tune_file_edit(const char *text, const char *header, const char *body);

/* Makes the folders above a file that is to be written, and makes sure that it can be. On false a sentence has been printed. */
bool tune_file_prepare(const char *path);

/* Writes the file, with the section replaced, beside the one that it will take the place of, which need not be there yet, nor its
 * folders. On false a sentence has been printed; on true tune_file_commit or tune_file_discard comes next. */
bool tune_file_stage(const char *path, const char *header, const char *body);

/* Gives the staged file its name in one step. On false a sentence has been printed, and the file is as it was. */
bool tune_file_commit(const char *path);

/* The file stays as it was. */
void tune_file_discard(void);

#endif
