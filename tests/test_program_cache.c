/* Program binaries on disk: what is read is what was written, whatever happened to the file in between.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cache_bed.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void what_was_stored_is_loaded(void **state) {
    char path[1200];
    struct stat about;
    (void)state;
    expect_miss("");
    store();
    expect_hit();
    assert_int_equal(find_file(path), 1);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    assert_int_equal(stat(cache.folder, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0700);
    binary_data[0]++; /* in its place */
    store();
    expect_hit();
    assert_int_equal(find_file(path), 1);
    key = clm_cache_key(0, "b key");
    expect_miss("");
    key = clm_cache_key(0, "a ke");
    expect_miss("");
    key = clm_cache_key(0, "a key");
    expect_hit();
}

/* Which texts, and which of them is which. */
static void every_text_is_of_the_key(void **state) {
    static const char *const lists[][3] = {{"", "", ""},    {"ab", "c", ""}, {"a", "bc", ""}, {"abc", "", ""}, {"", "abc", ""},
                                           {"", "", "abc"}, {"c", "ab", ""}, {"abd", "", ""}, {"abc", " ", ""}};
    enum { LISTS = sizeof lists / sizeof *lists };
    uint64_t keys[LISTS + 2] = {0, clm_cache_key(0, "")};
    (void)state;
    for (int i = 0; i < LISTS; i++) {
        for (int k = 0; k < 3; k++)
            keys[i + 2] = clm_cache_key(keys[i + 2], lists[i][k]);
        for (int j = 0; j < i + 2; j++)
            assert_int_not_equal(keys[i + 2], keys[j]);
    }
}

/* A file under the name of another. */
static void a_file_is_of_one_key(void **state) {
    char path[1200], other[1200];
    (void)state;
    store();
    assert_int_equal(find_file(path), 1);
    key = clm_cache_key(0, "another key");
    snprintf(other, sizeof other, "%s/%016jx.program", cache.folder, (uintmax_t)key);
    assert_int_equal(rename(path, other), 0);
    expect_miss("damaged");
}

static void every_byte_counts(void **state) {
    char path[1200];
    (void)state;
    store();
    assert_int_equal(find_file(path), 1);
    int file = open(path, O_RDWR);
    assert_true(file >= 0);
    off_t bytes = lseek(file, 0, SEEK_END);
    for (off_t at = 0; at < bytes; at++) {
        unsigned char byte, flipped;
        assert_int_equal(pread(file, &byte, 1, at), 1);
        flipped = (unsigned char)(byte ^ (1 << at % 8));
        assert_int_equal(pwrite(file, &flipped, 1, at), 1);
        expect_miss("damaged");
        assert_int_equal(pwrite(file, &byte, 1, at), 1);
    }
    expect_hit();
    assert_int_equal(pwrite(file, "x", 1, bytes), 1); /* one more */
    expect_miss("damaged");
    for (off_t length = bytes - 1; length >= 0; length--) {
        assert_int_equal(ftruncate(file, length), 0);
        expect_miss(path);
    }
    close(file);
    store();
    expect_hit();
}

static void only_a_file_of_ones_own_is_read(void **state) {
    char path[1200], elsewhere[1300];
    (void)state;
    store();
    assert_int_equal(find_file(path), 1);
    assert_int_equal(chmod(path, 0620), 0);
    expect_miss("by others");
    assert_int_equal(chmod(path, 0602), 0);
    expect_miss("by others");
    assert_int_equal(chmod(path, 0600), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
        expect_miss("by others");
        assert_int_equal(chown(path, 0, (gid_t)-1), 0);
    }
    expect_hit();
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", home);
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    expect_miss("cannot be read");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_miss("is not a file");
    store(); /* each of them is replaced */
    expect_hit();
}

/* A file of a name, so large and so old. It takes no space on the disk. */
static void make_file(const char *name, off_t bytes, time_t age, char path[1200]) {
    snprintf(path, 1200, "%s/%s", cache.folder, name);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    struct timespec times[2] = {{.tv_sec = time(NULL) - age}, {.tv_sec = time(NULL) - age}};
    assert_true(file >= 0 && ftruncate(file, bytes) == 0 && futimens(file, times) == 0);
    close(file);
}

