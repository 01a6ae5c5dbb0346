# Lets the command write its manual: cmake -D COMMAND=torsor -D PAGE=torsor.1 -P man_page.cmake. If the command cannot
# run (a build for another machine), there is no manual.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${COMMAND} help --man OUTPUT_VARIABLE page RESULT_VARIABLE failed)
if(failed)
  message(WARNING "${COMMAND} does not run here: no man page")
else()
  file(WRITE ${PAGE} "${page}")
endif()
