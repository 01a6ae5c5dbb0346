// The recursive dynamics with packs and dual numbers.
#include <doctest/doctest.h>

#include "model/recursions.hpp"
#include "random_tree.hpp"
#include "torsor/lie/dual.hpp"
#include "torsor/lie/pack.hpp"

namespace torsor {
namespace {

using test::Random;

TEST_CASE("each lane of a pack agrees bit for bit with the computation in doubles") {
  constexpr int lanes = static_cast<int>(Pack::size());
  Random random(91);
  const Model model(test::random_tree(random, 20));
  std::vector<State> x;
  VecOf<Pack> q(model.nq()), v(model.nv()), a(model.nv());
  for (int lane = 0; lane < lanes; ++lane) {
    x.push_back(test::random_state(random, model));
    for (int k = 0; k < model.nq(); ++k) q[k][lane] = x[lane].q[k];
    for (int k = 0; k < model.nv(); ++k) v[k][lane] = x[lane].v[k];
  }
  Workspace<Pack> work(model);
  Loads<Pack> loads(model);
  loads.gravity[2] = Pack(-9.81);
  forward_dynamics(model, q, v, loads, work, a);
  for (int lane = 0; lane < lanes; ++lane) {
    Workspace<double> work_lane(model);
    Loads<double> loads_lane(model);
    loads_lane.gravity[2] = -9.81;
    Vec a_lane(model.nv());
    forward_dynamics(model, x[lane].q, x[lane].v, loads_lane, work_lane, a_lane);
    for (int k = 0; k < model.nv(); ++k) CHECK(double(a[k][lane]) == a_lane[k]);
  }
}

TEST_CASE("dual numbers give the derivative of the accelerations") {
  using D = Dual<double>;
  Random random(92);
  const Model model(test::random_tree(random, 12));
  const State x = test::random_state(random, model);
  const Vec along = random.flat(model.nv());
  Workspace<D> work(model);
  Loads<D> loads(model);
  loads.gravity[2] = D(-9.81);
  VecOf<D> v(model.nv()), a(model.nv());
  for (int k = 0; k < model.nv(); ++k) v[k] = {x.v[k], along[k]};
  forward_dynamics(model, x.q.cast<D>().eval(), v, loads, work, a);
  const auto at = [&](double h) {
    Workspace<double> plain(model);
    Loads<double> weight(model);
    weight.gravity[2] = -9.81;
    Vec out(model.nv());
    forward_dynamics(model, x.q, x.v + h * along, weight, plain, out);
    return out;
  };
  const double h = 1e-3;  // central differences are exact, since accelerations are quadratic in v
  const Vec expected = (at(h) - at(-h)) / (2 * h);
  for (int k = 0; k < model.nv(); ++k) CHECK(a[k].derivative == doctest::Approx(expected[k]).epsilon(1e-9));
}

}  // namespace
}  // namespace torsor
