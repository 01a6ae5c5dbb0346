#pragma once

#include <stdexcept>
#include <string>

#include "torsor/coordinates/system_of_fields.hpp"
#include "torsor/geometry/slow_manifold.hpp"

namespace torsor {

/// The motion of a system in coordinates on the slow manifold of the friction that replaces its rows, by the
/// expansion of slow_manifold.hpp up to eps^order. The series have a fixed length, up to eps^`greatest`:
///
///   q' = V(q, u) = u + sum eps^i h_i(q, u),   u' = sum eps^i rate_i(q, u),   u = P v
///
/// The state is (q, v) with u = P v and any slip sigma = A v. The slip stays constant within a step, v' =
/// u' + (dC/dt) sigma, and V replaces it by the slip of the slow manifold. Accelerations returned together
/// with multipliers are q'' = dV/dt along the reduced motion, and the multipliers are
///
///   lambda = M_c A (q'' - g^-1 (f - b)) at V,
///
/// the friction that q'' needs. Their errors are of order eps^(order + 1), like that of V. The friction
/// mu/eps at the slip of V would have an error of order eps^order. The fields must not depend on time. All
/// constraints must be rows in velocities, without phi and with a_0 = 0.
template <class Fields, int greatest>
class ReducedSystemOfFields final : public SystemOfFields<Fields> {
  static constexpr int N = Eigen::Dynamic;
  using Base = SystemOfFields<Fields>;
  using Coordinates = geometry::CoordinateFrame<N>;

 public:
  ReducedSystemOfFields(Fields fields, CoordinateOptions options, int order = greatest)
      : Base(std::move(fields), by_friction(options)), order_(order) {
    if (order < 0 || order > greatest)
      throw std::invalid_argument("the order of the reduced motion must be 0 to " + std::to_string(greatest) +
                                  ", got " + std::to_string(order));
  }

  const VelocityMap* velocity_map() const override { return this; }
  bool keeps_energy() const override { return false; }
  bool keeps_acceleration() const override { return false; }  // the acceleration depends on the slip of v

  void acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut) const override {
    look_at(t, q, v);
    a = q_ddot();
  }
  Vec multipliers(double t, VecIn q, VecIn v, VecIn) const override {
    look_at(t, q, v);
    const auto system = this->geometry().at_time(t);
    const auto point = geometry::constrained_point(system.metric(q_), system.rows(q_));
    const Vec by_friction = q_ddot() - geometry::frictionless_acceleration(system, q_, V_);
    return point.M_c * (point.A * by_friction);
  }
  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override {
    look_at(t, q, v);
    const auto system = this->geometry().at_time(t);
    const auto columns = [&](const auto& at) {
      return geometry::constrained_point(system.metric(at), system.rows(at)).C;
    };
    const Vec sigma = system.rows(q_) * v_;
    a = u_dot_ + geometry::derivative_along(Coordinates(), q_, V_, columns) * sigma;
  }
  void acceleration_and_power(double t, VecIn q, VecIn v, VecOut a, double& power) const override {
    acceleration(t, q, v, a);
    power = this->load_power(t, q_, V_);
  }

 private:
  static CoordinateOptions by_friction(CoordinateOptions options) {
    options.treatment = Treatment::viscous;
    return options;
  }
  void velocity(double t, VecIn q, VecIn v, VecOut out) const override {
    look_at(t, q, v);
    out = V_;
  }
  void look_at(double t, VecIn q, VecIn v) const {
    if (t_ == t && q_.size() == q.size() && q_ == q && v_ == v) return;
    t_ = std::numeric_limits<double>::quiet_NaN();  // until all is evaluated: a field may throw
    q_ = q, v_ = v;
    const auto system = this->geometry().at_time(t);
    const Eigen::MatrixXd A = system.rows(q_);
    sized(this->fields().friction(geometry::event<double, N>(q_, t)), A.rows(), 1, "friction");
    u_ = geometry::constrained_point(system.metric(q_), A).P() * v_;
    const auto motion = geometry::slow_motion<greatest>(system, q_, u_, geometry::SlipForm(), order_);
    V_ = motion.q_dot(this->options().parameters.eps, order_);
    u_dot_ = motion.u_dot(this->options().parameters.eps, order_);
    q_ddot_.resize(0);
    t_ = t;
  }
  /// dV/dt at the state of look_at.
  const Vec& q_ddot() const {
    if (q_ddot_.size() > 0) return q_ddot_;
    const auto system = this->geometry().at_time(t_);
    const auto moved = geometry::slow_motion<greatest>(
        system, Coordinates::moved(q_, V_), Coordinates::moved(u_, u_dot_), geometry::SlipForm(), order_);
    return q_ddot_ = geometry::derivative_part(moved.q_dot(this->options().parameters.eps, order_));
  }

  int order_;
  mutable double t_ = std::numeric_limits<double>::quiet_NaN();
  mutable Vec q_, v_, u_, V_, u_dot_, q_ddot_;
};

}  // namespace torsor
