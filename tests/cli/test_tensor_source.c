/* A source that changes after it was opened: what is known of the array is what its header said once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _FILE_OFFSET_BITS 64
#include <sys/mman.h>

#define mmap planted_mmap
static void *planted_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
#include "host/tools/npy/source.c"
#undef mmap

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/clmove-source-XXXXXX";
static const char DICTIONARY[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
enum { HEADER = 128, DATA = 24, PROLOGUE = 10 };

static int make(void **state) {
    char bytes[HEADER + DATA];
    (void)state;
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", PROLOGUE);
    memcpy(bytes + PROLOGUE, DICTIONARY, sizeof DICTIONARY - 1);
    bytes[HEADER - 1] = '\n';
    memset(bytes + HEADER, 7, DATA);
    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    int file = mkstemp(path);
    int failed = file < 0 || write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes;
    const struct timespec past[] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    failed |= futimens(file, past);
    close(file);
    return failed;
}

static int drop(void **state) {
    (void)state;
    return unlink(path);
}

static void overwrite(size_t at, const char *text) {
    int file = open(path, O_WRONLY);
    assert_int_equal(pwrite(file, text, strlen(text), (off_t)at), strlen(text));
    close(file);
}

static const char *planted; /* what the shape becomes when the file is mapped, or NULL */

static void *planted_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (planted)
        overwrite((size_t)(strstr(DICTIONARY, "(2") - DICTIONARY) + PROLOGUE, planted);
    return mmap(address, bytes, protection, flags, file, offset);
}

static void assert_as_it_was(const tensor_source *source) {
    const npy_header *header = &source->header;
    assert_int_equal(header->rank, 2);
    assert_int_equal(header->dims[0], 2);
    assert_int_equal(header->data_bytes, DATA);
    assert_string_equal(header->descr, "'<f4'");
}

static void a_header_is_read_once(void **state) {
    (void)state;
    tensor_source source;
    assert_true(tensor_source_open(&source, path));
    assert_true(tensor_source_check(&source));
    overwrite(PROLOGUE + strlen("{'descr': "), "'>i8'");
    assert_as_it_was(&source);
    assert_false(tensor_source_check(&source));
    tensor_source_close(&source);
}

/* The size that was checked is the one that is used: a larger shape would reach past what is mapped. */
static void a_header_that_changes_while_it_is_opened_is_read_once(void **state) {
    (void)state;
    tensor_source source;
    planted = "(9";
    bool is_open = tensor_source_open(&source, path);
    planted = NULL;
    assert_true(is_open);
    assert_int_equal(source.memory_bytes, HEADER + DATA);
    assert_as_it_was(&source);
    assert_false(tensor_source_check(&source));
    tensor_source_close(&source);
}

static void a_header_outlives_its_file(void **state) {
    (void)state;
    tensor_source source;
    assert_true(tensor_source_open(&source, path));
    assert_int_equal(truncate(path, 0), 0);
    assert_as_it_was(&source);
    assert_false(tensor_source_check(&source));
    tensor_source_close(&source);
}

static void a_longer_file_is_another(void **state) {
    (void)state;
    tensor_source source;
    assert_true(tensor_source_open(&source, path));
    overwrite(HEADER + DATA, "more");
    assert_false(tensor_source_check(&source));
    tensor_source_close(&source);
    assert_true(tensor_source_open(&source, path)); /* what follows the data is of no interest */
    assert_true(tensor_source_check(&source));
    tensor_source_close(&source);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_header_is_read_once, make, drop),
        cmocka_unit_test_setup_teardown(a_header_that_changes_while_it_is_opened_is_read_once, make, drop),
        cmocka_unit_test_setup_teardown(a_header_outlives_its_file, make, drop),
        cmocka_unit_test_setup_teardown(a_longer_file_is_another, make, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
