# Installs the build, then moves the install tree. An install tree that contains its own path would fail here.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/consumer.cmake)

set(components core)
if(COMMAND)
  list(APPEND components scene io batch command)
endif()
if(PYTHON)
  list(APPEND components python)
endif()
# Other tests work in ${WORK} too, perhaps at the same time, so only the files of this test are removed.
must(${CMAKE_COMMAND} -E rm -rf ${WORK}/first ${WORK}/prefix ${WORK}/result ${WORK}/energy.png)
foreach(component IN LISTS components)
  must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --component ${component})
endforeach()
file(RENAME ${WORK}/first ${WORK}/prefix)

if(COMMAND)
  must(${WORK}/prefix/bin/torsor --version)
  must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/prefix/bin/torsor run heavy_top_slow --set run.end=0.01 --json)
  if(NOT output MATCHES "reached-end")
    message(FATAL_ERROR "an installed scene did not run by its name:\n${output}")
  endif()

  # The module that draws PNG and PDF is found relative to the command.
  file(GLOB_RECURSE picture ${WORK}/prefix/*/torsor_picture.so)
  if(picture)
    must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/prefix/bin/torsor run heavy_top_slow --set run.end=0.01 -o result)
    must(${CMAKE_COMMAND} -E chdir ${WORK} ${WORK}/prefix/bin/torsor plot result --columns energy -o energy.png)
  endif()

  # Editors find the schema that a scene names.
  file(GLOB_RECURSE scenes ${WORK}/prefix/share/torsor/scenes/*.toml)
  foreach(scene IN LISTS scenes)
    file(STRINGS ${scene} schema REGEX "^#:schema " LIMIT_COUNT 1)
    string(REPLACE "#:schema " "" schema "${schema}")
    cmake_path(GET scene PARENT_PATH folder)
    if(NOT EXISTS "${folder}/${schema}")
      message(FATAL_ERROR "${scene} names the schema ${schema}, which is not there")
    endif()
  endforeach()

  # The shell completions and the manual are where shells and man look for them.
  set(bash ${WORK}/prefix/share/bash-completion/completions/torsor)
  foreach(file IN ITEMS ${bash} ${WORK}/prefix/share/zsh/site-functions/_torsor
          ${WORK}/prefix/share/fish/vendor_completions.d/torsor.fish ${WORK}/prefix/share/man/man1/torsor.1)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "${file} is not installed")
    endif()
  endforeach()
  # A semicolon would end the argument, so && is used.
  must(bash -c "source '${bash}' && COMP_WORDS=('${WORK}/prefix/bin/torsor' run heavy_top_b) && COMP_CWORD=2 && _torsor &&
    echo \"\${COMPREPLY[@]}\"")
  if(NOT output MATCHES "^heavy_top_bruls\n$")
    message(FATAL_ERROR "bash completes heavy_top_b to: ${output}")
  endif()
endif()

# The Python package finds its scenes relative to its own path.
if(PYTHON)
  file(GLOB packages ${WORK}/prefix/lib/python3*/dist-packages)
  must(${CMAKE_COMMAND} -E env PYTHONPATH=${packages} ${PYTHON} -c
    "import torsor as t, os, sys\nm = t.load('heavy_top_slow').run(end=0.01)\nprint(m.status, t.__file__, sys.modules['torsor._core'].__file__)")
  string(REGEX MATCHALL "a path with a space/prefix/" own "${output}")
  list(LENGTH own count)
  if(NOT output MATCHES "^reached-end " OR NOT count EQUAL 2)
    message(FATAL_ERROR "the installed Python package did not run an installed scene:\n${output}")
  endif()
endif()
