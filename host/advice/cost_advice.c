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

static void add_way(clmove_advice *advice, clmove_way way) {
    way.seconds = way.seconds > 0 ? way.seconds : way.upload_seconds + way.move_seconds + way.download_seconds;
    advice->ways[advice->count] = way;
    if (way.seconds < advice->ways[advice->choice].seconds)
        advice->choice = advice->count;
    advice->count++;
}

static void add_ways(clmove_advice *advice, const clmove_prediction *it, const clm_work *work) {
    bool from_host = advice->from == CLMOVE_AT_HOST, to_host = advice->to == CLMOVE_AT_HOST;
    const int64_t src = work->src_bytes, dst = work->dst_bytes;
    clmove_way host = {.moved_at = CLMOVE_AT_HOST, .move_seconds = it->host_seconds};
    clmove_way device = {.moved_at = CLMOVE_AT_DEVICE, .move_seconds = it->device_seconds};
    if (from_host && to_host) {
        host.steps = CLMOVE_STEPS_HOST;
        device.steps = it->in_place ? CLMOVE_STEPS_DEVICE_IN_PLACE : CLMOVE_STEPS_UPLOAD_DEVICE_DOWNLOAD;
        device.upload_seconds = it->in_place ? 0 : it->upload_src_seconds;
        device.download_seconds = it->in_place ? 0 : it->download_dst_seconds;
        device.link_bytes = it->in_place ? 0 : src + dst;
        device.move_seconds = it->in_place ? it->run_seconds : it->device_seconds; /* the one step that there is */
        device.seconds = it->run_seconds;
    } else if (from_host) {
        host.steps = CLMOVE_STEPS_HOST_UPLOAD;
        host.upload_seconds = it->upload_dst_seconds;
        host.link_bytes = dst;
        device.steps = CLMOVE_STEPS_UPLOAD_DEVICE;
        device.upload_seconds = it->upload_src_seconds;
        device.link_bytes = src;
    } else if (to_host) {
        host.steps = CLMOVE_STEPS_DOWNLOAD_HOST;
        host.download_seconds = it->download_src_seconds;
        host.link_bytes = src;
        device.steps = CLMOVE_STEPS_DEVICE_DOWNLOAD;
        device.download_seconds = it->download_dst_seconds;
        device.link_bytes = dst;
    } else {
        host.steps = CLMOVE_STEPS_DOWNLOAD_HOST_UPLOAD;
        host.download_seconds = it->download_src_seconds;
        host.upload_seconds = it->upload_dst_seconds;
        host.link_bytes = src + dst;
        device.steps = CLMOVE_STEPS_DEVICE;
    }
    add_way(advice, host);
    add_way(advice, device);
    if (advice->ways[0].seconds ==
        advice->ways[1].seconds) /* an empty tensor: the place of the result, so that nothing crosses the link */
        advice->choice = advice->ways[0].moved_at == advice->to ? 0 : 1;
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

/* Why the advice is uncertain: there is no calibration, or one of a busy machine. */
static void doubt(const clmove_prediction *prediction, const char *device, char *text, size_t room) {
    if (!prediction->is_calibrated)
        snprintf(text, room, " (a guess: %.100s was never measured, which clmove calibrate does)", device);
    else if (prediction->noise >= CLMOVE_CALIBRATION_NOISY)
        snprintf(text, room, " (calibrated while the machine was busy: runs of the same differed by %.0f %%)",
                 100 * prediction->noise);
}

static void give_reason(const clmove_prediction *prediction, const char *device, clmove_advice *advice) {
    const clmove_way *fast = &advice->ways[advice->choice], *slow = &advice->ways[!advice->choice];
    char fast_text[16], slow_text[16], fast_link[16], slow_link[16], cause[64];
    size_t room = sizeof advice->reason;
    int length;
    if (fast->seconds == 0 && slow->seconds == 0) { /* no guess, either */
        snprintf(advice->reason, room, "there is nothing to move, which takes no time");
        return;
    }
    if (advice->count == 1)
        length = snprintf(advice->reason, room, "the host is the device, so there is one way, which takes %s",
                          time_text(fast->seconds, fast_text));
    else {
        if (slow->seconds < fast->seconds * CLOSE)
            snprintf(cause, sizeof cause, "as good as the same");
        else
            snprintf(cause, sizeof cause, "%s, %.*f times as fast", find_cause(fast, slow), slow->seconds < 10 * fast->seconds,
                     slow->seconds / fast->seconds);
        length = snprintf(advice->reason, room, "\"%s\" takes %s with %s over the link, \"%s\" %s with %s: %s",
                          clmove_steps_text(fast->steps), time_text(fast->seconds, fast_text),
                          bytes_text(fast->link_bytes, fast_link), clmove_steps_text(slow->steps),
                          time_text(slow->seconds, slow_text), bytes_text(slow->link_bytes, slow_link), cause);
    }
    if (length > 0 && (size_t)length < room)
        doubt(prediction, device, advice->reason + length, room - (size_t)length);
}

void clm_cost_advise(const clmove_prediction *prediction, const clm_work *work, bool is_host, const char *device,
                     clmove_place from, clmove_place to, clmove_advice *advice) {
    *advice = (clmove_advice){.from = from, .to = to, .is_calibrated = prediction->is_calibrated};
    if (is_host)
        add_way(advice,
                (clmove_way){.steps = CLMOVE_STEPS_HOST, .moved_at = CLMOVE_AT_HOST, .move_seconds = prediction->host_seconds});
    else
        add_ways(advice, prediction, work);
    give_reason(prediction, device, advice);
}
