/* See calibration.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/calibration.h"

#include <inttypes.h>

static const char *const curve_names[CLM_CURVES] = {
#define CURVE_NAME(name, key) key,
    CLM_CURVE_LIST(CURVE_NAME)
#undef CURVE_NAME
};

static const char *const pattern_names[CLM_PATTERNS] = {
#define PATTERN_NAME(name, key) key,
    CLM_PATTERN_LIST(PATTERN_NAME)
#undef PATTERN_NAME
};

const char *clm_curve_name(clm_curve curve) {
    return curve_names[curve];
}

const char *clm_pattern_name(clm_pattern pattern) {
    return pattern_names[pattern];
}

int64_t clm_calibration_bytes(int size) {
    return (int64_t)CLM_CALIBRATION_LEAST << size;
}

int64_t clm_working_set_bytes(int set) {
    return (INT64_C(8) << 20) << 2 * set;
}

/* seconds = start + bytes / speed, for every size. */
static void guess_curve(clm_calibration *calibration, clm_curve curve, double start, double gbps) {
    for (int i = 0; i < CLM_CALIBRATION_SIZES; i++)
        calibration->curves[curve][i] = start + (double)clm_calibration_bytes(i) / (gbps * 1e9);
}

/* Orders of magnitude. Measured with POCL 3.1 on 2 cores (Zen 5): a launch takes 30 us, copies run at 20 to 50 GB/s, uploads
 * at 10. Links: PCIe 3.0 from pageable memory. */
void clm_calibration_guess(clm_calibration *calibration, clm_guess_class class) {
    static const struct {
        double launch, link_start, link, copy, fill, run_start;
    } rows[] = {
        [CLM_GUESS_CPU] = {30e-6, 5e-6, 10, 20, 25, 10e-6},
        [CLM_GUESS_UNIFIED] = {30e-6, 15e-6, 10, 15, 25, 20e-6},
        [CLM_GUESS_DISCRETE] = {20e-6, 20e-6, 6, 150, 300, 20e-6},
    };
    *calibration = (clm_calibration){.origin = CLMOVE_CALIBRATION_GUESS};
    for (int place = 0; place < 2; place++)
        for (int pattern = 0; pattern < CLM_PATTERNS; pattern++)
            for (int set = 0; set < CLM_CALIBRATION_WORKING_SETS; set++)
                calibration->slowdown[place][pattern][set] = pattern == CLM_PATTERN_GATHER ? 3
                                                             : pattern == CLM_PATTERN_BITS ? 10
                                                                                           : 1;
    guess_curve(calibration, CLM_CURVE_HOST_COPY, 1e-6, 20);
    guess_curve(calibration, CLM_CURVE_HOST_FILL, 1e-6, 25);
    if (class == CLM_GUESS_HOST)
        return;
    calibration->launch = rows[class].launch;
    guess_curve(calibration, CLM_CURVE_UPLOAD, rows[class].link_start, rows[class].link);
    guess_curve(calibration, CLM_CURVE_DOWNLOAD, rows[class].link_start, rows[class].link);
    guess_curve(calibration, CLM_CURVE_DEVICE_COPY, rows[class].launch, rows[class].copy);
    guess_curve(calibration, CLM_CURVE_DEVICE_FILL, rows[class].launch, rows[class].fill);
    for (int i = 0; i < CLM_CALIBRATION_SIZES; i++) {
        double *run = &calibration->curves[CLM_CURVE_DEVICE_RUN][i];
        *run = calibration->curves[CLM_CURVE_DEVICE_COPY][i] + rows[class].run_start;
        if (class != CLM_GUESS_CPU)
            *run += calibration->curves[CLM_CURVE_UPLOAD][i] + calibration->curves[CLM_CURVE_DOWNLOAD][i];
    }
}

static bool is_figure(double value) {
    return value > 0 && value <= 1e6; /* false for NaN */
}

clmove_status clm_calibration_check(const clm_calibration *calibration, bool is_host, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    for (int curve = 0; curve < CLM_CURVES; curve++)
        for (int i = 0; i < CLM_CALIBRATION_SIZES && (!is_host || curve <= CLM_CURVE_HOST_FILL); i++)
            REQUIRE(is_figure(calibration->curves[curve][i]), INVALID_ARGUMENT,
                    "%s of %" PRId64 " bytes takes %g seconds, it must be above 0 and at most 10^6", curve_names[curve],
                    clm_calibration_bytes(i), calibration->curves[curve][i]);
    for (int place = 0; place < (is_host ? 1 : 2); place++)
        for (int i = 0; i < CLM_PATTERNS * CLM_CALIBRATION_WORKING_SETS; i++) {
            double value = calibration->slowdown[place][i / CLM_CALIBRATION_WORKING_SETS][i % CLM_CALIBRATION_WORKING_SETS];
            REQUIRE(is_figure(value), INVALID_ARGUMENT, "the slowdown of %s on the %s is %g, it must be above 0 and at most 10^6",
                    pattern_names[i / CLM_CALIBRATION_WORKING_SETS], place == CLMOVE_AT_HOST ? "host" : "device", value);
        }
    REQUIRE(is_host || is_figure(calibration->launch), INVALID_ARGUMENT,
            "a launch takes %g seconds, it must be above 0 and at most 10^6", calibration->launch);
    REQUIRE(calibration->noise >= 0 && calibration->noise <= 1e6, INVALID_ARGUMENT,
            "the noise of a calibration is %g, it must be from 0 to 10^6", calibration->noise);
out:
    return status;
}
