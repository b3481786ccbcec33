/* The ways from place to place, the fastest of them, and the reason: see cost.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/cost.h"

#include <stdio.h>

const char *clmove_steps_text(clmove_steps steps) {
    switch (steps) {
#define STEPS_TEXT(name, text)                                                                                                   \
    case CLMOVE_STEPS_##name:                                                                                                    \
        return text;
        CLMOVE_STEPS_LIST(STEPS_TEXT)
#undef STEPS_TEXT
    }
    return "unknown steps";
}

/* Adds the way that runs the plan at a place. What lies elsewhere crosses the link before, and what is wanted elsewhere after. */
static void add_way(clmove_advice *advice, clmove_place from, clmove_place to, clmove_place at, const clmove_prediction *it,
                    const clm_work *work) {
    static const clmove_steps steps[2][2][2] = {
        {{CLMOVE_STEPS_HOST, CLMOVE_STEPS_UPLOAD_DEVICE_DOWNLOAD}, {CLMOVE_STEPS_HOST_UPLOAD, CLMOVE_STEPS_UPLOAD_DEVICE}},
        {{CLMOVE_STEPS_DOWNLOAD_HOST, CLMOVE_STEPS_DEVICE_DOWNLOAD}, {CLMOVE_STEPS_DOWNLOAD_HOST_UPLOAD, CLMOVE_STEPS_DEVICE}},
    };
    const bool on_host = at == CLMOVE_AT_HOST;
    clmove_way way = {
        .steps = steps[from][to][at], .moved_at = at, .move_seconds = on_host ? it->host_seconds : it->device_seconds};
    double *before = on_host ? &way.download_seconds : &way.upload_seconds;
    double *after = on_host ? &way.upload_seconds : &way.download_seconds;
    if (from != at) {
        way.link_bytes += work->src_bytes;
        *before = on_host ? it->download_src_seconds : it->upload_src_seconds;
    }
    if (to != at) {
        way.link_bytes += work->dst_bytes;
        *after = on_host ? it->upload_dst_seconds : it->download_dst_seconds;
    }
    way.seconds = way.upload_seconds + way.move_seconds + way.download_seconds;
    if (!on_host && from == CLMOVE_AT_HOST && to == CLMOVE_AT_HOST) { /* clmove_run, which is one step in place */
        if (it->in_place)
            way = (clmove_way){.steps = CLMOVE_STEPS_DEVICE_IN_PLACE, .moved_at = at, .move_seconds = it->run_seconds};
        way.seconds = it->run_seconds;
    }
    advice->ways[advice->count] = way;
    if (way.seconds < advice->ways[advice->choice].seconds)
        advice->choice = advice->count;
    advice->count++;
}

static const char *time_text(double seconds, char text[16]) {
    if (seconds < 0.9995e-3) /* else three digits are 1e+03 */
        snprintf(text, 16, "%.3g us", seconds * 1e6);
    else if (seconds < 0.9995)
        snprintf(text, 16, "%.3g ms", seconds * 1e3);
    else
        snprintf(text, 16, "%.3g s", seconds);
    return text;
}

static const char *bytes_text(int64_t bytes, char text[16]) {
    static const char *const units[] = {"B", "kB", "MB", "GB"};
    double of_unit = (double)bytes;
    size_t unit = 0;
    for (; unit < 3 && of_unit >= 999.95; unit++) /* from there on one decimal makes it 1000.0 */
        of_unit /= 1000;
    if (bytes == 0)
        snprintf(text, 16, "nothing");
    else
        snprintf(text, 16, "%.*f %s", unit > 0, of_unit, units[unit]);
    return text;
}

/* Ways that differ by less are equally good. */
#define CLOSE 1.05

/* Why the faster way is faster. */
static const char *find_cause(const clmove_way *fast, const clmove_way *slow) {
    double link = slow->upload_seconds + slow->download_seconds - fast->upload_seconds - fast->download_seconds;
    double move = slow->move_seconds - fast->move_seconds;
    if (link > move && slow->link_bytes > fast->link_bytes)
        return "less crosses the link";
    if (move >= link && move > 0)
        return fast->moved_at == CLMOVE_AT_HOST ? "the host moves it faster" : "the device moves it faster";
    return "its steps cost less together";
}

/* Why the advice is uncertain: there is no calibration, or one of a busy machine. "": it is not. */
static const char *doubt_text(const clmove_prediction *prediction, const char *device, char text[192]) {
    text[0] = '\0';
    if (!prediction->is_calibrated)
        snprintf(text, 192, " (a guess: %.100s is not calibrated; try clmove calibrate)", device);
    else if (prediction->noise >= CLMOVE_CALIBRATION_NOISY)
        snprintf(text, 192, " (calibrated while the machine was busy: runs of the same work differed by %.0f %%)",
                 100 * prediction->noise);
    return text;
}

static void give_reason(const clmove_prediction *prediction, const char *device, clmove_advice *advice) {
    const clmove_way *fast = &advice->ways[advice->choice], *slow = &advice->ways[!advice->choice];
    char fast_text[16], slow_text[16], fast_link[16], slow_link[16], doubt[192], cause[64] = "equal within 5 %";
    const size_t room = sizeof advice->reason;
    time_text(fast->seconds, fast_text);
    if (slow->seconds > fast->seconds * CLOSE)
        snprintf(cause, sizeof cause, "%s, %.*f times as fast", find_cause(fast, slow), slow->seconds < 10 * fast->seconds,
                 slow->seconds / fast->seconds);
    if (fast->seconds == 0 && slow->seconds == 0) /* no guess, either */
        snprintf(advice->reason, room, "there is nothing to move, which takes no time");
    else if (advice->count == 1)
        snprintf(advice->reason, room, "the host is the device, so there is one way, which takes %s%s", fast_text,
                 doubt_text(prediction, device, doubt));
    else
        snprintf(advice->reason, room, "\"%s\" takes %s with %s over the link, \"%s\" %s with %s: %s%s",
                 clmove_steps_text(fast->steps), fast_text, bytes_text(fast->link_bytes, fast_link),
                 clmove_steps_text(slow->steps), time_text(slow->seconds, slow_text), bytes_text(slow->link_bytes, slow_link),
                 cause, doubt_text(prediction, device, doubt));
}

void clm_cost_advise(const clmove_prediction *prediction, const clm_work *work, bool is_host, const char *device,
                     clmove_place from, clmove_place to, clmove_advice *advice) {
    *advice = (clmove_advice){.from = from, .to = to, .is_calibrated = prediction->is_calibrated};
    if (is_host) /* both places are its memory */
        add_way(advice, CLMOVE_AT_HOST, CLMOVE_AT_HOST, CLMOVE_AT_HOST, prediction, work);
    else {
        add_way(advice, from, to, CLMOVE_AT_HOST, prediction, work);
        add_way(advice, from, to, CLMOVE_AT_DEVICE, prediction, work);
        /* an empty tensor: where the result is wanted, so that nothing crosses the link */
        if (advice->ways[0].seconds == advice->ways[1].seconds)
            advice->choice = to == CLMOVE_AT_HOST ? 0 : 1;
    }
    give_reason(prediction, device, advice);
}
