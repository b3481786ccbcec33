/* clmove calibrate: how fast a device and the host beside it are, kept in the user's file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/subject.h"
#include "host/tools/commands.h"
#include "host/tools/common/executor.h"
#include "host/tools/common/message.h"
#include "host/tools/tune/calibration_view.h"
#include "host/tools/tune/clarity.h"
#include "host/tools/tune/file.h"
#include "host/tools/tune/processor_wait.h"
#include "host/tools/tune/tuning_view.h"

#include <math.h>
#include <stdio.h>

/* Two calibrations have to agree. Where the machine was busy it may be quiet a moment later. */
enum { MOST_TIMES = 4 };

/* Smaller sizes are a matter of microseconds, and differ by more. */
#define LEAST_COMPARED (1 << 20)

static const option_row OPTIONS[] = {{"seconds", "S", OPTION_SECONDS, NULL,
                                      "measure the host, and then the device, for about S seconds each, but at least three "
                                      "rounds of all sizes, which take about 3 s "
                                      "from S = 0.3 on (default: 0.5). All is measured twice; the total time is printed first"},
                                     {"dry-run", NULL, OPTION_DRY_RUN, NULL, "write nothing"},
                                     {"json", NULL, OPTION_JSON, NULL, "print one JSON object instead of a table"},
                                     {0}};

typedef struct request {
    executor who;
    double seconds;
    bool as_json, is_dry;
    char path[4096];
} request;

/* One measurement, and how quiet the machine was. */
typedef struct attempt {
    figures found;
    clarity_repeat repeat;
} attempt;

/* What was measured in all, and what it comes to. */
typedef struct attempts {
    attempt last, before; /* before: the quietest of those before the last */
    int count;
    double apart; /* of the two */
    bool is_clear;
    double most; /* seconds in all */
} attempts;

/* Seconds that one measurement takes where nothing else runs, with its three rounds: 2 cores of a Xeon with AVX-512, 2026-11-21,
 * the host alone 0.9 for 0.1 s and 3.2 for 1 s, with POCL twice that. */
static double estimate(const request *asked, const clmove_device_info *device) {
    double rounds = 0.3 + 9 * asked->seconds, least = rounds < 3.2 ? rounds : 3.2;
    return (asked->seconds > least ? asked->seconds : least) * (device->type == CLMOVE_DEVICE_HOST ? 1 : 2);
}

static bool measure_once(const request *asked, attempt *one, clmove_error *error) {
    processor_wait before = processor_wait_now();
    clmove_calibration_info info = {.struct_size = sizeof info};
    if (clmove_device_calibrate(asked->who.device, asked->seconds, error) != CLMOVE_OK)
        return false;
    one->repeat.waited = processor_wait_share(before);
    bool done = figures_get(asked->who.device, &one->found, error) == CLMOVE_OK &&
                clmove_device_get_calibration_info(asked->who.device, &info, error) == CLMOVE_OK;
    one->repeat.noise = info.noise;
    return done;
}

/* How far two calibrations are apart, by the curves of the sizes that both measured. */
static double find_apart(const figures *a, const figures *b) {
    double first[FIGURES_KEYS * FIGURES_VALUES], second[FIGURES_KEYS * FIGURES_VALUES];
    int count = 0;
    for (int curve = 0; figures_curve(a, curve) && figures_curve(b, curve); curve++)
        for (int size = 0; size < figures_measured(a, curve) && size < figures_measured(b, curve); size++)
            if (figures_bytes(size) >= LEAST_COMPARED) {
                first[count] = figures_curve(a, curve)->values[size];
                second[count++] = figures_curve(b, curve)->values[size];
            }
    return clarity_find_apart(first, second, count);
}

/* Measures until two measurements are clear, or the time for another is not there. */
static bool measure(const request *asked, attempts *all, clmove_error *error) {
    double start = bench_now(), taken = 0;
    while (!all->is_clear && all->count < MOST_TIMES && (all->count == 0 || bench_now() - start + taken <= all->most)) {
        double began = bench_now();
        if (all->count == 1 || (all->count > 1 && all->last.repeat.noise < all->before.repeat.noise))
            all->before = all->last;
        if (!measure_once(asked, &all->last, error))
            return false;
        taken = bench_now() - began;
        if (all->count++ == 0)
            continue;
        all->apart = find_apart(&all->last.found, &all->before.found);
        all->is_clear = clarity_is_settled(all->last.repeat, all->before.repeat, all->apart);
    }
    return true;
}

/* The quieter of the two that were compared. */
static const attempt *find_quieter(const attempts *all) {
    return all->count > 1 && all->before.repeat.noise < all->last.repeat.noise ? &all->before : &all->last;
}

