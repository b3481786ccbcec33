/* Reading tunings: lists key=value,key=value, and files of such lines below headers that name a class or a device.
 *
 *     # a comment
 *     [class cpu]
 *     segment_bytes = 32768
 *     [device NAME | DRIVER]
 *     max_streams = 16
 *
 * The library links no parser, so that the file has lines and not JSON. Nothing is skipped: a file that has another effect than
 * its author expects is worse than none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/tuning.h"
#include "host/settings/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const classes[CLM_CLASSES] = {"host", "cpu", "gpu"};

/* The keys of a class, or all with CLM_CLASSES: "a, b and c". */
static const char *name_keys(clm_tuning_class class, char text[256]) {
    int last = -1, length = 0;
    for (int i = 0; i < CLM_TUNING_COUNT; i++)
        if (class == CLM_CLASSES || clm_tuning_keys[i].built_in[class] != CLM_NO_KEY)
            last = i;
    for (int i = 0; i <= last; i++)
        if (class == CLM_CLASSES || clm_tuning_keys[i].built_in[class] != CLM_NO_KEY)
            length += snprintf(text + length, (size_t)(256 - length), "%s%s",
                               length == 0 ? ""
                               : i == last ? " and "
                                           : ", ",
                               clm_tuning_keys[i].name);
    return text;
}

/* Checks one key and its value, for a device of a class (CLM_CLASSES: any), and notes that the key was given. */
static clmove_status read_value(const char *where, clm_text name, clm_text text, clm_tuning_class class, int64_t most_local_size,
                                bool given[CLM_TUNING_COUNT], int *key, int64_t *value, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char names[256];
    clm_tuned limits = {.most_local_size = most_local_size};
    int which = 0;
    while (which < CLM_TUNING_COUNT && !clm_text_is(name, clm_tuning_keys[which].name))
        which++;
    REQUIRE(which < CLM_TUNING_COUNT, INVALID_ARGUMENT, "%s: there is no key \"%.*s\": there are %s", where, CLM_TEXT(name),
            name_keys(CLM_CLASSES, names));
    const clm_tuning_key *row = &clm_tuning_keys[which];
    REQUIRE(class == CLM_CLASSES || row->built_in[class] != CLM_NO_KEY, INVALID_ARGUMENT,
            "%s: %s means nothing to a device of class %s, which has %s", where, row->name, classes[class],
            name_keys(class, names));
    REQUIRE(!given[which], INVALID_ARGUMENT, "%s: %s is given twice", where, row->name);
    int64_t most = clm_tuning_most(&limits, which);
    REQUIRE(clm_text_number(text, value) && *value >= row->least && *value <= most, INVALID_ARGUMENT,
            "%s: %s is \"%.*s\", it must be a whole number from %" PRId64 " to %" PRId64, where, row->name, CLM_TEXT(text),
            row->least, most);
    given[which] = true;
    *key = which;
out:
    return status;
}

clmove_status clm_tuned_add_list(clm_tuned *tuned, const char *list, clmove_tuning_origin origin, const char *where,
                                 clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bool given[CLM_TUNING_COUNT] = {false};
    clm_text rest = {list, list ? strlen(list) : 0}, item, name, text;
    if (rest.length == 0)
        goto out;
    while (clm_text_next(&rest, ',', &item)) {
        int key = 0;
        int64_t value;
        REQUIRE(item.length > 0, INVALID_ARGUMENT, "%s: there is a comma without a key=value on both sides", where);
        REQUIRE(clm_text_cut(item, &name, &text), INVALID_ARGUMENT, "%s: \"%.*s\" is not key=value", where, CLM_TEXT(item));
        TRY(read_value(where, name, text, tuned->class, tuned->most_local_size, given, &key, &value, error));
        *clm_tuning_field(&tuned->values, key) = value;
        tuned->origins[key] = origin;
    }
out:
    return status;
}

/* ---- files ---- */

/* The class or device that a header names. */
typedef struct section {
    clm_tuning_class class; /* CLM_CLASSES: for one device */
    clm_text device;        /* NAME | DRIVER */
} section;

