# Uses find_package(torsor) with the moved install tree.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/consumer.cmake)
build_consumer(find_package -D CMAKE_PREFIX_PATH=${WORK}/prefix -D WITH_COMMAND=${COMMAND})
