/* See tensor_source.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _FILE_OFFSET_BITS 64
#include "tensor_source.h"

#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What of the file is in memory: all of a mapped one; of a pipe the part read so far, which grows. */
typedef struct input {
    int file;
    bool is_mapped, ended;
    char *memory;
    size_t bytes, capacity;
} input;

/* Makes the first wanted bytes available, or as many as there are. Memory grows with what arrives, never with what a header
 * claims. False with errno set when reading failed or memory ran out. */
static bool input_fill(input *in, uint64_t wanted) {
    while (!in->is_mapped && !in->ended && in->bytes < wanted) {
        if (in->bytes == in->capacity) {
            size_t capacity = in->capacity ? in->capacity * 2 : 1U << 16;
            char *memory = capacity > in->capacity ? realloc(in->memory, capacity) : NULL;
            if (!memory) {
                errno = ENOMEM;
                return false;
            }
            in->memory = memory;
            in->capacity = capacity;
        }
        size_t room = in->capacity - in->bytes;
        ssize_t got = read(in->file, in->memory + in->bytes, wanted - in->bytes < room ? (size_t)(wanted - in->bytes) : room);
        if (got < 0 && errno != EINTR)
            return false;
        if (got > 0)
            in->bytes += (size_t)got;
        in->ended = got == 0;
    }
    return true;
}

static void input_free(input *in) {
    if (in->is_mapped)
        munmap(in->memory, in->bytes);
    else
        free(in->memory);
}

/* Maps a regular file that nothing was read from yet; what can only be read in order is read as it is needed. */
static bool input_start(input *in, const char *name) {
    struct stat status;
    if (fstat(in->file, &status) != 0) {
        failed("%s: cannot be examined: %s", name, strerror(errno));
        return false;
    }
    if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
        return true;
    if (!S_ISREG(status.st_mode)) {
        failed("%s: is %s, and a .npy file or a pipe is needed", name,
               S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
        return false;
    }
    if (status.st_size == 0 || lseek(in->file, 0, SEEK_CUR) != 0)
        return true;
    if ((uintmax_t)status.st_size > SIZE_MAX) {
        failed("%s: has %jd bytes, more than this machine can address", name, (intmax_t)status.st_size);
        return false;
    }
    void *memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, in->file, 0);
    if (memory == MAP_FAILED) {
        failed("%s: cannot be mapped into memory: %s", name, strerror(errno));
        return false;
    }
    in->memory = memory;
    in->bytes = (size_t)status.st_size;
    in->is_mapped = true;
    return true;
}

static bool input_read(input *in, uint64_t wanted, const char *name) {
    if (input_fill(in, wanted))
        return true;
    failed("%s: cannot be read: %s", name, strerror(errno));
    return false;
}

static bool read_tensor(tensor_source *source, input *in, const char *name) {
    char reason[NPY_REASON];
    uint64_t offset = 0;
    npy_header *header = &source->header;
    if (!input_read(in, NPY_PROLOGUE, name))
        return false;
    bool is_npy = npy_data_offset(in->memory, in->bytes, &offset, reason);
    if (is_npy && !input_read(in, offset, name))
        return false;
    if (!is_npy || !npy_parse(in->memory, in->bytes, header, reason)) {
        failed("%s: %s", name, reason);
        return false;
    }
    if (!input_read(in, offset + (uint64_t)header->data_bytes, name))
        return false;
    if (in->bytes - offset < (uint64_t)header->data_bytes) {
        char shape[SHAPE_TEXT];
        failed("%s: it is truncated: shape %s of %" PRIu32 "-byte elements needs %" PRId64 " bytes of data, and it has %" PRIu64,
               name, shape_text(header->rank, header->dims, shape), header->element_bytes, header->data_bytes,
               in->bytes - offset);
        return false;
    }
    /* The memory may have moved while it grew. */
    npy_parse(in->memory, in->bytes, header, reason);
    source->data = in->memory + offset;
    source->memory = in->memory;
    source->memory_bytes = in->bytes;
    source->is_mapped = in->is_mapped;
    return true;
}

bool tensor_source_open(tensor_source *source, const char *path) {
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    input in = {.file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    if (in.file < 0) {
        failed("%s: cannot be opened: %s", name, strerror(errno));
        return false;
    }
    bool done = input_start(&in, name) && read_tensor(source, &in, name);
    if (!done)
        input_free(&in);
    if (!is_stdin)
        close(in.file);
    return done;
}

void tensor_source_let_go(const tensor_source *source) {
    if (source->is_mapped) /* read only, so that the file has all of it */
        madvise(source->memory, source->memory_bytes, MADV_DONTNEED);
}

void tensor_source_close(tensor_source *source) {
    input in = {.is_mapped = source->is_mapped, .memory = source->memory, .bytes = source->memory_bytes};
    input_free(&in);
    *source = (tensor_source){0};
}
