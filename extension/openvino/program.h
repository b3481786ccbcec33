/* The plans of clmove.Move, which are kept for the shapes that come.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_OPENVINO_PROGRAM_H
#define CLMOVE_OPENVINO_PROGRAM_H

#include "steps.h"

#include <clmove/clmove.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace clmove_openvino {

/* The plans of all steps for one shape, element width and device. Any number of threads may run it at once. */
class program {
  public:
    program(clmove_device *device, const std::vector<clmove_map> &maps);
    program(const program &) = delete;
    ~program();
    const std::vector<size_t> &shape() const { return dst_shape; }
    /* Throws std::runtime_error with the library's sentence. */
    void run(const void *src, size_t src_bytes, void *dst, size_t dst_bytes) const;

  private:
    std::vector<clmove_plan *> plans;
    /* Of what each plan writes. */
    std::vector<size_t> bytes;
    std::vector<size_t> dst_shape;
};

/* Devices are opened where the calling thread may run now. OpenVINO's own threads, which run the operator, are bound to a
 * processor each. */
void remember_processors();

/* Finds the program, or makes it. The latest programs of the process are kept. device is a selector of clmove_device_open; "" is
 * what CLMOVE_DEVICE says, or auto. Throws std::invalid_argument or std::runtime_error with a sentence. Thread-safe. */
std::shared_ptr<const program> find_program(const std::string &device, const std::string &text, const std::vector<step> &steps,
                                            uint32_t element_bits, const std::vector<size_t> &dims);

} // namespace clmove_openvino

#endif
