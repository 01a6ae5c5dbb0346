# Uses find_package(torsor) with the moved install tree, and torsor_lanes with SETS.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/consumer.cmake)
build_consumer(find_package -D CMAKE_PREFIX_PATH=${WORK}/prefix -D WITH_COMMAND=${COMMAND})

# The widest compiled set that the processor has is selected.
must(${WORK}/find_package/one_set)
if(NOT output STREQUAL "sse2\n")
  message(FATAL_ERROR "one_set selected ${output}")
endif()
file(STRINGS /proc/cpuinfo avx2 REGEX "flags.* avx2" LIMIT_COUNT 1)
set(widest sse2)
if(avx2)
  set(widest avx2)
endif()
must(${WORK}/find_package/sets)
if(NOT output STREQUAL "${widest}\n")
  message(FATAL_ERROR "sets selected ${output} instead of ${widest}")
endif()
