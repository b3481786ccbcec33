/* Programs from disk: test_cached_programs LAYER.so, with OPENCL_LAYERS=LAYER.so
 *
 * The cache is forced on for POCL, which can give and take binaries as a GPU's driver does. Whatever is wrong with the file, the
 * folder or the driver, the bytes are right, the program is built from source, one line says why, and no OpenCL object and no
 * descriptor is left.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layer.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <clmove/opencl.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char base[] = "/tmp/clmove-test-XXXXXX"; /* XDG_CACHE_HOME */
static char folder[64];

static void empty_cache(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

/* How many files there are, and the path of one. */
static size_t find_file(char path[512]) {
    size_t count = 0;
    DIR *files = opendir(folder);
    for (struct dirent *it; files && (it = readdir(files));)
        if (strcmp(it->d_name, ".") != 0 && strcmp(it->d_name, "..") != 0) {
            snprintf(path, 512, "%s/%s", folder, it->d_name);
            count++;
        }
    if (files)
        closedir(files);
    return count;
}

/* Opens a device anew and goes all the way. built, loaded: programs from source and from disk; why: what the one line that is
 * logged mentions, NULL for none. */
static void travel(unsigned built, unsigned loaded, const char *why) {
    ASSERT_OK(journey_open(&way, "gpu", false), &way.error);
    ASSERT_OK(journey_plan(&way), &way.error);
    ASSERT_OK(journey_run(&way), &way.error);
    journey_check_bytes(&way);
    clmove_device_stats stats = stats_of(way.device);
    if (stats.programs_built != built || stats.programs_loaded != loaded)
        fail_msg("%d programs built and %d loaded, not %u and %u", (int)stats.programs_built, (int)stats.programs_loaded, built,
                 loaded);
    assert_int_equal(stats.kernels_run, 1);
    assert_int_equal(stats.host_runs, 0);
    assert_int_equal(way.logged, why != NULL);
    if (why) {
        assert_mentions(way.log_text, "program cache: ");
        assert_mentions(way.log_text, why);
    }
    journey_end(&way);
    check_no_object_left();
}

static int set_up(void **state) {
    (void)state;
    empty_cache();
    setenv("CLMOVE_PROGRAM_CACHE", "1", 1);
    setenv("XDG_CACHE_HOME", base, 1);
    faults->pretend(true, 0);
    return 0;
}

static void the_second_device_builds_nothing(void **state) {
    char path[512];
    (void)state;
    travel(1, 0, NULL); /* and no program more than the plan needs */
    assert_int_equal(find_file(path), 1);
    faults->arm("clCreateProgramWithSource", 1, CL_INVALID_OPERATION, true);
    travel(0, 1, NULL);
    travel(0, 1, NULL);
    assert_int_equal(faults->fired(), 0);
    assert_int_equal(find_file(path), 1);
}

/* What the compiler is told decides, not the name of the kernel: as a CPU the device has other options. */
static void another_program_is_another_file(void **state) {
    char path[512];
    (void)state;
    travel(1, 0, NULL);
    faults->pretend(false, 0);
    ASSERT_OK(journey_open(&way, "cpu", false), &way.error);
    ASSERT_OK(journey_plan(&way), &way.error);
    ASSERT_OK(journey_run(&way), &way.error);
    journey_check_bytes(&way);
    assert_int_equal(stats_of(way.device).programs_built, 1);
    assert_int_equal(stats_of(way.device).programs_loaded, 0);
    assert_int_equal(find_file(path), 2);
}

static void off_makes_no_file(void **state) {
    static const char *const values[] = {"0", "off", ""}; /* by itself it is off for POCL */
    char path[512];
    (void)state;
    for (int i = 0; i < 3; i++) {
        setenv("CLMOVE_PROGRAM_CACHE", values[i], 1);
        travel(1, 0, NULL);
        assert_int_equal(find_file(path), 0);
        assert_int_equal(access(folder, F_OK), -1);
    }
    setenv("CLMOVE_PROGRAM_CACHE", "perhaps", 1);
    ASSERT_FAILS(CLMOVE_INVALID_ARGUMENT, journey_open(&way, "gpu", true), &way.error);
    assert_mentions(way.error.text, "CLMOVE_PROGRAM_CACHE is \"perhaps\"");
    assert_null(way.device);
}

/* Changes one byte at a place, which counts from the end where it is negative. */
static void flip(const char *path, off_t at) {
    unsigned char byte;
    int file = open(path, O_RDWR);
    assert_true(file >= 0);
    off_t place = lseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    assert_true(pread(file, &byte, 1, place) == 1);
    byte ^= 4;
    assert_true(pwrite(file, &byte, 1, place) == 1);
    close(file);
}

static void damaged_files_are_replaced(void **state) {
    char path[512];
    struct stat about;
    (void)state;
    travel(1, 0, NULL);
    assert_int_equal(find_file(path), 1);
    flip(path, 7); /* the hash */
    travel(1, 0, "is damaged");
    travel(0, 1, NULL);
    flip(path, 8); /* the binary */
    travel(1, 0, "is damaged");
    travel(0, 1, NULL);
    flip(path, -1000);
    travel(1, 0, "is damaged");
    travel(0, 1, NULL);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(truncate(path, about.st_size - 1), 0);
    travel(1, 0, "is damaged");
    travel(0, 1, NULL);
    assert_int_equal(truncate(path, 0), 0);
    travel(1, 0, "0 bytes");
    travel(0, 1, NULL);
    assert_int_equal(chmod(path, 0666), 0);
    travel(1, 0, "by others");
    travel(0, 1, NULL);
    assert_int_equal(find_file(path), 1);
}

static void folders_that_cannot_be_used_are_no_harm(void **state) {
    (void)state;
    close(open(folder, O_CREAT | O_WRONLY, 0600)); /* a file where the folder should be: not even root can write there */
    travel(1, 0, folder);
    travel(1, 0, folder);
    assert_int_equal(unlink(folder), 0);
    setenv("XDG_CACHE_HOME", "/nonexistent/folder", 1);
    travel(1, 0, "/nonexistent/folder");
    unsetenv("XDG_CACHE_HOME");
    char home[512];
    snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : "/");
    setenv("HOME", "relative", 1);
    travel(1, 0, "neither XDG_CACHE_HOME nor HOME");
    setenv("HOME", home, 1);
}

