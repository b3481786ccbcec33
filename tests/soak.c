/* Ten thousand mixed runs on buffers from a pool: soak SELECTOR [RUNS]
 *
 * Plans of several patterns and sizes, host runs and runs of buffers, pinned, wrapped, mapped, filled and copied ones, in an
 * order that looks random and is always the same. Bytes are verified now and then. What the process and the driver hold must not
 * grow: the resident set, the device's budget in use and, where the test layer is loaded, the OpenCL objects alive are compared
 * after a fifth of the runs and at the end.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layer/faults.h"
#include "support.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 10000, SHAPES = 12, MOST_BYTES = 1 << 19, PAGE = 4096, VERIFY_EVERY = 16 };

/* Of the last four fifths of the runs together: 260 bytes lost in each would be more. The resident set moves by some pages
 * anyway, as threads' stacks and the allocator's pieces are touched. */
#define MAY_GROW_BYTES ((int64_t)2 << 20)

/* A plan with its source and what must come out. */
typedef struct subject {
    clmove_plan *plan;
    size_t src_bytes, dst_bytes;
    /* Noise, and what it becomes, made by the host executor. */
    unsigned char *src, *expected;
} subject;

typedef struct soak {
    clmove_device *device, *host;
    clmove_pool *pool;
    subject subjects[SHAPES];
    /* The memory to wrap: twice MOST_BYTES and two pages. */
    unsigned char *memory;
    unsigned char *got;
    uint64_t random;
    clmove_error error;
} soak;

static void stop(const char *what, const char *why) {
    fprintf(stderr, "soak: FAILED: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

#define MUST(call)                                                                                                               \
    do {                                                                                                                         \
        if ((call) != CLMOVE_OK)                                                                                                 \
            stop(#call, it->error.text);                                                                                         \
    } while (0)

/* xorshift64 */
static size_t draw(soak *it, size_t below) {
    it->random ^= it->random << 13;
    it->random ^= it->random >> 7;
    it->random ^= it->random << 17;
    return (size_t)(it->random % below);
}

static int64_t resident_bytes(void) {
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file || fscanf(file, "%*s %lld", &pages) != 1)
        stop("/proc/self/statm", "cannot be read");
    fclose(file);
    return pages * (int64_t)sysconf(_SC_PAGESIZE);
}

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory)
        stop("malloc", "no memory");
    return memory;
}

/* ---- the plans ---- */

static void make_map(soak *it, int which, clmove_map *map) {
    static const uint32_t widths[] = {8, 16, 32, 24, 64, 4};
    int64_t size = 4 + 12 * (which % 6);
    uint32_t bits = widths[which % 6];
    clmove_error *error = &it->error;
    switch (which % 4) {
    case 0:
        MUST(clmove_map_init(map, bits, 3, (int64_t[]){3, size, size + 1}, error));
        MUST(clmove_map_tile(map, 3, (int64_t[]){2, 1, 3}, CLMOVE_RULES_OPENVINO, error));
        break;
    case 1:
        MUST(clmove_map_init(map, bits, 4, (int64_t[]){1, 3, size, 2 * size}, error));
        MUST(clmove_map_space_to_depth(map, 2, CLMOVE_DEPTH_FIRST, CLMOVE_RULES_OPENVINO, error));
        break;
    case 2:
        MUST(clmove_map_init(map, bits, 4, (int64_t[]){2, 8, size, size}, error));
        MUST(clmove_map_depth_to_space(map, 2, CLMOVE_BLOCKS_FIRST, CLMOVE_RULES_OPENVINO, error));
        break;
    default:
        MUST(clmove_map_init(map, bits, 2, (int64_t[]){size + 3, 5 * size}, error));
        MUST(clmove_map_permute(map, 2, (int64_t[]){1, 0}, error));
    }
}

