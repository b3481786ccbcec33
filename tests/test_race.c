/* A race that ThreadSanitizer has to report, so that its silence about the other programs means something: two threads change one
 * map, which clmove.h forbids. It lies in the library's code, not in this file's, as the library is what has to be instrumented.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clmove/clmove.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static clmove_map shared;

static void *change(void *unused) {
    (void)unused;
    const int64_t dims[] = {2, 3};
    return clmove_map_init(&shared, 32, 2, dims, NULL) ? &shared : NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, change, NULL) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("race: rank %d, and nobody saw it\n", (int)clmove_map_rank(&shared));
    return EXIT_SUCCESS;
}
