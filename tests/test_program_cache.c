/* Program binaries on disk: what is read is what was written, whatever happened to the file in between.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/cache/cache.h"
#include "tests/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char home[] = "/tmp/clmove-test-XXXXXX"; /* emptied before each test */
static clm_cache cache;
static char why[CLM_CACHE_WHY];
static clmove_error error;
static unsigned char binary_data[3001];
static clm_binary binary = {binary_data, sizeof binary_data};
static uint64_t key;

static void shell(const char *command) {
    if (system(command) != 0)
        fail_msg("%s failed", command);
}

static void open_cache(void) {
    ASSERT_OK(clm_cache_open(&cache, true, why, &error), &error);
    assert_true(cache.is_on);
    assert_string_equal(why, "");
}

static int set_up(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s/* %s/.cache", home, home);
    shell(command);
    setenv("HOME", home, 1);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("CLMOVE_PROGRAM_CACHE");
    fill_noise(binary_data, sizeof binary_data, 3);
    open_cache();
    key = clm_cache_key(0, "a key");
    return 0;
}

/* The one file in the folder, and how many there are. */
static size_t find_file(char path[1200]) {
    size_t count = 0;
    DIR *folder = opendir(cache.folder);
    for (struct dirent *it; folder && (it = readdir(folder));)
        if (it->d_name[0] != '.' || it->d_name[1] == 'n') {
            snprintf(path, 1200, "%s/%.128s", cache.folder, it->d_name);
            count++;
        }
    if (folder)
        closedir(folder);
    return count;
}

static void store(void) {
    if (!clm_cache_store(&cache, key, binary, why))
        fail_msg("not stored: %s", why);
}

static void expect_hit(void) {
    clm_binary got = {0};
    if (!clm_cache_load(&cache, key, &got, why))
        fail_msg("not loaded: %s", why);
    assert_int_equal(got.size, binary.size);
    assert_memory_equal(got.data, binary.data, binary.size);
    assert_string_equal(why, "");
    free(got.data);
}

/* reason: what the sentence mentions; "" where nothing is wrong. */
static void expect_miss(const char *reason) {
    clm_binary got = {0};
    assert_false(clm_cache_load(&cache, key, &got, why));
    assert_null(got.data);
    assert_int_equal(*why == '\0', *reason == '\0');
    assert_mentions(why, reason);
}

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
    ASSERT_OK(clm_cache_open(&cache, true, why, &error), &error);
    assert_false(cache.is_on);
    assert_mentions(why, "1206 characters");
    unsetenv("XDG_CACHE_HOME");
    static const char *const homes[] = {NULL, "", "relative"};
    for (int i = 0; i < 3; i++) {
        if (homes[i])
            setenv("HOME", homes[i], 1);
        else
            unsetenv("HOME");
        ASSERT_OK(clm_cache_open(&cache, true, why, &error), &error);
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
    ASSERT_OK(clm_cache_open(&cache, is_needed, why, &error), &error);
    assert_int_equal(cache.is_on, on);
}

static void the_variable_decides_then_the_need(void **state) {
    static const char *const wrong[] = {"yes", "2", "On", " 1", "offf"};
    (void)state;
    for (int is_needed = 0; is_needed < 2; is_needed++) {
        expect_on("", is_needed, is_needed);
        expect_on("1", is_needed, true);
        expect_on("on", is_needed, true);
        expect_on("0", is_needed, false);
        expect_on("off", is_needed, false);
    }
    for (int i = 0; i < 5; i++) {
        setenv("CLMOVE_PROGRAM_CACHE", wrong[i], 1);
        ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, clm_cache_open(&cache, true, why, &error), &error);
        assert_mentions(error.text, wrong[i]);
        assert_mentions(error.text, "0 or off, 1 or on");
    }
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
        cmocka_unit_test_setup(the_folder_is_that_of_xdg, set_up),
        cmocka_unit_test_setup(folders_that_cannot_be_written_are_no_harm, set_up),
        cmocka_unit_test_setup(a_full_disk_is_no_harm, set_up),
        cmocka_unit_test_setup(the_variable_decides_then_the_need, set_up),
        cmocka_unit_test_setup(the_oldest_go_first, set_up),
        cmocka_unit_test_setup(many_may_use_it_at_once, set_up),
        cmocka_unit_test_setup(no_descriptor_is_left_open, set_up),
    };
    if (!mkdtemp(home)) {
        perror("program cache: FAILED: mkdtemp");
        return EXIT_FAILURE;
    }
    int failed = cmocka_run_group_tests_name("program cache", tests, NULL, NULL);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", home);
    shell(command);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
