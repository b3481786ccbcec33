# Notes the folders that an installation is about to make, innermost last, as install_manifest.txt has the files. Those that were noted
# before stay in the list while they exist.
# noted: the file. folders: those that files go to, absolute or below the prefix.
# SPDX-License-Identifier: Apache-2.0
if(NOT "$ENV{DESTDIR}" STREQUAL "") # a staged tree is removed whole, and its folders are not those of the system
  return()
endif()
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX NORMALIZE OUTPUT_VARIABLE prefix) # below the working folder, as file(INSTALL) takes it
# A text with a folder a line, since a list is cut at semicolons, and file(STRINGS) cuts lines at letters that are not ASCII.
set(before "")
if(EXISTS "${noted}")
  file(READ "${noted}" before)
endif()
set(made "\n")
string(FIND "${before}" "\n" end)
while(NOT end EQUAL -1)
  string(SUBSTRING "${before}" 0 ${end} folder)
  math(EXPR end "${end} + 1")
  string(SUBSTRING "${before}" ${end} -1 before)
  string(FIND "${before}" "\n" end)
  if(IS_DIRECTORY "${folder}")
    string(APPEND made "${folder}\n")
  endif()
endwhile()
foreach(folder IN LISTS folders)
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${prefix}" NORMALIZE)
  set(missing "")
  set(inner "")
  while(NOT EXISTS "${folder}" AND NOT folder STREQUAL inner) # a root is its own parent, also one such as //host that is not there
    string(FIND "${made}" "\n${folder}\n" place)
    if(place EQUAL -1)
      string(PREPEND missing "${folder}\n")
    endif()
    set(inner "${folder}")
    cmake_path(GET inner PARENT_PATH folder)
  endwhile()
  string(APPEND made "${missing}")
endforeach()
string(SUBSTRING "${made}" 1 -1 made)
file(WRITE "${noted}" "${made}")
