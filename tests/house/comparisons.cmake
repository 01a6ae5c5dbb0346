# Tests and benchmarks must compare numbers with support/greatest.hpp only: a comparison that drops NaN would pass a NaN
# result.
cmake_minimum_required(VERSION 3.25)

set(blind "maxCoeff|minCoeff|lpNorm<Eigen::Infinity>|std::fmax|^ *[A-Za-z_.]+ = std::max\\(")
file(GLOB_RECURSE sources ${ROOT}/tests/*.?pp ${ROOT}/benchmarks/*.?pp)
list(REMOVE_ITEM sources ${ROOT}/tests/support/greatest.hpp)
foreach(source IN LISTS sources)
  file(STRINGS ${source} lines REGEX "${blind}")
  foreach(line IN LISTS lines)
    message(SEND_ERROR "${source}: \"${line}\" drops NaN: compare by test::greatest of support/greatest.hpp")
  endforeach()
endforeach()
