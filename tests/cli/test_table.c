/* A table and its JSON, made of one list of cells.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

/* What print writes on standard output. */
static const char *printed(table_part part, const table_cell *cells, size_t count) {
    static char text[1024];
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fflush(stdout), 0);
    int before = dup(STDOUT_FILENO);
    assert_true(before >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    assert_true(table_put(cells, count, part, NULL));
    fflush(stdout);
    assert_true(dup2(before, STDOUT_FILENO) >= 0);
    close(before);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void one_list_makes_both(void **state) {
    (void)state;
    const table_cell cells[] = {
        {"bytes", "BYTES", 3, 8, AS_BYTES(1230000)},
        {"name", "NAME", 1, -6, AS_TEXT("ab")},
        {"alone", AS_FLAG(true)},
        {NULL, "SHARED", 2, 6, AS_FLAG(false)},
        {"seconds", "TIME", 4, 7, AS_TIME(12.5e-6)},
        {"share", "SHARE", 5, 5, AS_PERCENT(0.125)},
        {"gain", "GAIN", 6, 7, AS_GAIN(-0.125)},
        {"rate", "RATE", 7, 4, AS_RATE(2)},
        {"runs", "RUNS", 8, 4, AS_COUNT(7), .shown = "seven"},
        {"list", AS_JSON(json_pack("[ii]", 1, 2))},
        {"nothing", "LAST", 9, 0, .kind = TABLE_NOTHING},
    };
    assert_string_equal(printed(TABLE_HEAD, TABLE_CELLS(cells)), "NAME   SHARED    BYTES    TIME SHARE    GAIN RATE RUNS LAST\n");
    assert_string_equal(printed(TABLE_ROW, TABLE_CELLS(cells)), "ab         no   1.2 MB 12.5 us 12.5%  -12.5% 2.00 seven -\n");
    json_t *list = json_array(), *object = table_json(TABLE_CELLS(cells) - 2); /* without the list, which is taken over once */
    assert_true(table_put(TABLE_CELLS(cells) - 2, TABLE_OBJECT, list));
    assert_true(json_array_size(list) == 1 && json_equal(json_array_get(list, 0), object));
    json_decref(object);
    json_decref(list);
    assert_string_equal(printed(TABLE_OBJECT, TABLE_CELLS(cells)),
                        "{\"bytes\":1230000,\"name\":\"ab\",\"alone\":true,\"seconds\":1.25e-5,\"share\":0.125,\"gain\":-0.125,"
                        "\"rate\":2.0,\"runs\":7,\"list\":[1,2]}\n");
}

static void what_is_not_known_says_so(void **state) {
    (void)state;
    const table_cell cells[] = {
        {"time", "A", 1, 0, AS_TIME(-1)},   {"rate", "B", 2, 0, AS_RATE(NAN)},  {"share", "C", 3, 0, AS_PERCENT(INFINITY)},
        {"count", "D", 4, 0, AS_COUNT(-1)}, {"bytes", "E", 5, 0, AS_BYTES(-1)}, {"gain", "F", 6, 0, AS_GAIN(NAN)},
        {"none", "G", 7, 0, AS_COUNT(0)},
    };
    assert_string_equal(printed(TABLE_ROW, TABLE_CELLS(cells)), "- - - - - - 0\n");
    assert_string_equal(printed(TABLE_OBJECT, TABLE_CELLS(cells)),
                        "{\"time\":null,\"rate\":null,\"share\":null,\"count\":null,\"bytes\":null,\"gain\":null,\"none\":0}\n");
}

/* A driver may say anything. */
static void texts_of_others_are_harmless(void **state) {
    (void)state;
    const table_cell cells[] = {
        {"a", "A", 1, 0, AS_TEXT("x\x1b[2J\x7f")},
        {"b", "B", 2, 0, AS_TEXT("\xff\xfey")},
        {"c", "C", 3, 0, AS_TEXT("c"), .shown = "\xe2\x80\xae"},
    };
    assert_string_equal(printed(TABLE_ROW, TABLE_CELLS(cells)), "x\\x1b[2J\\x7f \\xff\\xfey \\u202e\n");
    assert_string_equal(printed(TABLE_OBJECT, TABLE_CELLS(cells)), "{\"a\":\"x\\u001B[2J\\u007f\",\"b\":\"??y\",\"c\":\"c\"}\n");
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_list_makes_both),
        cmocka_unit_test(what_is_not_known_says_so),
        cmocka_unit_test(texts_of_others_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
