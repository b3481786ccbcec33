/* See processor_wait.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/measured/processor_wait.h"

#include <dirent.h>
#include <stdio.h>

processor_wait processor_wait_now(void) {
    processor_wait sum = {0};
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *it; threads && (it = readdir(threads));) {
        char path[sizeof it->d_name + 32];
        double ran, waited;
        if (it->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", it->d_name);
        FILE *file = fopen(path, "re");
        if (file && fscanf(file, "%lf %lf", &ran, &waited) == 2) {
            sum.ran += ran;
            sum.waited += waited;
        }
        if (file)
            fclose(file);
    }
    if (threads)
        closedir(threads);
    return sum;
}

double processor_wait_share(processor_wait since) {
    processor_wait now = processor_wait_now();
    double ran = now.ran - since.ran, waited = now.waited - since.waited;
    return ran > 0 && waited > 0 ? waited / (ran + waited) : 0; /* a thread that ended takes its time with it */
}
