/* Who may open a file that takes the place of another, when another user makes it. Needs root, to be several users; exit status
 * 77 without.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/permissions.h"

#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { OWNER = 1000, GROUP = 1001, OTHER = 65534 };

typedef struct file_case {
    uid_t maker;
    /* The maker's groups. */
    gid_t group, further_group;
    mode_t before, after;
    uid_t owner_after;
    gid_t group_after;
} file_case;

static int replace(const file_case *it) {
    struct stat before;
    if (setgroups(1, &it->further_group) != 0 || setgid(it->group) != 0 || setuid(it->maker) != 0)
        return 1;
    int file = open("new", O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0 || stat("old", &before) != 0)
        return 2;
    return permissions_take(file, "old", &before) ? 0 : 3;
}

static void nobody_may_more_than_before(void **state) {
    (void)state;
    static const file_case cases[] = {
        {0, 0, 0, 06751, 0751, OWNER, GROUP},
        {OWNER, GROUP, GROUP, 07777, 0777, OWNER, GROUP},
        {OWNER, GROUP, GROUP, 0640, 0640, OWNER, GROUP},
        /* An owner of another group: neither may do what one might not. */
        {OWNER, OTHER, OTHER, 0640, 0600, OWNER, OTHER},
        {OWNER, OTHER, OTHER, 0646, 0644, OWNER, OTHER},
        {OWNER, OTHER, OTHER, 0664, 0644, OWNER, OTHER},
        {OWNER, OTHER, OTHER, 02666, 0666, OWNER, OTHER},
        /* One more of its groups is one's own to give. */
        {OWNER, OTHER, GROUP, 02640, 0640, OWNER, GROUP},
        {OTHER, OTHER, GROUP, 06674, 0664, OTHER, GROUP}, /* and may be one of the group */
        {OTHER, OTHER, OTHER, 04777, 0777, OTHER, OTHER},
        {OTHER, OTHER, OTHER, 0446, 0444, OTHER, OTHER}, /* the owner of before is one of the others now */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const file_case *it = &cases[i];
        struct stat after;
        int file = open("old", O_RDWR | O_CREAT | O_EXCL, 0600), status = 0;
        assert_true(file >= 0);
        assert_int_equal(fchown(file, OWNER, GROUP), 0);
        assert_int_equal(fchmod(file, it->before), 0);
        close(file);
        pid_t child = fork();
        if (child == 0)
            _exit(replace(it));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_int_equal(stat("new", &after), 0);
        if ((after.st_mode & 07777) != it->after || after.st_uid != it->owner_after || after.st_gid != it->group_after)
            fail_msg("case %zu: %o of %u:%u", i, (unsigned)after.st_mode & 07777, (unsigned)after.st_uid, (unsigned)after.st_gid);
        assert_int_equal(unlink("old") | unlink("new"), 0);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_may_more_than_before)};
    char folder[] = "/tmp/clmove-permissions-XXXXXX";
    if (geteuid() != 0)
        return 77;
    if (!mkdtemp(folder) || chmod(folder, 0777) != 0 || chdir(folder) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return chdir("/") != 0 || rmdir(folder) != 0 || failed;
}
