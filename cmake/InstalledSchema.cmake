# Run by the install: scenes and studies name their schema for editors by its place in the sources; installed ones name the
# schema that is installed. SCENES: the sources; INSTALLED: the folder in the install tree, absolute or below the prefix.
cmake_path(ABSOLUTE_PATH INSTALLED BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX})
file(GLOB_RECURSE scenes RELATIVE ${SCENES} ${SCENES}/*.toml)
foreach(scene IN LISTS scenes)
  set(scene "$ENV{DESTDIR}${INSTALLED}/${scene}")
  file(READ "${scene}" text)
  string(REGEX REPLACE "^(#:schema [./]+)lib/(scene|batch)/" "\\1" text "${text}")
  file(WRITE "${scene}" "${text}")
endforeach()
