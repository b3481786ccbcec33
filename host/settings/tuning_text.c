/* Reading tunings: lists key=value,key=value, and files of such lines below headers that name a class or a device.
 *
 *     # a comment
 *     [class cpu]
 *     segment_bytes = 32768
 *     [device NAME | DRIVER]
 *     max_streams = 16
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/plan/tuning.h"
#include "host/settings/ini.h"

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

/* Who reads a file, and for whom the lines are that come next. */
typedef struct reader {
    clm_tuned *tuned;
    const clmove_device_info *device;
    clm_tuning_class class; /* CLM_CLASSES: for one device, ours or another */
    bool is_ours, is_found;
    bool given[CLM_CLASSES + 2][CLM_TUNING_COUNT]; /* to each class, to our device, and to another one that is read */
} reader;

static clmove_status read_header(reader *it, const clm_ini_line *line, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_text inside = line->header;
    it->class = CLM_CLASSES;
    it->is_ours = clm_ini_is_device(inside, it->device);
    it->is_found |= it->is_ours;
    memset(it->given[CLM_CLASSES + 1], 0, sizeof it->given[0]);
    if (clm_text_take_word(&inside, "device"))
        goto out;
    REQUIRE(clm_text_take_word(&inside, "class"), INVALID_ARGUMENT,
            "%s: \"[%.*s]\" is no header: there are [class host], [class cpu], [class gpu] and [device NAME | DRIVER]",
            line->where, CLM_TEXT(line->header));
    for (int class = 0; class < CLM_CLASSES; class ++)
        if (clm_text_is(inside, classes[class]))
            it->class = (clm_tuning_class) class;
    REQUIRE(it->class != CLM_CLASSES, INVALID_ARGUMENT, "%s: there is no class \"%.*s\": there are host, cpu and gpu",
            line->where, CLM_TEXT(inside));
out:
    return status;
}

/* All of a file is checked, and the values for the class and for the device are taken. */
static clmove_status take_line(void *user, const clm_ini_line *line, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    reader *it = user;
    clm_tuned *tuned = it->tuned;
    int key = 0;
    int64_t value;
    REQUIRE(line->header.at, INVALID_ARGUMENT, "%s: %.*s stands before the first header, such as [class cpu]", line->where,
            CLM_TEXT(line->key));
    if (!line->key.at) {
        TRY(read_header(it, line, error));
        goto out;
    }
    TRY(read_value(line->where, line->key, line->value, it->is_ours ? tuned->class : it->class,
                   it->is_ours ? tuned->most_local_size : INT64_MAX,
                   it->given[it->class == CLM_CLASSES && !it->is_ours ? CLM_CLASSES + 1 : it->class], &key, &value, error));
    if (it->is_ours || (it->class == tuned->class && !it->given[CLM_CLASSES][key])) {
        int64_t most = clm_tuning_most(tuned, key); /* a class is of many devices */
        *clm_tuning_field(&tuned->values, key) = value < most ? value : most;
        tuned->origins[key] = CLMOVE_TUNING_FILE;
    }
out:
    return status;
}

clmove_status clm_tuned_add_file(clm_tuned *tuned, const char *text, size_t length, const char *path,
                                 const clmove_device_info *device, bool is_own, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char name[CLM_INI_DEVICE];
    reader it = {.tuned = tuned, .device = device};
    TRY(clm_ini_read(text, length, path, take_line, &it, error));
    REQUIRE(it.is_found || !is_own, INVALID_ARGUMENT, "%.200s has no section [device %s]", path, clm_ini_device(device, name));
out:
    return status;
}
