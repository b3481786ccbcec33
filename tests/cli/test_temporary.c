/* The file that is not left behind: one without a name and, built with CLMOVE_TEST_NAMED, one with a temporary name, as on a file
 * system that has no others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _FILE_OFFSET_BITS 64
#include <fcntl.h>

#ifdef CLMOVE_TEST_NAMED
#undef O_TMPFILE
#define O_TMPFILE O_DIRECTORY /* which, with O_RDWR, is refused as by a kernel that does not know it */
#endif
#include "host/tools/common/temporary.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cmocka.h>

#ifdef CLMOVE_TEST_NAMED
static const bool is_named = true;
#else
static const bool is_named = false;
#endif

static char work[64];

static int start(void **state) {
    (void)state;
    snprintf(work, sizeof work, "/tmp/clmove-temporary-XXXXXX");
    return mkdtemp(work) ? chdir(work) : -1;
}

static int finish(void **state) {
    (void)state;
    return chdir("/") != 0 || rmdir(work) != 0; /* nothing was left in it */
}

static int entries(void) {
    DIR *all = opendir(".");
    int count = -2;
    assert_non_null(all);
    while (readdir(all))
        count++;
    closedir(all);
    return count;
}

static void assert_holds(const char *path, const char *wanted) {
    char text[32] = "";
    int file = open(path, O_RDONLY);
    assert_true(file >= 0 && read(file, text, sizeof text - 1) >= 0);
    close(file);
    assert_string_equal(text, wanted);
}

static void put(const char *text) {
    int file = temporary_create("dst", 0640);
    assert_true(file > STDERR_FILENO);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    assert_int_equal(close(file), 0);
}

static void takes_its_name_in_one_step(void **state) {
    (void)state;
    struct stat status;
    umask(022);
    put("old");
    assert_int_equal(entries(), is_named);
    assert_int_equal(temporary_keep("dst"), 0);
    temporary_remove();
    assert_int_equal(stat("dst", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(status.st_nlink, 1);
    put("new");
    assert_holds("dst", "old");
    assert_int_equal(temporary_keep("dst"), 0);
    temporary_remove();
    assert_holds("dst", "new");
    assert_int_equal(entries(), 1);
    put("never");
    temporary_remove();
    assert_holds("dst", "new");
    put("never");
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(temporary_keep("folder"), -1);
    temporary_remove();
    assert_int_equal(rmdir("folder"), 0);
    assert_int_equal(unlink("dst"), 0);
    assert_int_equal(entries(), 0);
}

/* A child makes the file and waits for its end; returns when the file is there. */
static pid_t make_in_child(void) {
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        bool done = temporary_create("dst", 0600) >= 0 && write(ready[1], "", 1) == 1;
        for (int i = 0; done && i < 60; i++)
            sleep(1);
        _exit(99);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void end_child(pid_t child, int signal_number, int wanted) {
    int status = 0;
    assert_int_equal(kill(child, signal_number), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status), wanted);
}

static void goes_with_its_process(void **state) {
    (void)state;
    static const struct {
        int signal_number, status;
    } cases[] = {{SIGTERM, -SIGTERM}, {SIGINT, -SIGINT}, {SIGABRT, -SIGABRT}, {SIGBUS, STATUS_FAILED}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pid_t child = make_in_child();
        assert_int_equal(entries(), is_named);
        end_child(child, cases[i].signal_number, cases[i].status);
        assert_int_equal(entries(), 0);
    }
}

/* What no handler can remove, the next one does; and never what a process that lives is about to need. */
static void a_stale_one_is_removed(void **state) {
    (void)state;
    pid_t child = make_in_child(), other = make_in_child();
    assert_int_equal(entries(), 2 * is_named);
    end_child(child, SIGKILL, -SIGKILL);
    assert_int_equal(entries(), 2 * is_named);
    put("mine");
    assert_int_equal(entries(), 2 * is_named); /* this process' and the other child's */
    assert_int_equal(temporary_keep("dst"), 0);
    temporary_remove();
    assert_holds("dst", "mine");
    end_child(other, SIGKILL, -SIGKILL);
    put("mine again");
    temporary_remove();
    assert_int_equal(entries(), 1);
    assert_int_equal(unlink("dst"), 0);
}

/* Only files of ours that nobody holds. */
static void others_are_left_alone(void **state) {
    (void)state;
    static const char *const names_of_others[] = {".clmove-1-0.tmp.npy", ".clmove-1.tmp", ".clmove--0.tmp", "x.clmove-1-0.tmp"};
    int held_by_other = open(".clmove-5-0.tmp", O_RDWR | O_CREAT, 0600);
    assert_true(held_by_other >= 0);
    assert_int_equal(flock(held_by_other, LOCK_EX), 0);
    assert_int_equal(mkfifo(".clmove-2-0.tmp", 0600), 0);
    assert_int_equal(mkdir(".clmove-3-0.tmp", 0700), 0);
    assert_int_equal(symlink("target", ".clmove-4-0.tmp"), 0);
    close(open("target", O_RDWR | O_CREAT, 0600));
    for (size_t i = 0; i < 4; i++)
        close(open(names_of_others[i], O_RDWR | O_CREAT, 0600));
    close(open(".clmove-1-0.tmp", O_RDWR | O_CREAT, 0600));
    assert_int_equal(entries(), 10);
    put("mine");
    temporary_remove();
    assert_int_equal(entries(), 9);
    assert_int_equal(access(".clmove-1-0.tmp", F_OK), -1);
    close(held_by_other);
    assert_int_equal(unlink(".clmove-5-0.tmp") | unlink(".clmove-2-0.tmp") | rmdir(".clmove-3-0.tmp") |
                         unlink(".clmove-4-0.tmp") | unlink("target"),
                     0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(unlink(names_of_others[i]), 0);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(takes_its_name_in_one_step, start, finish),
        cmocka_unit_test_setup_teardown(goes_with_its_process, start, finish),
        cmocka_unit_test_setup_teardown(a_stale_one_is_removed, start, finish),
        cmocka_unit_test_setup_teardown(others_are_left_alone, start, finish),
    };
    return cmocka_run_group_tests_name(is_named ? "named" : "unnamed", tests, NULL, NULL);
}
