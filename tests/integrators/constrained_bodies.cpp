#include "constrained_bodies.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "torsor/lie/detail/hat.hpp"
#include "torsor/lie/product.hpp"
#include "torsor/lie/rn.hpp"
#include "torsor/lie/se3.hpp"
#include "torsor/lie/so3.hpp"

namespace torsor::test {
namespace {

using Direct = Product<Rn<3>, SO3<>>;
using Semidirect = SE3<>;
using Vec6 = Eigen::Matrix<double, 6, 1>;

/// Calls `body` for each body on its group.
template <class Body>
void each(bool direct, int bodies, const Body& body) {
  for (int i = 0; i < bodies; ++i) {
    if (direct)
      body(i, Direct::identity());
    else
      body(i, Semidirect::identity());
  }
}

const Vec3 gravity(0, 0, -9.81);

}  // namespace

ConstrainedBodies::ConstrainedBodies(Group group, std::vector<double> masses, std::vector<Vec3> inertias,
                                     std::vector<char> holonomic)
    : group_(group),
      masses_(std::move(masses)),
      inertias_(std::move(inertias)),
      holonomic_(std::move(holonomic)),
      motion_(masses_.size()),
      at_rest_(Vec::Zero(6 * bodies())) {
  row_.linear.resize(masses_.size());
  row_.angular.resize(masses_.size());
}

void ConstrainedBodies::repeat_rows(int copies) {
  const std::vector<char> once = holonomic_;
  for (copies_ = 1; copies_ < copies; ++copies_)
    holonomic_.insert(holonomic_.end(), once.begin(), once.end());
}

void ConstrainedBodies::retract(VecIn q, VecIn xi, VecOut q_next) const {
  each(direct(), bodies(), [&]<class G>(int i, const G&) {
    (G::from(q.data() + 7 * i) * G::exp(Vec6(xi.segment<6>(6 * i)))).normalized().to(q_next.data() + 7 * i);
  });
}
void ConstrainedBodies::local_difference(VecIn q, VecIn p, VecOut xi) const {
  each(direct(), bodies(), [&]<class G>(int i, const G&) {
    xi.segment<6>(6 * i) = difference(G::from(q.data() + 7 * i), G::from(p.data() + 7 * i));
  });
}
void ConstrainedBodies::dexp(VecIn xi, VecIn w, VecOut out) const {
  each(direct(), bodies(), [&]<class G>(int i, const G&) {
    out.segment<6>(6 * i) = G::dexp(Vec6(xi.segment<6>(6 * i)), Vec6(w.segment<6>(6 * i)));
  });
}
void ConstrainedBodies::dexp_inv(VecIn xi, VecIn w, VecOut out) const {
  each(direct(), bodies(), [&]<class G>(int i, const G&) {
    out.segment<6>(6 * i) = G::dexp_inv(Vec6(xi.segment<6>(6 * i)), Vec6(w.segment<6>(6 * i)));
  });
}
void ConstrainedBodies::ad_transpose(VecIn v, VecIn p, VecOut out) const {
  each(direct(), bodies(), [&]<class G>(int i, const G&) {
    out.segment<6>(6 * i) = G::ad_transpose(Vec6(v.segment<6>(6 * i)), Vec6(p.segment<6>(6 * i)));
  });
}
void ConstrainedBodies::dexp_inv_transpose(VecIn xi, VecIn p, VecOut out) const {
  each(direct(), bodies(), [&]<class G>(int i, const G&) {
    out.segment<6>(6 * i) = G::dexp_inv_transpose(Vec6(xi.segment<6>(6 * i)), Vec6(p.segment<6>(6 * i)));
  });
}

BodyMotion ConstrainedBodies::motion(VecIn q, VecIn v, int body) const {
  const Eigen::Quaterniond rotation(q.data() + 7 * body + 3);  // x y z w, after the position on both groups
  BodyMotion m;
  m.x = q.segment<3>(7 * body);
  m.R = rotation.toRotationMatrix();
  m.x_dot = v.segment<3>(6 * body);
  if (!direct()) m.x_dot = m.R * m.x_dot.eval();
  m.omega = v.segment<3>(6 * body + 3);
  return m;
}

State ConstrainedBodies::state(const std::vector<BodyMotion>& motion) const {
  State x{Vec(nq()), Vec(nv()), {}};
  for (int i = 0; i < bodies(); ++i) {
    const BodyMotion& m = motion[std::size_t(i)];
    const Eigen::Quaterniond rotation(m.R);
    x.q.segment<3>(7 * i) = m.x;
    x.q.segment<4>(7 * i + 3) = rotation.coeffs();
    x.v.segment<3>(6 * i) = direct() ? m.x_dot : Vec3(m.R.transpose() * m.x_dot);
    x.v.segment<3>(6 * i + 3) = m.omega;
  }
  return x;
}

void ConstrainedBodies::read(VecIn q, VecIn v) const {
  for (int i = 0; i < bodies(); ++i) motion_[std::size_t(i)] = motion(q, v, i);
}

const Row& ConstrainedBodies::row_at(double t, int index) const {
  for (auto* part : {&row_.linear, &row_.angular})
    for (Vec3& v : *part) v.setZero();
  row_.offset = row_.phi = row_.rate = 0;
  row(t, motion_, index % (rows() / copies_), row_);
  return row_;
}

void ConstrainedBodies::force(double t, VecIn q, VecIn v, VecOut f) const {
  for (int i = 0; i < bodies(); ++i) {
    const BodyMotion m = motion(q, v, i);
    const Vec3& J = inertias_[std::size_t(i)];
    Vec3 push, torque;
    load(t, m, i, push, torque);
    if (!direct()) push = m.R.transpose() * push.eval() - mass(i) * m.omega.cross(v.segment<3>(6 * i));
    f.segment<3>(6 * i) = push;
    f.segment<3>(6 * i + 3) = torque - m.omega.cross(J.cwiseProduct(m.omega));
  }
}

void ConstrainedBodies::load(double, const BodyMotion&, int index, Vec3& force, Vec3& torque) const {
  force = mass(index) * gravity;
  torque.setZero();
}

void ConstrainedBodies::metric_times(double, VecIn, VecIn w, VecOut out) const { momentum(w, out); }

void ConstrainedBodies::momentum(VecIn v, VecOut p) const {
  for (int i = 0; i < bodies(); ++i) {
    p.segment<3>(6 * i) = mass(i) * v.segment<3>(6 * i);
    p.segment<3>(6 * i + 3) = inertias_[std::size_t(i)].cwiseProduct(v.segment<3>(6 * i + 3));
  }
}
void ConstrainedBodies::momentum_inverse(VecIn p, VecOut v) const {
  for (int i = 0; i < bodies(); ++i) {
    v.segment<3>(6 * i) = p.segment<3>(6 * i) / mass(i);
    v.segment<3>(6 * i + 3) = p.segment<3>(6 * i + 3).cwiseQuotient(inertias_[std::size_t(i)]);
  }
}
void ConstrainedBodies::position_force(double t, VecIn q, VecOut f) const { force(t, q, at_rest_, f); }

void ConstrainedBodies::constraint_times(double t, VecIn q, VecIn w, VecOut out) const {
  read(q, w);
  for (int j = 0; j < rows(); ++j) {
    const Row& r = row_at(t, j);
    out[j] = 0;
    for (std::size_t i = 0; i < motion_.size(); ++i)
      out[j] += r.linear[i].dot(motion_[i].x_dot) + r.angular[i].dot(motion_[i].omega);
  }
}

void ConstrainedBodies::reaction(double t, VecIn q, VecIn lambda, VecOut out) const {
  read(q, at_rest_);
  out.setZero();
  for (int j = 0; j < rows(); ++j) {
    const Row& r = row_at(t, j);
    for (int i = 0; i < bodies(); ++i) {
      const auto at = std::size_t(i);
      const Vec3 push = direct() ? r.linear[at] : Vec3(motion_[at].R.transpose() * r.linear[at]);
      out.segment<3>(6 * i) += lambda[j] * push;
      out.segment<3>(6 * i + 3) += lambda[j] * r.angular[at];
    }
  }
}

void ConstrainedBodies::position_residual(double t, VecIn q, VecOut phi) const {
  read(q, at_rest_);
  for (int j = 0; j < rows(); ++j) phi[j] = holonomic_[std::size_t(j)] ? row_at(t, j).phi : 0;
}

void ConstrainedBodies::velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const {
  constraint_times(t, q, v, psi);
  for (int j = 0; j < rows(); ++j) psi[j] += row_at(t, j).offset;
}

void ConstrainedBodies::constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const {
  read(q, v);
  for (int j = 0; j < rows(); ++j) {
    const Row& r = row_at(t, j);
    gamma[j] = r.rate;
    if (direct()) continue;
    for (int i = 0; i < bodies(); ++i) {  // x'' = R (V' + omega x V)
      const BodyMotion& m = motion_[std::size_t(i)];
      gamma[j] += r.linear[std::size_t(i)].dot((m.R * m.omega).cross(m.x_dot));
    }
  }
}

double ConstrainedBodies::kinetic_energy(const State& x) const {
  Vec p(nv());
  momentum(x.v, p);
  return p.dot(x.v) / 2;
}

namespace {

const Vec3 top_inertia(0.234375, 0.46875, 0.234375), arm(0, 1, 0);
constexpr double top_mass = 15;

/// Adds `sign` times the row of the world component `axis` of the body point x + R p.
void add_point(Row& row, int body, const BodyMotion& m, const Vec3& p, int axis, double sign) {
  const Vec3 e = sign * Vec3::Unit(axis);
  row.linear[std::size_t(body)] += e;
  row.angular[std::size_t(body)] += p.cross(m.R.transpose() * e);
  row.rate += e.dot(m.R * m.omega.cross(m.omega.cross(p)));
  row.phi += e.dot(m.x + m.R * p);
}

Mat3 turned(double angle) { return Eigen::AngleAxisd(angle, Vec3(1, 2, -1).normalized()).toRotationMatrix(); }

}  // namespace

Top::Top(Group group, double amplitude)
    : ConstrainedBodies(group, {top_mass}, {top_inertia}, {1, 1, 1}), amplitude_(amplitude) {}

void Top::row(double t, const std::vector<BodyMotion>& bodies, int index, Row& out) const {
  add_point(out, 0, bodies[0], -arm, index, 1);
  if (index != 0) return;
  out.phi -= amplitude_ * std::sin(8 * t);
  out.offset -= amplitude_ * 8 * std::cos(8 * t);
  out.rate += amplitude_ * 64 * std::sin(8 * t);
}

State Top::start(double spin) const {
  const Vec3 omega(0, spin, -4.61538);
  return state({{arm, Mat3::Identity(), omega.cross(arm) + Vec3(8 * amplitude_, 0, 0), omega}});
}

double Top::energy(const State& x) const {
  return kinetic_energy(x) - top_mass * gravity.dot(motion(x.q, x.v, 0).x);
}

Chain::Chain(Group group)
    : ConstrainedBodies(group, {2, 1}, {Vec3(0.3, 0.2, 0.4), Vec3(0.2, 0.3, 0.25)}, {1, 1, 1, 1, 1, 1}) {}

void Chain::row(double, const std::vector<BodyMotion>& bodies, int index, Row& out) const {
  if (index < 3) return add_point(out, 0, bodies[0], -arm, index, 1);
  add_point(out, 0, bodies[0], arm, index - 3, 1);
  add_point(out, 1, bodies[1], -arm, index - 3, -1);
}

State Chain::start() const {
  const Mat3 R1 = turned(0.7), R2 = turned(-1.1);
  const Vec3 w1(0.9, -0.6, 1.4), w2(-0.5, 1.1, 0.8);
  const Vec3 x1 = R1 * arm, v1 = R1 * w1.cross(arm);
  const Vec3 x2 = 2 * x1 + R2 * arm, v2 = 2 * v1 + R2 * w2.cross(arm);
  return state({{x1, R1, v1, w1}, {x2, R2, v2, w2}});
}

double Chain::energy(const State& x) const {
  double e = kinetic_energy(x);
  for (int i = 0; i < 2; ++i) e -= mass(i) * gravity.dot(motion(x.q, x.v, i).x);
  return e;
}

RollingBall::RollingBall(Group group) : ConstrainedBodies(group, {1.5}, {Vec3(0.2, 0.3, 0.25)}, {1, 0, 0}) {}

void RollingBall::load(double, const BodyMotion&, int, Vec3& force, Vec3& torque) const {
  force = Vec3(1, -2, -9);
  torque.setZero();
}

void RollingBall::row(double t, const std::vector<BodyMotion>& bodies, int index, Row& out) const {
  constexpr double radius = 0.5;
  const BodyMotion& m = bodies[0];
  const double rate = 1 + 0.5 * std::sin(t), rate_dot = 0.5 * std::cos(t);
  if (index == 0) {
    out.linear[0] = Vec3(0, 0, 1);
    out.phi = m.x[2] - radius;
  } else if (index == 1) {
    out.linear[0] = Vec3(1, 0, 0);
    out.angular[0] = -radius * m.R.row(1).transpose();
    out.offset = rate * m.x[1];
    out.rate = rate * m.x_dot[1] + rate_dot * m.x[1];
  } else {
    out.linear[0] = Vec3(0, 1, 0);
    out.angular[0] = radius * m.R.row(0).transpose();
    out.offset = -rate * m.x[0];
    out.rate = -rate * m.x_dot[0] - rate_dot * m.x[0];
  }
}

State RollingBall::start() const {
  const Mat3 R = turned(0.4);
  const Vec3 spin(0.7, -0.4, 1.1), x(0.6, -0.3, 0.5), w = R * spin;  // the table turns at rate 1
  return state({{x, R, Vec3(0.5 * w[1] - x[1], -0.5 * w[0] + x[0], 0), spin}});
}

}  // namespace torsor::test
