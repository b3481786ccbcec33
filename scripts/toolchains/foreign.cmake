# What the toolchain files of other architectures share. They set DEBIAN (Debian's name of the architecture), CMAKE_SYSTEM_PROCESSOR
# and the compilers, then include this. Its libraries lie in build/roots/DEBIAN, where scripts/test-architectures.sh puts them.
# SPDX-License-Identifier: Apache-2.0
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_LIBRARY_ARCHITECTURE ${TRIPLET})
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../../build/roots/${DEBIAN} ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${root}/usr/lib/${TRIPLET}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
