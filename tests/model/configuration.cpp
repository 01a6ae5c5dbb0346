#include <doctest/doctest.h>

#include "random_tree.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

using test::Random;

/// A configuration space with every group. `tangent` draws vectors with components from -size to size.
struct Space {
  explicit Space(double size_) : random(61), model(test::random_tree(random, 24)), size(size_) {}
  Vec tangent() { return size * random.flat(model.nv()); }
  Vec moved(const Vec& q, const Vec& xi) const {
    Vec out(model.nq());
    retract(model, q.data(), xi.data(), out.data());
    return out;
  }
  template <class Map>
  Vec mapped(Map map, const Vec& xi, const Vec& w) const {
    Vec out(model.nv());
    map(model, xi.data(), w.data(), out.data());
    return out;
  }
  Random random;
  Model model;
  double size;
};

TEST_CASE("the difference inverts the retraction") {
  for (const double size : {0., 1e-9, 0.1, 1., 1.7}) {
    Space space(size);
    const Vec q = space.moved(identity_configuration(space.model), space.tangent()), xi = space.tangent();
    const Vec p = space.moved(q, xi);
    Vec back(space.model.nv());
    local_difference(space.model, q.data(), p.data(), back.data());
    CHECK((back - xi).norm() < 1e-13);
    CHECK(group_defect(space.model, p) < 1e-15);
  }
}

TEST_CASE("the retraction can overwrite its argument") {
  Space space(1);
  const Vec q = space.moved(identity_configuration(space.model), space.tangent()), xi = space.tangent();
  Vec p = q;
  retract(space.model, p.data(), xi.data(), p.data());
  CHECK(p == space.moved(q, xi));
}

TEST_CASE("the group defect measures the drift of quaternions, and a retraction removes it") {
  Space space(0.5);
  Vec q = identity_configuration(space.model);
  for (int i = 0; i < space.model.size(); ++i)
    if (space.model.kind[i] == JointKind::spherical) q.segment(space.model.q_begin[i], 4) *= 1.001;
  CHECK(group_defect(space.model, q) == doctest::Approx(0.001));
  CHECK(group_defect(space.model, space.moved(q, space.tangent())) < 1e-15);
  for (int i = 0; i < space.model.size(); ++i) {
    if (space.model.kind[i] != JointKind::spherical) continue;
    Vec lost = q;
    lost[space.model.q_begin[i]] = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(group_defect(space.model, lost)));
  }
}

TEST_CASE("dexp is the left-trivialised rate of the retraction") {
  for (const double size : {1e-3, 1., 1.5}) {
    Space space(size);
    const Vec origin = identity_configuration(space.model), xi = space.tangent(),
              w = space.random.flat(space.model.nv());
    const double h = 1e-5;
    Vec ahead(space.model.nv()), behind(space.model.nv());
    const Vec q = space.moved(origin, xi);
    local_difference(space.model, q.data(), space.moved(origin, xi + h * w).data(), ahead.data());
    local_difference(space.model, q.data(), space.moved(origin, xi - h * w).data(), behind.data());
    CHECK((space.mapped(dexp<double>, xi, w) - (ahead - behind) / (2 * h)).norm() < 1e-8);
  }
}

TEST_CASE("dexp_inv inverts dexp, and dexp_inv_transpose is its transpose") {
  for (const double size : {1e-6, 0.5, 1.7}) {
    Space space(size);
    const Vec xi = space.tangent(), w = space.tangent(), p = space.tangent();
    CHECK((space.mapped(dexp_inv<double>, xi, space.mapped(dexp<double>, xi, w)) - w).norm() < 1e-13);
    const double pairing = p.dot(space.mapped(dexp_inv<double>, xi, w));
    CHECK(space.mapped(dexp_inv_transpose<double>, xi, p).dot(w) == doctest::Approx(pairing).epsilon(1e-13));
  }
}

TEST_CASE(
    "ad_transpose is twice the odd part of dexp_inv_transpose") {  // dexp_inv(xi) - dexp_inv(-xi) = ad_xi
  Space space(0.7);
  const Vec xi = space.tangent(), p = space.tangent();
  const Vec odd =
      space.mapped(dexp_inv_transpose<double>, xi, p) - space.mapped(dexp_inv_transpose<double>, Vec(-xi), p);
  CHECK((space.mapped(ad_transpose<double>, xi, p) - odd).norm() < 1e-13);
}

}  // namespace
}  // namespace torsor
