# cmake -D NM= -D OBJCOPY= -D SET=<instruction set> -D IN=<object> -D OUT=<object> -P TorsorNameApart.cmake: every weak
# symbol that the object defines, and every name of a group of sections (n), gets the set's name behind its own, save the
# tables of kernels, which carry the set in their type and are what the program looks for.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${NM} --defined-only ${IN} OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9a-f]+ [WwVvun] [^\n]+" weak "${lines}")
set(map "")
foreach(symbol IN LISTS weak)
  string(REGEX REPLACE "^[0-9a-f]+ [WwVvun] " "" symbol "${symbol}")
  if(symbol MATCHES "^_ZN6torsor11LaneKernelsI" OR symbol STREQUAL "DW.ref.__gxx_personality_v0")
    continue()
  endif()
  string(APPEND map "${symbol} ${symbol}.${SET}\n")
endforeach()
file(WRITE ${OUT}.names "${map}")
execute_process(COMMAND ${OBJCOPY} --redefine-syms=${OUT}.names ${IN} ${OUT} COMMAND_ERROR_IS_FATAL ANY)
