/* clmove devices: every device, with what matters for moving data.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/commands.h"
#include "host/tools/common/message.h"
#include "host/tools/common/options.h"
#include "host/tools/common/printable.h"
#include "host/tools/common/table.h"
#include "host/tools/measured/tuning_view.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option_row OPTIONS[] = {
    {"verbose", NULL, OPTION_VERBOSE, NULL,
     "also the memory budget of each device (the memory that is available, or CLMOVE_MEMORY_BUDGET), the kernels that its driver "
     "gets (CLMOVE_KERNELS=plain or clang forces either), which host memory it uses in place, and its tuning, with the origin of "
     "each value: built in, the user's file, or the environment variable CLMOVE_TUNING; see clmove tune"},
    {"json", NULL, OPTION_JSON, NULL, "print an array with one object for each device"},
    {0}};

typedef struct request {
    bool as_json, verbose;
} request;

/* What --device takes for a device that is listed. */
static const char *selector(const clmove_device_info *info, char text[24]) {
    if (info->type == CLMOVE_DEVICE_HOST)
        return "host";
    snprintf(text, 24, "%" PRId64, info->index);
    return text;
}

static const char *size_text(uint64_t bytes, char text[24]) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    double size = (double)bytes;
    for (; size >= 1024 && unit < 4; unit++)
        size /= 1024;
    if (bytes == 0)
        return "-";
    snprintf(text, 24, "%.*f %s", size < 10 && unit > 0 ? 1 : 0, size, units[unit]);
    return text;
}

/* What only an open device tells. */
typedef struct open_facts {
    /* The device could be opened. */
    bool is_known;
    clmove_memory_info memory;
    tuning_view tuning;
} open_facts;

/* Opens a device that is used. What it does with the host's memory goes over what its driver says of it. On false a sentence has
 * been printed. */
static bool learn(clmove_device_info *info, open_facts *facts) {
    char select[24];
    clmove_error error;
    clmove_device_params params = {.struct_size = sizeof params, .selector = selector(info, select)};
    clmove_device *device = NULL;
    facts->memory.struct_size = sizeof facts->memory;
    if (info->refused[0])
        return true;
    facts->is_known = clmove_device_open(&params, &device, &error) == CLMOVE_OK &&
                      tuning_view_get(&facts->tuning, device, &error) == CLMOVE_OK &&
                      clmove_device_get_memory(device, &facts->memory, &error) == CLMOVE_OK;
    clmove_device_close(&device);
    info->host_unified = facts->is_known ? facts->memory.shares_host_memory : info->host_unified;
    return facts->is_known || refused("%s", error.text);
}

/* As comments of the file of tunings. */
static void print_memory(const clmove_memory_info *memory) {
    char budget[24];
    printf("# memory budget: %s\n", memory->budget_bytes == UINT64_MAX ? "none" : size_text(memory->budget_bytes, budget));
    if (memory->zero_copy_alignment == 0)
        printf("# memory of the host is copied to it\n");
    else if (memory->zero_copy_alignment == 1)
        printf("# any memory of the host is used in place\n");
    else
        printf("# memory of the host is used in place at multiples of %zu bytes and in multiples of %zu, else copied\n",
               memory->zero_copy_alignment, memory->zero_copy_multiple);
}

/* Which kernels the driver is given. */
static void print_kernels(const clmove_device_info *info) {
    const char *forced = getenv("CLMOVE_KERNELS");
    if (info->kernels[0])
        printf("# kernels: %s%s\n",
               strcmp(info->kernels, "clang") == 0 ? "clang (OpenCL C with clang's extensions)"
                                                   : "plain (OpenCL C 1.2 without extensions)",
               forced && *forced ? ", as CLMOVE_KERNELS says" : "");
}

