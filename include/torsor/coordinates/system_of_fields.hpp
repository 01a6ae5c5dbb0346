#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "torsor/coordinates/detail/coordinate_forces.hpp"
#include "torsor/coordinates/detail/mass_matrix.hpp"
#include "torsor/coordinates/system_in_coordinates.hpp"

namespace torsor {

/// The SystemInCoordinates of a system's fields. Keeps scratch, so one object serves one thread.
template <class Fields>
class SystemOfFields : public SystemInCoordinates, protected VelocityMap {
  static constexpr int N = Eigen::Dynamic;
  using Mat = Eigen::MatrixXd;
  using Coordinates = geometry::CoordinateFrame<N>;

 public:
  explicit SystemOfFields(Fields fields, const CoordinateOptions& options = {})
      : fields_(std::move(fields)), options_(options) {
    const Vec e = Vec::Zero(size() + 1);
    exact_ = static_cast<int>(fields_.positions(e).size());
    all_ = exact_ + static_cast<int>(fields_.rows(e).rows());
    holonomic_.assign(static_cast<std::size_t>(exact_), 1);
    if (!forces_.gives_way()) holonomic_.resize(static_cast<std::size_t>(all_), 0);
  }
  SystemOfFields(const SystemOfFields&) = delete;

  int size() const override { return fields_.size(); }
  int row_count() const override { return all_; }
  const std::vector<char>& holonomic() const override { return holonomic_; }
  bool positions_move() const override { return exact_ > 0 && fields_.depends_on_time(); }
  std::optional<Treatment> treatment() const override { return options_.treatment; }
  std::vector<std::string> row_names() const override { return fields_.row_names(); }

  void metric_times(double t, VecIn q, VecIn w, VecOut out) const override {
    look_at(t, q);
    out = g_ * w;
  }
  void constraint_times(double t, VecIn q, VecIn w, VecOut out) const override {
    look_at(t, q);
    out = A_.topLeftCorner(rows(), size()) * w;
  }
  void reaction(double t, VecIn q, VecIn lambda, VecOut out) const override {
    look_at(t, q);
    out = A_.topLeftCorner(rows(), size()).transpose() * lambda;
  }
  void row_offsets(double t, VecIn q, VecOut a0) const override {
    look_at(t, q);
    a0 = A_.col(size()).head(rows());
  }
  void position_residual(double t, VecIn q, VecOut phi) const override {
    phi.setZero();
    phi.head(exact_) = sized(fields_.positions(geometry::event<double, N>(q, t)), exact_, 1, "positions");
  }
  void velocity_residual(double t, VecIn q, VecIn u, VecOut psi) const override;
  const Mat& all_rows(double t, VecIn q) const override {
    look_at(t, q);
    return A_;
  }
  void constraint_bias(double t, VecIn q, VecIn u, VecOut gamma) const override;
  void force(double t, VecIn q, VecIn u, VecOut f) const override;

  using ConstrainedSystem::acceleration;
  void acceleration(double t, VecIn q, VecIn u, VecOut a, VecOut lambda) const override;
  const VelocityMap* velocity_map() const override {
    return options_.treatment == Treatment::minimal ? this : nullptr;
  }
  CoordinateEnergy energy(double t, VecIn q, VecIn u) const override {
    look_at(t, q);
    const double carried = g0_.dot(u) + g00_ / 2;
    return {u.dot(g_ * u) / 2 + carried, fields_.potential(geometry::event<double, N>(q, t)), carried};
  }
  void quasi_velocities(double t, VecIn q, VecIn u, VecOut v) const override {
    v = geometry().velocities()(Vec(geometry::event<double, N>(q, t))) * u;
  }

  Vec multipliers(double t, VecIn q, VecIn u, VecIn lambda) const override;
  double load_power(double t, VecIn q, VecIn u) const override;
  bool by_connection() const override {
    return options_.equations != CoordinateEquations::coordinates &&
           options_.equations != CoordinateEquations::hamel &&
           !(options_.equations == CoordinateEquations::christoffel && affinities().is_plain());
  }
  AffinitiesAt affinities_at(double t, VecIn q) const override;

  CoordinateGeometry<Fields> geometry() const { return {&fields_, options_.time_metric}; }
  const Fields& fields() const { return fields_; }
  const CoordinateOptions& options() const { return options_; }
  /// The connection in use, if the equations are those of a connection.
  CoordinateAffinities<Fields> affinities() const { return {geometry(), options_.equations}; }

