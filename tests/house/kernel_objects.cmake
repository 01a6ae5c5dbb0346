# cmake -D BUILD=<build folder> -D NM=<nm> -D OBJDUMP=<objdump> -P kernel_objects.cmake: reads the objects of the build
# and checks that no code compiled for an instruction set can run on another processor.
#
# - Only torsor_lanes compiles for an instruction set, and programs link its sealed objects, never the raw ones.
# - A sealed object has no initialiser, no resolver, and no weak symbols except the tables of its own set.
# - No symbol is in two sealed objects of one target.
cmake_minimum_required(VERSION 3.25)
set(failures)

file(STRINGS ${BUILD}/compile_commands.json commands REGEX "\"command\":")
list(FILTER commands INCLUDE REGEX " -m(avx|fma|bmi|arch=|tune=|sse[34])")
list(FILTER commands EXCLUDE REGEX "_lanes_(sse2|avx2|avx512)\\.dir/")
foreach(command IN LISTS commands)
  list(APPEND failures "compiled for an instruction set, but not by torsor_lanes: ${command}")
endforeach()

file(STRINGS ${BUILD}/build.ninja links REGEX "^build .*_LINKER.*_lanes_(sse2|avx2|avx512)\\.dir/")
foreach(link IN LISTS links)
  list(APPEND failures "links a raw object of an instruction set: ${link}")
endforeach()

file(GLOB_RECURSE sealed ${BUILD}/*_lanes_avx*_sealed.o ${BUILD}/*_lanes_sse2_sealed.o)
list(FILTER sealed EXCLUDE REGEX "/a path with a space/")  # the projects of other tests
if(NOT sealed)
  message(FATAL_ERROR "no sealed object is in ${BUILD}")
endif()
foreach(object IN LISTS sealed)
  execute_process(COMMAND ${OBJDUMP} -h ${object} OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
  if(sections MATCHES " \\.(preinit_array|init_array|ctors)")
    list(APPEND failures "${object} has an initialiser")
  endif()
  execute_process(COMMAND ${NM} --defined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9a-f]+ [A-Zuvwi] [^\n]+" visible "${symbols}")
  string(REGEX REPLACE ".*/([^/]+)_lanes_(sse2|avx2|avx512)_sealed\\.o" "\\1" target "${object}")
  foreach(line IN LISTS visible)
    string(REGEX REPLACE "^[0-9a-f]+ (.) (.*)" "\\1;\\2" line "${line}")
    list(POP_FRONT line kind symbol)
    if(kind MATCHES "[iWVwvu]" AND NOT symbol MATCHES "^_ZN6torsor11LaneKernelsI")
      list(APPEND failures "${object} shares ${symbol}")
    elseif(symbol IN_LIST seen_${target})
      list(APPEND failures "${symbol} is in two sealed objects of ${target}")
    endif()
    list(APPEND seen_${target} ${symbol})
  endforeach()
endforeach()

if(failures)
  list(JOIN failures "\n  " text)
  message(FATAL_ERROR "code for an instruction set may reach other processors:\n  ${text}")
endif()
list(LENGTH sealed count)
message(STATUS "${count} sealed objects: no initialiser, no shared symbol")
