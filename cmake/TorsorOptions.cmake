# torsor_option(NAME "text" packages...): on by default if Torsor is the top-level project and every package is found.
# If the user switches a part on, its packages are required. As a subproject of another project, only the core is built.
function(torsor_option name text)
  set(default ${PROJECT_IS_TOP_LEVEL})
  if(default AND NOT DEFINED ${name})
    foreach(package IN LISTS ARGN)
      find_package(${package} QUIET)
      if(NOT ${package}_FOUND)
        message(STATUS "${name}: off, since ${package} was not found")
        set(default OFF)
      endif()
    endforeach()
  endif()
  option(${name} "${text}" ${default})
endfunction()

option(TORSOR_NATIVE "Compile for this processor (-march=native), and so everything that links torsor" OFF)
torsor_option(TORSOR_BUILD_COMMAND "Build the scene, io and batch libraries and the torsor command"
              CLI11 fmt tomlplusplus nlohmann_json valijson PkgConfig SQLite3)
torsor_option(TORSOR_MPI "Build the module that lets the ranks of mpirun work on a batch together" MPI)
torsor_option(TORSOR_BUILD_TESTS "Build the tests and the examples" doctest)
torsor_option(TORSOR_BUILD_BENCHMARKS "Build the benchmarks" benchmark)
torsor_option(TORSOR_PEERS "Let the benchmarks run Simbody and MuJoCo where they are installed")
torsor_option(TORSOR_INSTALL "Install headers, libraries, scenes and package files")
