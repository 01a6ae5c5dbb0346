# Checks that every entry of tests/reference/theory_checks.json is tested: some test names its id, and docs/geometry.md says
# which.
cmake_minimum_required(VERSION 3.25)

file(READ ${ROOT}/tests/reference/theory_checks.json text)
string(JSON checks GET "${text}" checks)
string(JSON count LENGTH "${checks}")
file(GLOB sources ${ROOT}/tests/geometry/*.?pp ${ROOT}/tests/lie/*.?pp)
set(tests "")
foreach(source IN LISTS sources)
  file(READ ${source} source_text)
  string(APPEND tests "${source_text}")
endforeach()
file(READ ${ROOT}/docs/geometry.md page)

math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON id MEMBER "${checks}" ${i})
  # The id stands in reference("id") or checks().at("id"), or is passed on to one of them.
  string(FIND "${tests}" "\"${id}\"" in_tests)
  if(in_tests EQUAL -1)
    message(SEND_ERROR "no test names \"${id}\" of theory_checks.json")
  endif()
  string(FIND "${page}" "`${id}`" in_page)
  if(in_page EQUAL -1)
    message(SEND_ERROR "docs/geometry.md does not say which test asserts `${id}` of theory_checks.json")
  endif()
endforeach()
