# Run by the install. Scenes and studies name their schema, for editors, by its path in the sources. This script makes
# the installed scenes name the installed schema. SCENES: the folder of the sources. INSTALLED: the folder in the
# install tree, absolute or relative to the prefix.
cmake_path(ABSOLUTE_PATH INSTALLED BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX})
file(GLOB_RECURSE scenes RELATIVE ${SCENES} ${SCENES}/*.toml)
foreach(scene IN LISTS scenes)
  set(scene "$ENV{DESTDIR}${INSTALLED}/${scene}")
  file(READ "${scene}" text)
  string(REGEX REPLACE "^(#:schema [./]+)lib/(scene|batch)/" "\\1" text "${text}")
  file(WRITE "${scene}" "${text}")
endforeach()
