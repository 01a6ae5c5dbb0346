# No source file is longer than 400 lines.
cmake_minimum_required(VERSION 3.25)

foreach(room include lib integrators tests benchmarks examples)
  file(GLOB_RECURSE sources ${ROOT}/${room}/*.?pp)
  foreach(source IN LISTS sources)
    file(READ ${source} text)
    string(REGEX MATCHALL "\n" lines "${text}")
    list(LENGTH lines count)
    if(count GREATER 400)
      message(SEND_ERROR "${source} has ${count} lines")
    endif()
  endforeach()
endforeach()
