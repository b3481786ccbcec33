/* Words for a shell: a shell reads them back as they were, and those that need no quotes have none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/printable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void check_word(const char *text) {
    char command[512], read[256] = "";
    char *word = shell_word(text);
    assert_non_null(word);
    snprintf(command, sizeof command, "set -- %s && printf %%s \"$#:$1\"", word);
    FILE *shell = popen(command, "r");
    assert_non_null(shell);
    read[fread(read, 1, sizeof read - 1, shell)] = '\0';
    assert_int_equal(pclose(shell), 0);
    assert_memory_equal(read, "1:", 2);
    assert_string_equal(read + 2, text);
    free(word);
}

static void a_shell_reads_words_back(void **state) {
    (void)state;
    static const char *const texts[] = {"cpu",         "Intel(R) Xeon(R) Processor",
                                        "it's",        "'",
                                        "''",          "",
                                        " ",           "$HOME",
                                        "a\"b",        "a\\",
                                        "*",           "~",
                                        "a;b",         "a&b",
                                        "#",           "!",
                                        "caf\xc3\xa9", "a\nb",
                                        "`id`"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_word(texts[i]);
}

static void plain_words_have_no_quotes(void **state) {
    (void)state;
    static const char *const texts[] = {"cpu", "0", "gfx90a:sramecc+:xnack-", "pthread-skylake-avx512", "a.b/c_d,e=f@g%"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *word = shell_word(texts[i]);
        assert_non_null(word);
        assert_string_equal(word, texts[i]);
        free(word);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(a_shell_reads_words_back),
                                              cmocka_unit_test(plain_words_have_no_quotes)};
    return cmocka_run_group_tests_name("printable", tests, NULL, NULL) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
