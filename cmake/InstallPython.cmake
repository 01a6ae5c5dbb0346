# `cmake --install` runs this script. It copies the Python package to a folder of the prefix in which Debian's python3
# looks for packages. This folder depends on the prefix: /usr, the user base of Python, or any other, such as
# /usr/local. The path from the package to the scenes is the same for all three. PYTHON: the interpreter. VERSION: the
# version of Python, such as 3.11. FILES: the files of the package.
execute_process(COMMAND ${PYTHON} -m site --user-base OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
cmake_path(COMPARE "${CMAKE_INSTALL_PREFIX}" EQUAL "${user}" for_user)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(folder lib/python3/dist-packages)
elseif(for_user)
  set(folder lib/python${VERSION}/site-packages)
else()
  set(folder lib/python${VERSION}/dist-packages)
endif()
file(INSTALL ${FILES} DESTINATION "${CMAKE_INSTALL_PREFIX}/${folder}/torsor")
