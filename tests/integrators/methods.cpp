#include <doctest/doctest.h>

#include <set>

#include "torsor/integrators/stepper.hpp"

using namespace torsor;

TEST_CASE("the list of methods has the orders of each method, a reference and a unique name") {
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

TEST_CASE("find_method takes exact names only") {
  CHECK(find_method("rkmk") == nullptr);
  CHECK(find_method("RKMK4") == nullptr);
  CHECK(find_method("") == nullptr);
  CHECK(find_method("rkmk4") != nullptr);
}

TEST_CASE("symplectic methods require a fixed step size") {
  for (const MethodInfo& method : methods()) {
    CAPTURE(std::string(method.name));
    if (method.keeps.starts_with("symplectic")) CHECK(method.fixed_step_only);
  }
  CHECK(find_method("lie-verlet")->keeps.starts_with("symplectic"));
  CHECK(!find_method("generalized-alpha")->fixed_step_only);
  CHECK(!find_method("rkmk-dopri5")->fixed_step_only);
}

TEST_CASE("each method lists its treatments of constraints and can be made with each of them") {
  for (const MethodInfo& method : methods()) {
    CAPTURE(std::string(method.name));
    for (const Treatment treatment : method.treatments) {
      CHECK(find_treatment(to_string(treatment)) == treatment);
      CHECK(method.takes(treatment));
      CHECK(method.make(treatment)->order() == method.order);
    }
  }
  CHECK(find_method("rkmk4")->treatments.front() == Treatment::index_1);
  CHECK(find_method("generalized-alpha")->treatments.front() == Treatment::index_2);
  CHECK(!find_method("rkmk4")->takes(Treatment::index_3));
  for (const char* free : {"lie-verlet", "geodesic-verlet"}) CHECK(find_method(free)->treatments.empty());
  CHECK(!find_treatment("index-4"));
}
