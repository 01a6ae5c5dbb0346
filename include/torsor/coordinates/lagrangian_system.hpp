#pragma once

#include <cmath>
#include <stdexcept>

#include "torsor/coordinates/detail/mass_matrix.hpp"
#include "torsor/coordinates/system_of_fields.hpp"

namespace torsor {

/// A system in coordinates with any regular Lagrangian L(q, u, t) of its fields, in place of a metric and a
/// potential:
///
///   d/dt dL/du - dL/dq = f + A^T lambda,   or   M(q, u, t) u' = f - b + A^T lambda,   M = d^2 L / du^2
///
/// by Lagrange's equations, or by Hamel's equations in the frame of the quasi-velocities; b has the terms of
/// d/dt dL/du - dL/dq without u'. Derivatives are exact. The energy is the Jacobi integral E = dL/du . u - L.
/// Its potential part is -L at u = 0, or 0 if that value is not finite. The rate of E is
/// f . u - dL/dt - a_0 . lambda.
///
/// `mass_is_metric` states that M depends on q and t alone and is positive definite. M is then the metric. If
/// it is false, projections of positions take the metric B^T B of the quasi-velocities B u. Connections and
/// the treatment `dynamic` need a metric of the fields: the constructor throws std::invalid_argument for
/// them.
///
///   struct Charge : CoordinateFields {
///     Charge() : CoordinateFields(2) {}
///     template <class S>
///     S lagrangian(const CoordinateFields::Vector<S>& e, const CoordinateFields::Vector<S>& u) const { ... }
///   };
template <class Fields>
class LagrangianSystem final : public SystemOfFields<Fields> {
  static constexpr int N = Eigen::Dynamic;
  using Base = SystemOfFields<Fields>;
  using Mat = Eigen::MatrixXd;
  using Equations = geometry::EquationsOfMotion<double, N>;
  using Coordinates = geometry::CoordinateFrame<N>;

 public:
  explicit LagrangianSystem(Fields fields, const CoordinateOptions& options = {}, bool mass_is_metric = false)
      : Base(std::move(fields), options), mass_is_metric_(mass_is_metric) {
    if (options.equations != CoordinateEquations::coordinates &&
        options.equations != CoordinateEquations::hamel)
      throw std::invalid_argument(
          "a system with a Lagrangian has no connection: choose coordinates or hamel");
    if (options.treatment == Treatment::dynamic)
      throw std::invalid_argument("the treatment dynamic needs a metric in place of a Lagrangian");
  }

  void metric_times(double t, VecIn q, VecIn w, VecOut out) const override {
    if (!(t_ == t && q_.size() == q.size() && q_ == q)) {
      const Vec e = geometry::event<double, N>(q, t);
      const Mat B = this->geometry().velocities()(e);
      metric_ = mass_is_metric_ ? mass_at_rest(e) : Mat(B.transpose() * B);
      t_ = t, q_ = q;
    }
    out = metric_ * w;
  }
  bool mass_of_velocity() const override { return !mass_is_metric_; }
  void mass_times(double t, VecIn q, VecIn u, VecIn w, VecOut out) const override {
    if (mass_is_metric_) return metric_times(t, q, w, out);
    out = mass(t, q, u) * w;
  }
  void solve_with_mass(ConstrainedSystem::Factors which, double t, VecIn q, VecIn u, VecIn r, VecIn s,
                       VecOut x, VecOut y) const override {
    if (mass_is_metric_) return Base::solve(which, t, q, r, s, x, y);
    if (this->rows() > 0) this->factor(t, q);  // for the condition
    solve_saddle_point(mass(t, q, u), this->all_rows(t, q).topLeftCorner(this->rows(), this->size()), r, s, x,
                       y);
  }
  const Mat& mass(double t, VecIn q, VecIn u) const {
    return equations(geometry::event<double, N>(q, t), u).mass;
  }

  CoordinateEnergy energy(double t, VecIn q, VecIn u) const override;
  double load_power(double t, VecIn q, VecIn u) const override;

