# 32-bit programs of this machine's own GCC (gcc-N-multilib), which run as they are. Debian has <asm/...> in the folder of the
# first architecture alone.
# SPDX-License-Identifier: Apache-2.0
set(DEBIAN i386)
set(TRIPLET i386-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER gcc)
set(CMAKE_CXX_COMPILER g++)
set(CMAKE_C_FLAGS_INIT "-m32 -idirafter /usr/include/x86_64-linux-gnu")
set(CMAKE_CXX_FLAGS_INIT ${CMAKE_C_FLAGS_INIT})
include(${CMAKE_CURRENT_LIST_DIR}/foreign.cmake)
