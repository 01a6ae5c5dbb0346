# cmake -D ROOT=<checkout> -P CheckLayers.cmake: reads the include lines of the library. It fails on an include of a
# higher layer, on a layer that is not in the table below, and on a package that a public header must not expose to
# users. A layer (`room` in this script) is a folder of include/torsor or lib.
#
#   lie  <-  integrators        <-  sim  <-  scene  <-  io  <-  batch  <-  cli
#   lie  <-  geometry  <- model <-  sim
cmake_minimum_required(VERSION 3.25)

# For each layer, all layers that it may include besides itself.
set(rooms lie geometry integrators model sim scene io batch cli)
set(below_lie)
set(below_geometry lie)
set(below_integrators lie)
set(below_model lie geometry)
set(below_sim lie geometry integrators model)
set(below_scene ${below_sim} sim)
set(below_io ${below_scene} scene)
set(below_batch ${below_io} io)
set(below_cli ${below_batch} batch)

# Packages that public headers may include in angle brackets besides the standard library: Eigen everywhere, Boost's
# Odeint only in integrators. All other packages are private to the compiled sources.
set(public_packages "Eigen/|experimental/simd")
set(public_packages_integrators "${public_packages}|boost/numeric/odeint|boost/array.hpp")
set(only_in_command "CLI/|spdlog/")

set(complaints)
function(complain file text)
  list(APPEND complaints "${file}: ${text}")
  set(complaints "${complaints}" PARENT_SCOPE)
endfunction()

# room_of(file result): the layer of a file in include/torsor/<layer>/, lib/<layer>/ or integrators/.
function(room_of file result)
  if(file MATCHES "^(include/torsor|lib)/([^/]+)/")
    set(${result} ${CMAKE_MATCH_2} PARENT_SCOPE)
  elseif(file MATCHES "^integrators/")
    set(${result} integrators PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
endfunction()

macro(check_include file room header)
  if("${header}" MATCHES "^torsor/([^/]+)/")
    set(target ${CMAKE_MATCH_1})
    if(NOT target STREQUAL room AND NOT target IN_LIST below_${room})
      complain(${file} "${room} must not include ${header}: ${target} is not below it")
    endif()
  elseif("${header}" MATCHES "\\.\\./")
    complain(${file} "includes ${header}: a private header stays in its own folder")
  elseif("${header}" MATCHES "^(${only_in_command})" AND NOT room STREQUAL "cli")
    complain(${file} "includes ${header}: that package is the command's alone")
  elseif("${file}" MATCHES "^include/" AND "${header}" MATCHES "[/.]")
    set(allowed ${public_packages})
    if(DEFINED public_packages_${room})
      set(allowed ${public_packages_${room}})
    endif()
    if(NOT "${header}" MATCHES "^(${allowed})")
      complain(${file} "includes ${header}: not a package that public headers of ${room} may show")
    endif()
  endif()
endmacro()

file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/include/* ${ROOT}/lib/*.?pp ${ROOT}/integrators/*.?pp)
list(FILTER files EXCLUDE REGEX "^lib/[^/]+$")  # dense.* and precompiled*, which serve all layers
if(NOT files)
  message(FATAL_ERROR "no sources under ${ROOT}")
endif()
foreach(file IN LISTS files)
  room_of(${file} room)
  if(NOT room IN_LIST rooms)
    complain(${file} "\"${room}\" is not a room of cmake/CheckLayers.cmake; give it its place there")
    continue()
  endif()
  file(STRINGS ${ROOT}/${file} lines REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS lines)
    if(line MATCHES "include[ \t]*[<\"]([^>\"]+)[>\"]")
      check_include(${file} ${room} ${CMAKE_MATCH_1})
    endif()
  endforeach()
endforeach()

if(complaints)
  list(JOIN complaints "\n" text)
  message(NOTICE "${text}")
  message(FATAL_ERROR "layers: see above")
endif()
list(LENGTH files count)
message(STATUS "layers: ${count} files, every include points downward")
