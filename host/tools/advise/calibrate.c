/* clmove calibrate: how fast a device and the host beside it are, kept in the user's file.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/advise/calibration_view.h"
#include "host/tools/bench/subject.h"
#include "host/tools/commands.h"
#include "host/tools/common/chosen_device.h"
#include "host/tools/common/message.h"
#include "host/tools/measured/clarity.h"
#include "host/tools/measured/file.h"
#include "host/tools/measured/processor_wait.h"

#include <math.h>
#include <stdio.h>

/* Calibrations at most. Two must agree; if the machine was busy, a later one may find it quiet. */
enum { MOST_TIMES = 4 };

/* Smaller sizes take microseconds, and their times differ by more. */
#define LEAST_COMPARED (1 << 20)

static const option_row OPTIONS[] = {
    {"seconds", "S", OPTION_SECONDS, NULL,
     "one measurement takes about S seconds (default: 0.5), but at least three rounds of all sizes. With S of 0.3 and more these "
     "take about 3 s for the host, and 6 s for a device with the host. Everything is measured twice, so that S = 1 takes 13 s "
     "with a device; the total time is printed first"},
    {"dry-run", NULL, OPTION_DRY_RUN, NULL, "write nothing"},
    {"json", NULL, OPTION_JSON, NULL, "print one JSON object instead of a table"},
    {0}};

/* One measurement, as figures and as lines of the file, and how quiet the machine was. */
typedef struct attempt {
    figures found;
    char text[8192];
    clarity_repeat repeat;
} attempt;

/* The request, the measurements, and the verdict. */
typedef struct calibrator {
    chosen_device who;
    double seconds;
    bool as_json, is_dry;
    char path[4096];
    /* before: the quietest of those before the last. */
    attempt last, before;
    int count;
    /* How far the two are apart. */
    double apart;
    bool is_clear;
} calibrator;

/* Seconds that one measurement takes on a quiet machine, with its three rounds. 2 cores of a Xeon with AVX-512, 2026-11-21: the
 * host alone took 0.9 s for 0.1 s and 3.2 s for 1 s, with POCL twice that. */
static double estimate(double seconds, const clmove_device_info *device) {
    double rounds = 0.3 + 9 * seconds, least = (rounds < 3.2 ? rounds : 3.2) * (device->type == CLMOVE_DEVICE_HOST ? 1 : 2);
    return seconds > least ? seconds : least;
}

static bool measure_once(const calibrator *it, attempt *one, clmove_error *error) {
    clmove_device *device = it->who.device;
    clmove_calibration_info info = {.struct_size = sizeof info};
    processor_wait before = processor_wait_now();
    bool done = clmove_device_calibrate(device, it->seconds, error) == CLMOVE_OK;
    one->repeat.waited = processor_wait_share(before);
    done = done && figures_get(device, &one->found, error) == CLMOVE_OK &&
           clmove_device_get_calibration_text(device, one->text, sizeof one->text, error) == CLMOVE_OK &&
           clmove_device_get_calibration_info(device, &info, error) == CLMOVE_OK;
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
static bool measure(calibrator *it, double most) {
    double start = bench_now(), taken = 0;
    while (!it->is_clear && it->count < MOST_TIMES && (it->count == 0 || bench_now() - start + taken <= most)) {
        clmove_error error;
        double began = bench_now();
        if (it->last.repeat.noise < it->before.repeat.noise)
            it->before = it->last;
        if (!measure_once(it, &it->last, &error))
            return refused("%s", error.text);
        taken = bench_now() - began;
        if (it->count++ == 0) {
            it->before = it->last;
            continue;
        }
        it->apart = find_apart(&it->last.found, &it->before.found);
        it->is_clear = clarity_is_settled(it->last.repeat, it->before.repeat, it->apart);
    }
    return true;
}

static void report_unclear(const calibrator *it, const clarity_repeat *best) {
    char apart[80] = "there was no time for a second measurement";
    if (it->count > 1 && isinf(it->apart))
        snprintf(apart, sizeof apart, "there was no time for sizes that can be compared");
    else if (it->count > 1)
        snprintf(apart, sizeof apart, "two of %d measurements differed by %.0f %%", it->count, 100 * it->apart);
    report("what was measured is not clear: runs of the same work differed by %.0f %%, threads waited for a processor for "
           "%.0f %% of their time, and %s, where each may be up to %.0f %%. Nothing is kept, and %s stays as it was. Calibrate "
           "again when the machine is quiet, or with more --seconds",
           100 * best->noise, 100 * best->waited, apart, 100 * CLARITY_MOST_NOISE,
           it->path[0] && !it->is_dry ? it->path : "the file");
}

static bool calibrate(calibrator *it) {
    clmove_error error;
    tuning_view tuning;
    if (tuning_view_get(&tuning, it->who.device, &error) != CLMOVE_OK ||
        clmove_device_get_calibration_path(it->who.device, it->path, sizeof it->path, &error) != CLMOVE_OK)
        return refused("%s", error.text);
    if (!it->is_dry && !measured_file_prepare(it->path, tuning.header, "CLMOVE_CALIBRATION_FILE is empty or there is no HOME"))
        return false;
    double once = estimate(it->seconds, &tuning.device), most = (double)MOST_TIMES * once;
    report(
        "calibrate measures twice: about %.2g s in all, at most %.2g s where the machine is busy. Programs that the driver has "
        "to build take additional time",
        2 * once, most);
    if (!measure(it, most))
        return false;
    /* the quieter of the two that were compared */
    const attempt *best = it->before.repeat.noise < it->last.repeat.noise ? &it->before : &it->last;
    const calibration_view view = {.of = &tuning,
                                   .path = it->path,
                                   .is_clear = it->is_clear,
                                   .is_written = !it->is_dry && it->is_clear,
                                   .noise = best->repeat.noise,
                                   .found = &best->found};
    if (!it->is_clear)
        report_unclear(it, &best->repeat);
    /* The report is printed before the file is written: what cannot be printed is not kept. */
    bool done = it->as_json ? calibration_view_json(&view) : calibration_view_print(&view);
    if (done && view.is_written &&
        (clmove_device_set_calibration_text(it->who.device, best->text, &error) != CLMOVE_OK ||
         clmove_device_save_calibration(it->who.device, it->path, &error) != CLMOVE_OK))
        done = refused("%s", error.text);
    return done && (it->is_clear || it->is_dry);
}

static bool take_option(void *user, int id, const char *value) {
    calibrator *it = user;
    switch (id) {
    case OPTION_SECONDS:
        return option_seconds(value, 3600, &it->seconds);
    case OPTION_DRY_RUN:
        return it->is_dry = true;
    case OPTION_JSON:
        return it->as_json = true;
    default:
        return chosen_device_option(&it->who, id, value) == OPTION_TAKEN;
    }
}

static int run(const command *self, int argc, char **argv) {
    static calibrator it = {.seconds = 0.5}; /* too large for a stack */
    int status = options_read_alone(argc, argv, self, take_option, &it);
    if (status != OPTIONS_READ)
        return status;
    if (!chosen_device_open(&it.who))
        return STATUS_FAILED;
    bool done = calibrate(&it);
    chosen_device_close(&it.who);
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
