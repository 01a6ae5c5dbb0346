# Compile options of every target of the project. Contraction is off so that doubles and packs give the same bits.
# Fast-math is an error because results would no longer be reproducible.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, RelWithDebInfo" FORCE)
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" torsor_build_type)
if("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${torsor_build_type}}" MATCHES
   "-ffast-math|-Ofast|-funsafe-math|-fassociative-math|-ffinite-math")
  message(FATAL_ERROR "torsor does not build with fast-math: its results would no longer be reproducible")
endif()

# g++ 12 warns of an overlap in "text" + std::string that cannot occur (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(torsor_false_alarms -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # the schema of scenes is one long string
  set(torsor_false_alarms -Wno-overlength-strings)
endif()
# On 64-bit ARM, g++ notes at each function of a Lie group that older versions of g++ passed its arguments
# differently.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(APPEND torsor_false_alarms -Wno-psabi)
endif()

# The compiler collects its garbage only beyond 1 GB, which saves a tenth of its time. clang-tidy does not know the option.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_CLANG_TIDY)
  set(torsor_memory "SHELL:--param ggc-min-heapsize=1000000")
endif()

# With TORSOR_NATIVE, Eigen's types have the memory layout of this processor's instruction set, so users of the library
# compile for the same one.
function(torsor_compile_options target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    return()
  endif()
  target_compile_options(${target} PRIVATE -ffp-contract=off ${torsor_false_alarms} ${torsor_memory})
  if(TORSOR_NATIVE AND type MATCHES "EXECUTABLE|OBJECT")
    target_compile_options(${target} PRIVATE -march=native)
  elseif(TORSOR_NATIVE)
    target_compile_options(${target} PUBLIC -march=native)
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(type STREQUAL "STATIC_LIBRARY" OR target STREQUAL "torsor_precompiled")
    torsor_position_independent(${target})
  endif()
endfunction()

# Shared libraries, such as Python modules, may link the static libraries. Hidden functions are called directly and
# inlined as in a program.
function(torsor_position_independent target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU,Clang>:-fno-semantic-interposition>)
endfunction()

# torsor_unity(target): in a release, compiles the sources in groups of twenty, so that headers are parsed and shared
# templates are instantiated once per group. Names in unnamed namespaces must therefore be unique within a target. A
# group of forty needs 2.4 GB of memory and makes some kernels slower, because the compiler limits how much a group may
# grow by inlining. Other builds compile each source alone.
function(torsor_unity target)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # a local variable may have a name of another source
    target_compile_options(${target} PRIVATE -Wno-shadow -Wshadow=local)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE -Wno-shadow)
  endif()
endfunction()

# torsor_never_hot(target [own]): for a library or program that only reads, prints and plans. Light optimisation halves
# its compilation time. The bits of results do not depend on the level. The targets share precompiled headers, except for
# targets that have their own compile flags and pass `own`; these have the level -Og, which saves another seventh. A source
# with a level of its own needs its own headers too: g++ takes the level from precompiled ones.
function(torsor_never_hot target)
  torsor_unity(${target})
  if("own" IN_LIST ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
    return()
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(NOT TARGET torsor_precompiled)
    find_package(fmt REQUIRED)
    add_library(torsor_precompiled OBJECT ${PROJECT_SOURCE_DIR}/lib/precompiled_upper.cpp)
    target_link_libraries(torsor_precompiled PRIVATE torsor::torsor fmt::fmt)
    torsor_compile_options(torsor_precompiled)
    target_compile_options(torsor_precompiled PRIVATE $<$<CONFIG:Release>:-O1>)
    target_precompile_headers(torsor_precompiled PRIVATE ${PROJECT_SOURCE_DIR}/lib/precompiled_upper.hpp)
  endif()
  target_precompile_headers(${target} REUSE_FROM torsor_precompiled)
endfunction()

# torsor_public_headers(target layers...): adds the headers of include/torsor/<layer> to the public headers of the
# target, so that they are installed with the target.
function(torsor_public_headers target)
  set(include ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM ARGN REPLACE "(.+)" "${include}/torsor/\\1/*.hpp" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${patterns})
  foreach(layer IN LISTS ARGN)  # the header that includes the main headers of the layer
    string(REPLACE lie groups name ${layer})
    if(EXISTS ${include}/torsor/${name}.hpp)
      list(APPEND headers ${include}/torsor/${name}.hpp)
    endif()
  endforeach()
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${include} FILES ${headers})
endfunction()
