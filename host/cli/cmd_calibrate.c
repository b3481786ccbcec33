/* clmove calibrate: how fast a device and the host beside it are, kept in the user's file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bench_text.h"
#include "calibration_view.h"
#include "calm.h"
#include "commands.h"
#include "executor.h"
#include "message.h"
#include "tune_file.h"
#include "tuning_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Where the machine was busy it may be quiet a moment later. */
#define MOST_TIMES 3

static const char HELP[] = "Usage: clmove calibrate [--device SEL] [OPTION]...\n"
                           "Measures how fast a device and the host beside it are, and keeps that in a file by which\n"
                           "clmove advise, and auto, choose between them: copies and fills by both, uploads, downloads\n"
                           "and whole runs, from 4 KiB to 256 MiB, and each memory pattern beside the copy.\n"
                           "\n"
                           "  --device SEL      which device (default: CLMOVE_DEVICE, or auto); see clmove devices\n"
                           "  --seconds S       measure for about S seconds (default: 2), up to three times where the\n"
                           "                    machine is busy; building programs comes on top\n"
                           "  --dry-run         write nothing\n"
                           "  --json            print one JSON object instead of a table\n"
                           "  -h, --help        print this\n"
                           "\n"
                           "The file is clmove/calibration.conf in XDG_CONFIG_HOME (or ~/.config), or what\n"
                           "CLMOVE_CALIBRATION_FILE names. It gets a section for this device and driver in place of the\n"
                           "one before, and keeps all others; it is replaced in one step.\n"
                           "\n"
                           "Examples:\n"
                           "  clmove calibrate --device gpu\n"
                           "  clmove calibrate --device cpu --seconds 10 --dry-run\n";

static const struct option TABLE[] = {
    {"device", required_argument, NULL, OPTION_DEVICE}, {"seconds", required_argument, NULL, OPTION_SECONDS},
    {"dry-run", no_argument, NULL, OPTION_DRY_RUN},     {"json", no_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, OPTION_HELP},           {0}};

typedef struct request {
    executor who;
    double seconds;
    bool as_json, is_dry;
    char path[4096];
} request;

/* The lines of the section, with the day on top, and how OpenMP's threads waited. */
static bool write_body(const clmove_device *device, char *body, size_t capacity, clmove_error *error) {
    const char *waiting = getenv("OMP_WAIT_POLICY");
    char date[16] = "";
    time_t seconds = time(NULL);
    struct tm day;
    if (localtime_r(&seconds, &day))
        strftime(date, sizeof date, "%Y-%m-%d", &day);
    size_t length = (size_t)snprintf(body, capacity, "# clmove %s calibrate, %s, OMP_WAIT_POLICY=%.32s\n", clmove_version(), date,
                                     waiting ? waiting : "");
    return clmove_device_get_calibration_text(device, body + length, capacity - length, error) == CLMOVE_OK;
}

/* Whether the device, opened again, goes by what was written. It is the same one, whatever was looked for to find it. */
static bool read_back(const request *asked, const clmove_device_info *device) {
    char selector[16] = "host";
    executor who = {.selector = selector};
    clmove_calibration found;
    clmove_error error;
    if (device->type != CLMOVE_DEVICE_HOST)
        snprintf(selector, sizeof selector, "%" PRId32, device->index);
    setenv("CLMOVE_CALIBRATION_FILE", asked->path, 1);
    if (!executor_open(&who))
        return false;
    bool done = clmove_device_get_calibration(who.device, &found, &error) == CLMOVE_OK && found.origin == CLMOVE_CALIBRATION_FILE;
    executor_close(&who);
    if (!done)
        failed("%s was written, and the device does not go by it", asked->path);
    return done;
}

/* The calmest of the measurements. What the machine does beside it is in the figures, and so in the advice that follows them. */
static clmove_status measure(const request *asked, clmove_calibration *found, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (int i = 0; i < MOST_TIMES && status == CLMOVE_OK && (i == 0 || found->noise >= CLMOVE_CALIBRATION_NOISY); i++) {
        clmove_calibration again;
        status = clmove_device_calibrate(asked->who.device, asked->seconds, &again, error);
        if (status == CLMOVE_OK && (i == 0 || again.noise < found->noise))
            *found = again;
        else if (i > 0) /* there is one */
            status = CLMOVE_OK;
    }
    return status == CLMOVE_OK ? clmove_device_set_calibration(asked->who.device, found, error) : status;
}

static bool calibrate(request *asked) {
    clmove_error error;
    char body[16384];
    calibration_view view = {.path = asked->path, .is_written = !asked->is_dry};
    tuning_view header;
    if (clmove_device_get_info(asked->who.device, &view.device, &error) != CLMOVE_OK ||
        tuning_view_get(&header, asked->who.device, &error) != CLMOVE_OK || measure(asked, &view.found, &error) != CLMOVE_OK ||
        !write_body(asked->who.device, body, sizeof body, &error)) {
        failed("%s", error.text);
        return false;
    }
    view.header = header.header;
    if (view.found.noise >= CLMOVE_CALIBRATION_NOISY)
        report(
            "the machine was busy: runs of the same differed by %.0f %%, and advice will go by that; calibrate again when it is "
            "quiet",
            100 * view.found.noise);
    if (!asked->is_dry && !(tune_file_write(asked->path, header.header, body) && read_back(asked, &view.device)))
        return false;
    return asked->as_json ? calibration_view_json(&view) : calibration_view_print(&view);
}

static bool find_file(request *asked) {
    clmove_error error;
    if (clmove_calibration_path(asked->path, sizeof asked->path, &error) != CLMOVE_OK) {
        failed("%s", error.text);
        return false;
    }
    if (asked->is_dry)
        return true;
    if (asked->path[0])
        return tune_file_prepare(asked->path);
    failed("there is no file to keep it in, since CLMOVE_CALIBRATION_FILE is empty or there is no HOME");
    return false;
}

static bool take_option(void *request_given, int id, const char *value) {
    request *asked = request_given;
    switch (id) {
    case OPTION_SECONDS:
        return option_seconds(value, 3600, &asked->seconds);
    case OPTION_DRY_RUN:
        return asked->is_dry = true;
    case OPTION_JSON:
        return asked->as_json = true;
    default:
        return executor_option(&asked->who, id, value) == OPTION_TAKEN;
    }
}

int command_calibrate(int argc, char **argv) {
    static const option_reader reader = {"calibrate", HELP, TABLE, take_option};
    request asked = {.seconds = 2};
    int status = options_read_alone(argc, argv, &reader, &asked);
    if (status != OPTIONS_READ)
        return status;
    calm_threads(argc, argv);
    if (!find_file(&asked) || !executor_open(&asked.who))
        return STATUS_FAILED;
    bool done = calibrate(&asked);
    executor_close(&asked.who);
    return done ? STATUS_DONE : STATUS_FAILED;
}
