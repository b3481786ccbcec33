/* Where program binaries are kept, and whether: the variables, and folders and disks that cannot be written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cache_bed.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect_folder(const char *wanted) {
    open_cache();
    assert_string_equal(cache.folder, wanted);
}

static void the_folder_is_that_of_xdg(void **state) {
    char wanted[128], name[1200];
    (void)state;
    snprintf(wanted, sizeof wanted, "%s/.cache/clmove", home);
    expect_folder(wanted);
    setenv("XDG_CACHE_HOME", "", 1);
    expect_folder(wanted);
    setenv("XDG_CACHE_HOME", "relative", 1);
    expect_folder(wanted);
    snprintf(name, sizeof name, "%s/xdg", home);
    setenv("XDG_CACHE_HOME", name, 1);
    snprintf(wanted, sizeof wanted, "%s/xdg/clmove", home);
    expect_folder(wanted);
    store();
    expect_hit();

    memset(name, 'n', sizeof name - 1);
    name[0] = '/', name[sizeof name - 1] = '\0';
    setenv("XDG_CACHE_HOME", name, 1);
    clm_cache_open(&cache, true, why);
    assert_false(cache.is_on);
    assert_mentions(why, "1206 characters");
    unsetenv("XDG_CACHE_HOME");
    static const char *const homes[] = {NULL, "", "relative"};
    for (int i = 0; i < 3; i++) {
        if (homes[i])
            setenv("HOME", homes[i], 1);
        else
            unsetenv("HOME");
        clm_cache_open(&cache, true, why);
        assert_false(cache.is_on);
        assert_mentions(why, "HOME");
    }
}

static void folders_that_cannot_be_written_are_no_harm(void **state) {
    char path[1200];
    struct rlimit before, small;
    (void)state;
    snprintf(path, sizeof path, "%s/.cache", home); /* a file where the folder should be */
    close(open(path, O_CREAT | O_WRONLY, 0600));
    expect_miss("cannot be read");
    assert_false(clm_cache_store(&cache, key, binary, why));
    assert_mentions(why, "cannot be made");
    assert_int_equal(unlink(path), 0);

    setenv("HOME", "/nonexistent/home", 1); /* the home of users who have none; it is not made, not even by root */
    open_cache();
    assert_false(clm_cache_store(&cache, key, binary, why));
    assert_mentions(why, "/nonexistent/home");
    assert_int_equal(access("/nonexistent", F_OK), -1);
    setenv("HOME", home, 1);
    open_cache();

    store();
    if (geteuid() != 0) { /* root may write anywhere */
        assert_int_equal(chmod(cache.folder, 0500), 0);
        binary_data[0]++;
        assert_false(clm_cache_store(&cache, key, binary, why));
        assert_mentions(why, "Permission denied");
        binary_data[0]--;
        assert_int_equal(chmod(cache.folder, 0700), 0);
    }
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000; /* to write beyond it would end this process */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool stored = clm_cache_store(&cache, key, binary, why);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(stored);
    assert_mentions(why, "may write");
    expect_hit();
    assert_int_equal(find_file(path), 1); /* nothing unfinished is left */
}

/* A disk that has room for one file of this size, not for two. Where nobody may mount one, this cannot be told. */
static void a_full_disk_is_no_harm(void **state) {
    char path[1200];
    int status = -1;
    (void)state;
    store();
    fflush(NULL);
    pid_t child = fork(); /* whose mounts are its own */
    assert_true(child >= 0);
    if (child == 0) {
        if ((unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
            mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("none", cache.folder, "tmpfs", 0, "size=8k,mode=700") != 0)
            _exit(EXIT_SKIPPED);
        bool right = clm_cache_store(&cache, key, binary, why);
        clm_binary large = {calloc(1, 6000), 6000}, got = {0};
        right = right && !clm_cache_store(&cache, key, large, why) && strstr(why, "No space left") && find_file(path) == 1;
        right = right && clm_cache_load(&cache, key, &got, why) && got.size == binary.size &&
                memcmp(got.data, binary.data, got.size) == 0;
        _exit(right ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == EXIT_SKIPPED)
        skip();
    assert_int_equal(WEXITSTATUS(status), EXIT_SUCCESS);
}

static void expect_on(const char *value, bool is_needed, bool on) {
    setenv("CLMOVE_PROGRAM_CACHE", value, 1);
    clm_cache_open(&cache, is_needed, why);
    assert_int_equal(cache.is_on, on);
}

static void the_variable_decides_then_the_need(void **state) {
    (void)state;
    for (int is_needed = 0; is_needed < 2; is_needed++) {
        expect_on("", is_needed, is_needed);
        expect_on("1", is_needed, true);
        expect_on("on", is_needed, true);
        expect_on("0", is_needed, false);
        expect_on("off", is_needed, false);
    }
}

int program_cache_folder_tests(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_folder_is_that_of_xdg, set_up),
        cmocka_unit_test_setup(folders_that_cannot_be_written_are_no_harm, set_up),
        cmocka_unit_test_setup(a_full_disk_is_no_harm, set_up),
        cmocka_unit_test_setup(the_variable_decides_then_the_need, set_up),
    };
    return cmocka_run_group_tests_name("program cache folder", tests, NULL, NULL);
}