 private:
  /// L over events and their velocities (u, 1).
  auto lagrangian() const {
    return [fields = &this->fields()]<class S>(const Vector<S, N>& e, const Vector<S, N>& velocity) {
      return S(fields->lagrangian(e, Vector<S, N>(velocity.head(velocity.size() - 1))));
    };
  }
  /// M u' + b = f in coordinates, kept until the state changes.
  const Equations& equations(const Vec& e, const Vec& u) const {
    if (!(e_.size() == e.size() && e_ == e && u_ == u)) equations_ = equations_at(e, u), e_ = e, u_ = u;
    return equations_;
  }
  Equations equations_at(const Vec& e, const Vec& u) const;
  Mat mass_at_rest(const Vec& e) const;
  Vec load(const Vec& e, const Vec& u) const override {
    return sized(this->fields().force(e, u), u.size(), 1, "force") - equations(e, u).bias;
  }

  bool mass_is_metric_;
  mutable double t_ = std::numeric_limits<double>::quiet_NaN();
  mutable Vec q_, e_, u_;
  mutable Mat metric_;
  mutable Equations equations_;
};

// Defined outside the class, like the functions of SystemOfFields.

template <class Fields>
auto LagrangianSystem<Fields>::equations_at(const Vec& e, const Vec& u) const -> Equations {
  const Vec velocity = geometry::event_velocity<double, N>(u);
  if (this->options().equations == CoordinateEquations::coordinates)
    return geometry::spatial_part(geometry::hamel_equations(Coordinates(), lagrangian(), e, velocity));
  const auto geometry_ = this->geometry();
  const auto in_frame = [L = lagrangian(), basis = geometry_.basis()]<class S>(const Vector<S, N>& at,
                                                                               const Vector<S, N>& v) {
    return S(L(at, Vector<S, N>(basis(at) * v)));
  };
  const Mat B = geometry_.velocities()(e);
  const Vec turning = geometry::derivative_along(Coordinates(), e, velocity, geometry_.velocities()) * u;
  const auto hamel = geometry::spatial_part(geometry::hamel_equations(
      geometry_.frame(), in_frame, e, geometry::event_velocity<double, N>(Vec(B * u))));
  return {B.transpose() * hamel.mass * B, B.transpose() * (hamel.bias + hamel.mass * turning)};
}

template <class Fields>
auto LagrangianSystem<Fields>::mass_at_rest(const Vec& e) const -> Mat {
  using Second = Dual<Dual<double>>;
  const int n = this->size();
  const Vector<Second, N> at = e.cast<Second>();
  Mat M(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      Vector<Second, N> u = Vector<Second, N>::Constant(n, Second(0));
      u[i].derivative.value = 1, u[j].value.derivative = 1;
      M(i, j) = M(j, i) = this->fields().lagrangian(at, u).derivative.derivative;
    }
  return M;
}

template <class Fields>
CoordinateEnergy LagrangianSystem<Fields>::energy(double t, VecIn q, VecIn u) const {
  const Vec e = geometry::event<double, N>(q, t), w = u, rest = Vec::Zero(w.size());
  const Dual<double> L = this->fields().lagrangian(geometry::with_derivative(e, Vec(Vec::Zero(e.size()))),
                                                   geometry::with_derivative(w, w));
  const double at_rest = this->fields().lagrangian(e, rest);
  const double potential = std::isfinite(at_rest) ? 0 - at_rest : 0;
  return {L.derivative - L.value - potential, potential, 0};
}

template <class Fields>
double LagrangianSystem<Fields>::load_power(double t, VecIn q, VecIn u) const {
  const Vec e = geometry::event<double, N>(q, t), w = u;
  Vec f = sized(this->fields().force(e, w), w.size(), 1, "force");
  this->add_friction(t, q, w, f);
  const auto at_constant_rates = [&]<class S>(const Vector<S, N>& at) {
    return S(this->fields().lagrangian(at, Vector<S, N>(w.cast<S>())));
  };
  const Vec along_t = geometry::event<double, N>(Vec::Zero(w.size()), 1.);
  return f.dot(w) - geometry::derivative_along(Coordinates(), e, along_t, at_constant_rates);
}

}  // namespace torsor