static void make_subject(soak *it, int which) {
    subject *made = &it->subjects[which];
    clmove_map map;
    clmove_plan *on_host = NULL;
    make_map(it, which, &map);
    made->src_bytes = (size_t)clmove_map_src_bytes(&map);
    made->dst_bytes = (size_t)clmove_map_dst_bytes(&map);
    if (made->src_bytes > MOST_BYTES || made->dst_bytes > MOST_BYTES)
        stop("the plans", "one needs more memory than MOST_BYTES");
    made->src = allocate(made->src_bytes);
    made->expected = allocate(made->dst_bytes);
    fill_noise(made->src, made->src_bytes, (uint32_t)which);
    memset(made->expected, 0, made->dst_bytes);
    MUST(clmove_plan_create(it->host, &map, NULL, &on_host, &it->error));
    MUST(clmove_run(on_host, made->src, made->src_bytes, made->expected, made->dst_bytes, &it->error));
    clmove_plan_destroy(&on_host);
    MUST(clmove_plan_create(it->device, &map, NULL, &made->plan, &it->error));
}

/* ---- runs ---- */

static void verify(const subject *what, const unsigned char *got, size_t bytes, const char *way) {
    if (memcmp(got, what->expected, bytes) != 0)
        stop(way, "wrong bytes");
}

static clmove_buffer *take(soak *it, size_t bytes) {
    clmove_buffer *buffer = NULL;
    MUST(clmove_pool_take(it->pool, bytes, &buffer, &it->error));
    return buffer;
}

/* Zeros first: bits that a map does not write keep their value. */
static clmove_buffer *take_zeroed(soak *it, size_t bytes) {
    clmove_buffer *buffer = take(it, bytes);
    MUST(clmove_buffer_fill(buffer, 0, bytes, "", 1, &it->error));
    return buffer;
}

static void run_on_host_memory(soak *it, const subject *what, bool verified) {
    memset(it->got, 0, what->dst_bytes);
    MUST(clmove_run(what->plan, what->src, what->src_bytes, it->got, what->dst_bytes, &it->error));
    if (verified)
        verify(what, it->got, what->dst_bytes, "host memory");
}

static void run_on_buffers(soak *it, const subject *what, bool verified) {
    clmove_buffer *src = take(it, what->src_bytes), *dst = take_zeroed(it, what->dst_bytes);
    MUST(clmove_buffer_write(src, 0, what->src, what->src_bytes, &it->error));
    MUST(clmove_enqueue(what->plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &it->error));
    clmove_buffer_destroy(&src); /* while work waits */
    if (verified) {
        MUST(clmove_buffer_read(dst, 0, it->got, what->dst_bytes, &it->error));
        verify(what, it->got, what->dst_bytes, "buffers");
    }
    clmove_buffer_destroy(&dst);
}

static void run_mapped(soak *it, const subject *what, bool verified) {
    clmove_buffer *src = take(it, what->src_bytes), *dst = take_zeroed(it, what->dst_bytes);
    void *mapped = NULL;
    MUST(clmove_buffer_map(src, CLMOVE_ACCESS_WRITE, 0, what->src_bytes, &mapped, &it->error));
    memcpy(mapped, what->src, what->src_bytes);
    MUST(clmove_buffer_unmap(src, mapped, &it->error));
    MUST(clmove_enqueue(what->plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &it->error));
    MUST(clmove_buffer_map(dst, CLMOVE_ACCESS_READ, 0, what->dst_bytes, &mapped, &it->error));
    if (verified)
        verify(what, mapped, what->dst_bytes, "mapped buffers");
    if (draw(it, 2)) /* the others go as they are */
        MUST(clmove_buffer_unmap(dst, mapped, &it->error));
    clmove_buffer_destroy(&dst);
    clmove_buffer_destroy(&src);
}

static void run_wrapped(soak *it, const subject *what, bool verified) {
    clmove_buffer *src = NULL, *dst = NULL;
    void *mapped = NULL;
    size_t shift = draw(it, 2) ? 0 : draw(it, PAGE);
    unsigned char *from = it->memory + shift, *to = it->memory + MOST_BYTES + PAGE + shift;
    memcpy(from, what->src, what->src_bytes);
    memset(to, 0, what->dst_bytes);
    MUST(clmove_buffer_wrap(it->device, from, what->src_bytes, &src, &it->error));
    MUST(clmove_buffer_wrap(it->device, to, what->dst_bytes, &dst, &it->error));
    MUST(clmove_enqueue(what->plan, clmove_buffer_view(src, 0), clmove_buffer_view(dst, 0), NULL, &it->error));
    MUST(clmove_buffer_map(dst, CLMOVE_ACCESS_READ, 0, what->dst_bytes, &mapped, &it->error));
    if (verified)
        verify(what, mapped, what->dst_bytes, "wrapped memory");
    MUST(clmove_buffer_unmap(dst, mapped, &it->error));
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
}

