/* Runs on a list of devices. A run is cut along the outermost axes of its destination, and the pieces are handed out to
 * the members, each of which has a thread and runs what it gets as a part of its own plan. If one fails, its pieces go back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/checked.h"
#include "host/run/members.h"
#include "host/run/run.h"
#include "host/thread.h"

#include <inttypes.h>

/* A run is cut into so many pieces, or about twice as many, of which a member gets some at a time. */
#define PIECES 64

/* Without calibrations a member gets this share of what one would get if all were equally fast. The slowest ends last by the time
 * of one turn at most. */
#define TURNS 8

/* What a member gets at least at a time: a thread is woken in 50 us, in which 1 MiB is moved, and a device behind a link works on
 * less without overlap. */
#define TURN_LEAST_BYTES ((int64_t)4 << 20)

/* ---- handing out ---- */

/* Consecutive pieces. */
typedef struct pieces {
    int64_t first, count;
} pieces;

typedef struct handout handout;

/* A member in a run. */
typedef struct worker {
    handout *of;
    int32_t member;
    /* Pieces that its calibration gives it, of which it has not got any yet. 0: it gets a turn at a time */
    int64_t quota;
    bool has_failed;
    pthread_t thread;
    bool has_thread;
} worker;

/* A run that is cut. All below the lock is guarded by it. */
struct handout {
    clm_run *run;
    clm_cut cut;
    int64_t turn;
    int32_t worker_count;
    worker workers[CLM_MEMBERS];
    pthread_mutex_t lock;
    /* Pieces were done, or came back */
    pthread_cond_t changed;
    /* Pieces that no worker has; the last are handed out first */
    pieces left[CLM_MEMBERS + 1];
    int32_t left_count;
    /* Workers that have pieces, and those that have not failed */
    int32_t busy, live;
    /* No worker takes more pieces: the run was cancelled, or a failure concerns the whole run */
    bool stops;
    /* Units written, and those of them that progress knows of */
    int64_t done, told;
    /* Of what stopped the run, and of the first member that failed */
    clmove_status status, first_status;
    clmove_error why, first_why;
    clmove_run_info sums;
};

static bool is_over(const handout *it) {
    return it->stops || it->live == 0 || (it->left_count == 0 && it->busy == 0);
}

/* Calls progress until it knows all that is done. The lock is held, but not while it is called. */
static void tell(handout *it) {
    const clmove_run_params *params = it->run->params;
    const clm_normal_form *form = it->run->form;
    const int64_t units = clm_form_units(form), written = clm_written_bytes(form), read = clm_read_bytes(form);
    while (params->progress && !it->stops && it->told < it->done) {
        const double share = (double)it->done / (double)units;
        clmove_progress now = {.struct_size = sizeof now, .bytes_total = read + written, .seconds = clm_now() - it->run->start};
        now.bytes_done = it->done == units ? now.bytes_total : (int64_t)(share * (double)now.bytes_total);
        it->told = it->done;
        pthread_mutex_unlock(&it->lock);
        const bool goes_on = params->progress(params->progress_user, &now);
        pthread_mutex_lock(&it->lock);
        if (!goes_on && !it->stops) {
            it->stops = true;
            it->status = clm_raise(&it->why, CLMOVE_CANCELLED, 0, "cancelled after %" PRId64 " of %" PRId64 " bytes",
                                   now.bytes_done, now.bytes_total);
            pthread_cond_broadcast(&it->changed);
        }
    }
}

/* Waits for pieces. False: there are none for this worker any more. tells: it is the caller's thread, which calls progress. */
static bool take(handout *it, worker *who, bool tells, pieces *taken) {
    bool has_some = false;
    pthread_mutex_lock(&it->lock);
    if (tells)
        tell(it);
    while (!who->has_failed && !is_over(it) && it->left_count == 0) {
        pthread_cond_wait(&it->changed, &it->lock);
        if (tells)
            tell(it);
    }
    if (!who->has_failed && !is_over(it)) {
        pieces *from = &it->left[it->left_count - 1];
        int64_t most = who->quota ? who->quota : it->turn;
        *taken = (pieces){from->first, clm_cut_neighbours(&it->cut, from->first, most < from->count ? most : from->count)};
        who->quota -= who->quota ? taken->count : 0;
        from->first += taken->count;
        from->count -= taken->count;
        it->left_count -= from->count == 0;
        it->busy++;
        has_some = true;
    }
    pthread_mutex_unlock(&it->lock);
    return has_some;
}

