# cmake -D CXX= -D LD= -D NM= -D OBJCOPY= -D OBJDUMP= -D SEAL=<TorsorSeal.cmake> -D WORK=<folder> [-D OPTIONS=] -P
# seal_refuses.cmake: checks that sealing rejects a static object that is initialised before main, accepts <iostream>,
# and makes inline functions local.
cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY ${WORK})

# seal(name source): compiles the source for AVX-512 and seals it. Sets `code` and `output` in the caller.
function(seal name source)
  file(WRITE ${WORK}/${name}.cpp "${source}")
  execute_process(COMMAND ${CXX} -std=c++20 -O2 -fPIC -mavx512f ${OPTIONS} -c ${WORK}/${name}.cpp -o ${WORK}/${name}.o
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} -D LD=${LD} -D NM=${NM} -D OBJCOPY=${OBJCOPY} -D OBJDUMP=${OBJDUMP} -D SET=avx512
                          -D IN=${WORK}/${name}.o -D OUT=${WORK}/${name}_sealed.o -P ${SEAL}
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(code ${code} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(pack "struct Pack { double lane __attribute__((vector_size(64))); };\n")
seal(pack "${pack}double number();\nPack least{number() - Pack{}.lane};\n")
if(code EQUAL 0 OR NOT output MATCHES "would run before main")
  message(FATAL_ERROR "an initialiser of a static pack was sealed (${code}):\n${output}")
endif()
# The same in a template, without a function call: the initialiser fills a wide register and stores it.
seal(constant "#include <experimental/simd>\nusing Pack = std::experimental::native_simd<double>;\nextern double one;\ntemplate <class S> struct Pair { inline static const S least{2.3e-308 * one}; };\nPack bound(Pack x) { return x + Pair<Pack>::least; }\n")
if(code EQUAL 0 OR NOT output MATCHES "would run before main")
  message(FATAL_ERROR "an initialiser of a constant pack was sealed (${code}):\n${output}")
endif()
seal(stream "#include <iostream>\ninline int twice(int x) { return 2 * x; }\nint (*volatile f)(int);\nint kernel(int x) { f = &twice; return f(x); }\n")
if(NOT code EQUAL 0)
  message(FATAL_ERROR "<iostream> was refused:\n${output}")
endif()
execute_process(COMMAND ${NM} -C ${WORK}/stream_sealed.o OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES " t twice" OR NOT symbols MATCHES " T kernel")
  message(FATAL_ERROR "twice must be local and kernel visible:\n${symbols}")
endif()
execute_process(COMMAND ${OBJDUMP} -h ${WORK}/stream_sealed.o OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
if(sections MATCHES "init_array")
  message(FATAL_ERROR "the initialiser of <iostream> stayed:\n${sections}")
endif()