static void run_pinned(soak *it, const subject *what, bool verified) {
    clmove_buffer *pinned = NULL, *src = take(it, what->src_bytes), *dst = take_zeroed(it, what->dst_bytes);
    MUST(clmove_buffer_create_pinned(it->device, MOST_BYTES, &pinned, &it->error));
    MUST(clmove_buffer_write(pinned, 0, what->src, what->src_bytes, &it->error));
    MUST(clmove_buffer_copy(pinned, 0, src, 0, what->src_bytes, &it->error));
    bool in_place = draw(it, 2);
    MUST(
        clmove_enqueue(what->plan, clmove_buffer_view(in_place ? pinned : src, 0), clmove_buffer_view(dst, 0), NULL, &it->error));
    MUST(clmove_buffer_copy(dst, 0, pinned, 0, what->dst_bytes, &it->error));
    if (verified) {
        MUST(clmove_buffer_read(pinned, 0, it->got, what->dst_bytes, &it->error));
        verify(what, it->got, what->dst_bytes, "pinned buffers");
    }
    clmove_buffer_destroy(&pinned);
    clmove_buffer_destroy(&src);
    clmove_buffer_destroy(&dst);
}

static void fill_odd(soak *it, bool verified) {
    unsigned char pattern[64];
    size_t length = 1 + draw(it, sizeof pattern), bytes = length * (1 + draw(it, 2000)), offset = draw(it, 5);
    clmove_buffer *buffer = take(it, offset + bytes);
    fill_noise(pattern, length, (uint32_t)bytes);
    MUST(clmove_buffer_fill(buffer, offset, bytes, pattern, length, &it->error));
    if (verified) {
        MUST(clmove_buffer_read(buffer, offset, it->got, bytes, &it->error));
        for (size_t i = 0; i < bytes; i++)
            if (it->got[i] != pattern[i % length])
                stop("a fill", "wrong bytes");
    }
    clmove_buffer_destroy(&buffer);
}

/* Makes a plan and a pool, and destroys them. */
static void come_and_go(soak *it, int which) {
    clmove_map map;
    clmove_plan *plan = NULL;
    clmove_pool *pool = NULL;
    clmove_buffer *buffer = NULL;
    make_map(it, which, &map);
    MUST(clmove_plan_create(it->device, &map, NULL, &plan, &it->error));
    MUST(clmove_pool_create(it->device, MOST_BYTES, &pool, &it->error));
    MUST(clmove_pool_take(pool, 1 + draw(it, MOST_BYTES), &buffer, &it->error));
    clmove_plan_destroy(&plan);
    clmove_buffer_destroy(&buffer);
    clmove_pool_destroy(&pool);
}

static void run_one(soak *it, int number) {
    int which = (int)draw(it, SHAPES);
    const subject *what = &it->subjects[which];
    bool verified = number % VERIFY_EVERY == 0;
    switch (draw(it, 14)) {
    case 0:
    case 1:
    case 2:
        run_on_host_memory(it, what, verified);
        break;
    case 3:
    case 4:
    case 5:
    case 6:
        run_on_buffers(it, what, verified);
        break;
    case 7:
    case 8:
        run_mapped(it, what, verified);
        break;
    case 9:
    case 10:
        run_wrapped(it, what, verified);
        break;
    case 11:
        run_pinned(it, what, verified);
        break;
    case 12:
        fill_odd(it, verified);
        break;
    default:
        come_and_go(it, which);
    }
}

/* ---- what is held ---- */

typedef struct holdings {
    int64_t resident, objects;
    clmove_memory_info memory;
    clmove_pool_info pool;
} holdings;

