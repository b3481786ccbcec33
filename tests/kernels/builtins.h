/* What kernels call of OpenCL C, for kernels that are compiled as host code (sanitize.sh).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define LEAST_AND_MOST(type)                                                                                                     \
    __attribute__((overloadable)) static inline type host_min(type a, type b) {                                                  \
        return a < b ? a : b;                                                                                                    \
    }                                                                                                                            \
    __attribute__((overloadable)) static inline type host_max(type a, type b) {                                                  \
        return a > b ? a : b;                                                                                                    \
    }
LEAST_AND_MOST(uint)
LEAST_AND_MOST(ulong)
LEAST_AND_MOST(int)
LEAST_AND_MOST(long)
__attribute__((overloadable)) static inline uint host_mul_hi(uint a, uint b) {
    return (uint)((ulong)a * b >> 32);
}
__attribute__((overloadable)) static inline ulong host_mul_hi(ulong a, ulong b) {
    return (ulong)((unsigned __int128)a * b >> 64);
}
#define min host_min
#define max host_max
#define mul_hi host_mul_hi