static void add(double *sum, double seconds) {
    *sum = *sum < 0 || seconds < 0 ? -1 : *sum + seconds;
}

/* Ends what take began. */
static void give_back(handout *it, worker *who, pieces taken, int64_t units, const clmove_run_info *info, clmove_status status,
                      const clmove_error *why) {
    clmove_run_info *sums = &it->sums;
    if (status != CLMOVE_OK && clm_member_is_at_fault(status))
        clm_member_leave_out(it->run->plan, who->member, why);
    pthread_mutex_lock(&it->lock);
    it->busy--;
    if (status == CLMOVE_OK) {
        it->done += units;
        sums->pieces += info->pieces;
        sums->piece_bytes = info->piece_bytes > sums->piece_bytes ? info->piece_bytes : sums->piece_bytes;
        sums->staging_bytes = info->staging_bytes > sums->staging_bytes ? info->staging_bytes : sums->staging_bytes;
        sums->pack_seconds += info->pack_seconds;
        sums->unpack_seconds += info->unpack_seconds;
        add(&sums->upload_seconds, info->upload_seconds);
        add(&sums->download_seconds, info->download_seconds);
        add(&sums->move_seconds, info->move_seconds);
    } else {
        it->left[it->left_count++] = taken;
        who->has_failed = true;
        it->live--;
        if (it->first_status == CLMOVE_OK) {
            it->first_status = status;
            it->first_why = *why;
        }
        if (!clm_member_is_at_fault(status) && !it->stops) {
            it->stops = true;
            it->status = status;
            it->why = *why;
        }
    }
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
}

/* ---- what a member does ---- */

/* Runs a form with a member's plan. */
static clmove_status run_form(clmove_plan *plan, const clm_normal_form *form, clm_run *run, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    run->plan = plan;
    run->form = form;
    run->candidate = clm_plan_current(plan);
    if (!clm_plan_is_on_host(plan) || run->params->progress || run->params->piece_bytes) {
        TRY(clm_run_once(run, error));
        goto out;
    }
    const double start = clm_now();
    TRY(clm_plan_run_form_on_host(plan, form, run->candidate->launch_plan.stream, run->src, run->dst, error));
    clm_plan_count(plan, run->candidate, 0);
    run->info = (clmove_run_info){
        .method = CLMOVE_RUN_HOST, .pieces = 1, .piece_bytes = clm_run_bytes(form), .move_seconds = clm_now() - start};
out:
    return status;
}

static void work(worker *who, bool tells) {
    handout *it = who->of;
    const clm_run *whole = it->run;
    const clmove_run_params params = {.struct_size = sizeof params, .piece_bytes = whole->params->piece_bytes};
    pieces taken;
    clm_run run; /* large; fields that are not set here are set before their use */
    while (take(it, who, tells, &taken)) {
        clm_placed_piece placed;
        clmove_error why = {0};
        clm_cut_in_place_with(&it->cut, taken.first, taken.count, &placed);
        int64_t units = 0;
        for (int64_t i = 0; i < taken.count; i++)
            units += clm_cut_units(&it->cut, taken.first + i, false);
        run.src = whole->src + placed.src_first;
        run.dst = whole->dst + placed.dst_first;
        run.src_bytes = run.src_used = (size_t)placed.src_bytes;
        run.dst_bytes = run.dst_used = (size_t)placed.dst_bytes;
        run.params = &params;
        run.start = whole->start;
        clmove_status status = run_form(whole->plan->members[who->member].plan, &placed.form, &run, &why);
        give_back(it, who, taken, units, &run.info, status, &why);
    }
}

static void *work_in_thread(void *of) {
    work(of, false);
    return NULL;
}

/* ---- runs ---- */

