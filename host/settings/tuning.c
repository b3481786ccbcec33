/* Tunings from the built-in table, the user's files, the environment and the caller. Texts are lists key=value,key=value, and
 * files of such lines below headers that name a class or a device.
 *
 *     # a comment
 *     [class cpu]
 *     segment_bytes = 32768
 *     [device NAME | DRIVER]
 *     max_dst_rows = 16
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/settings/tuning.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const classes[CLM_CLASSES] = {"host", "cpu", "gpu"};

/* CLM_CLASSES: of any class. */
static bool has_key(clm_tuning_class class, int key) {
    return class == CLM_CLASSES || clm_tuning_keys[key].built_in[class] != CLM_NO_KEY;
}

/* The keys of a class: "a, b and c". */
static const char *name_keys(clm_tuning_class class, char text[256]) {
    int length = 0, before_last = 0, last = 0;
    for (int i = 0; i < CLM_TUNING_COUNT; i++) {
        if (!has_key(class, i))
            continue;
        last = i;
        before_last = length;
        length += snprintf(text + length, (size_t)(256 - length), "%s%s", length > 0 ? ", " : "", clm_tuning_keys[i].name);
    }
    snprintf(text + before_last, (size_t)(256 - before_last), " and %s", clm_tuning_keys[last].name);
    return text;
}

/* Checks one key and its value, for a device of the class and the largest work-group of whom, and notes that the key was given.
 */
static clmove_status read_value(const char *where, clm_text name, clm_text text, const clm_tuned *whom,
                                bool given[CLM_TUNING_COUNT], int *key, int64_t *value, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char names[256];
    int which = 0;
    while (which < CLM_TUNING_COUNT && !clm_text_is(name, clm_tuning_keys[which].name))
        which++;
    REQUIRE(which < CLM_TUNING_COUNT, INVALID_ARGUMENT, "%s: there is no key \"%.*s\": there are %s", where, CLM_TEXT(name),
            name_keys(CLM_CLASSES, names));
    const clm_tuning_key *row = &clm_tuning_keys[which];
    REQUIRE(has_key(whom->class, which), INVALID_ARGUMENT, "%s: %s means nothing to a device of class %s, which has %s", where,
            row->name, classes[whom->class], name_keys(whom->class, names));
    REQUIRE(!given[which], INVALID_ARGUMENT, "%s: %s is given twice", where, row->name);
    int64_t most = clm_tuning_most(whom, which);
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
    clm_text rest = {list && *list ? list : NULL, list ? strlen(list) : 0}, item, name, text;
    while (clm_text_next(&rest, ',', &item)) {
        int key = 0;
        int64_t value;
        REQUIRE(item.length > 0, INVALID_ARGUMENT, "%s: there is a comma without a key=value on both sides", where);
        REQUIRE(clm_text_cut(item, &name, &text), INVALID_ARGUMENT, "%s: \"%.*s\" is not key=value", where, CLM_TEXT(item));
        TRY(read_value(where, name, text, tuned, given, &key, &value, error));
        *clm_tuning_field(&tuned->values, key) = value;
        tuned->origins[key] = origin;
    }
out:
    return status;
}

/* ---- files ---- */

/* Whom a section is for: a class, the device that is tuned, or another one. */
enum { OURS = CLM_CLASSES, ANOTHER, SECTIONS };

typedef struct reader {
    clm_tuned *tuned;
    const clmove_device_info *device;
    int section;
    bool is_found, given[SECTIONS][CLM_TUNING_COUNT];
} reader;

static clmove_status read_header(reader *it, const clm_ini_line *line, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_text inside = line->header;
    memset(it->given[ANOTHER], 0, sizeof it->given[ANOTHER]);
    it->section = clm_ini_is_device(inside, it->device) ? OURS : ANOTHER;
    it->is_found |= it->section == OURS;
    if (clm_text_take_word(&inside, "device"))
        goto out;
    REQUIRE(clm_text_take_word(&inside, "class"), INVALID_ARGUMENT,
            "%s: \"[%.*s]\" is no header: there are [class host], [class cpu], [class gpu] and [device NAME | DRIVER]",
            line->where, CLM_TEXT(line->header));
    it->section = 0;
    while (it->section < CLM_CLASSES && !clm_text_is(inside, classes[it->section]))
        it->section++;
    REQUIRE(it->section < CLM_CLASSES, INVALID_ARGUMENT, "%s: there is no class \"%.*s\": there are host, cpu and gpu",
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
    const clm_tuned any = {.class = it->section == ANOTHER ? CLM_CLASSES : (clm_tuning_class)it->section,
                           .most_local_size = INT64_MAX};
    TRY(read_value(line->where, line->key, line->value, it->section == OURS ? tuned : &any, it->given[it->section], &key, &value,
                   error));
    if (it->section == OURS || (it->section == (int)tuned->class && !it->given[OURS][key])) {
        int64_t most = clm_tuning_most(tuned, key); /* a class is of many devices */
        *clm_tuning_field(&tuned->values, key) = value < most ? value : most;
        tuned->origins[key] = CLMOVE_TUNING_FROM_FILE;
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

const clm_config_file clm_tuning_file = {.name = "tuning", .variable = "CLMOVE_TUNING_FILE", .what = "file of tunings"};

clmove_status clmove_tuning_path(char *path, size_t capacity, clmove_error *error) {
    return clm_config_path(&clm_tuning_file, NULL, path, capacity, error);
}

static clm_tuning_class class_of(const clm_executor *executor) {
    return executor->info.type == CLMOVE_DEVICE_HOST ? CLM_CLASS_HOST
           : executor->traits.few_long_runs          ? CLM_CLASS_CPU
                                                     : CLM_CLASS_GPU;
}

/* own: the device, for its own file; NULL: the file for all. */
static clmove_status add_file(clm_tuned *tuned, const clmove_device_info *device, const clmove_device_info *own,
                              clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    char path[PATH_MAX], *text = NULL;
    size_t length = 0;
    TRY(clm_config_read(&clm_tuning_file, own, path, &text, &length, error));
    if (text)
        TRY(clm_tuned_add_file(tuned, text, length, path, device, own != NULL, error));
out:
    free(text);
    return status;
}

clmove_status clm_tune(clm_executor *const *executors, int32_t count, const char *given, clm_tuned *tuned, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (int32_t i = count - 1; i >= 0; i--) {
        const clmove_device_info *device = &executors[i]->info;
        clm_tuned_start(tuned, class_of(executors[i]), executors[i]->traits.max_local_size);
        TRY(add_file(tuned, device, NULL, error));
        TRY(add_file(tuned, device, device, error));
        executors[i]->traits.tuning = tuned->values;
    }
    TRY(clm_tuned_add_list(tuned, getenv("CLMOVE_TUNING"), CLMOVE_TUNING_ENVIRONMENT, "CLMOVE_TUNING", error));
    TRY(clm_tuned_add_list(tuned, given, CLMOVE_TUNING_PARAMS, "clmove_device_params.tuning", error));
    executors[0]->traits.tuning = tuned->values;
out:
    return status;
}
