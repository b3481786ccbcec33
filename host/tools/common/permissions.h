/* The permissions of a file that replaces another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_COMMON_PERMISSIONS_H
#define CLMOVE_HOST_TOOLS_COMMON_PERMISSIONS_H

#include <stdbool.h>
#include <sys/stat.h>

/* Gives a new file that only its owner can open the owner, group, permissions and access control list of the one at path, whose
 * status is before. Where this process may not set all of them, the new file allows less: no user but its owner may do more with
 * it than with the old one. Set-user-ID and set-group-ID are not taken over. False: errno says why. */
bool permissions_take(int file, const char *path, const struct stat *before);

#endif