/* Runs all with one member, or with the next where it fails. *done false: none is left. */
static clmove_status run_on_one(clm_run *run, bool *done, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clmove_plan *plan = run->plan;
    clmove_error why = {0};
    double sum;
    *done = false;
    while (!*done) {
        const bool calibrated = clm_members_are_calibrated(plan, &sum);
        int32_t chosen = -1;
        for (int32_t i = 0; i < plan->device->member_count; i++)
            if (!atomic_load(&plan->members[i].has_failed) &&
                (chosen < 0 || (calibrated && plan->members[i].seconds < plan->members[chosen].seconds)))
                chosen = i;
        if (chosen < 0)
            break;
        clmove_plan *with = plan->members[chosen].plan;
        status = run_form(with, &with->form, run, &why);
        *done = status == CLMOVE_OK || !clm_member_is_at_fault(status);
        if (!*done)
            clm_member_leave_out(plan, chosen, &why);
    }
    run->plan = plan;
    run->form = &plan->form;
    if (status != CLMOVE_OK && error)
        *error = why;
    return status;
}

/* Prepares a handout. False: the run is too small, cannot be cut, or has one member. */
static bool prepare(handout *it, clm_run *run) {
    const clmove_plan *plan = run->plan;
    const int64_t bytes = clm_run_bytes(run->form), given = run->params->piece_bytes;
    double sum;
    *it = (handout){.run = run};
    const bool calibrated = clm_members_are_calibrated(plan, &sum);
    if (clm_members_live(plan) < 2 || bytes <= (given ? given : TURN_LEAST_BYTES))
        return false;
    const int64_t wanted = given ? clm_divide_up(bytes, given) : PIECES;
    clm_cut_outer(run->form, wanted < PIECES ? wanted : PIECES, &it->cut);
    if (it->cut.pieces < 2)
        return false;
    for (int32_t i = 0; i < plan->device->member_count; i++)
        if (!atomic_load(&plan->members[i].has_failed)) {
            worker *who = &it->workers[it->worker_count++];
            *who = (worker){.of = it, .member = i};
            if (calibrated)
                who->quota = (int64_t)((double)it->cut.pieces / plan->members[i].seconds / sum);
        }
    if (it->worker_count < 2) /* another run's failure came between */
        return false;
    const int64_t piece_bytes = bytes / it->cut.pieces + 1, least = given ? 1 : clm_divide_up(TURN_LEAST_BYTES, piece_bytes);
    it->turn = given ? 1 : it->cut.pieces / (TURNS * it->worker_count);
    it->turn = it->turn > least ? it->turn : least;
    it->live = it->worker_count;
    it->left[0] = (pieces){0, it->cut.pieces};
    it->left_count = 1;
    return true;
}

/* Hands the pieces out, and returns when nobody works any more. */
static clmove_status hand_out(handout *it, bool *done, clmove_error *error) {
    pthread_mutex_init(&it->lock, NULL);
    pthread_cond_init(&it->changed, NULL);
    for (int32_t i = 1; i < it->worker_count; i++) {
        worker *who = &it->workers[i];
        who->has_thread = clm_thread_start(&who->thread, 0, work_in_thread, who) == 0;
    }
    for (int32_t i = 0; i < it->worker_count; i++) /* those without a thread, one after the other; there is one at least */
        if (!it->workers[i].has_thread)
            work(&it->workers[i], true);
    pthread_mutex_lock(&it->lock);
    tell(it);
    while (!is_over(it)) {
        pthread_cond_wait(&it->changed, &it->lock);
        tell(it);
    }
    pthread_mutex_unlock(&it->lock);
    for (int32_t i = 0; i < it->worker_count; i++)
        if (it->workers[i].has_thread)
            pthread_join(it->workers[i].thread, NULL);
    pthread_cond_destroy(&it->changed);
    pthread_mutex_destroy(&it->lock);
    *done = it->stops || it->left_count == 0;
    clmove_status status = it->stops ? it->status : *done ? CLMOVE_OK : it->first_status;
    if (status != CLMOVE_OK && error)
        *error = it->stops ? it->why : it->first_why;
    it->sums.method = CLMOVE_RUN_SEVERAL;
    it->run->info = it->sums;
    return status;
}

clmove_status clm_run_several(clm_run *run, clmove_error *error) {
    clmove_status status;
    clmove_plan *plan = run->plan;
    clmove_error failure = {0};
    handout it;
    bool done = false;
    if (!plan->device->may_fall_back && clm_members_live(plan) == 0)
        clm_members_take_in(plan);
    status = prepare(&it, run) ? hand_out(&it, &done, &failure) : run_on_one(run, &done, &failure);
    if (!done && plan->device->may_fall_back) {
        run->candidate = clm_plan_host(plan);
        status = clm_run_once(run, &failure);
    }
    if (status != CLMOVE_OK && error)
        *error = failure;
    return status;
}
