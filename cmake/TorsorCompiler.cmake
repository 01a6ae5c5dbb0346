# What every target of the project is compiled with. Contraction is off so that doubles and packs give the same
# bits; fast-math would break the promises of the results and is refused.
if(CMAKE_CXX_FLAGS MATCHES "-ffast-math|-Ofast|-funsafe-math")
  message(FATAL_ERROR "torsor does not build with fast-math: its results would no longer be reproducible")
endif()

function(torsor_compile_options target)
  target_compile_options(${target} PRIVATE -ffp-contract=off $<$<BOOL:${TORSOR_NATIVE}>:-march=native>)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()
