# Uses the source tree as a subproject, which needs only Eigen and Boost. A copy in a path with a space replaces a
# FetchContent download, and the packages of the other parts are hidden. It is a release build, because a release build
# compiles sources in groups. If the build under test is a release build too, the subproject only preprocesses the
# sources that both builds compile by the same commands, and links the objects of the build under test. Otherwise the
# subproject is compiled without optimisation, because little code runs.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/consumer.cmake)
file(REMOVE_RECURSE "${WORK}/torsor source")
foreach(part include integrators lib cmake CMakeLists.txt LICENSE)
  file(COPY ${SOURCE}/${part} DESTINATION "${WORK}/torsor source")
endforeach()
if(TYPE STREQUAL "Release")
  set(ENV{TORSOR_BUILD} ${BUILD})
  set(ENV{TORSOR_SOURCE} ${SOURCE})
  set(ENV{TORSOR_COPY} "${WORK}/torsor source")
  set(ENV{TORSOR_LAUNCHER} ${LAUNCHER})
  set(LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/reuse_objects.sh)
else()
  set(unoptimised -D CMAKE_CXX_FLAGS_RELEASE=-O0)
endif()
build_consumer(add_subdirectory "-DTORSOR_SOURCE=${WORK}/torsor source" -D CMAKE_BUILD_TYPE=Release ${unoptimised}
  -D CMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -D CMAKE_DISABLE_FIND_PACKAGE_fmt=ON
  -D CMAKE_DISABLE_FIND_PACKAGE_tomlplusplus=ON -D CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
  -D CMAKE_DISABLE_FIND_PACKAGE_valijson=ON -D CMAKE_DISABLE_FIND_PACKAGE_HDF5=ON
  -D CMAKE_DISABLE_FIND_PACKAGE_doctest=ON)
