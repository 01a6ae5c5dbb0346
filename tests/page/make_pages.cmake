# Runs scenes and writes their replays to WORK/<name>.html. make_page also writes the summary of the run to
# WORK/<name>.json.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# make_page(name scene argument...)
function(make_page name scene)
  execute_process(COMMAND ${TORSOR} run ${scene} --json --format h5 -o ${WORK}/${name} ${ARGN}
    OUTPUT_FILE ${WORK}/${name}.json ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${TORSOR} view ${WORK}/${name} -o ${WORK}/${name}.html --columns "*momentum_*"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

make_page(heavy_top heavy_top_bruls)
make_page(four_bars n_fourbar_40 --set run.end=1)
make_page(disk rolling_disk_torque)
make_page(tetrahedron tetrahedron_rigid)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../../scenes/chain10_spherical.toml chain)
string(REPLACE "repeat = 10" "repeat = 100" chain "${chain}")
string(REPLACE "repeat = 9" "repeat = 99" chain "${chain}")
string(REPLACE "rod9" "rod99" chain "${chain}")
file(WRITE ${WORK}/chain.toml "${chain}")
make_page(chain ${WORK}/chain.toml)
make_page(glyphs ${CMAKE_CURRENT_LIST_DIR}/glyphs.toml)
foreach(i RANGE 59)
  list(APPEND nodes "\"p${i}\"")
endforeach()
list(JOIN nodes ", " nodes)
file(WRITE ${WORK}/nodes.toml "schema = \"torsor/scene/1\"
[run]
end = 4
output = 1e-3
[[particle]]
repeat = 60
name = \"p{i}\"
mass = 1
position = [\"cos({i})\", \"sin({i})\", \"{i}/40\"]
velocity_world = [\"-0.3*sin({i})\", \"0.3*cos({i})\", 0]
[[rigid_particles]]
name = \"helix\"
nodes = [${nodes}]
")
make_page(nodes ${WORK}/nodes.toml)
make_page(support spherical_pendulum_moving_support)
foreach(name IN ITEMS moving_pendulum_chart curved_sleigh)
  execute_process(COMMAND ${TORSOR} run ${name} --quiet --format h5 -o ${WORK}/${name} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${TORSOR} view ${WORK}/${name} -o ${WORK}/${name}.html OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${HOSTILE} ${WORK}/hostile.html COMMAND_ERROR_IS_FATAL ANY)