/* In the form of the file that is read. */
static bool print_open_facts(const clmove_device_info *infos, size_t count, const open_facts *facts) {
    char path[4096] = "";
    clmove_error error;
    if (clmove_tuning_path(path, sizeof path, &error) != CLMOVE_OK)
        return refused("%s", error.text);
    printf("\n# file of tunings for all devices: %s\n", path[0] ? printable(path) : "none");
    for (size_t i = 0; i < count; i++) {
        if (!facts[i].is_known)
            continue;
        printf("%s\n# file of tunings: %s\n", printable(facts[i].tuning.header),
               facts[i].tuning.path[0] ? printable(facts[i].tuning.path) : "none");
        print_kernels(&infos[i]);
        print_memory(&facts[i].memory);
        for (int64_t k = 0; k < facts[i].tuning.count; k++) {
            const clmove_tuning_value *it = &facts[i].tuning.values[k];
            printf("%s = %" PRId64 "\n    # %s; %" PRId64 " to %" PRId64 "; %s\n", it->key, it->value,
                   tuning_origin_text(it->origin), it->least, it->most, it->what);
        }
    }
    return true;
}

static json_t *json_tuning(const tuning_view *view) {
    json_t *object = json_object();
    for (int64_t k = 0; k < view->count; k++)
        json_object_set_new(object, view->values[k].key,
                            json_pack("{s:I, s:s}", "value", (json_int_t)view->values[k].value, "from",
                                      tuning_origin_text(view->values[k].origin)));
    return object;
}

static json_t *json_memory(const clmove_memory_info *memory) {
    json_t *budget = memory->budget_bytes == UINT64_MAX ? json_null() : json_integer((json_int_t)memory->budget_bytes);
    return json_pack("{s:o, s:b, s:I, s:I}", "budget_bytes", budget, "shares_host_memory", (int)memory->shares_host_memory,
                     "zero_copy_alignment", (json_int_t)memory->zero_copy_alignment, "zero_copy_multiple",
                     (json_int_t)memory->zero_copy_multiple);
}

/* facts: for JSON; NULL where they are not wanted. */
static bool put_device(const clmove_device_info *info, const open_facts *facts, table_part part, json_t *list) {
    char select[24], memory[24], buffer[24], cache[24], name[2048];
    const table_kind told = facts && !info->refused[0] ? TABLE_JSON : TABLE_NOTHING;
    const bool is_known = told == TABLE_JSON && facts->is_known;
    int length = snprintf(name, sizeof name, "%s", info->name);
    if (info->platform[0])
        length += snprintf(name + length, sizeof name - (size_t)length, " (%s; %s; driver %s)", info->platform, info->version,
                           info->driver);
    if (info->refused[0])
        snprintf(name + length, sizeof name - (size_t)length, ", not used: %s", info->refused);
    const table_cell cells[] = {
        {"device", "DEVICE", 1, -7, AS_TEXT(selector(info, select))},
        {"type", "TYPE", 2, -12, AS_TEXT(clmove_device_type_text(info->type))},
        {"name", "NAME", 8, 0, AS_TEXT(info->name), .shown = name},
        {"platform", AS_TEXT(info->platform)},
        {"version", AS_TEXT(info->version)},
        {"driver", AS_TEXT(info->driver)},
        {"compute_units", "UNITS", 3, -6, AS_COUNT(info->compute_units)},
        {"address_bits", AS_COUNT(info->address_bits)},
        {"memory_bytes", "MEMORY", 4, -9, AS_BYTES(info->memory_bytes), .shown = size_text(info->memory_bytes, memory)},
        {"max_alloc_bytes", "BUFFER", 5, -9, AS_BYTES(info->max_alloc_bytes), .shown = size_text(info->max_alloc_bytes, buffer)},
        {"cache_bytes", "CACHE", 6, -9, AS_BYTES(info->cache_bytes), .shown = size_text(info->cache_bytes, cache)},
        {"host_unified", "SHARED", 7, -7, AS_FLAG(info->host_unified)},
        {"kernels", AS_TEXT(info->kernels)},
        {"refused", AS_TEXT(info->refused)},
        {"tuning", .kind = told, .json = is_known ? json_tuning(&facts->tuning) : json_null()},
        {"memory", .kind = told, .json = is_known ? json_memory(&facts->memory) : json_null()},
    };
    return table_put(TABLE_CELLS(cells), part, list);
}

