/* The file of one device, which is replaced whole.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/measured/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define HEADER "[device a b | 1]"
#define BODY "# new\nx = 1\n"

/* Below the header and what says who made it. */
static void expect_content(const char *path, const char *wanted) {
    char got[256] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    fclose(file);
    const char *lines = strchr(got + sizeof HEADER, '\n'), head[] = HEADER "\n# clmove ";
    assert_non_null(lines);
    assert_memory_equal(got, head, sizeof head - 1);
    assert_non_null(strstr(got, " test, 2"));
    assert_string_equal(lines + 1, wanted);
}

static void files_are_made_and_replaced_through_links(void **state) {
    (void)state;
    char folder[] = "/tmp/clmove-tune-XXXXXX", path[64], link[64];
    struct stat status;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(path, sizeof path, "%s/a/b/tuning.conf", folder);
    assert_true(measured_file_prepare(path, HEADER, ""));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(measured_file_stage(path, HEADER, "test", BODY));
    assert_int_not_equal(access(path, F_OK), 0); /* not before it is committed */
    assert_true(measured_file_end(path, true));
    expect_content(path, BODY);
    assert_true(measured_file_stage(path, HEADER, "test", "other = 1\n"));
    assert_false(measured_file_end(path, false));
    expect_content(path, BODY);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink(path, link), 0);
    assert_true(measured_file_stage(link, HEADER, "test", "y = 2\n"));
    assert_true(measured_file_end(link, true));
    expect_content(path, "y = 2\n");
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(unlink(path), 0);
    assert_false(measured_file_prepare(link, HEADER, "")); /* it leads nowhere now, and stays */
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(unlink(link), 0);
    snprintf(path, sizeof path, "%s/a/b", folder);
    assert_int_equal(rmdir(path), 0); /* nothing else was left in it */
    snprintf(path, sizeof path, "%s/a", folder);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* Renaming would put a file in the place of a device or a pipe. */
static void only_regular_files_are_replaced(void **state) {
    (void)state;
    char folder[] = "/tmp/clmove-tune-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(measured_file_prepare(path, HEADER, ""));
    assert_false(measured_file_prepare(folder, HEADER, ""));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing else was left in it */
}

/* The file is replaced whole. */
static void sections_of_others_are_not_lost(void **state) {
    (void)state;
    static const struct {
        const char *content;
        bool is_ours;
    } rows[] = {
        {"", true},
        {"# mine\nx = 1", true},
        {"\n \t" HEADER "  \r\nx = 1\n" HEADER, true},
        {HEADER "\nx = 1\n[class cpu]\n", false},
        {"[device a | 1]", false},
        {HEADER "\n  [device a b | 11]\n", false},
        {"[", false},
        {"# mine\nDear reader,\n", false},
    };
    char path[] = "/tmp/clmove-tune-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(ftruncate(descriptor, 0), 0);
        assert_int_equal(pwrite(descriptor, rows[i].content, strlen(rows[i].content), 0), strlen(rows[i].content));
        assert_int_equal(measured_file_prepare(path, HEADER, ""), rows[i].is_ours);
    }
    assert_int_equal(ftruncate(descriptor, 0), 0);
    assert_false(measured_file_prepare(path, "[device a\nb | 1]", "")); /* no line could name it */
    assert_int_equal(close(descriptor), 0);
    assert_int_equal(unlink(path), 0);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_made_and_replaced_through_links),
        cmocka_unit_test(only_regular_files_are_replaced),
        cmocka_unit_test(sections_of_others_are_not_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
