# The install tree, in components: core (the files that torsor::torsor needs), scene, io, batch, command, mpi, python.
# The whole tree can be moved.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/torsor)

# torsor_install_library(target component)
function(torsor_install_library target component)
  install(TARGETS ${target} EXPORT torsor-${component}
    LIBRARY COMPONENT ${component} ARCHIVE COMPONENT ${component} RUNTIME COMPONENT ${component}
    FILE_SET HEADERS COMPONENT ${component} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT torsor-${component} NAMESPACE torsor:: DESTINATION ${package_dir} COMPONENT ${component}
    FILE torsor-${component}.cmake)
endfunction()

torsor_install_library(torsor core)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/torsorConfig.cmake.in torsorConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(torsorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/torsorConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/torsorConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT core)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/TorsorLanes.cmake ${CMAKE_CURRENT_LIST_DIR}/TorsorSeal.cmake
  DESTINATION ${package_dir} COMPONENT core)

cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE torsor_prefix_from_pc)
get_target_property(torsor_pc_cflags torsor INTERFACE_COMPILE_DEFINITIONS)
list(TRANSFORM torsor_pc_cflags PREPEND -D)
if(TORSOR_NATIVE)
  list(APPEND torsor_pc_cflags -march=native)
endif()
list(JOIN torsor_pc_cflags " " torsor_pc_cflags)
configure_file(${CMAKE_CURRENT_LIST_DIR}/torsor.pc.in torsor.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/torsor.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT core)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/torsor COMPONENT core)

if(TORSOR_BUILD_COMMAND)
  foreach(part scene io batch)
    set_target_properties(torsor_${part} PROPERTIES EXPORT_NAME ${part})
    torsor_install_library(torsor_${part} ${part})
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/lib/scene/scene.schema.json ${PROJECT_SOURCE_DIR}/lib/batch/study.schema.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/torsor COMPONENT command)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/torsor COMPONENT command
    FILES_MATCHING PATTERN *.toml)
  install(CODE "set(SCENES \"${PROJECT_SOURCE_DIR}/scenes\")
set(INSTALLED \"${CMAKE_INSTALL_DATADIR}/torsor/scenes\")" COMPONENT command)
  install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/InstalledSchema.cmake COMPONENT command)
  install(TARGETS torsor_command RUNTIME COMPONENT command)
  if(TARGET torsor_picture)
    install(TARGETS torsor_picture LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/torsor COMPONENT command)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_MANDIR}/man1/torsor.1
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command OPTIONAL)
  set(completion ${PROJECT_SOURCE_DIR}/lib/cli/completion)
  install(FILES ${completion}/torsor.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME torsor COMPONENT command)
  install(FILES ${completion}/_torsor DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT command)
  install(FILES ${completion}/torsor.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
  if(TORSOR_MPI)
    install(TARGETS torsor_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/torsor COMPONENT mpi)
  endif()
endif()
if(TORSOR_PYTHON)  # the Python package loads the scenes of the component command
  file(GLOB package CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/python/torsor/*.py
       ${PROJECT_SOURCE_DIR}/lib/python/torsor/*.pyi ${PROJECT_SOURCE_DIR}/lib/python/torsor/py.typed)
  install(CODE "set(PYTHON \"${TORSOR_PYTHON_PROGRAM}\")
set(VERSION ${TORSOR_PYTHON_VERSION})
set(FILES \"${package};${TORSOR_PYTHON_PACKAGES}/torsor/_build.py;$<TARGET_FILE:torsor_python>\")" COMPONENT python)
  install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/InstallPython.cmake COMPONENT python)
endif()
