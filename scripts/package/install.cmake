# What is installed, and the Debian packages that cpack makes of it: libclmove0.MINOR, libclmove-dev and clmove.
# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(runtime libclmove${clmove_abi}) # components are named as the packages
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/clmove)

# A package has its own copyright file, and a folder of documentation for each component (deb.cmake).
set(doc_folder ${CMAKE_INSTALL_DOCDIR})
set(doc_folders "[[${doc_folder}/examples]]")
if(CLMOVE_SYSTEM_PACKAGE)
  set(doc_folder share/doc/libclmove-dev)
  set(doc_folders "[[${doc_folder}/examples]] [[share/doc/${runtime}]] [[share/doc/clmove]]")
endif()

# First of all, since it notes which of these folders are not there yet. The tests consumer and packages find one that is missing here.
install(CODE "
  set(noted [[${PROJECT_BINARY_DIR}/install_folders.txt]])
  set(folders [[${CMAKE_INSTALL_BINDIR}]] [[${CMAKE_INSTALL_INCLUDEDIR}/clmove]] [[${cmake_folder}]] [[${CMAKE_INSTALL_LIBDIR}/pkgconfig]]
    ${doc_folders} [[${CMAKE_INSTALL_MANDIR}/man1]] [[${CMAKE_INSTALL_MANDIR}/man3]]
    [[${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions]])")
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/note_folders.cmake)
install(TARGETS clmove EXPORT clmoveTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${runtime} NAMELINK_COMPONENT libclmove-dev
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libclmove-dev)
if(TARGET clmove_static)
  install(TARGETS clmove_static EXPORT clmoveTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libclmove-dev)
endif()
install(DIRECTORY include/clmove DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libclmove-dev)
install(EXPORT clmoveTargets NAMESPACE clmove:: DESTINATION ${cmake_folder} COMPONENT libclmove-dev)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/clmoveConfig.cmake.in clmoveConfig.cmake INSTALL_DESTINATION ${cmake_folder})
write_basic_package_version_file(clmoveConfigVersion.cmake COMPATIBILITY SameMinorVersion) # while the major version is 0
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clmoveConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/clmoveConfigVersion.cmake
  DESTINATION ${cmake_folder} COMPONENT libclmove-dev)

if(NOT CLMOVE_SYSTEM_PACKAGE)
  install(FILES LICENSE DESTINATION ${doc_folder} COMPONENT libclmove-dev)
endif()
install(DIRECTORY host/examples/ DESTINATION ${doc_folder}/examples COMPONENT libclmove-dev FILES_MATCHING PATTERN "*.c")

# pkg-config: absolute paths where CMake has them, else below the prefix. That is relative to clmove.pc, so that an installed tree may be
# moved, unless clmove.pc is not below it, or in a package, where Debian wants it plain: then it is written when --prefix comes.
set(pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(pc_prefix "")
if(NOT IS_ABSOLUTE ${pc_folder} AND NOT CLMOVE_SYSTEM_PACKAGE)
  file(RELATIVE_PATH pc_prefix /${pc_folder} /)
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
endif()
set(pc_definitions "")
if(NOT BUILD_SHARED_LIBS)
  set(pc_definitions " -DCLMOVE_STATIC")
endif()
foreach(folder libdir includedir)
  string(TOUPPER CMAKE_INSTALL_${folder} variable)
  set(pc_${folder} "\${prefix}/${${variable}}")
  if(IS_ABSOLUTE "${${variable}}")
    set(pc_${folder} "${${variable}}")
  endif()
endforeach()
install(CODE "
  set(pc_prefix [[${pc_prefix}]])
  if(NOT pc_prefix)
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX OUTPUT_VARIABLE pc_prefix)
    string(REPLACE [[ ]] [[\\ ]] pc_prefix \"\${pc_prefix}\")
  endif()
  set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
  set(PROJECT_VERSION \"${PROJECT_VERSION}\")
  set(pc_libdir [[${pc_libdir}]])
  set(pc_includedir [[${pc_includedir}]])
  set(pc_definitions \"${pc_definitions}\")
  configure_file(\"${CMAKE_CURRENT_LIST_DIR}/clmove.pc.in\" \"${CMAKE_CURRENT_BINARY_DIR}/clmove.pc\" @ONLY)"
  COMPONENT libclmove-dev)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/clmove.pc DESTINATION ${pc_folder} COMPONENT libclmove-dev)

if(TARGET clmove_cli)
  file(RELATIVE_PATH to_library ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  if(NOT CLMOVE_SYSTEM_PACKAGE) # a package puts the library where the loader looks
    set_target_properties(clmove_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
  endif()
  install(TARGETS clmove_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT clmove)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/manual.cmake)
if(CLMOVE_SYSTEM_PACKAGE)
  include(${CMAKE_CURRENT_LIST_DIR}/deb.cmake)
endif()

# Last, without folders: those that no file went to, such as that of the command's man pages where they are left out, leave the list.
install(CODE "set(folders)")
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/note_folders.cmake)
