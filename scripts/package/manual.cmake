# Man pages and bash completion: clmove.3 from the public headers, the others by the command itself, from its tables of options.
# SPDX-License-Identifier: Apache-2.0
set(pages ${PROJECT_BINARY_DIR}/pages)
set(compress true)
set(page_end "")
if(CLMOVE_SYSTEM_PACKAGE) # as Debian's policy wants pages
  set(compress "gzip -9nf")
  set(page_end .gz)
endif()

set(functions "")
set(headers "")
foreach(header status map device plan buffer enqueue tuning advice opencl) # in the order of doc/api-guide.md
  set(path ${PROJECT_SOURCE_DIR}/include/clmove/${header}.h)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(STRINGS ${path} lines REGEX "^CLMOVE_API .*clmove_[a-z0-9_]+\\(")
  list(TRANSFORM lines REPLACE "^.*[ *](clmove_[a-z0-9_]+)\\(.*$" ".BR \\1 ()\n.br")
  list(JOIN lines "\n" lines)
  string(APPEND functions ".SS clmove/${header}.h\n${lines}\n")
  list(APPEND headers ${header}.h)
endforeach()
string(REGEX REPLACE "\n$" "" functions "${functions}")
list(JOIN headers ", " headers)
file(READ ${PROJECT_SOURCE_DIR}/include/clmove/status.h text)
string(REGEX MATCHALL "X\\([A-Z_]+, \"[a-z ]+\"\\)" statuses "${text}")
list(TRANSFORM statuses REPLACE "X.([A-Z_]+), .(.*)..$" ".TP\n.B CLMOVE_\\1\n\\2")
list(JOIN statuses "\n" statuses)
configure_file(${PROJECT_SOURCE_DIR}/doc/clmove.3.in ${pages}/clmove.3 @ONLY)
if(CLMOVE_SYSTEM_PACKAGE)
  execute_process(COMMAND gzip -9nkf ${pages}/clmove.3 COMMAND_ERROR_IS_FATAL ANY)
endif()
install(FILES ${pages}/clmove.3${page_end} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT libclmove-dev)

if(NOT TARGET clmove_cli)
  return()
endif()
# Another machine's command does not run here, unless in an emulator that CMake knows.
set(CLMOVE_NATIVE_COMMAND "" CACHE FILEPATH "A clmove of this version that runs here, to make man pages and completion when cross-compiling")
set(command clmove_cli)
if(CLMOVE_NATIVE_COMMAND)
  set(command ${CLMOVE_NATIVE_COMMAND})
elseif(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "The command's man pages and completion are left out: CLMOVE_NATIVE_COMMAND names no clmove that runs here")
  return()
endif()
add_custom_command(
  OUTPUT ${pages}/command/clmove.bash
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}/command
  COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}/command
  COMMAND ${command} --write-pages ${pages}/command
  COMMAND sh -c "cat \"$2\" >>\"$1/clmove.bash\" && ${compress} \"$1\"/*.1" sh ${pages}/command ${CMAKE_CURRENT_LIST_DIR}/completion.bash
  DEPENDS ${command} ${CMAKE_CURRENT_LIST_DIR}/completion.bash
  COMMENT "Writing man pages and completion"
  VERBATIM)
add_custom_target(clmove_pages ALL DEPENDS ${pages}/command/clmove.bash)
install(DIRECTORY ${pages}/command/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT clmove FILES_MATCHING PATTERN "*.1${page_end}")
install(FILES ${pages}/command/clmove.bash DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions RENAME clmove COMPONENT clmove)
