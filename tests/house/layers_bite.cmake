# Makes a small tree with one violation of each kind and expects the check to report it.
cmake_minimum_required(VERSION 3.25)

# plant(file include expected): makes a tree with one file that has one include, and expects the message `expected`; if
# `expected` is empty, the check must pass.
function(plant file include expected)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${WORK}/${file} "#pragma once\n#include ${include}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -D ROOT=${WORK} -P ${CHECK}
    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(expected STREQUAL "" AND NOT code EQUAL 0)
    message(SEND_ERROR "${file} with ${include} should pass:\n${out}")
  elseif(NOT expected STREQUAL "")
    string(FIND "${out}" "${expected}" at)
    if(code EQUAL 0 OR at EQUAL -1)
      message(SEND_ERROR "${file} with ${include} should fail with \"${expected}\":\n${out}")
    endif()
  endif()
endfunction()

plant(include/torsor/sim/a.hpp "\"torsor/model/model.hpp\"" "")
plant(integrators/a.cpp "<boost/numeric/odeint.hpp>" "")
plant(lib/scene/a.cpp "<toml++/toml.h>" "")
plant(include/torsor/lie/a.hpp "\"torsor/model/model.hpp\"" "lie must not include torsor/model/model.hpp")
plant(include/torsor/model/a.hpp "<torsor/integrators/system.hpp>" "model must not include torsor/integrators/system.hpp")
plant(lib/sim/a.cpp "\"torsor/scene/scene.hpp\"" "sim must not include torsor/scene/scene.hpp")
plant(integrators/a.cpp "\"torsor/sim/simulate.hpp\"" "integrators must not include torsor/sim/simulate.hpp")
plant(lib/io/a.cpp "\"../scene/private.hpp\"" "a private header stays in its own folder")
plant(include/torsor/scene/a.hpp "<toml++/toml.h>" "not a package that public headers of scene may show")
plant(include/torsor/model/a.hpp "<boost/numeric/odeint.hpp>" "not a package that public headers of model may show")
plant(lib/io/a.cpp "<CLI/CLI.hpp>" "that package is the command's alone")
plant(include/torsor/attic/a.hpp "<vector>" "\"attic\" is not a room")
file(REMOVE_RECURSE ${WORK})
