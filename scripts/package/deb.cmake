# The Debian packages: cmake --preset package && cmake --build --preset package. They are in build/package then.
# SPDX-License-Identifier: Apache-2.0
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL ${runtime} libclmove-dev clmove)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CLMOVE_MAINTAINER "clmove maintainers <maintainers@clmove.example>" CACHE STRING "Who maintains the packages: name <address>")
set(CPACK_PACKAGE_CONTACT "${CLMOVE_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})

# describe(COMPONENT SECTION TEXT): the first line of a package's description is the project's.
macro(describe component section text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${text}")
  foreach(file copyright changelog.Debian.gz)
    install(FILES ${PROJECT_BINARY_DIR}/debian/${file} DESTINATION share/doc/${component} COMPONENT ${component})
  endforeach()
endmacro()
set(what "Tile, SpaceToDepth, DepthToSpace and permutations of tensors of any rank and\nelement width, on any OpenCL device,\nor on the host where there is none.\n")
describe(${runtime} libs "${what}This is the library, which opens OpenCL's loader\nwhen it first looks for devices.")
describe(libclmove-dev libdevel "${what}These are the headers, the static library, and files for CMake and pkg-config.")
describe(clmove utils "${what}This is the command, which moves .npy files, verifies and measures devices.")
string(TOUPPER ${runtime} upper)
set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS ocl-icd-libopencl1)
set(CPACK_DEBIAN_${upper}_PACKAGE_SUGGESTS pocl-opencl-icd)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_LIBCLMOVE-DEV_PACKAGE_DEPENDS "${runtime} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_LIBCLMOVE-DEV_PACKAGE_RECOMMENDS "opencl-c-headers") # for clmove/opencl.h
set(CPACK_DEBIAN_LIBCLMOVE-DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_CLMOVE_PACKAGE_DEPENDS "${runtime} (>= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/triggers)

# A changelog as Debian's policy wants it; what changed stands in CHANGELOG.md.
file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${PROJECT_BINARY_DIR}/debian)
file(WRITE ${PROJECT_BINARY_DIR}/debian/changelog.Debian
  "clmove (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n  * See CHANGELOG.md of the sources.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  Sat, 21 Nov 2026 00:00:00 +0000\n")
execute_process(COMMAND gzip -9nf ${PROJECT_BINARY_DIR}/debian/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
include(CPack)
