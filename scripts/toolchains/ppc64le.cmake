# SPDX-License-Identifier: Apache-2.0
set(DEBIAN ppc64el)
set(TRIPLET powerpc64le-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR ppc64le)
set(CMAKE_C_COMPILER powerpc64le-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER powerpc64le-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-ppc64le-static -L /usr/powerpc64le-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/foreign.cmake)
