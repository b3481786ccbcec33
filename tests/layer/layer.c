/* SPDX-License-Identifier: Apache-2.0 */
#include "layer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

const faults_interface *faults;
journey way;

int layer_find(const char *name, const char *selector, int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: OPENCL_LAYERS=LAYER.so %s LAYER.so\n", arguments[0]);
        return 2;
    }
    void *layer = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    faults = layer ? dlsym(layer, "faults_control") : NULL;
    if (!faults) {
        fprintf(stderr, "%s: FAILED: %s\n", name, dlerror());
        return EXIT_FAILURE;
    }
    clmove_device *device = open_device(selector);
    if (!device) {
        printf("%s: skipped: there is no OpenCL device %s\n", name, selector);
        return EXIT_SKIPPED;
    }
    clmove_device_close(&device);
    if (faults->created() == 0) {
        printf("%s: skipped: the OpenCL loader does not load layers (ocl-icd does from 2.3.0 on)\n", name);
        return EXIT_SKIPPED;
    }
    return EXIT_SUCCESS;
}

void check_no_object_left(void) {
    const char *kind;
    int64_t left = faults->balance(&kind);
    if (left)
        fail_msg("%d OpenCL objects are left, among them a %s", (int)left, kind);
}

int layer_clean_up(void **state) {
    (void)state;
    faults->disarm();
    journey_end(&way);
    faults->pretend(false, 0);
    faults->share(false);
    return 0;
}
