// SPDX-License-Identifier: Apache-2.0
#include "tests/gpusim/opencl/compiler.hpp"
#include "tests/gpusim/opencl/objects.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace gpusim {

namespace fs = std::filesystem;

// Where prelude.h lies: beside this library.
static std::string own_folder() {
    Dl_info info;
    if (!dladdr((void *)&own_folder, &info) || !info.dli_fname)
        return ".";
    return fs::absolute(info.dli_fname).parent_path().string();
}

static std::string read_all(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

static std::string variable(const char *name) {
    const char *text = getenv(name);
    return text ? text : "";
}

static std::vector<std::string> command_of(const std::vector<std::string> &options) {
    const std::string clang = variable("GPUSIM_CLANG");
    std::vector<std::string> words = {clang.empty() ? "clang" : clang};
    for (const char *word : {"-x", "cl", "-cl-std=CL1.2", "-cl-no-stdinc", "--target=nvptx64-nvidia-nvcl", "-Xclang",
                             "-target-cpu", "-Xclang", "sm_80", "-Xclang", "-target-feature", "-Xclang", "+ptx70", "-O3",
                             "-gline-tables-only", "-w", "-S", "-mllvm", "-inline-threshold=100000"})
        words.push_back(word);
    words.push_back("-DVECTOR_ALIGN=" + std::to_string(number_of("GPUSIM_VECTORS", 0)));
    words.insert(words.end(), {"-include", own_folder() + "/prelude.h"});
    words.insert(words.end(), options.begin(), options.end());
    return words;
}

// Whether the command ended well; what it says goes to a file.
static bool run(const std::vector<std::string> &words, const std::string &log) {
    std::vector<char *> arguments;
    for (const std::string &word : words)
        arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 2, log.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    pid_t child = 0;
    int status = -1;
    if (posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ) != 0)
        std::ofstream(log) << words[0] << " cannot be started\n";
    else
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    posix_spawn_file_actions_destroy(&files);
    return status == 0;
}

static Compiled compile_in(const fs::path &folder, const std::string &stem, const std::string &source,
                           std::vector<std::string> words) {
    const std::string base = (folder / stem).string();
    std::ofstream(base + ".cl") << source;
    words.insert(words.end(), {"-o", base + ".ptx", base + ".cl"});
    Compiled made;
    made.is_done = run(words, base + ".log");
    made.log = read_all(base + ".log");
    made.ptx = read_all(base + ".ptx");
    made.is_done = made.is_done && !made.ptx.empty();
    return made;
}

// FNV-1a, twice with different beginnings: 128 bits.
static std::string name_of(const std::string &text) {
    uint64_t first = 0xcbf29ce484222325, second = 0x84222325cbf29ce4;
    for (char letter : text) {
        const auto c = static_cast<unsigned char>(letter);
        first = (first ^ c) * 0x100000001b3;
        second = (second ^ c) * 0x100000001b3 + 0x9e3779b97f4a7c15;
    }
    char name[40];
    snprintf(name, sizeof name, "%016" PRIx64 "%016" PRIx64, first, second);
    return name;
}

// In one step, so that another process sees all of it or nothing.
static void store(const fs::path &path, const std::string &text) {
    const fs::path aside = path.string() + "." + std::to_string(getpid());
    if (std::ofstream(aside, std::ios::binary) << text) {
        std::error_code ignored;
        fs::rename(aside, path, ignored);
    }
}

Compiled compile(const std::string &source, const std::vector<std::string> &options) {
    static int number;
    const std::string keep = variable("GPUSIM_KEEP"), cache = variable("GPUSIM_CACHE");
    const std::vector<std::string> words = command_of(options);
    fs::path kept;
    if (!cache.empty()) {
        std::string all = source + '\0' + read_all(own_folder() + "/prelude.h");
        for (const std::string &word : words)
            all += '\0' + word;
        kept = fs::path(cache) / (name_of(all) + ".ptx");
        Compiled found = {true, read_all(kept), ""};
        if (!found.ptx.empty() && keep.empty())
            return found;
    }
    const std::string stem = std::to_string(getpid()) + "." + std::to_string(number++);
    Compiled made;
    if (!keep.empty())
        made = compile_in(keep, stem, source, words);
    else {
        std::string folder = (fs::temp_directory_path() / "gpusim.XXXXXX").string();
        if (!mkdtemp(&folder[0])) {
            made.log = "there is no folder for temporary files";
            return made;
        }
        made = compile_in(folder, stem, source, words);
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    }
    if (made.is_done && !kept.empty())
        store(kept, made.ptx);
    return made;
}

std::vector<std::string> split_options(const char *options) {
    std::vector<std::string> words;
    std::string word;
    char quote = 0;
    bool any = false;
    for (const char *at = options ? options : ""; *at; at++)
        if (quote ? *at == quote : *at == '"' || *at == '\'') {
            quote = quote ? 0 : *at;
            any = true;
        } else if (!quote && *at == ' ') {
            if (any || !word.empty())
                words.push_back(word);
            word.clear();
            any = false;
        } else
            word += *at;
    if (any || !word.empty())
        words.push_back(word);
    return words;
}

} // namespace gpusim
