# Builds examples/plugin as a project of its own, against the header alone and with all warnings, and runs its scene. The
# extension of the damper, the position of the right mass and the energy must agree with the closed form.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/consumer.cmake)
must(${CMAKE_COMMAND} -E rm -rf ${WORK})
must(${CMAKE_COMMAND} -E make_directory ${WORK})
must(${CMAKE_COMMAND} -E copy ${SOURCE}/examples/plugin/maxwell_element.toml ${WORK})
must(${CMAKE_COMMAND} -S ${SOURCE}/examples/plugin -B ${WORK}/build -G ${GENERATOR} -D PLUGIN_FOLDER=${WORK}
     -D TORSOR_INCLUDE=${SOURCE}/include "-DCMAKE_C_FLAGS=-pedantic-errors -Wall -Wextra -Werror")
must(${CMAKE_COMMAND} --build ${WORK}/build)
must(${TORSOR} run --plugins ${WORK}/maxwell_element.toml --json)

# expect(digits path...): the number in the output begins with these digits.
function(expect digits)
  string(JSON number GET "${output}" ${ARGN})
  if(NOT number MATCHES "^${digits}")
    message(FATAL_ERROR "${ARGN} is ${number}, not ${digits}")
  endif()
endfunction()
expect("0\\.6103220" states state.joint.extension)
expect("1\\.8553046" bodies right x 0)  # start 1 m + displacement of the centre + elongation / 2
expect("0\\.6010682" energy final)      # F^2 / (2 k) and both kinetic energies
expect("reached-end" status)