static void report_unclear(const request *asked, const attempts *all) {
    const attempt *best = find_quieter(all);
    char apart[80] = "there was no time for a second measurement";
    if (all->count > 1 && isinf(all->apart))
        snprintf(apart, sizeof apart, "there was no time for sizes that can be compared");
    else if (all->count > 1)
        snprintf(apart, sizeof apart, "two of %d measurements differed by %.0f %%", all->count, 100 * all->apart);
    report("what was measured is not clear: runs of the same differed by %.0f %%, threads waited for a processor for %.0f %% of "
           "their time, and %s, where each may be up to %.0f %%. Nothing is kept, and %s stays as it was. Calibrate again when "
           "the machine is quiet, or with more --seconds",
           100 * best->repeat.noise, 100 * best->repeat.waited, apart, 100 * CLARITY_MOST_NOISE,
           asked->path[0] && !asked->is_dry ? asked->path : "the file");
}

static bool stage_section(const request *asked, const char *header, const figures *found, clmove_error *error) {
    char body[16384];
    if (figures_set(asked->who.device, found, error) == CLMOVE_OK &&
        clmove_device_get_calibration_text(asked->who.device, body, sizeof body, error) == CLMOVE_OK)
        return tune_file_stage(asked->path, header, "calibrate", body);
    failed("%s", error->text);
    return false;
}

static bool calibrate(request *asked) {
    clmove_error error;
    tuning_view tuning;
    attempts all = {0};
    calibration_view view = {.device.struct_size = sizeof view.device, .header = tuning.header, .path = asked->path};
    if (clmove_device_get_info(asked->who.device, &view.device, &error) != CLMOVE_OK ||
        tuning_view_get(&tuning, asked->who.device, &error) != CLMOVE_OK ||
        clmove_device_get_calibration_path(asked->who.device, asked->path, sizeof asked->path, &error) != CLMOVE_OK) {
        failed("%s", error.text);
        return false;
    }
    if (!asked->is_dry && !tune_file_prepare(asked->path, view.header, "CLMOVE_CALIBRATION_FILE is empty or there is no HOME"))
        return false;
    all.most = (double)MOST_TIMES * estimate(asked, &view.device);
    report(
        "calibrate measures twice: about %.2g s in all, at most %.2g s where the machine is busy. Programs that the driver has "
        "to build come on top",
        2 * estimate(asked, &view.device), all.most);
    if (!measure(asked, &all, &error)) {
        failed("%s", error.text);
        return false;
    }
    view.found = &find_quieter(&all)->found;
    view.noise = find_quieter(&all)->repeat.noise;
    view.is_clear = all.is_clear;
    view.is_written = !asked->is_dry && all.is_clear;
    if (!all.is_clear)
        report_unclear(asked, &all);
    if (view.is_written && !stage_section(asked, view.header, view.found, &error))
        return false;
    /* All is said before the file gets its name. */
    bool done = asked->as_json ? calibration_view_json(&view) : calibration_view_print(&view);
    if (view.is_written)
        done = tune_file_end(asked->path, done);
    return done && (all.is_clear || asked->is_dry);
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

static int run(const command *self, int argc, char **argv) {
    request asked = {.seconds = 0.5};
    int status = options_read_alone(argc, argv, self, take_option, &asked);
    if (status != OPTIONS_READ)
        return status;
    if (!executor_open(&asked.who))
        return STATUS_FAILED;
    bool done = calibrate(&asked);
    executor_close(&asked.who);
    return done ? STATUS_DONE : STATUS_FAILED;
}

const command COMMAND_CALIBRATE = {
    .name = "calibrate",
    .summary = "measure how fast a device and the host are, and keep it",
    .synopsis = {"[--device SEL] [OPTION]..."},
    .about =
        "Measures how fast a device and the host are, and keeps the result in a file. clmove advise and the device auto choose "
        "between host and device by that file. It has the times of copies and fills on both, of uploads, downloads and whole "
        "runs, from 4 KiB to 256 MiB, and of each memory pattern relative to the copy.\n"
        "Everything is measured at least twice. A result is kept if the times of equal runs differ by less than 20 %, threads "
        "waited for a processor for less than 20 % of their time, and both measurements agree within 20 %. Otherwise calibrate "
        "measures again, up to four times. If no result can be kept, the file stays as it was, a sentence says why, and the exit "
        "status is 1 (0 with --dry-run).",
    .options = {DEVICE_OPTIONS, OPTIONS},
    .notes =
        "The file is clmove/calibration/DEVICE.ini in XDG_CONFIG_HOME (or ~/.config), or the one that CLMOVE_CALIBRATION_FILE "
        "names. It is replaced in one step. It has the section of this device and driver alone: calibrate refuses a file with "
        "other sections.",
    .examples = "  clmove calibrate --device gpu\n"
                "  clmove calibrate --device cpu --seconds 5 --dry-run\n",
    .run = run};
