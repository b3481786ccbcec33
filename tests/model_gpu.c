/* See model_gpu.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model_gpu.h"

#include "support.h"

void assert_near(double got, double wanted, const char *what, const char *file, int line) {
    double difference = got > wanted ? got - wanted : wanted - got;
    if (!(difference <= 1e-9 * wanted))
        fail_msg("%s:%d: %s is %.12g, wanted %.12g", file, line, what, got, wanted);
}

void assert_readable(const clm_calibration *it, bool is_host) {
    const clmove_device_info device = {.type = is_host ? CLMOVE_DEVICE_HOST : CLMOVE_DEVICE_GPU};
    char text[CLM_CALIBRATION_TEXT];
    clm_calibration found;
    clmove_error error;
    size_t length = clm_calibration_write(it, is_host, text);
    ASSERT_OK(clm_calibration_read(text, length, "it", &device, CLM_CALIBRATION_LINES, &found, &error), &error);
    for (int curve = 0; curve < (is_host ? CLM_CURVE_HOST_FILL + 1 : CLM_CURVES); curve++)
        for (int i = 0; i < CLM_CALIBRATION_SIZES; i++) {
            double off = found.curves[curve][i] - it->curves[curve][i];
            if (!(off < 0.51e-9 && off > -0.51e-9))
                fail_msg("size %d of curve %d is %g and was %g", i, curve, found.curves[curve][i], it->curves[curve][i]);
        }
}

/* start + bytes / (gbps * 10^9) */
static void set_curve(clm_calibration *it, clm_curve curve, double start, double gbps) {
    for (int i = 0; i < CLM_CALIBRATION_SIZES; i++)
        it->curves[curve][i] = start + (double)(CLM_CALIBRATION_LEAST << i) / (gbps * 1e9);
}

clm_calibration model_gpu(void) {
    clm_calibration it = {.origin = CLMOVE_CALIBRATION_GIVEN, .launch = 10e-6};
    set_curve(&it, CLM_CURVE_HOST_COPY, 0, 20);
    set_curve(&it, CLM_CURVE_HOST_FILL, 0, 40);
    set_curve(&it, CLM_CURVE_UPLOAD, 10e-6, 8);
    set_curve(&it, CLM_CURVE_DOWNLOAD, 10e-6, 8);
    set_curve(&it, CLM_CURVE_DEVICE_COPY, 10e-6, 200);
    set_curve(&it, CLM_CURVE_DEVICE_FILL, 10e-6, 400);
    for (int i = 0; i < CLM_CALIBRATION_SIZES; i++)
        it.curves[CLM_CURVE_DEVICE_RUN][i] =
            it.curves[CLM_CURVE_UPLOAD][i] + it.curves[CLM_CURVE_DOWNLOAD][i] + it.curves[CLM_CURVE_DEVICE_COPY][i];
    for (int i = 0; i < 2 * CLM_PATTERNS * CLM_CALIBRATION_WORKING_SETS; i++)
        (&it.slowdown[0][0][0])[i] = 1;
    return it;
}
