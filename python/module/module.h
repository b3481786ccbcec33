/* What the files of the Python module share. The module has no function for those who use the package: python/clmove/ has.
 *
 * A process that was forked has none of its parent's threads: what the parent opened is never used or closed in it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_PYTHON_MODULE_H
#define CLMOVE_PYTHON_MODULE_H

#include <atomic>
#include <clmove/clmove.h>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>

/* What a call of the library says when it fails. It becomes the exception of clmove._errors that has this status. */
struct failure {
    clmove_error error;
};

/* Throws a failure with this sentence. */
[[noreturn]] void fail(clmove_status status, const char *text);

/* Throws a failure if status is none of success. */
inline void check(clmove_status status, const clmove_error &error) {
    if (status != CLMOVE_OK)
        throw failure{error};
}

struct map_object {
    clmove_map map;
};

/* Forks between the first process and this one. */
extern std::atomic<unsigned> forks;

/* Before a call that opens or lists OpenCL devices. Throws in a process that was forked from one that used them. */
void begin_opencl();

class device_object {
  public:
    explicit device_object(const std::optional<std::string> &selector);
    /* Takes over what is open. */
    explicit device_object(clmove_device *opened) : device(opened) {}
    device_object(const device_object &) = delete;
    ~device_object();
    clmove_device *get() const;
    std::string fallback() const { return note.empty() ? clmove_device_fallback(get()) : note; }
    clmove_device_info info() const;
    clmove_device_stats stats() const;

  private:
    clmove_device *device = nullptr;
    std::string note; /* why auto did not look for a device; "": it did */
    unsigned born = forks;
};

class plan_object {
  public:
    /* None, 0: as clmove_plan_params has them. */
    plan_object(const device_object &device, const map_object &map, const std::optional<std::string> &variant,
                uint32_t index_bits, const std::optional<std::string> &tuning);
    plan_object(const plan_object &) = delete;
    ~plan_object();
    clmove_plan *get() const;
    /* progress is called with the bytes that are done and those of all, after each piece; None: it is not. */
    void run(nanobind::handle src, nanobind::handle dst, nanobind::handle progress) const;
    std::string explain() const;
    std::string variant() const;

  private:
    clmove_plan *plan = nullptr;
    unsigned born = forks;
};

void add_errors(nanobind::module_ &module);
void add_map(nanobind::module_ &module);
void add_device(nanobind::module_ &module);
void add_plan(nanobind::module_ &module);
void add_opencl(nanobind::module_ &module);
void add_dlpack(nanobind::module_ &module);
void add_arrays(nanobind::module_ &module);

#endif
