# Run by the install. Copies the Python package to the folder of the prefix in which Debian's python3 looks: that of
# packages in /usr, that of the user in the user's own prefix, and otherwise that of local installations. The scenes are
# at the same place relative to each. PYTHON: the interpreter. VERSION: of Python, such as 3.11. FILES: of the package.
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
