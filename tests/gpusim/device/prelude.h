/* What a kernel needs of OpenCL C, for clang's NVPTX target, so that no GPU toolkit is needed: types, ids, integer functions,
 * vloadN and vstoreN, as_TYPE, barriers.
 *
 * VECTOR_ALIGN says what the compiler of the pretended GPU knows of the address of vloadN and vstoreN, in bytes; 0: no more than
 * the specification grants, the alignment of one element. NVIDIA's then take one instruction for each element.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */
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
#define VMOVE(type, n, word)                                                                                                     \
    VMOVE_IN(type, n, word, __global) VMOVE_IN(type, n, word, __local) VMOVE_IN(type, n, word, __private)
#define INTEGERS(type)                                                                                                           \
    MANY type min(type a, type b) { return a < b ? a : b; }                                                                      \
    MANY type max(type a, type b) { return a > b ? a : b; }                                                                      \
    MANY type clamp(type a, type low, type high) { return min(max(a, low), high); }
/* Three have no word, and no more alignment than one has. */
#define VMOVE_3_IN(type, space) \
    MANY type##3 vload3(size_t i, const space type *p) { return (type##3)(p[3 * i], p[3 * i + 1], p[3 * i + 2]); } \
    MANY void vstore3(type##3 v, size_t i, space type *p) { p[3 * i] = v.x, p[3 * i + 1] = v.y, p[3 * i + 2] = v.z; }
#define VMOVE_3(type) VMOVE_3_IN(type, __global) VMOVE_3_IN(type, __local) VMOVE_3_IN(type, __private)
VECTORS(char) VECTORS(uchar) VECTORS(short) VECTORS(ushort) VECTORS(int) VECTORS(uint) VECTORS(long) VECTORS(ulong)
VECTORS(float) VECTORS(double)
INTEGERS(char) INTEGERS(uchar) INTEGERS(short) INTEGERS(ushort) INTEGERS(int) INTEGERS(uint) INTEGERS(long) INTEGERS(ulong)
#define BYTE_MOVES(type) VMOVE(type, 2, ushort) VMOVE(type, 4, uint) VMOVE(type, 8, uint2) VMOVE(type, 16, uint4)
#define SHORT_MOVES(type) VMOVE(type, 2, uint) VMOVE(type, 4, uint2) VMOVE(type, 8, uint4) VMOVE(type, 16, uint8)
#define WORD_MOVES(type) VMOVE(type, 2, uint2) VMOVE(type, 4, uint4) VMOVE(type, 8, uint8) VMOVE(type, 16, uint16)
#define LONG_MOVES(type) VMOVE(type, 2, ulong2) VMOVE(type, 4, ulong4) VMOVE(type, 8, ulong8) VMOVE(type, 16, ulong16)
BYTE_MOVES(char) BYTE_MOVES(uchar) SHORT_MOVES(short) SHORT_MOVES(ushort) WORD_MOVES(int) WORD_MOVES(uint) WORD_MOVES(float)
LONG_MOVES(long) LONG_MOVES(ulong)

VMOVE_3(char) VMOVE_3(uchar) VMOVE_3(short) VMOVE_3(ushort) VMOVE_3(int) VMOVE_3(uint) VMOVE_3(float) VMOVE_3(long) VMOVE_3(ulong)

MANY uint mul_hi(uint a, uint b) { return __nvvm_mulhi_ui(a, b); }
MANY int mul_hi(int a, int b) { return __nvvm_mulhi_i(a, b); }
/* clang's built-ins of 64 bits take `long long`, which has 128 in OpenCL C. */
MANY ulong mul_hi(ulong a, ulong b) {
    ulong high;
    __asm__("mul.hi.u64 %0, %1, %2;" : "=l"(high) : "l"(a), "l"(b));
    return high;
}
MANY long mul_hi(long a, long b) {
    long high;
    __asm__("mul.hi.s64 %0, %1, %2;" : "=l"(high) : "l"(a), "l"(b));
    return high;
}
MANY uint mad_hi(uint a, uint b, uint c) { return mul_hi(a, b) + c; }
MANY ulong mad_hi(ulong a, ulong b, ulong c) { return mul_hi(a, b) + c; }
MANY uint mul24(uint a, uint b) { return a * b; }
MANY int mul24(int a, int b) { return a * b; }
MANY uint mad24(uint a, uint b, uint c) { return a * b + c; }
MANY int mad24(int a, int b, int c) { return a * b + c; }
MANY uint clz(uint a) { return a ? (uint)__builtin_clz(a) : 32; }
MANY int clz(int a) { return (int)clz((uint)a); }
MANY ulong clz(ulong a) { return a ? (ulong)__builtin_clzl(a) : 64; }
MANY uint popcount(uint a) { return (uint)__builtin_popcount(a); }
MANY ulong popcount(ulong a) { return (ulong)__builtin_popcountl(a); }
#define TURNS(type, bits) MANY type rotate(type a, type b) { return (type)(a << (b & (bits - 1)) | a >> (-b & (bits - 1))); }
TURNS(uchar, 8) TURNS(ushort, 16) TURNS(uint, 32) TURNS(ulong, 64)
#define CHOICES(type, of) MANY type select(type a, type b, of c) { return c ? b : a; }
CHOICES(uchar, uchar) CHOICES(ushort, ushort) CHOICES(uint, uint) CHOICES(uint, int) CHOICES(int, int) CHOICES(ulong, ulong)
CHOICES(ulong, long) CHOICES(long, long)
#define BIT_CHOICES(type) MANY type bitselect(type a, type b, type c) { return (a & ~c) | (b & c); }
BIT_CHOICES(uchar) BIT_CHOICES(ushort) BIT_CHOICES(uint) BIT_CHOICES(uint2) BIT_CHOICES(uint4) BIT_CHOICES(ulong) BIT_CHOICES(ulong2)

#define as_char(v) __builtin_astype(v, char)
#define as_char2(v) __builtin_astype(v, char2)
#define as_char3(v) __builtin_astype(v, char3)
#define as_char4(v) __builtin_astype(v, char4)
#define as_char8(v) __builtin_astype(v, char8)
#define as_char16(v) __builtin_astype(v, char16)
#define as_uchar(v) __builtin_astype(v, uchar)
#define as_uchar2(v) __builtin_astype(v, uchar2)
#define as_uchar3(v) __builtin_astype(v, uchar3)
#define as_uchar4(v) __builtin_astype(v, uchar4)
#define as_uchar8(v) __builtin_astype(v, uchar8)
#define as_uchar16(v) __builtin_astype(v, uchar16)
#define as_short(v) __builtin_astype(v, short)
#define as_short2(v) __builtin_astype(v, short2)
#define as_short3(v) __builtin_astype(v, short3)
#define as_short4(v) __builtin_astype(v, short4)
#define as_short8(v) __builtin_astype(v, short8)
#define as_short16(v) __builtin_astype(v, short16)
#define as_ushort(v) __builtin_astype(v, ushort)
#define as_ushort2(v) __builtin_astype(v, ushort2)
#define as_ushort3(v) __builtin_astype(v, ushort3)
#define as_ushort4(v) __builtin_astype(v, ushort4)
#define as_ushort8(v) __builtin_astype(v, ushort8)
#define as_ushort16(v) __builtin_astype(v, ushort16)
#define as_int(v) __builtin_astype(v, int)
#define as_int2(v) __builtin_astype(v, int2)
#define as_int3(v) __builtin_astype(v, int3)
#define as_int4(v) __builtin_astype(v, int4)
#define as_int8(v) __builtin_astype(v, int8)
#define as_int16(v) __builtin_astype(v, int16)
#define as_uint(v) __builtin_astype(v, uint)
#define as_uint2(v) __builtin_astype(v, uint2)
#define as_uint3(v) __builtin_astype(v, uint3)
#define as_uint4(v) __builtin_astype(v, uint4)
#define as_uint8(v) __builtin_astype(v, uint8)
#define as_uint16(v) __builtin_astype(v, uint16)
#define as_long(v) __builtin_astype(v, long)
#define as_long2(v) __builtin_astype(v, long2)
#define as_long3(v) __builtin_astype(v, long3)
#define as_long4(v) __builtin_astype(v, long4)
#define as_long8(v) __builtin_astype(v, long8)
#define as_long16(v) __builtin_astype(v, long16)
#define as_ulong(v) __builtin_astype(v, ulong)
#define as_ulong2(v) __builtin_astype(v, ulong2)
#define as_ulong3(v) __builtin_astype(v, ulong3)
#define as_ulong4(v) __builtin_astype(v, ulong4)
#define as_ulong8(v) __builtin_astype(v, ulong8)
#define as_ulong16(v) __builtin_astype(v, ulong16)
#define as_float(v) __builtin_astype(v, float)
#define as_float2(v) __builtin_astype(v, float2)
#define as_float3(v) __builtin_astype(v, float3)
#define as_float4(v) __builtin_astype(v, float4)
#define as_float8(v) __builtin_astype(v, float8)
#define as_float16(v) __builtin_astype(v, float16)
#define as_double(v) __builtin_astype(v, double)
#define as_double2(v) __builtin_astype(v, double2)
#define as_double3(v) __builtin_astype(v, double3)
#define as_double4(v) __builtin_astype(v, double4)
#define as_double8(v) __builtin_astype(v, double8)
#define as_double16(v) __builtin_astype(v, double16)
#define convert_char(v) ((char)(v))
#define convert_char2(v) __builtin_convertvector(v, char2)
#define convert_char3(v) __builtin_convertvector(v, char3)
#define convert_char4(v) __builtin_convertvector(v, char4)
#define convert_char8(v) __builtin_convertvector(v, char8)
#define convert_char16(v) __builtin_convertvector(v, char16)
#define convert_uchar(v) ((uchar)(v))
#define convert_uchar2(v) __builtin_convertvector(v, uchar2)
#define convert_uchar3(v) __builtin_convertvector(v, uchar3)
#define convert_uchar4(v) __builtin_convertvector(v, uchar4)
#define convert_uchar8(v) __builtin_convertvector(v, uchar8)
#define convert_uchar16(v) __builtin_convertvector(v, uchar16)
#define convert_short(v) ((short)(v))
#define convert_short2(v) __builtin_convertvector(v, short2)
#define convert_short3(v) __builtin_convertvector(v, short3)
#define convert_short4(v) __builtin_convertvector(v, short4)
#define convert_short8(v) __builtin_convertvector(v, short8)
#define convert_short16(v) __builtin_convertvector(v, short16)
#define convert_ushort(v) ((ushort)(v))
#define convert_ushort2(v) __builtin_convertvector(v, ushort2)
#define convert_ushort3(v) __builtin_convertvector(v, ushort3)
#define convert_ushort4(v) __builtin_convertvector(v, ushort4)
#define convert_ushort8(v) __builtin_convertvector(v, ushort8)
#define convert_ushort16(v) __builtin_convertvector(v, ushort16)
#define convert_int(v) ((int)(v))
#define convert_int2(v) __builtin_convertvector(v, int2)
#define convert_int3(v) __builtin_convertvector(v, int3)
#define convert_int4(v) __builtin_convertvector(v, int4)
#define convert_int8(v) __builtin_convertvector(v, int8)
#define convert_int16(v) __builtin_convertvector(v, int16)
#define convert_uint(v) ((uint)(v))
#define convert_uint2(v) __builtin_convertvector(v, uint2)
#define convert_uint3(v) __builtin_convertvector(v, uint3)
#define convert_uint4(v) __builtin_convertvector(v, uint4)
#define convert_uint8(v) __builtin_convertvector(v, uint8)
#define convert_uint16(v) __builtin_convertvector(v, uint16)
#define convert_long(v) ((long)(v))
#define convert_long2(v) __builtin_convertvector(v, long2)
#define convert_long3(v) __builtin_convertvector(v, long3)
#define convert_long4(v) __builtin_convertvector(v, long4)
#define convert_long8(v) __builtin_convertvector(v, long8)
#define convert_long16(v) __builtin_convertvector(v, long16)
#define convert_ulong(v) ((ulong)(v))
#define convert_ulong2(v) __builtin_convertvector(v, ulong2)
#define convert_ulong3(v) __builtin_convertvector(v, ulong3)
#define convert_ulong4(v) __builtin_convertvector(v, ulong4)
#define convert_ulong8(v) __builtin_convertvector(v, ulong8)
#define convert_ulong16(v) __builtin_convertvector(v, ulong16)
#define convert_float(v) ((float)(v))
#define convert_float2(v) __builtin_convertvector(v, float2)
#define convert_float3(v) __builtin_convertvector(v, float3)
#define convert_float4(v) __builtin_convertvector(v, float4)
#define convert_float8(v) __builtin_convertvector(v, float8)
#define convert_float16(v) __builtin_convertvector(v, float16)
#define convert_double(v) ((double)(v))
#define convert_double2(v) __builtin_convertvector(v, double2)
#define convert_double3(v) __builtin_convertvector(v, double3)
#define convert_double4(v) __builtin_convertvector(v, double4)
#define convert_double8(v) __builtin_convertvector(v, double8)
#define convert_double16(v) __builtin_convertvector(v, double16)

#define OF(d, name) \
    ((d) == 0   ? (size_t)__nvvm_read_ptx_sreg_##name##_x() \
     : (d) == 1 ? (size_t)__nvvm_read_ptx_sreg_##name##_y() \
     : (d) == 2 ? (size_t)__nvvm_read_ptx_sreg_##name##_z() \
                : (size_t)0)
#define SIZE_OF(d, name) ((d) < 3 ? OF(d, name) : (size_t)1)
INLINE size_t get_local_id(uint d) { return OF(d, tid); }
INLINE size_t get_local_size(uint d) { return SIZE_OF(d, ntid); }
INLINE size_t get_group_id(uint d) { return OF(d, ctaid); }
INLINE size_t get_num_groups(uint d) { return SIZE_OF(d, nctaid); }
INLINE size_t get_global_id(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
INLINE size_t get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }
INLINE size_t get_global_offset(uint d) { return 0; }
/* Not clang's built-in: LLVM 14 takes it for a function that knows nothing of this module's variables, so that a load of local
 * memory was moved before it (GlobalsAA). */
INLINE void barrier(uint flags) { __asm__ volatile("bar.sync 0;" : : : "memory"); }
INLINE void mem_fence(uint flags) { __nvvm_membar_cta(); }
INLINE void read_mem_fence(uint flags) { __nvvm_membar_cta(); }
INLINE void write_mem_fence(uint flags) { __nvvm_membar_cta(); }
#define prefetch(place, count) ((void)(place), (void)(count))

/* Calls are not simulated: what a kernel wants to be called is inlined. */
#define noinline
