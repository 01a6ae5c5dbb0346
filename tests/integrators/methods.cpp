#include <doctest/doctest.h>

#include <set>

#include "torsor/integrators/stepper.hpp"

using namespace torsor;

TEST_CASE("the list says of each method what the method says of itself") {
  std::set<std::string_view> names;
  for (const MethodInfo& method : methods()) {
    CAPTURE(std::string(method.name));
    const auto stepper = method.make();
    CHECK(stepper->order() == method.order);
    CHECK(stepper->embedded_order() == method.embedded_order);
    CHECK(stepper->evaluations() == 0);
    CHECK(!method.reference.empty());
    CHECK(names.insert(method.name).second);
    CHECK(find_method(method.name) == &method);
  }
}

TEST_CASE("names are exact") {
  CHECK(find_method("rkmk") == nullptr);
  CHECK(find_method("RKMK4") == nullptr);
  CHECK(find_method("") == nullptr);
  CHECK(find_method("rkmk4") != nullptr);
}

TEST_CASE("methods that keep something by equal steps say so") {
  CHECK(find_method("lie-verlet")->fixed_step_only);
  CHECK(!find_method("generalized-alpha")->fixed_step_only);
  CHECK(!find_method("rkmk-dopri5")->fixed_step_only);
}
