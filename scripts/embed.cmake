# Turns text files into rows of a table in C: the name of a file, and its text after a #line that names it.
#     {"cpu/x.cl", (const char[]){'\x23', ... '\0'}},
# Run as: cmake -DFOLDER=cl_kernels "-DFILES=a.h;cpu/x.cl" -DOUTPUT=kernels.inc -P embed.cmake
cmake_minimum_required(VERSION 3.25)

if(NOT FOLDER OR NOT FILES OR NOT OUTPUT)
  message(FATAL_ERROR "usage: cmake -DFOLDER=FOLDER \"-DFILES=FILE;...\" -DOUTPUT=FILE -P embed.cmake")
endif()
set(rows "")
foreach(file IN LISTS FILES)
  file(READ "${FOLDER}/${file}" text HEX)
  if(text STREQUAL "")
    message(FATAL_ERROR "${file} is empty")
  endif()
  string(HEX "#line 1 \"${file}\"\n" line)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${line}${text}") # 16 bytes a line
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND rows "{\"${file}\", (const char[]){\n${bytes}\n'\\0'}},\n")
endforeach()
file(WRITE "${OUTPUT}" "${rows}")
