/* What a system would still give, read from made-up ones, and how budgets are written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "support.h"

#include "host/device/budget.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char folder[] = "/tmp/clmove-test-XXXXXX";
static char root[512];

/* Writes a file of the made-up system, and the folders above it. */
static void put(const char *path, const char *text) {
    char whole[1024];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *at = whole + strlen(folder) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        if (mkdir(whole, 0777) != 0 && errno != EEXIST)
            fail_msg("%s: %s", whole, strerror(errno));
        *at = '/';
    }
    FILE *file = fopen(whole, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        fail_msg("%s: %s", whole, strerror(errno));
}

/* Another system each time. */
static void start(const char *name) {
    snprintf(root, sizeof root, "%s/%s", folder, name);
    put("/proc/self/status", "Name: nobody\n");
}

static void expect_left(uint64_t bytes) {
    uint64_t left = clm_host_memory_left(root);
    if (left != bytes)
        fail_msg("%s: %llu bytes are left instead of %llu", root, (unsigned long long)left, (unsigned long long)bytes);
}

static void nothing_is_known(void **state) {
    (void)state;
    start("nothing");
    expect_left(UINT64_MAX);
    put("/proc/meminfo", "MemTotal: 100 kB\n");
    put("/proc/self/cgroup", "0::/here\n");
    expect_left(UINT64_MAX);
    put("/proc/self/mountinfo", "broken\n1 2 0:3 / /groups rw - cgroup2 none rw\n"); /* but there is no group below */
    expect_left(UINT64_MAX);
}

static void the_system_has_so_much(void **state) {
    (void)state;
    start("available");
    put("/proc/meminfo", "MemTotal:       24684092 kB\nMemFree: 1 kB\nMemAvailable:     21672 kB\nBuffers: 5 kB\n");
    expect_left(21672 * 1024);
}

static void groups_of_version_2_are_walked(void **state) {
    (void)state;
    start("version2");
    put("/proc/meminfo", "MemAvailable: 1000000 kB\n");
    put("/proc/self/cgroup", "0::/outer/inner\n");
    put("/proc/self/mountinfo", "31 23 0:28 / /sys rw - sysfs sysfs rw\n41 31 0:38 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 "
                                "cgroup2 rw,nsdelegate\n");
    put("/sys/fs/cgroup/memory.stat", "inactive_file 0\n"); /* the outermost has no limit file */
    put("/sys/fs/cgroup/outer/inner/memory.max", "max\n");
    put("/sys/fs/cgroup/outer/inner/memory.current", "5000\n");
    expect_left(1024000000);
    put("/sys/fs/cgroup/outer/memory.max", "100000\n");
    put("/sys/fs/cgroup/outer/memory.current", "40000\n");
    expect_left(60000);
    put("/sys/fs/cgroup/outer/memory.stat", "anon 100\nfile 7000\ninactive_file 5000\n"); /* can be taken back */
    expect_left(65000);
    put("/sys/fs/cgroup/outer/inner/memory.max", "6000\n");
    expect_left(1000);
    put("/sys/fs/cgroup/outer/inner/memory.current", "7000\n"); /* above its limit, for a moment */
    expect_left(0);
}

static void groups_of_version_1_are_walked(void **state) {
    (void)state;
    start("version1");
    put("/proc/self/cgroup", "4:cpu,cpuacct:/elsewhere\n3:hugetlb,memory:/jobs/one\n0::/\n");
    put("/proc/self/mountinfo", "35 31 0:32 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
                                "36 31 0:33 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,hugetlb,memory\n"
                                "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes", "9223372036854771712\n"); /* none */
    put("/sys/fs/cgroup/memory/jobs/one/memory.usage_in_bytes", "1000\n");
    expect_left(UINT64_MAX);
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "500000\n");
    put("/sys/fs/cgroup/memory/memory.stat", "inactive_file 400000\ntotal_inactive_file 100000\n");
    expect_left(1600000);
    put("/sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "3000\n");
    put("/sys/fs/cgroup/memory/jobs/memory.usage_in_bytes", "1000\n");
    expect_left(2000);
}

static void containers_see_their_own_group(void **state) {
    (void)state;
    start("container");
    put("/proc/self/cgroup", "5:memory:/docker/abc/sub\n");
    put("/proc/self/mountinfo", "36 31 0:33 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9000\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n");
    put("/sys/fs/cgroup/memory/sub/memory.limit_in_bytes", "4000\n");
    put("/sys/fs/cgroup/memory/sub/memory.usage_in_bytes", "1000\n");
    expect_left(3000);
    put("/proc/self/cgroup", "5:memory:/docker/abcd\n"); /* not below what is seen */
    expect_left(8000);
    start("namespace");
    put("/proc/self/cgroup", "0::/../other\n"); /* outside of its name space */
    put("/proc/self/mountinfo", "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/memory.max", "700\n");
    put("/sys/fs/cgroup/memory.current", "100\n");
    expect_left(600);
}

/* This one. */
static void a_real_system_has_memory(void **state) {
    (void)state;
    assert_true(clm_host_memory_left("") > 0);
}

static void numbers_of_bytes_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        /* 0: refused. */
        uint64_t bytes;
    } cases[] = {
        {"1", 1},
        {"4096", 4096},
        {"3K", 3 << 10},
        {"256M", 256 << 20},
        {"6G", (uint64_t)6 << 30},
        {"2T", (uint64_t)2 << 40},
        {"16777215T", (uint64_t)16777215 << 40},
        {"18446744073709551615", UINT64_MAX},
        {"", 0},
        {"0", 0},
        {"0G", 0},
        {"K", 0},
        {"-1", 0},
        {"+1", 0},
        {" 1", 0},
        {"1 ", 0},
        {"1k", 0},
        {"1t", 0},
        {"1P", 0},
        {"16777216T", 0},
        {"1KB", 0},
        {"1.5G", 0},
        {"18446744073709551616", 0},
        {"18446744073709551615K", 0},
        {"99999999999999999999999", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t bytes = 0;
        bool right = clm_parse_bytes(cases[i].text, &bytes);
        if (right != (cases[i].bytes > 0) || (right && bytes != cases[i].bytes))
            fail_msg("\"%s\" was read as %llu", cases[i].text, (unsigned long long)bytes);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known),
        cmocka_unit_test(the_system_has_so_much),
        cmocka_unit_test(groups_of_version_2_are_walked),
        cmocka_unit_test(groups_of_version_1_are_walked),
        cmocka_unit_test(containers_see_their_own_group),
        cmocka_unit_test(a_real_system_has_memory),
        cmocka_unit_test(numbers_of_bytes_are_read),
    };
    if (!mkdtemp(folder)) {
        perror("budget: FAILED: mkdtemp");
        return EXIT_FAILURE;
    }
    int failed = cmocka_run_group_tests_name("budget", tests, NULL, NULL);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "budget: %s is left behind\n", folder);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