static clmove_status read_header(clm_text line, const char *where, section *found, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_text inside = clm_text_trim((clm_text){line.at + 1, line.length - 1});
    *found = (section){.class = CLM_CLASSES};
    bool is_whole = inside.length > 0 && inside.at[inside.length - 1] == ']';
    inside.length -= is_whole;
    inside = clm_text_trim(inside);
    if (is_whole && clm_span_take_word(&inside, "device")) {
        found->device = inside;
        goto out;
    }
    REQUIRE(is_whole && clm_span_take_word(&inside, "class"), INVALID_ARGUMENT,
            "%s: \"%.*s\" is no header: there are [class host], [class cpu], [class gpu] and [device NAME | DRIVER]", where,
            CLM_TEXT(line));
    for (int class = 0; class < CLM_CLASSES; class ++)
        if (clm_text_is(inside, classes[class]))
            found->class = (clm_tuning_class) class;
    REQUIRE(found->class != CLM_CLASSES, INVALID_ARGUMENT, "%s: there is no class \"%.*s\": there are host, cpu and gpu", where,
            CLM_TEXT(inside));
out:
    return status;
}

static bool is_same(const section *a, const section *b) {
    return a->class == b->class && (a->class != CLM_CLASSES || (a->device.length == b->device.length &&
                                                                memcmp(a->device.at, b->device.at, a->device.length) == 0));
}

/* Raises if an earlier line has the same header as line `number`. */
static clmove_status check_first(const section *found, clm_text text, int number, const char *where, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_text line;
    section other;
    for (int i = 1; i < number && clm_text_next(&text, '\n', &line); i++) {
        line = clm_text_trim(line);
        REQUIRE(line.length == 0 || line.at[0] != '[' || read_header(line, where, &other, NULL) != CLMOVE_OK ||
                    !is_same(found, &other),
                INVALID_ARGUMENT, "%s: the same header stands in line %d", where, i);
    }
out:
    return status;
}

/* Checks all of a file, and takes the values of the sections for this class, or of those for this device. */
static clmove_status read_file(clm_tuned *tuned, clm_text text, const char *path, clm_text device, bool for_device,
                               clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    bool given[CLM_TUNING_COUNT], is_headed = false;
    char where[224];
    section now = {.class = CLM_CLASSES};
    clm_text rest = text, line, name, value_text;
    for (int number = 1; clm_text_next(&rest, '\n', &line); number++) {
        line = clm_text_trim(line);
        if (line.length == 0 || line.at[0] == '#')
            continue;
        snprintf(where, sizeof where, "%.180s, line %d", path, number);
        if (line.at[0] == '[') {
            TRY(read_header(line, where, &now, error));
            TRY(check_first(&now, text, number, where, error));
            memset(given, 0, sizeof given);
            is_headed = true;
            continue;
        }
        REQUIRE(clm_text_cut(line, &name, &value_text), INVALID_ARGUMENT,
                "%s: \"%.*s\" is neither a header such as [class cpu] nor key = value", where, CLM_TEXT(line));
        REQUIRE(is_headed, INVALID_ARGUMENT, "%s: %.*s stands before the first header, such as [class cpu]", where,
                CLM_TEXT(name));
        bool is_ours = now.class == CLM_CLASSES && now.device.length == device.length &&
                       memcmp(now.device.at, device.at, device.length) == 0;
        int key = 0;
        int64_t value;
        TRY(read_value(where, name, value_text, is_ours ? tuned->class : now.class, is_ours ? tuned->most_local_size : INT64_MAX,
                       given, &key, &value, error));
        if (for_device ? is_ours : now.class == tuned->class) {
            int64_t most = clm_tuning_most(tuned, key); /* a class has many devices */
            *clm_tuning_field(&tuned->values, key) = value < most ? value : most;
            tuned->origins[key] = CLMOVE_TUNING_FILE;
        }
    }
out:
    return status;
}

clmove_status clm_tuned_add_file(clm_tuned *tuned, const char *text, size_t length, const char *path,
                                 const clmove_device_info *device, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char name[sizeof device->name + sizeof device->driver + 4];
    int written = snprintf(name, sizeof name, "%s%s%s", device->name, device->driver[0] ? " | " : "", device->driver);
    clm_text whole = clm_text_trim((clm_text){name, (size_t)written});
    TRY(read_file(tuned, (clm_text){text, length}, path, whole, false, error));
    TRY(read_file(tuned, (clm_text){text, length}, path, whole, true, error));
out:
    return status;
}