static void the_oldest_go_first(void **state) {
    enum { MIB = 1 << 20 };
    char oldest[1200], old[1200], unfinished[1200], recent[1200], foreign[1200], used[1200];
    (void)state;
    store();
    assert_int_equal(find_file(used), 1);
    make_file(".new-abcdef", 20 * MIB, 500, unfinished);
    make_file("00000000000000aa.program", 10 * MIB, 400, oldest);
    make_file("00000000000000bb.program", 14 * MIB, 300, old);
    make_file("00000000000000cc.program", 19 * MIB, 100, recent);
    make_file("notes.program", 200 * MIB, 900, foreign);
    struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    assert_int_equal(utimensat(AT_FDCWD, used, long_ago, 0), 0);
    expect_hit(); /* that it was used makes it young again */
    const uint64_t first = key;
    key = clm_cache_key(0, "second");
    store();
    expect_hit();
    assert_int_equal(access(oldest, F_OK), 0); /* 63 MiB: all stay */
    assert_int_equal(access(unfinished, F_OK), 0);

    make_file("00000000000000dd.program", 2 * MIB, 50, recent);
    key = clm_cache_key(0, "third");
    store();
    assert_int_equal(access(unfinished, F_OK), -1); /* 65 MiB: the oldest goes */
    assert_int_equal(access(oldest, F_OK), 0);
    make_file("00000000000000ee.program", 35 * MIB, 40, recent);
    key = clm_cache_key(0, "fourth");
    store(); /* 80 MiB: the two oldest go */
    assert_int_equal(access(oldest, F_OK), -1);
    assert_int_equal(access(old, F_OK), -1);
    assert_int_equal(access(recent, F_OK), 0);
    assert_int_equal(access(foreign, F_OK), 0); /* no business of ours */
    expect_hit();
    key = first;
    expect_hit();

    clm_binary large = {calloc(17, MIB), 17 * MIB};
    assert_false(clm_cache_store(&cache, key, large, why));
    assert_mentions(why, "more than is kept");
    free(large.data);
    expect_hit();
}

/* Reads and writes one key for a while, from one of several threads of several processes. What is read is one of the two binaries
 * that are written, whole. Returns NULL when that was so. */
static void *work(void *argument) {
    enum { ROUNDS = 150 };
    unsigned char data[2][20000];
    char reason[CLM_CACHE_WHY];
    memset(data[0], 1, sizeof data[0]);
    memset(data[1], 2, sizeof data[1]);
    const size_t sizes[2] = {20000, 12345};
    for (int i = 0; i < ROUNDS; i++) {
        clm_binary got = {0};
        int which = (i + (argument != NULL)) % 2;
        if (!clm_cache_store(&cache, key, (clm_binary){data[which], sizes[which]}, reason) ||
            !clm_cache_load(&cache, key, &got, reason))
            return "not stored or not loaded";
        int found = got.data[0] == 2;
        bool same = got.size == sizes[found] && memcmp(got.data, data[found], got.size) == 0;
        free(got.data);
        if (!same)
            return "torn";
    }
    return NULL;
}

static void many_may_use_it_at_once(void **state) {
    enum { PROCESSES = 3, THREADS = 3 };
    pid_t children[PROCESSES];
    char path[1200];
    (void)state;
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        assert_true(children[p] >= 0);
        if (children[p] == 0) {
            pthread_t threads[THREADS];
            void *result;
            int failures = 0;
            for (int t = 0; t < THREADS; t++)
                failures += pthread_create(&threads[t], NULL, work, t % 2 ? &cache : NULL) != 0;
            for (int t = 0; t < THREADS && failures == 0; t++)
                failures += pthread_join(threads[t], &result) != 0 || result != NULL;
            _exit(failures != 0);
        }
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status = -1;
        assert_int_equal(waitpid(children[p], &status, 0), children[p]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(find_file(path), 1);
}

static int count_descriptors(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static void no_descriptor_is_left_open(void **state) {
    int before = count_descriptors();
    assert_true(before > 3);
    what_was_stored_is_loaded(state);
    only_a_file_of_ones_own_is_read(state);
    the_oldest_go_first(state);
    assert_int_equal(count_descriptors(), before);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_was_stored_is_loaded, set_up),
        cmocka_unit_test_setup(every_text_is_of_the_key, set_up),
        cmocka_unit_test_setup(every_byte_counts, set_up),
        cmocka_unit_test_setup(a_file_is_of_one_key, set_up),
        cmocka_unit_test_setup(only_a_file_of_ones_own_is_read, set_up),
        cmocka_unit_test_setup(the_oldest_go_first, set_up),
        cmocka_unit_test_setup(many_may_use_it_at_once, set_up),
        cmocka_unit_test_setup(no_descriptor_is_left_open, set_up),
    };
    if (!mkdtemp(home)) {
        perror("program cache: FAILED: mkdtemp");
        return EXIT_FAILURE;
    }
    int failed = cmocka_run_group_tests_name("program cache", tests, NULL, NULL) + program_cache_folder_tests();
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", home);
    shell(command);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
