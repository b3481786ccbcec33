// Commands on buffers: reading, writing, copying, filling, mapping.
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/opencl/queue.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace gpusim;

static cl_int check_range(cl_command_queue queue, cl_mem mem, size_t offset, size_t bytes) {
    if (!is(mem, Kind::Memory))
        return CL_INVALID_MEM_OBJECT;
    if (mem->context.get() != queue->context.get())
        return CL_INVALID_CONTEXT;
    return bytes == 0 || offset > mem->bytes || bytes > mem->bytes - offset ? CL_INVALID_VALUE : CL_SUCCESS;
}

// What lies in a mapping to write belongs to the host; what lies in one to read may be read by all.
static cl_int check_unmapped(cl_mem mem, size_t offset, size_t bytes, bool writes, const char *what) {
    offset += mem->origin;
    for (const _cl_mem::Mapping &mapping : mem->root()->mappings)
        if ((writes || mapping.flags != CL_MAP_READ) && offset < mapping.offset + mapping.bytes &&
            mapping.offset < offset + bytes) {
            say(std::string(what) + " uses memory that is mapped for the host");
            return CL_INVALID_OPERATION;
        }
    return CL_SUCCESS;
}

API cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset, size_t bytes, void *to,
                               cl_uint waits, const cl_event *list, cl_event *event) {
    Guard guard;
    cl_int code = check_enqueue(queue, {waits, list});
    if (code == CL_SUCCESS)
        code = check_range(queue, mem, offset, bytes);
    if (code != CL_SUCCESS || !to)
        return code != CL_SUCCESS ? code : CL_INVALID_VALUE;
    if (mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS))
        return CL_INVALID_OPERATION;
    return enqueue(guard, queue, CL_COMMAND_READ_BUFFER, blocking, {waits, list}, event, [=, kept = Ref<_cl_mem>(mem)] {
        cl_int status = check_unmapped(kept.get(), offset, bytes, false, "clEnqueueReadBuffer");
        if (status == CL_SUCCESS)
            memcpy(to, kept->memory + offset, bytes);
        return status;
    });
}
API cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset, size_t bytes,
                                const void *from, cl_uint waits, const cl_event *list, cl_event *event) {
    Guard guard;
    cl_int code = check_enqueue(queue, {waits, list});
    if (code == CL_SUCCESS)
        code = check_range(queue, mem, offset, bytes);
    if (code != CL_SUCCESS || !from)
        return code != CL_SUCCESS ? code : CL_INVALID_VALUE;
    if (mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS))
        return CL_INVALID_OPERATION;
    return enqueue(guard, queue, CL_COMMAND_WRITE_BUFFER, blocking, {waits, list}, event, [=, kept = Ref<_cl_mem>(mem)] {
        cl_int status = check_unmapped(kept.get(), offset, bytes, true, "clEnqueueWriteBuffer");
        if (status == CL_SUCCESS)
            memcpy(kept->memory + offset, from, bytes);
        return status;
    });
}
API cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes,
                               cl_uint waits, const cl_event *list, cl_event *event) {
    Guard guard;
    cl_int code = check_enqueue(queue, {waits, list});
    if (code == CL_SUCCESS)
        code = check_range(queue, from, from_offset, bytes);
    if (code == CL_SUCCESS)
        code = check_range(queue, to, to_offset, bytes);
    if (code != CL_SUCCESS)
        return code;
    const size_t first = from->origin + from_offset, second = to->origin + to_offset;
    if (from->root() == to->root() && first < second + bytes && second < first + bytes)
        return CL_MEM_COPY_OVERLAP;
    return enqueue(guard, queue, CL_COMMAND_COPY_BUFFER, false, {waits, list}, event,
                   [=, src = Ref<_cl_mem>(from), dst = Ref<_cl_mem>(to)] {
                       cl_int status = check_unmapped(src.get(), from_offset, bytes, false, "clEnqueueCopyBuffer");
                       if (status == CL_SUCCESS)
                           status = check_unmapped(dst.get(), to_offset, bytes, true, "clEnqueueCopyBuffer");
                       if (status == CL_SUCCESS)
                           memcpy(dst->memory + to_offset, src->memory + from_offset, bytes);
                       return status;
                   });
}
API cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_bytes, size_t offset,
                               size_t bytes, cl_uint waits, const cl_event *list, cl_event *event) {
    Guard guard;
    cl_int code = check_enqueue(queue, {waits, list});
    if (code == CL_SUCCESS)
        code = check_range(queue, mem, offset, bytes);
    if (code != CL_SUCCESS)
        return code;
    if (!pattern || pattern_bytes == 0 || pattern_bytes > 128 || (pattern_bytes & (pattern_bytes - 1)) != 0 ||
        offset % pattern_bytes != 0 || bytes % pattern_bytes != 0)
        return CL_INVALID_VALUE;
    std::string one((const char *)pattern, pattern_bytes);
    return enqueue(guard, queue, CL_COMMAND_FILL_BUFFER, false, {waits, list}, event, [=, kept = Ref<_cl_mem>(mem)] {
        cl_int status = check_unmapped(kept.get(), offset, bytes, true, "clEnqueueFillBuffer");
        for (size_t done = 0; status == CL_SUCCESS && done < bytes; done += one.size())
            memcpy(kept->memory + offset + done, one.data(), one.size());
        return status;
    });
}

