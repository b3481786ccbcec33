// Buffers. The device's memory is never the host's: what a buffer was made from is copied, and a mapping is another copy, so that
// who forgets to map, or to unmap, finds out. New memory, and mappings after their end, hold a pattern that is nobody's data.
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/opencl/answer.hpp"

#include <algorithm>
#include <cstdlib>

using namespace gpusim;

_cl_mem::~_cl_mem() {
    if (!parent)
        free(memory);
    free(shadow);
}

static const cl_mem_flags access_flags = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
static const cl_mem_flags host_access_flags = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags host_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

static bool has_two(cl_mem_flags flags) {
    return (flags & (flags - 1)) != 0;
}

static bool flags_are_valid(cl_mem_flags flags) {
    return !(flags & ~(access_flags | host_access_flags | host_flags)) && !has_two(flags & access_flags) &&
           !has_two(flags & host_access_flags) &&
           !(flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR));
}

API cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code) {
    Guard guard;
    static uint64_t next = 1ull << 32;
    const uint64_t page = 2 << 20; // as drivers do for what is large
    if (!is(context, Kind::Context))
        return give<_cl_mem>(nullptr, CL_INVALID_CONTEXT, code);
    if (!flags_are_valid(flags))
        return give<_cl_mem>(nullptr, CL_INVALID_VALUE, code);
    if (bytes == 0 || bytes > 4ull << 30)
        return give<_cl_mem>(nullptr, CL_INVALID_BUFFER_SIZE, code);
    if ((host != nullptr) != ((flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0))
        return give<_cl_mem>(nullptr, CL_INVALID_HOST_PTR, code);
    unsigned char *memory = (unsigned char *)aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!memory)
        return give<_cl_mem>(nullptr, CL_MEM_OBJECT_ALLOCATION_FAILURE, code);
    _cl_mem *mem = new _cl_mem;
    mem->context = Ref<_cl_context>(context);
    mem->flags = flags & access_flags ? flags : flags | CL_MEM_READ_WRITE;
    mem->bytes = bytes;
    mem->memory = memory;
    mem->host = flags & CL_MEM_USE_HOST_PTR ? (unsigned char *)host : nullptr;
    mem->address = next;
    next += (bytes + page - 1) / page * page + page;
    if (host)
        memcpy(memory, host, bytes);
    else
        memset(memory, NOBODYS, bytes);
    return give(mem, CL_SUCCESS, code);
}

API cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *code) {
    Guard guard;
    const cl_buffer_region *region = (const cl_buffer_region *)info;
    if (!is(parent, Kind::Memory) || parent->parent)
        return give<_cl_mem>(nullptr, CL_INVALID_MEM_OBJECT, code);
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !region || !flags_are_valid(flags) || flags & host_flags ||
        (parent->flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY) && flags & access_flags & ~parent->flags) ||
        (parent->flags & CL_MEM_HOST_NO_ACCESS && flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))
        return give<_cl_mem>(nullptr, CL_INVALID_VALUE, code);
    if (region->size == 0)
        return give<_cl_mem>(nullptr, CL_INVALID_BUFFER_SIZE, code);
    if (region->origin > parent->bytes || region->size > parent->bytes - region->origin)
        return give<_cl_mem>(nullptr, CL_INVALID_VALUE, code);
    if (region->origin % (BASE_ALIGN_BITS / 8) != 0)
        return give<_cl_mem>(nullptr, CL_MISALIGNED_SUB_BUFFER_OFFSET, code);
    _cl_mem *mem = new _cl_mem;
    mem->context = parent->context;
    mem->parent = Ref<_cl_mem>(parent);
    mem->flags = (flags & access_flags ? flags & access_flags : parent->flags & access_flags) |
                 (flags & host_access_flags ? flags & host_access_flags : parent->flags & host_access_flags) |
                 (parent->flags & host_flags);
    mem->bytes = region->size;
    mem->origin = region->origin;
    mem->memory = parent->memory + region->origin;
    mem->host = parent->host ? parent->host + region->origin : nullptr;
    mem->address = parent->address + region->origin;
    return give(mem, CL_SUCCESS, code);
}
API cl_int clRetainMemObject(cl_mem it) {
    return retain(it, Kind::Memory, CL_INVALID_MEM_OBJECT);
}
API cl_int clReleaseMemObject(cl_mem it) {
    return release(it, Kind::Memory, CL_INVALID_MEM_OBJECT);
}
API cl_int clGetMemObjectInfo(cl_mem it, cl_mem_info what, size_t room, void *to, size_t *size) {
    Guard guard;
    const Answer answer = {room, to, size};
    if (!is(it, Kind::Memory))
        return CL_INVALID_MEM_OBJECT;
    switch (what) {
    case CL_MEM_TYPE:
        return answer.number((cl_mem_object_type)CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS:
        return answer.number(it->flags);
    case CL_MEM_SIZE:
        return answer.number(it->bytes);
    case CL_MEM_HOST_PTR:
        return answer.number((void *)it->host);
    case CL_MEM_MAP_COUNT:
        return answer.number((cl_uint)it->root()->mappings.size());
    case CL_MEM_REFERENCE_COUNT:
        return answer.number(it->references);
    case CL_MEM_CONTEXT:
        return answer.number(it->context.get());
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return answer.number(it->parent.get());
    case CL_MEM_OFFSET:
        return answer.number(it->origin);
    default:
        return CL_INVALID_VALUE;
    }
}
