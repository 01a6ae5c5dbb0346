# Writes OUTPUT, the definition of build::git: the commit of SOURCE, with "+changes" if tracked files differ from it, or
# "unknown" if SOURCE is not the root of a repository. The file is written only if its text changes.
set(git unknown)
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
  execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(failed EQUAL 0)
    set(git ${commit})
    if(NOT changes STREQUAL "")
      string(APPEND git +changes)
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "build_info.hpp"

namespace torsor::build {
const char* const git = "@git@";
}
]] @ONLY)
