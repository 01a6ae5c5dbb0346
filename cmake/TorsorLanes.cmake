# torsor_lanes(target source... [SETS set...]): compiles the sources once for each instruction set (those that SETS
# names, by default sse2, avx2 and avx512; only once on processors other than x86-64) and links the compiled copies into
# the target. At run time the program selects the kernels for its processor. torsor::compiled_isa has a different value
# in each copy, so the copies instantiate different templates. In the sources of the target, ensemble_kernels() selects
# from the sets of SETS. The sources of other targets do not know SETS: link kernels that they use with all three sets.
#
# The copies for one set become one sealed object (TorsorSeal.cmake): none of its code runs unless the program calls one
# of its kernels, and no other object can use the rest of its functions.
set(torsor_seal_script ${CMAKE_CURRENT_LIST_DIR}/TorsorSeal.cmake)
set(torsor_flags_sse2 -mno-avx)
set(torsor_flags_avx2 -mavx2 -mfma -mno-avx512f)
set(torsor_flags_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512)

# The tools that seal. For clang, CMake selects those of LLVM, whose linker cannot dissolve groups of sections.
foreach(tool LD NM OBJCOPY OBJDUMP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    string(REPLACE LD LINKER selected ${tool})
    set(TORSOR_${tool} ${CMAKE_${selected}})
  else()
    string(TOLOWER ${tool} name)
    find_program(TORSOR_${tool} NAMES ${name})
    mark_as_advanced(TORSOR_${tool})
  endif()
endforeach()

# Compiles the sources for one set into objects. Every build optimises them, since kernels are slow without
# inlining. Contraction stays off so that a lane gives the same bits as a double. The properties of the target are read
# by generator expressions; the objects do not link to the target, because the target needs the objects.
function(torsor_compile_for set target objects)
  add_library(${objects} OBJECT ${ARGN})
  target_compile_features(${objects} PRIVATE cxx_std_20)
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_include_directories(${objects} SYSTEM PRIVATE
    $<$<TARGET_EXISTS:Eigen3::Eigen>:$<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>>
    $<$<TARGET_EXISTS:Boost::headers>:$<TARGET_PROPERTY:Boost::headers,INTERFACE_INCLUDE_DIRECTORIES>>)
  # The packs of sealed code need the alignment of its instruction set. With other code it shares the allocator, and only
  # types of Eigen whose layout does not depend on the alignment.
  target_compile_definitions(${objects} PRIVATE
    $<FILTER:$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>,EXCLUDE,^EIGEN_MAX> TORSOR_SEALED)
  target_compile_options(${objects} PRIVATE -O3 -ffp-contract=off -fno-sanitize=all -fno-lto ${torsor_memory} ${torsor_flags_${set}})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # its own intrinsics read undefined registers on purpose, GCC PR 105593
    target_compile_options(${objects} PRIVATE -fno-gnu-unique -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
endfunction()

function(torsor_lanes target)
  cmake_parse_arguments(PARSE_ARGV 1 lanes "" "" SETS)
  set(sources ${lanes_UNPARSED_ARGUMENTS})
  set(all_sets sse2 avx2 avx512)
  if(NOT lanes_SETS)
    set(lanes_SETS ${all_sets})
  endif()
  foreach(set IN LISTS lanes_SETS)
    if(NOT set IN_LIST all_sets)
      message(FATAL_ERROR "torsor_lanes: \"${set}\" is not a set; the sets are sse2, avx2 and avx512")
    endif()
  endforeach()
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(torsor_flags_sse2)
    torsor_compile_for(sse2 ${target} ${target}_lanes ${sources})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_lanes>)
    return()
  endif()
  foreach(tool LD NM OBJCOPY OBJDUMP)
    if(NOT TORSOR_${tool})
      message(FATAL_ERROR "torsor_lanes needs ld, nm, objcopy and objdump of binutils")
    endif()
  endforeach()
  foreach(set IN LISTS all_sets)
    if(NOT set IN_LIST lanes_SETS)
      string(TOUPPER ${set} name)
      target_compile_definitions(${target} PRIVATE TORSOR_WITHOUT_${name})
    endif()
  endforeach()
  foreach(set IN LISTS lanes_SETS)
    set(objects ${target}_lanes_${set})
    torsor_compile_for(${set} ${target} ${objects} ${sources})
    set(sealed ${CMAKE_CURRENT_BINARY_DIR}/${objects}_sealed${CMAKE_CXX_OUTPUT_EXTENSION})
    add_custom_command(OUTPUT ${sealed}
      COMMAND ${CMAKE_COMMAND} -D LD=${TORSOR_LD} -D NM=${TORSOR_NM} -D OBJCOPY=${TORSOR_OBJCOPY}
              -D OBJDUMP=${TORSOR_OBJDUMP} -D SET=${set}
              "-D IN=$<TARGET_OBJECTS:${objects}>" -D OUT=${sealed} -P ${torsor_seal_script}
      DEPENDS ${objects} $<TARGET_OBJECTS:${objects}> ${torsor_seal_script} VERBATIM
      COMMENT "Sealing ${objects}")
    set_source_files_properties(${sealed} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    target_sources(${target} PRIVATE ${sealed})
  endforeach()
endfunction()
