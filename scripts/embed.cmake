# Turns a text file into a list of C character constants with a final 0, so that
#     static const char text[] = {
#     #include "x.inc"
#     };
# holds its bytes exactly. Run as: cmake -DSOURCE=x.cl -DOUTPUT=x.inc -P embed.cmake
cmake_minimum_required(VERSION 3.25)

if(NOT SOURCE OR NOT OUTPUT)
  message(FATAL_ERROR "usage: cmake -DSOURCE=FILE -DOUTPUT=FILE -P embed.cmake")
endif()
file(READ "${SOURCE}" bytes HEX)
if(bytes STREQUAL "")
  message(FATAL_ERROR "${SOURCE} is empty")
endif()
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}") # 16 bytes a line
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE "${OUTPUT}" "${bytes}\n'\\0'\n")
