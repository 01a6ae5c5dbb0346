# cmake -D LD= -D NM= -D OBJCOPY= -D OBJDUMP= -D SET=<instruction set> -D IN=<objects> -D OUT=<object> -P
# TorsorSeal.cmake: joins the objects compiled for one instruction set into one object whose code cannot run on other
# processors by accident.
#
# - Nothing in it runs before main: an initialiser of a static object is an error.
# - Its inline functions, and those of the standard library, become local to it. The linker keeps only one function of
#   each shared name; without this step a processor that lacks the set could run the copy compiled for the set. The
#   tables of kernels stay visible; their type contains the set.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${LD} -r --force-group-allocation -o ${OUT}.joined ${IN} COMMAND_ERROR_IS_FATAL ANY)

# Initialisers. The initialiser of <iostream>, which Odeint's headers include, is removed: a program that has the kernels
# includes the same headers elsewhere. This initialiser calls ios_base::Init and uses no wide register. Any other
# initialiser is an error.
execute_process(COMMAND ${OBJDUMP} -h ${OUT}.joined OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${NM} -C --defined-only ${OUT}.joined OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9a-f]+ i [^\n]+" refused "${symbols}")  # resolvers of indirect functions
set(no_initialisers)
if(sections MATCHES " \\.(preinit_array|ctors)")
  list(APPEND refused "constructors")
elseif(sections MATCHES " \\.init_array")
  execute_process(COMMAND ${OBJDUMP} -dr -j .text.startup ${OUT}.joined OUTPUT_VARIABLE code COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "R_X86_64_[A-Z0-9_]+[ \t]+[^ \n]+|%[xyz]mm[0-9]+" uses "${code}")
  list(FILTER uses EXCLUDE REGEX "_ZNSt8ios_base4Init|__dso_handle|__cxa_atexit|\\.bss([-+]|$)")
  if(uses OR NOT symbols MATCHES "std::__ioinit")
    string(REGEX MATCHALL "(_GLOBAL__sub_I_|__cxx_global_var_init)[^\n]*" initialisers "${symbols}")
    list(APPEND refused "initialisers" ${initialisers})
  endif()
  set(no_initialisers --remove-section=.init_array --remove-section=.rela.init_array)
endif()
if(refused)
  list(JOIN refused "\n  " text)
  message(FATAL_ERROR "code for the instruction set ${SET} would run before main, on processors that may lack it. "
    "Declare the static objects of these sources constinit, or make them local to a function:\n  ${text}")
endif()

execute_process(COMMAND ${NM} --defined-only ${OUT}.joined OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9a-f]+ [WVu] [^\n]+" shared "${symbols}")
list(TRANSFORM shared REPLACE "^[0-9a-f]+ . " "")
list(FILTER shared EXCLUDE REGEX "^_ZN6torsor11LaneKernelsI")
list(JOIN shared "\n" names)
file(WRITE ${OUT}.names "${names}\n")
execute_process(COMMAND ${OBJCOPY} --localize-symbols=${OUT}.names ${no_initialisers} ${OUT}.joined ${OUT} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${OUT}.joined ${OUT}.names)
