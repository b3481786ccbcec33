/* SPDX-License-Identifier: Apache-2.0 */
#include "host/thread.h"

#include <signal.h>

int clm_thread_start(pthread_t *thread, size_t stack_bytes, void *(*body)(void *of), void *of) {
    sigset_t others, before;
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0)
        return code;
    sigfillset(&others);
    sigdelset(&others, SIGBUS);
    sigdelset(&others, SIGSEGV);
    sigdelset(&others, SIGFPE);
    sigdelset(&others, SIGILL);
    if (stack_bytes)
        pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    code = pthread_create(thread, &attributes, body, of);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (code == 0)
        pthread_setname_np(*thread, "clmove");
    return code;
}