static holdings count_holdings(soak *it, const faults_interface *layer) {
    holdings now = {.memory.struct_size = sizeof now.memory, .pool.struct_size = sizeof now.pool};
    const char *kind;
    MUST(clmove_device_finish(it->device, &it->error));
    MUST(clmove_pool_trim(it->pool, 0, &it->error)); /* what is kept at this moment is chance */
    MUST(clmove_device_get_memory(it->device, &now.memory, &it->error));
    MUST(clmove_pool_get_info(it->pool, &now.pool, &it->error));
    now.resident = resident_bytes();
    now.objects = layer ? layer->balance(&kind) : 0;
    return now;
}

static const char *compare(const holdings *early, const holdings *late, bool is_sanitized, char why[128]) {
    int64_t grown = late->resident - early->resident;
    why[0] = '\0';
    if (late->objects != early->objects)
        snprintf(why, 128, "%" PRId64 " OpenCL objects became %" PRId64, early->objects, late->objects);
    else if (late->memory.used_bytes != early->memory.used_bytes)
        snprintf(why, 128, "%" PRIu64 " bytes of the budget became %" PRIu64, early->memory.used_bytes, late->memory.used_bytes);
    else if (grown > MAY_GROW_BYTES && !is_sanitized) /* sanitizers keep what is freed */
        snprintf(why, 128, "the resident set grew from %" PRId64 " to %" PRId64 " bytes", early->resident, late->resident);
    return why;
}

static bool is_sanitized(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#else
    return false;
#endif
}

/* The layer's counters, where OPENCL_LAYERS names it. */
static const faults_interface *find_layer(void) {
    const char *path = getenv("OPENCL_LAYERS");
    void *layer = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    return layer ? dlsym(layer, "faults_control") : NULL;
}

static void begin(soak *it) {
    void *memory = NULL;
    if (posix_memalign(&memory, PAGE, 2 * (MOST_BYTES + PAGE) + PAGE) != 0)
        stop("posix_memalign", "no memory");
    it->memory = memory;
    it->got = allocate(MOST_BYTES);
    it->random = 88172645463325252u;
    it->host = open_device("host");
    MUST(clmove_pool_create(it->device, 4 * MOST_BYTES, &it->pool, &it->error));
    for (int i = 0; i < SHAPES; i++)
        make_subject(it, i);
}

static void end(soak *it) {
    for (int i = 0; i < SHAPES; i++) {
        clmove_plan_destroy(&it->subjects[i].plan);
        free(it->subjects[i].src);
        free(it->subjects[i].expected);
    }
    clmove_pool_destroy(&it->pool);
    clmove_device_close(&it->device);
    clmove_device_close(&it->host);
    free(it->memory);
    free(it->got);
}

int main(int count, char **arguments) {
    if (count < 2 || count > 3) {
        fprintf(stderr, "usage: soak SELECTOR [RUNS]\n");
        return 2;
    }
    const faults_interface *layer = find_layer();
    soak it = {.device = open_device(arguments[1])};
    int runs = count > 2 ? atoi(arguments[2]) : RUNS;
    if (!it.device) {
        printf("soak: skipped: there is no device %s\n", arguments[1]);
        return EXIT_SKIPPED;
    }
    begin(&it);
    holdings early = {0};
    for (int number = 0; number < runs; number++) {
        run_one(&it, number);
        if (number + 1 == runs / 5)
            early = count_holdings(&it, layer);
    }
    holdings late = count_holdings(&it, layer);
    printf("soak: %d runs on %s: resident %.1f MiB, then %.1f; OpenCL objects %" PRId64 ", then %" PRId64
           "; the pool used memory "
           "again %" PRIu64 " times of %" PRIu64 "; the budget's most %.1f MiB\n",
           runs, arguments[1], (double)early.resident / (1 << 20), (double)late.resident / (1 << 20), early.objects, late.objects,
           late.pool.hits, late.pool.hits + late.pool.misses, (double)late.memory.most_used_bytes / (1 << 20));
    char why[128];
    if (*compare(&early, &late, is_sanitized(), why))
        stop("what is held", why);
    if (late.pool.hits < late.pool.misses)
        stop("the pool", "seldom used memory again");
    end(&it);
    const char *kind = "";
    if (layer && layer->balance(&kind) != 0)
        stop("an OpenCL object is left", kind);
    return EXIT_SUCCESS;
}