 protected:
  /// All forces but those of the rows, minus the terms without u' in the equations of motion.
  virtual Vec load(const Vec& e, const Vec& u) const { return forces_.load(e, u); }
  /// Adds the friction that replaces rows.
  void add_friction(double t, VecIn q, const Vec& u, VecOut f) const {
    if (forces_.gives_way())
      f += forces_.friction(all_rows(t, q), exact_, geometry::event<double, N>(q, t), u);
  }

 private:
  void velocity(double t, VecIn q, VecIn u, VecOut out) const override {
    out = u;
    project_velocity(t, q, out);
  }
  /// g, g_0, g_00 and [A a_0] at (t, q).
  void look_at(double t, VecIn q) const;

  Fields fields_;
  CoordinateOptions options_;
  CoordinateForces<Fields> forces_{fields_, options_};
  int exact_ = 0, all_ = 0;  ///< number of rows with phi, and of all rows
  std::vector<char> holonomic_;
  mutable double t_ = std::numeric_limits<double>::quiet_NaN();
  mutable Vec q_, g0_;
  mutable Mat g_, A_;
  mutable double g00_ = 0;
};

// Defined outside the class, so that a source file that declares it `extern template` does not compile these
// functions again.

template <class Fields>
void SystemOfFields<Fields>::velocity_residual(double t, VecIn q, VecIn u, VecOut psi) const {
  psi = all_rows(t, q).topRows(rows()) * geometry::event_velocity<double, N>(u);
}

template <class Fields>
void SystemOfFields<Fields>::constraint_bias(double t, VecIn q, VecIn u, VecOut gamma) const {
  look_at(t, q);  // checks the sizes
  const Vec e = geometry::event<double, N>(q, t), velocity = geometry::event_velocity<double, N>(u);
  gamma =
      (geometry::derivative_along(Coordinates(), e, velocity, geometry().all_rows()) * velocity).head(rows());
}

template <class Fields>
void SystemOfFields<Fields>::force(double t, VecIn q, VecIn u, VecOut f) const {
  const Vec w = u;
  f = load(geometry::event<double, N>(q, t), w);
  add_friction(t, q, w, f);
}

template <class Fields>
void SystemOfFields<Fields>::acceleration(double t, VecIn q, VecIn u, VecOut a, VecOut lambda) const {
  Vec at = q, w = u, f(size()), gamma(rows());
  this->to_state_of_acceleration(t, at, w);
  force(t, at, w, f);
  constraint_bias(t, at, w, gamma);
  if (options_.treatment == Treatment::dynamic && rows() > 0)
    gamma += forces_.pull(all_rows(t, at), geometry::event<double, N>(at, t), w);
  gamma = -gamma;
  this->solve_with_mass(ConstrainedSystem::Factors::exact, t, at, w, f, gamma, a, lambda);
}

template <class Fields>
Vec SystemOfFields<Fields>::multipliers(double t, VecIn q, VecIn u, VecIn lambda) const {
  Vec all(all_rows(t, q).rows());
  all.head(rows()) = lambda;
  if (forces_.gives_way())
    all.tail(all.size() - rows()) =
        forces_.friction_multipliers(all_rows(t, q), exact_, geometry::event<double, N>(q, t), u);
  return all;
}

template <class Fields>
double SystemOfFields<Fields>::load_power(double t, VecIn q, VecIn u) const {
  const Vec e = geometry::event<double, N>(q, t), w = u;
  const auto spatial = [g = geometry().metric()](const auto& at) { return geometry::event_metric(g(at)).g; };
  const Mat g_dot =
      geometry::derivative_along(Coordinates(), e, geometry::event_velocity<double, N>(w), spatial);
  const double U_dot = geometry::derivative_along(Coordinates(), e, geometry::event_velocity<double, N>(w),
                                                  geometry().potential());
  Vec f(size());
  force(t, q, u, f);
  return f.dot(w) + w.dot(g_dot * w) / 2 + U_dot;
}

template <class Fields>
AffinitiesAt SystemOfFields<Fields>::affinities_at(double t, VecIn q) const {
  return affinities().with_strong(geometry::event<double, N>(q, t));
}

template <class Fields>
void SystemOfFields<Fields>::look_at(double t, VecIn q) const {
  if (t_ == t && q_.size() == q.size() && q_ == q) return;
  t_ = std::numeric_limits<double>::quiet_NaN();  // in case a field throws
  const Vec e = geometry::event<double, N>(q, t);
  const geometry::EventMetric<double, N> metric =
      geometry::event_metric<double, N>(sized(fields_.metric(e), e.size(), e.size(), "metric"));
  check_symmetric(metric.g);
  g_ = metric.g, g0_ = metric.g0, g00_ = metric.g00;
  A_ = sized(geometry().all_rows()(e), all_, e.size(), "positions and rows");
  t_ = t, q_ = q;
}

}  // namespace torsor
