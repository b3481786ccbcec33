/* See cache_bed.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cache_bed.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

char home[] = "/tmp/clmove-test-XXXXXX";
clm_cache cache;
char why[CLM_CACHE_WHY];
clmove_error error;
unsigned char binary_data[3001];
clm_binary binary = {binary_data, sizeof binary_data};
uint64_t key;

void shell(const char *command) {
    if (system(command) != 0)
        fail_msg("%s failed", command);
}

void open_cache(void) {
    clm_cache_open(&cache, true, why);
    assert_true(cache.is_on);
    assert_string_equal(why, "");
}

int set_up(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s/* %s/.cache", home, home);
    shell(command);
    setenv("HOME", home, 1);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("CLMOVE_PROGRAM_CACHE");
    fill_noise(binary_data, sizeof binary_data, 3);
    open_cache();
    key = clm_cache_key(0, "a key");
    return 0;
}

size_t find_file(char path[1200]) {
    size_t count = 0;
    DIR *folder = opendir(cache.folder);
    for (struct dirent *it; folder && (it = readdir(folder));)
        if (it->d_name[0] != '.' || it->d_name[1] == 'n') {
            snprintf(path, 1200, "%s/%.128s", cache.folder, it->d_name);
            count++;
        }
    if (folder)
        closedir(folder);
    return count;
}

void store(void) {
    if (!clm_cache_store(&cache, key, binary, why))
        fail_msg("not stored: %s", why);
}

void expect_hit(void) {
    clm_binary got = {0};
    if (!clm_cache_load(&cache, key, &got, why))
        fail_msg("not loaded: %s", why);
    assert_int_equal(got.size, binary.size);
    assert_memory_equal(got.data, binary.data, binary.size);
    assert_string_equal(why, "");
    free(got.data);
}

void expect_miss(const char *reason) {
    clm_binary got = {0};
    assert_false(clm_cache_load(&cache, key, &got, why));
    assert_null(got.data);
    assert_int_equal(*why == '\0', *reason == '\0');
    assert_mentions(why, reason);
}