/* Why no OpenCL device is listed: auto says what it found instead of one. */
static void explain_absence(void) {
    clmove_error error;
    clmove_device *device = NULL;
    const clmove_device_params params = {.struct_size = sizeof params, .selector = "auto"};
    if (clmove_device_open(&params, &device, &error) == CLMOVE_OK)
        report("note: there is only the host: %s", clmove_device_fallback(device));
    else
        report("note: there is only the host, and it cannot be opened: %s", error.text);
    clmove_device_close(&device);
}

/* In the list it is one array. facts: of each device, empty so far. On false a sentence has been printed. */
static bool print_devices(const request *asked, clmove_device_info *infos, size_t count, open_facts *facts, json_t *list) {
    bool done = true;
    if (count == 1 && infos[0].type == CLMOVE_DEVICE_HOST)
        explain_absence();
    for (size_t i = 0; asked->verbose && i < count; i++)
        done = learn(&infos[i], &facts[i]) && done;
    if (!asked->as_json) {
        for (size_t i = 0; i < count; i++)
            put_device(&infos[i], NULL, i == 0 ? TABLE_HEAD_AND_ROW : TABLE_ROW, NULL);
        return (!asked->verbose || print_open_facts(infos, count, facts)) && done;
    }
    bool is_written = true;
    for (size_t i = 0; i < count && is_written; i++)
        is_written = put_device(&infos[i], asked->verbose ? &facts[i] : NULL, TABLE_OBJECT, list);
    if (!is_written || !table_json_put(list, JSON_INDENT(2)))
        return refused("there is no memory for the list of devices");
    printf("\n");
    return done;
}

static int list_devices(const request *asked) {
    clmove_error error;
    int64_t capacity = 0, count = 0;
    if (clmove_device_list(NULL, 0, &capacity, &error) != CLMOVE_OK)
        return failed("%s", error.text);
    clmove_device_info *infos = calloc((size_t)capacity, sizeof *infos);
    open_facts *facts = calloc((size_t)capacity, sizeof *facts);
    json_t *list = json_array();
    bool done = (infos && facts && list) || refused("there is no memory for a list of %" PRId64 " devices", capacity);
    if (done)
        infos[0].struct_size = sizeof *infos;
    done = done && (clmove_device_list(infos, capacity, &count, &error) == CLMOVE_OK || refused("%s", error.text)) &&
           print_devices(asked, infos, (size_t)(count < capacity ? count : capacity), facts, list);
    json_decref(list);
    free(facts);
    free(infos);
    return done ? STATUS_DONE : STATUS_FAILED;
}

static bool take_option(void *user, int id, const char *value) {
    request *asked = user;
    (void)value;
    asked->as_json |= id == OPTION_JSON;
    asked->verbose |= id == OPTION_VERBOSE;
    return true;
}

static int run(const command *self, int argc, char **argv) {
    request asked = {0};
    int status = options_read_alone(argc, argv, self, take_option, &asked);
    return status == OPTIONS_READ ? list_devices(&asked) : status;
}

const command COMMAND_DEVICES = {
    .name = "devices",
    .summary = "list the devices",
    .synopsis = {"[--verbose] [--json]"},
    .about =
        "Lists the OpenCL devices and the host, with what matters for moving data: compute units (for the host: threads), "
        "memory, the largest single buffer, the last-level cache, and whether memory is shared with the host. Without --verbose "
        "the last is what the driver reports; with it, what a test on the device shows. The first column is an argument for "
        "--device, which also takes auto, gpu, cpu, accelerator, or part of a name. If there is no OpenCL device, a note on "
        "stderr says why.",
    .options = {OPTIONS},
    .examples = "  clmove devices\n"
                "  clmove devices --json | jq -r '.[] | select(.type == \"gpu\") | .name'\n",
    .run = run};
