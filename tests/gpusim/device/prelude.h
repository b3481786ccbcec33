/* What a kernel needs of OpenCL C, for clang's NVPTX target, so that no GPU toolkit is needed: types, ids, integer functions,
 * vloadN and vstoreN, as_TYPE, barriers.
 *
 * VECTOR_ALIGN says what the compiler of the pretended GPU knows of the address of vloadN and vstoreN, in bytes; 0: no more than
 * the specification grants, the alignment of one element. NVIDIA's then take one instruction for each element.
 */
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ulong size_t;
typedef long ptrdiff_t;
typedef ulong uintptr_t;
typedef long intptr_t;
#ifndef NULL
#define NULL ((void *)0)
#endif
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define INLINE static inline __attribute__((always_inline))
#define MANY INLINE __attribute__((overloadable))

#define VECTORS(type)                                                                                                            \
    typedef type type##2 __attribute__((ext_vector_type(2)));                                                                    \
    typedef type type##3 __attribute__((ext_vector_type(3)));                                                                    \
    typedef type type##4 __attribute__((ext_vector_type(4)));                                                                    \
    typedef type type##8 __attribute__((ext_vector_type(8)));                                                                    \
    typedef type type##16 __attribute__((ext_vector_type(16)));

/* word: what moves so many bytes where the address is known well enough; the type itself where it is not. */
#if VECTOR_ALIGN > 0
#define MOVED(type, n, word) word
#define ALIGN_OF(type, n) (sizeof(type) * n < VECTOR_ALIGN ? sizeof(type) * n : VECTOR_ALIGN)
#else
#define MOVED(type, n, word) type##n
#define ALIGN_OF(type, n) sizeof(type)
#endif
#define VMOVE_IN(type, n, word, space)                                                                                           \
    MANY type##n vload##n(size_t i, const space type *p) {                                                                       \
        typedef MOVED(type, n, word) at __attribute__((aligned(ALIGN_OF(type, n))));                                             \
        return __builtin_astype(*(const space at *)(p + i * n), type##n);                                                        \
    }                                                                                                                            \
    MANY void vstore##n(type##n v, size_t i, space type *p) {                                                                    \
        typedef MOVED(type, n, word) at __attribute__((aligned(ALIGN_OF(type, n))));                                             \
        *(space at *)(p + i * n) = __builtin_astype(v, MOVED(type, n, word));                                                    \
    }
#define VMOVE(type, n, word) VMOVE_IN(type, n, word, __global) VMOVE_IN(type, n, word, __local) VMOVE_IN(type, n, word, __private)
#define INTEGERS(type)                                                                                                           \
    MANY type min(type a, type b) {                                                                                              \
        return a < b ? a : b;                                                                                                    \
    }                                                                                                                            \
    MANY type max(type a, type b) {                                                                                              \
        return a > b ? a : b;                                                                                                    \
    }                                                                                                                            \
    MANY type clamp(type a, type low, type high) {                                                                               \
        return min(max(a, low), high);                                                                                           \
    }
VECTORS(char)
VECTORS(uchar) VECTORS(short) VECTORS(ushort) VECTORS(int) VECTORS(uint) VECTORS(long) VECTORS(ulong) VECTORS(float)
    VECTORS(double) INTEGERS(char) INTEGERS(uchar) INTEGERS(short) INTEGERS(ushort) INTEGERS(int) INTEGERS(uint) INTEGERS(long)
        INTEGERS(ulong)
#define BYTE_MOVES(type) VMOVE(type, 2, ushort) VMOVE(type, 4, uint) VMOVE(type, 8, uint2) VMOVE(type, 16, uint4)
#define SHORT_MOVES(type) VMOVE(type, 2, uint) VMOVE(type, 4, uint2) VMOVE(type, 8, uint4) VMOVE(type, 16, uint8)
#define WORD_MOVES(type) VMOVE(type, 2, uint2) VMOVE(type, 4, uint4) VMOVE(type, 8, uint8) VMOVE(type, 16, uint16)
#define LONG_MOVES(type) VMOVE(type, 2, ulong2) VMOVE(type, 4, ulong4) VMOVE(type, 8, ulong8) VMOVE(type, 16, ulong16)
            BYTE_MOVES(char) BYTE_MOVES(uchar) SHORT_MOVES(short) SHORT_MOVES(ushort) WORD_MOVES(int) WORD_MOVES(uint)
                WORD_MOVES(float) LONG_MOVES(long) LONG_MOVES(ulong)

                    MANY uint mul_hi(uint a, uint b) {
    return __nvvm_mulhi_ui(a, b);
}
MANY int mul_hi(int a, int b) {
    return __nvvm_mulhi_i(a, b);
}
MANY ulong mul_hi(ulong a, ulong b) {
    return __nvvm_mulhi_ull(a, b);
}
MANY uint mul24(uint a, uint b) {
    return a * b;
}
MANY uint mad24(uint a, uint b, uint c) {
    return a * b + c;
}
MANY uint clz(uint a) {
    return a ? (uint)__builtin_clz(a) : 32;
}
MANY uint popcount(uint a) {
    return (uint)__builtin_popcount(a);
}
MANY uint rotate(uint a, uint b) {
    return a << (b & 31) | a >> (-b & 31);
}
MANY uint select(uint a, uint b, uint c) {
    return c ? b : a;
}

#define as_uint(v) __builtin_astype(v, uint)
#define as_int(v) __builtin_astype(v, int)
#define as_ulong(v) __builtin_astype(v, ulong)
#define as_uchar4(v) __builtin_astype(v, uchar4)
#define as_uchar8(v) __builtin_astype(v, uchar8)
#define as_uchar16(v) __builtin_astype(v, uchar16)
#define as_char16(v) __builtin_astype(v, char16)
#define as_ushort2(v) __builtin_astype(v, ushort2)
#define as_ushort4(v) __builtin_astype(v, ushort4)
#define as_ushort8(v) __builtin_astype(v, ushort8)
#define as_uint2(v) __builtin_astype(v, uint2)
#define as_uint4(v) __builtin_astype(v, uint4)
#define as_uint8(v) __builtin_astype(v, uint8)
#define as_uint16(v) __builtin_astype(v, uint16)
#define as_ulong2(v) __builtin_astype(v, ulong2)

/* One dimension is all that clmove launches. */
#define OF_X(d, x, other) ((d) == 0 ? (size_t)(x) : (size_t)(other))
INLINE size_t get_local_id(uint d) {
    return OF_X(d, __nvvm_read_ptx_sreg_tid_x(), 0);
}
INLINE size_t get_local_size(uint d) {
    return OF_X(d, __nvvm_read_ptx_sreg_ntid_x(), 1);
}
INLINE size_t get_group_id(uint d) {
    return OF_X(d, __nvvm_read_ptx_sreg_ctaid_x(), 0);
}
INLINE size_t get_num_groups(uint d) {
    return OF_X(d, __nvvm_read_ptx_sreg_nctaid_x(), 1);
}
INLINE size_t get_global_id(uint d) {
    return get_group_id(d) * get_local_size(d) + get_local_id(d);
}
INLINE size_t get_global_size(uint d) {
    return get_num_groups(d) * get_local_size(d);
}
INLINE size_t get_global_offset(uint d) {
    return 0;
}
INLINE uint get_work_dim(void) {
    return 1;
}
INLINE void barrier(uint flags) {
    __syncthreads();
}
INLINE void mem_fence(uint flags) {
    __nvvm_membar_cta();
}