/* The driver, or the next one that calls itself the same, does not take its binary, or takes it and has no kernel. */
static void refused_binaries_are_replaced(void **state) {
    static const struct {
        const char *call;
        int32_t code;
    } refusals[] = {{"clCreateProgramWithBinary", CL_INVALID_BINARY},
                    {"clCreateProgramWithBinary", CL_OUT_OF_HOST_MEMORY},
                    {"clBuildProgram", CL_BUILD_PROGRAM_FAILURE},
                    {"clCreateKernel", CL_INVALID_KERNEL_NAME}};
    (void)state;
    travel(1, 0, NULL);
    for (int i = 0; i < 4; i++) {
        faults->arm(refusals[i].call, 1, refusals[i].code, false);
        travel(1, 0, refusals[i].call);
        assert_int_equal(faults->fired(), 1);
        faults->disarm();
        travel(0, 1, NULL);
    }
    /* Nor does the source build: then the error is that of the source. */
    faults->arm("clBuildProgram", 1, CL_COMPILER_NOT_AVAILABLE, true);
    ASSERT_OK(journey_open(&way, "gpu", false), &way.error);
    ASSERT_FAILS(CLMOVE_BUILD_FAILED, journey_plan(&way), &way.error);
    assert_mentions(way.error.text, "does not build");
    assert_int_equal(faults->fired(), 2);
    faults->disarm();
    ASSERT_OK(journey_plan(&way), &way.error);
    ASSERT_OK(journey_run(&way), &way.error);
    journey_check_bytes(&way);
    assert_int_equal(stats_of(way.device).programs_loaded, 1);
}

static void drivers_without_binaries_are_no_harm(void **state) {
    char path[512];
    (void)state;
    for (unsigned nth = 1; nth <= 2; nth++) { /* its size, itself */
        faults->arm("clGetProgramInfo", nth, CL_OUT_OF_HOST_MEMORY, false);
        travel(1, 0, "gives no binary");
        assert_int_equal(faults->fired(), 1);
        assert_int_equal(find_file(path), 0);
    }
}

/* Whichever of the questions after what decides is not answered: its name, vendor, version, driver and extensions. */
static void devices_that_do_not_say_what_they_are_are_no_harm(void **state) {
    char path[512];
    int unsaid = 0;
    (void)state;
    for (unsigned nth = 1; nth <= 100; nth++) {
        faults->arm("clGetDeviceInfo", nth, CL_OUT_OF_HOST_MEMORY, false);
        const clmove_status status = journey_open(&way, "gpu", false);
        faults->disarm();
        if (status == CLMOVE_OK && way.logged && strstr(way.log_text, "does not say what it is")) {
            unsaid++;
            ASSERT_OK(journey_plan(&way), &way.error);
            ASSERT_OK(journey_run(&way), &way.error);
            journey_check_bytes(&way);
            assert_int_equal(stats_of(way.device).programs_built, 1);
            assert_int_equal(find_file(path), 0);
        }
        journey_end(&way);
    }
    assert_int_equal(unsaid, 5);
    check_no_object_left();
}

static int count_descriptors(void) {
    int count = 0;
    DIR *files = opendir("/proc/self/fd");
    while (files && readdir(files))
        count++;
    if (files)
        closedir(files);
    return count;
}

static void no_descriptor_is_left(void **state) {
    char path[512];
    (void)state;
    travel(1, 0, NULL);
    travel(0, 1, NULL);
    int before = count_descriptors();
    assert_true(before > 3);
    for (int i = 0; i < 5; i++) {
        travel(0, 1, NULL);
        assert_int_equal(find_file(path), 1);
        flip(path, -1);
        travel(1, 0, "is damaged");
        faults->arm("clCreateProgramWithBinary", 1, CL_INVALID_BINARY, false);
        travel(1, 0, "clCreateProgramWithBinary");
        faults->disarm();
    }
    assert_int_equal(count_descriptors(), before);
}

int main(int count, char **arguments) {
    static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, layer_clean_up)
        TEST(the_second_device_builds_nothing),
        TEST(another_program_is_another_file),
        TEST(off_makes_no_file),
        TEST(damaged_files_are_replaced),
        TEST(folders_that_cannot_be_used_are_no_harm),
        TEST(refused_binaries_are_replaced),
        TEST(drivers_without_binaries_are_no_harm),
        TEST(devices_that_do_not_say_what_they_are_are_no_harm),
        TEST(no_descriptor_is_left),
#undef TEST
    };
    int missing = layer_find("cached programs", "cpu", count, arguments);
    if (missing)
        return missing;
    if (!mkdtemp(base)) {
        fprintf(stderr, "cached programs: FAILED: mkdtemp\n");
        return EXIT_FAILURE;
    }
    snprintf(folder, sizeof folder, "%s/clmove", base);
    int failed = cmocka_run_group_tests_name("cached programs", tests, NULL, NULL);
    empty_cache();
    rmdir(base);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
