# Writes the Debian packages, unpacks them into one folder, runs a scene with the Python package and builds a
# program with the libraries.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/consumer.cmake)

must(${CMAKE_COMMAND} -E rm -rf ${WORK}/packages)
must(cpack --config ${BUILD}/CPackConfig.cmake -B ${WORK}/packages)
file(GLOB packages ${WORK}/packages/*.deb)
list(LENGTH packages count)
if(NOT count EQUAL 3)
  message(FATAL_ERROR "expected the packages torsor, libtorsor-dev and python3-torsor, not ${packages}")
endif()
foreach(package IN LISTS packages)
  must(dpkg-deb -x ${package} ${WORK}/packages/root)
  must(dpkg-deb -f ${package} Package Depends)
  if(package MATCHES "python3-torsor" AND NOT output MATCHES "torsor \\(= [^)]+\\), python3-numpy.*libhdf5")
    message(FATAL_ERROR "${package} depends on other packages:\n${output}")
  endif()
  if(package MATCHES "libtorsor-dev" AND NOT output MATCHES "libeigen3-dev, libboost-dev.*libhdf5-dev")
    message(FATAL_ERROR "${package} depends on other packages:\n${output}")
  endif()
endforeach()
must(${CMAKE_COMMAND} -E env PYTHONPATH=${WORK}/packages/root/usr/lib/python3/dist-packages ${PYTHON} -c
  "import torsor\nprint(torsor.__file__, torsor.load('heavy_top_slow').run(end=0.01).status)")
if(NOT output MATCHES "packages/root/usr/lib/python3/dist-packages/torsor/__init__.py reached-end")
  message(FATAL_ERROR "the unpacked Python package did not run an installed scene:\n${output}")
endif()

build_consumer(find_package -D CMAKE_PREFIX_PATH=${WORK}/packages/root/usr -D WITH_COMMAND=ON)
