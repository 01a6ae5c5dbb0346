# Functions for the tests that use the library from outside. must(command...): runs a command and puts what it prints
# into the variable output. A command that fails ends the test, and the message shows what the command printed.
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out ${must_directory})
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\nended with ${code}:\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

# build_consumer(name arguments...): configures, builds and runs the small project of that name, and checks the quarter
# turn that it prints.
function(build_consumer name)
  set(build ${WORK}/${name})
  must(${CMAKE_COMMAND} -E rm -rf ${build})
  must(${CMAKE_COMMAND} -S ${CONSUMERS}/${name} -B ${build} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX}
       -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -D CMAKE_CXX_FLAGS=${FLAGS} ${ARGN})
  must(${CMAKE_COMMAND} --build ${build})
  must(${build}/consumer)
  expect_quarter_turn("${output}")
endfunction()

function(expect_quarter_turn text)
  if(NOT text MATCHES "0 1 0")
    message(FATAL_ERROR "the consumer printed \"${text}\" instead of 0 1 0")
  endif()
endfunction()
