#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "torsor/coordinates/detail/coordinate_connection.hpp"
#include "torsor/geometry/detail/constraint_ode.hpp"
#include "torsor/geometry/equations_of_motion.hpp"

namespace torsor {

/// Whether some rows of A depend on the others, up to 1e-10 of their lengths in the metric G^-1. False where
/// G or A is not finite.
inline bool rows_depend(const Eigen::MatrixXd& G, const Eigen::MatrixXd& A) {
  Eigen::MatrixXd B = Eigen::LLT<Eigen::MatrixXd>(G).matrixL().solve(A.transpose());  // A G^-1 A^T = B^T B
  B.colwise().normalize();
  return B.allFinite() && Eigen::FullPivLU<Eigen::MatrixXd>(B).setThreshold(1e-10).rank() < B.cols();
}

/// The forces in the equations of motion of a SystemInCoordinates, at the event e = (q, t). `all`: [A a_0] of
/// all rows, of which the first `exact` have phi. Refers to the fields and the options.
template <class Fields>
class CoordinateForces {
  static constexpr int N = Eigen::Dynamic;
  using Mat = Eigen::MatrixXd;
  using Coordinates = geometry::CoordinateFrame<N>;

 public:
  CoordinateForces(const Fields& fields, const CoordinateOptions& options)
      : fields_(fields), options_(options) {}

  /// f - dU - b by the equations that the options select.
  Vec load(const Vec& e, const Vec& u) const;

  /// Whether friction replaces the rows without phi.
  bool gives_way() const { return options_.treatment == Treatment::viscous; }
  /// -(mu/eps) (A u + a_0) of these rows, and their force.
  Vec friction_multipliers(const Mat& all, int exact, const Vec& e, const Vec& u) const;
  Vec friction(const Mat& all, int exact, const Vec& e, const Vec& u) const;

  /// D (A u + a_0) + K phi of the treatment `dynamic`.
  Vec pull(const Mat& all, const Vec& e, const Vec& u) const;

 private:
  CoordinateGeometry<Fields> geometry() const { return {&fields_, options_.time_metric}; }
  template <class Metric>
  auto lagrangian(const Metric& metric) const {
    return [metric, U = geometry().potential()]<class S>(const Vector<S, N>& e, const Vector<S, N>& v) {
      const Vector<S, N> p = metric(e) * v;
      return S(v.dot(p) / S(2) - U(e));
    };
  }

  const Fields& fields_;
  const CoordinateOptions& options_;
};

// Defined outside the class, so that a source file that declares SystemOfFields `extern template` does not
// compile these functions again.

template <class Fields>
Vec CoordinateForces<Fields>::load(const Vec& e, const Vec& u) const {
  const auto geometry_ = geometry();
  const Vec velocity = geometry::event_velocity<double, N>(u);
  if (options_.equations == CoordinateEquations::coordinates) {
    const auto equations =
        geometry::spatial_part(geometry::frame_equations(Coordinates(), geometry_.metric(), e, velocity));
    return geometry_.covector()(e, u) - equations.bias;
  }
  // -B^T (mass B' u + bias) of the equations in a frame whose velocities are B u.
  const auto pulled_back = [&](const auto& velocities, const auto& equations_at) -> Vec {
    const Mat B = velocities(e);
    const Vec v = geometry::event_velocity<double, N>(B * u);
    const Vec turning = geometry::derivative_along(Coordinates(), e, velocity, velocities) * u;
    const auto equations = geometry::spatial_part(equations_at(v));
    return -(B.transpose() * (equations.bias + equations.mass * turning));
  };
  if (options_.equations == CoordinateEquations::hamel)
    return sized(fields_.force(e, u), u.size(), 1, "force") +
           pulled_back(geometry_.velocities(), [&](const Vec& v) {
             return geometry::hamel_equations(geometry_.frame(), lagrangian(geometry_.metric_in_frame()), e,
                                              v);
           });
  const CoordinateAffinities<Fields> affinities{geometry_, options_.equations};
  return geometry_.covector()(e, u) + pulled_back(affinities.velocities(), [&](const Vec& v) {
           return geometry::newton_equations(connection_of(affinities), affinities.metric(), e, v);
         });
}

template <class Fields>
Vec CoordinateForces<Fields>::friction_multipliers(const Mat& all, int exact, const Vec& e,
                                                   const Vec& u) const {
  const Vec slip = all.bottomRows(all.rows() - exact) * geometry::event_velocity<double, N>(u);
  const Vec mu = sized(fields_.friction(e), slip.size(), 1, "friction");
  return -mu.cwiseProduct(slip) / options_.parameters.eps;
}

template <class Fields>
Vec CoordinateForces<Fields>::friction(const Mat& all, int exact, const Vec& e, const Vec& u) const {
  const Vec multipliers = friction_multipliers(all, exact, e, u);
  return all.bottomLeftCorner(multipliers.size(), u.size()).transpose() * multipliers;
}

template <class Fields>
Vec CoordinateForces<Fields>::pull(const Mat& all, const Vec& e, const Vec& u) const {
  const auto geometry_ = geometry();
  const auto ode = geometry::constraint_ode(geometry_.metric(), geometry_.rows(), geometry_.offset(),
                                            geometry_.covector(), e, u);
  if (rows_depend(geometry::event_metric<double, N>(geometry_.metric()(e)).g, all.leftCols(u.size())))
    throw EvaluationError(StepStatus::singular,
                          "the treatment \"dynamic\" of a system in coordinates needs independent constraint "
                          "rows, but some rows depend on the others");
  Vec D = (ode.c + ode.m_dot).cwiseQuotient(ode.m), K = ode.stiffness.cwiseQuotient(ode.m),
      phi = Vec::Zero(all.rows());
  const TreatmentParameters& p = options_.parameters;
  if (p.floors) {
    D = D.cwiseMax(2 * p.damping_ratio * p.rate);
    K = K.cwiseMax(p.rate * p.rate);
  }
  const Vec positions = fields_.positions(e);
  phi.head(positions.size()) = positions;
  return D.cwiseProduct(all * geometry::event_velocity<double, N>(u)) + K.cwiseProduct(phi);
}

}  // namespace torsor
