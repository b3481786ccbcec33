/* See bench_transfer.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/transfer/transfer.h"

#include "host/tools/common/message.h"
#include "host/tools/transfer/predict.h"
#include "host/tools/transfer/report.h"

#include <stdio.h>

/* Seconds of a calibration beside each workload, for a second of measuring that one. */
#define CALIBRATION_SHARE 0.3

typedef struct transfer_run {
    transfer_executors who;
    transfer_calibration calibration;
    transfer_report report;
} transfer_run;

static bench_outcome measure(void *user, const bench_case *one, const bench_settings *settings, const char *repeat,
                             bool *is_broken, char *why) {
    clmove_error error;
    transfer_run *it = user;
    transfer_result result;
    bench_outcome outcome = transfer_measure(&it->who, one, settings, &it->calibration, &result, why);
    if (outcome != BENCH_DONE || result.runs < BENCH_LEAST)
        return outcome;
    clmove_status status = transfer_calibration_settle(&it->calibration, it->who.device, &error);
    if (status == CLMOVE_OK)
        status = transfer_predict(it->who.device, one, &result, &error);
    if (status != CLMOVE_OK) {
        snprintf(why, BENCH_WHY, "it cannot be predicted: %.480s", error.text);
        return BENCH_FAILED;
    }
    *is_broken = !transfer_report_add(&it->report, one, &result, repeat);
    return outcome;
}

static bool end(void *user) {
    transfer_run *it = user;
    return transfer_report_end(&it->report);
}

/* So that the predictions are no guesses. The host device has nothing to predict: there is no link. */
static bool calibrate(transfer_run *it, bool again, double seconds) {
    clmove_error error;
    clmove_calibration_info known = {.struct_size = sizeof known};
    clmove_status status = clmove_device_get_calibration_info(it->who.device->device, &known, &error);
    it->report.calibration = known.origin;
    if (status == CLMOVE_OK && it->report.device.type != CLMOVE_DEVICE_HOST &&
        (again || known.origin == CLMOVE_CALIBRATION_GUESS)) {
        it->calibration.seconds = CALIBRATION_SHARE * (seconds < 1 ? seconds : 1);
        it->report.calibration = CLMOVE_CALIBRATION_MEASURED;
    }
    if (status != CLMOVE_OK)
        failed("the device cannot be calibrated: %s", error.text);
    return status == CLMOVE_OK;
}

int bench_transfer(const bench_choice *choice, const executor *who, const bench_settings *settings,
                   const bench_transfer_settings *transfer) {
    clmove_error error;
    executor host = {.selector = "host"};
    transfer_run it = {.who = {.device = who, .host = &host},
                       .report = {.device.struct_size = sizeof it.report.device,
                                  .as_json = transfer->as_json,
                                  .is_cold = transfer->is_cold,
                                  .is_sweep = choice->sweep != NULL}};
    /* the subject's on the device and in host memory, and one more of each kind of host memory */
    const bench_kind kind = {.user = &it, .copies = 2 + TRANSFER_MEMORIES, .one = measure, .end = end};
    if (clmove_device_get_info(who->device, &it.report.device, &error) != CLMOVE_OK)
        return failed("%s", error.text);
    if (!executor_open(&host))
        return STATUS_FAILED;
    int status = STATUS_FAILED;
    if (calibrate(&it, transfer->calibrates, settings->seconds))
        status = bench_run(choice, who, settings, transfer->more, &kind);
    executor_close(&host);
    return status;
}
