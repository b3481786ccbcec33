/* See source.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/npy/source.h"

#include "host/tools/common/message.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What was read so far. */
typedef struct input {
    int file;
    bool is_mappable, ended;
    char *memory;
    size_t bytes, capacity;
} input;

/* Reads until there are wanted bytes, or as many as there are. Memory grows with what arrives, never with what a header claims.
 * On false a sentence has been printed. */
static bool input_fill(input *in, uint64_t wanted, const char *name) {
    while (!in->ended && in->bytes < wanted) {
        if (in->bytes == in->capacity) {
            size_t capacity = in->capacity ? in->capacity * 2 : 1U << 12;
            char *memory = capacity > in->capacity ? realloc(in->memory, capacity) : NULL;
            if (!memory)
                return refused("%s: cannot be read: %s", name, strerror(ENOMEM));
            in->memory = memory;
            in->capacity = capacity;
        }
        size_t room = in->capacity - in->bytes;
        room = wanted - in->bytes < room ? (size_t)(wanted - in->bytes) : room;
        /* The offset of standard input is the parent's too, and is left where it is when the file can be mapped. */
        ssize_t got = in->is_mappable ? pread(in->file, in->memory + in->bytes, room, (off_t)in->bytes)
                                      : read(in->file, in->memory + in->bytes, room);
        if (got < 0 && errno != EINTR)
            return refused("%s: cannot be read: %s", name, strerror(errno));
        if (got > 0)
            in->bytes += (size_t)got;
        in->ended = got == 0;
    }
    return true;
}

/* A regular file that nothing was read from yet can be mapped; what can only be read in order is read as it is needed. */
static bool examine(tensor_source *source, input *in) {
    const char *name = source->name;
    struct stat *status = &source->before;
    if (fstat(in->file, status) != 0)
        return refused("%s: cannot be examined: %s", name, strerror(errno));
    if (S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode))
        return true;
    if (!S_ISREG(status->st_mode))
        return refused("%s: is %s, and a .npy file or a pipe is needed", name,
                       S_ISDIR(status->st_mode) ? "a folder" : "not a regular file");
    in->is_mappable = lseek(in->file, 0, SEEK_CUR) == 0;
    return true;
}

static bool read_header(tensor_source *source, input *in, uint64_t *offset) {
    char reason[NPY_REASON];
    if (!input_fill(in, NPY_PROLOGUE, source->name))
        return false;
    bool is_npy = npy_data_offset(in->memory, in->bytes, offset, reason);
    if (is_npy && !input_fill(in, *offset, source->name))
        return false;
    if (is_npy && npy_parse(in->memory, in->bytes, &source->header, reason))
        return true;
    return refused("%s: %s", source->name, reason);
}

static bool has_all(const tensor_source *source, uint64_t bytes) {
    const npy_header *header = &source->header;
    char shape[SHAPE_TEXT];
    if (bytes >= (uint64_t)header->data_bytes)
        return true;
    return refused("%s: it is truncated: shape %s of %" PRIu32 "-byte elements needs %" PRId64
                   " bytes of data, and it has %" PRIu64,
                   source->name, shape_text(header->rank, header->dims, shape), header->element_bytes, header->data_bytes, bytes);
}

static bool map_data(tensor_source *source, const input *in, uint64_t offset) {
    uint64_t size = (uint64_t)source->before.st_size, wanted = offset + (uint64_t)source->header.data_bytes;
    if (!has_all(source, size > offset ? size - offset : 0))
        return false;
    if (wanted > SIZE_MAX)
        return refused("%s: has %" PRIu64 " bytes, more than this machine can address", source->name, wanted);
    void *memory = mmap(NULL, (size_t)wanted, PROT_READ, MAP_PRIVATE, in->file, 0);
    if (memory == MAP_FAILED)
        return refused("%s: cannot be mapped into memory: %s", source->name, strerror(errno));
    source->memory = memory;
    source->memory_bytes = (size_t)wanted;
    source->file = in->file;
    source->data = (const char *)memory + offset;
    return true;
}

static bool read_data(tensor_source *source, const input *in) {
    input data = {.file = in->file, .ended = in->ended};
    bool done = input_fill(&data, (uint64_t)source->header.data_bytes, source->name) && has_all(source, data.bytes);
    source->memory = data.memory;
    source->memory_bytes = data.bytes;
    source->data = data.memory ? data.memory : "";
    return done;
}

bool tensor_source_open(tensor_source *source, const char *path) {
    bool is_stdin = strcmp(path, "-") == 0;
    *source = (tensor_source){.name = is_stdin ? "standard input" : path, .file = -1};
    input in = {.file = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    uint64_t offset = 0;
    if (in.file < 0)
        return refused("%s: cannot be opened: %s", source->name, strerror(errno));
    bool done = examine(source, &in) && read_header(source, &in, &offset) &&
                (in.is_mappable ? map_data(source, &in, offset) : read_data(source, &in));
    free(in.memory);
    if (source->file < 0 && !is_stdin)
        close(in.file);
    if (!done)
        tensor_source_close(source);
    return done;
}

bool tensor_source_check(const tensor_source *source) {
    const struct stat *before = &source->before;
    struct stat now;
    if (source->file < 0)
        return true;
    if (fstat(source->file, &now) != 0)
        return refused("%s: cannot be examined: %s", source->name, strerror(errno));
    if (now.st_size != before->st_size)
        return refused("%s: changed while it was in use, from %jd bytes to %jd; nothing was written", source->name,
                       (intmax_t)before->st_size, (intmax_t)now.st_size);
    if (now.st_mtim.tv_sec != before->st_mtim.tv_sec || now.st_mtim.tv_nsec != before->st_mtim.tv_nsec)
        return refused("%s: changed while it was in use; nothing was written", source->name);
    return true;
}

void tensor_source_let_go(const tensor_source *source) {
    if (source->file >= 0) /* read only, so that the file has all of it */
        madvise(source->memory, source->memory_bytes, MADV_DONTNEED);
}

void tensor_source_close(tensor_source *source) {
    if (source->file >= 0)
        munmap(source->memory, source->memory_bytes);
    else
        free(source->memory);
    if (source->file > STDERR_FILENO)
        close(source->file);
    free(source->header.text);
    *source = (tensor_source){.file = -1};
}
