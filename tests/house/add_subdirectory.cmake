# Uses the source tree as a subproject, which needs only Eigen and Boost. A copy in a path with a space replaces a
# FetchContent download, and the packages of the other parts are hidden. It is a release build, because that compiles
# sources in groups, but without optimisation, because little code runs.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/consumer.cmake)
file(REMOVE_RECURSE "${WORK}/torsor source")
foreach(part include integrators lib cmake CMakeLists.txt LICENSE)
  file(COPY ${SOURCE}/${part} DESTINATION "${WORK}/torsor source")
endforeach()
build_consumer(add_subdirectory "-DTORSOR_SOURCE=${WORK}/torsor source" -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_FLAGS_RELEASE=-O0
  -D CMAKE_DISABLE_FIND_PACKAGE_CLI11=ON -D CMAKE_DISABLE_FIND_PACKAGE_fmt=ON
  -D CMAKE_DISABLE_FIND_PACKAGE_tomlplusplus=ON -D CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
  -D CMAKE_DISABLE_FIND_PACKAGE_valijson=ON -D CMAKE_DISABLE_FIND_PACKAGE_HDF5=ON
  -D CMAKE_DISABLE_FIND_PACKAGE_doctest=ON)