// ---- mapping ----

API void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags, size_t offset,
                             size_t bytes, cl_uint waits, const cl_event *list, cl_event *event, cl_int *result) {
    Guard guard;
    const bool discards = flags == CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int code = check_enqueue(queue, {waits, list});
    if (code == CL_SUCCESS)
        code = check_range(queue, mem, offset, bytes);
    if (code == CL_SUCCESS && (flags == 0 || (flags & ~(cl_map_flags)(CL_MAP_READ | CL_MAP_WRITE) && !discards)))
        code = CL_INVALID_VALUE;
    if (code == CL_SUCCESS &&
        (mem->flags & CL_MEM_HOST_NO_ACCESS || (flags & CL_MAP_READ && mem->flags & CL_MEM_HOST_WRITE_ONLY) ||
         (flags & ~(cl_map_flags)CL_MAP_READ && mem->flags & CL_MEM_HOST_READ_ONLY)))
        code = CL_INVALID_OPERATION;
    _cl_mem *root = code == CL_SUCCESS ? mem->root() : nullptr;
    if (root && !root->host && !root->shadow) {
        const size_t room = (root->bytes + 4095) / 4096 * 4096;
        root->shadow = (unsigned char *)aligned_alloc(4096, room);
        if (root->shadow)
            memset(root->shadow, NOBODYS, room);
        else
            code = CL_MAP_FAILURE;
    }
    if (code != CL_SUCCESS)
        return give<void>(nullptr, code, result);
    const size_t from = mem->origin + offset;
    unsigned char *at = (root->host ? root->host : root->shadow) + from;
    code = enqueue(guard, queue, CL_COMMAND_MAP_BUFFER, blocking, {waits, list}, event, [=, kept = Ref<_cl_mem>(root)] {
        cl_int status = check_unmapped(kept.get(), from, bytes, flags != CL_MAP_READ, "clEnqueueMapBuffer");
        if (status != CL_SUCCESS)
            return status;
        if (!discards)
            memcpy(at, kept->memory + from, bytes);
        else if (!kept->host)
            memset(at, NOBODYS, bytes);
        kept->mappings.push_back({at, from, bytes, flags});
        return status;
    });
    return give<void>(code == CL_SUCCESS ? at : nullptr, code, result);
}

static cl_int unmap(_cl_mem &root, unsigned char *at) {
    auto found =
        std::find_if(root.mappings.begin(), root.mappings.end(), [at](const _cl_mem::Mapping &it) { return it.at == at; });
    if (found == root.mappings.end()) {
        say("clEnqueueUnmapMemObject is given memory that is not mapped");
        return CL_INVALID_VALUE;
    }
    const _cl_mem::Mapping mapping = *found;
    root.mappings.erase(found);
    if (mapping.flags != CL_MAP_READ)
        memcpy(root.memory + mapping.offset, mapping.at, mapping.bytes);
    const bool is_shared = std::any_of(root.mappings.begin(), root.mappings.end(), [&](const _cl_mem::Mapping &it) {
        return it.offset < mapping.offset + mapping.bytes && mapping.offset < it.offset + it.bytes;
    });
    if (!root.host && !is_shared)
        memset(mapping.at, NOBODYS, mapping.bytes);
    return CL_SUCCESS;
}

API cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *at, cl_uint waits, const cl_event *list,
                                   cl_event *event) {
    Guard guard;
    cl_int code = check_enqueue(queue, {waits, list});
    if (code != CL_SUCCESS)
        return code;
    if (!is(mem, Kind::Memory))
        return CL_INVALID_MEM_OBJECT;
    _cl_mem *root = mem->root();
    const unsigned char *first = root->host ? root->host : root->shadow;
    if (!first || (unsigned char *)at < first || (unsigned char *)at >= first + root->bytes)
        return CL_INVALID_VALUE;
    return enqueue(guard, queue, CL_COMMAND_UNMAP_MEM_OBJECT, false, {waits, list}, event,
                   [at, kept = Ref<_cl_mem>(root)] { return unmap(*kept, (unsigned char *)at); });
}
