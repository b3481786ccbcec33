/* Who may do what with a file that takes the place of another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_PERMISSIONS_H
#define CLMOVE_HOST_TOOLS_COMMON_PERMISSIONS_H

#include <stdbool.h>
#include <sys/stat.h>

/* Gives a new file that only its owner can open the owner, group, permissions and access control list of the one at path, whose
 * status is before. What this process may not give is not made up for: nobody but the new owner may do more with the new file
 * than with the old one, and bits that let a program run as its owner or group are not taken over. False: errno says why. */
bool permissions_take(int file, const char *path, const struct stat *before);

#endif
