# torsor_lanes(target source...): compiles the sources once for each instruction set (SSE2, AVX2, AVX-512; elsewhere than
# on x86-64 once) and links all into the target, for kernels that are chosen by the processor at run time. A source tells
# its copies apart by what it instantiates for torsor::compiled_isa.
#
# Functions and data that the copies share by name with other objects, such as those of the standard library, are named
# apart: the linker keeps one of each name, and would let a processor without AVX-512 run what was compiled for it.
set(torsor_lanes_script ${CMAKE_CURRENT_LIST_DIR}/TorsorNameApart.cmake)
set(torsor_flags_sse2 -mno-avx)
set(torsor_flags_avx2 -mavx2 -mfma -mno-avx512f)
set(torsor_flags_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512)

# The objects of one source for one set; contraction stays off, so that a lane has the bits of doubles.
function(torsor_compile_for set target objects source)
  add_library(${objects} OBJECT ${source})
  target_compile_features(${objects} PRIVATE cxx_std_20)
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_link_libraries(${objects} PRIVATE torsor::torsor)
  target_compile_options(${objects} PRIVATE -O3 -ffp-contract=off -fno-sanitize=all -fno-lto ${torsor_flags_${set}})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # its own intrinsics read undefined registers on purpose, GCC PR 105593
    target_compile_options(${objects} PRIVATE -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
endfunction()

function(torsor_lanes target)
  set(sets sse2)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND sets avx2 avx512)
    if(NOT CMAKE_OBJCOPY OR NOT CMAKE_NM)
      message(FATAL_ERROR "torsor_lanes needs objcopy and nm of binutils")
    endif()
  else()
    set(torsor_flags_sse2)
  endif()
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    foreach(set IN LISTS sets)
      set(objects ${target}_${name}_${set})
      torsor_compile_for(${set} ${target} ${objects} ${source})
      list(LENGTH sets count)
      if(count EQUAL 1)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
        continue()
      endif()
      set(apart ${CMAKE_CURRENT_BINARY_DIR}/${objects}_apart${CMAKE_CXX_OUTPUT_EXTENSION})
      add_custom_command(OUTPUT ${apart}
        COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D OBJCOPY=${CMAKE_OBJCOPY} -D SET=${set}
                -D IN=$<TARGET_OBJECTS:${objects}> -D OUT=${apart} -P ${torsor_lanes_script}
        DEPENDS ${objects} $<TARGET_OBJECTS:${objects}> ${torsor_lanes_script} VERBATIM
        COMMENT "Naming apart what ${objects} shares")
      set_source_files_properties(${apart} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
      target_sources(${target} PRIVATE ${apart})
    endforeach()
  endforeach()
endfunction()
