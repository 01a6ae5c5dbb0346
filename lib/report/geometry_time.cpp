#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "dense.hpp"
#include "geometry_parts.hpp"
#include "model/body_space.hpp"
#include "model/forces/force_kind.hpp"
#include "model/velocity_units.hpp"
#include "system/allowed_directions.hpp"
#include "system/length_unit.hpp"
#include "system/mechanism_parts.hpp"
#include "torsor/lie/scalar.hpp"
#include "torsor/model/kinematics.hpp"

// Decides whether time can be removed from a mechanism.

namespace torsor::mechanics {
namespace {

using Mat = Eigen::MatrixXd;

/// The field nu = -C a0 and its derivatives. The velocities of bodies are here the left-invariant
/// velocities (x'; Omega) of R^3 x SO(3), in which the metric is constant.
class Offset {
 public:
  Offset(const MechanismSystem& system, double length)
      : length_(length),
        system_(system),
        model_(system.model()),
        units_(velocity_units(model_, displacement_unit(length))),
        work_(model_),
        a0_(system.rows()),
        y_(system.rows()) {}

  /// nu in the velocities of the tree.
  Vec nu(const SamplePoint& at) {
    Vec x(system_.nv()), none = Vec::Zero(system_.nv());
    system_.power()->row_offsets(at.t, at.q, a0_);
    a0_ = -a0_;
    system_.solve(at.t, at.q, none, a0_, x, y_);
    return x;
  }
  bool none(const SamplePoint& at) {
    system_.power()->row_offsets(at.t, at.q, a0_);
    return a0_.isZero(0);
  }

  Vec of_bodies(const SamplePoint& at, const Vec& w) {
    Vec V(6 * model_.size());
    forward_kinematics(model_, at.q, Vec::Zero(model_.nv()), work_);
    bodies_from_joints(model_, work_, w, V);
    for (int i = 0; i < model_.size(); ++i)
      V.segment<3>(6 * i + 3) = (work_.R_WB[i].transpose() * V.segment<3>(6 * i + 3)).eval();
    return V;
  }
  /// Derivative along X of (nu of the bodies; G(nu, nu)), by central differences of order 4. For the first
  /// step h, no component of h X exceeds 3e-3 of its unit. A step is accepted if a quarter of it gives the
  /// same derivative to nine digits; otherwise it is divided by 4. If no step is accepted, the one with the
  /// least change is taken.
  Vec derivative(const SamplePoint& at, const Vec& X) {
    constexpr int most_divisions = 8;
    constexpr double first_step = 3e-3, digits = 1e-9;
    const double size = X.cwiseQuotient(units_).lpNorm<Eigen::Infinity>();
    double h = first_step / size, least = std::numeric_limits<double>::infinity();
    Parts terms = Parts::Zero();
    Vec best, coarse = difference(at, X, h, terms);
    const Parts values = size * terms;
    for (int i = 0; i < most_divisions; ++i) {
      h /= 4;
      Vec fine = difference(at, X, h, terms);
      const Parts scale = values.max(greatest(coarse));
      const Parts change = greatest(fine - coarse) / scale.max(tiny);
      const double most = change.maxCoeff<Eigen::PropagateNaN>();
      if (!(most >= least)) least = most, best = coarse;
      if (!(most > digits)) break;
      coarse = std::move(fine);
    }
    return best;
  }
  /// G(X(nu) - nu x X, Y), one of the two terms of (L_nu G)(X, Y). `dX` is X(nu); the cross product is that
  /// of the angular velocities.
  double half(const Vec& dX, const Vec& nu, const Vec& X, const Vec& Y) const {
    double sum = 0;
    for (int i = 0; i < model_.size(); ++i) {
      const Body& body = model_.mechanism().bodies[model_.body[i]];
      sum += body.mass * dX.segment<3>(6 * i).dot(Y.segment<3>(6 * i));
      if (body.particle) continue;
      const Vec3 omega = nu.segment<3>(6 * i + 3), turn = X.segment<3>(6 * i + 3);
      const Vec3 change = dX.segment<3>(6 * i + 3) - omega.cross(turn);
      sum += change.dot(body.inertia * Y.segment<3>(6 * i + 3));
    }
    return sum;
  }

 private:
  using Parts = Eigen::Array2d;  // of velocities, m/s, and of G(nu, nu), J
  static constexpr double tiny = std::numeric_limits<double>::min();

  /// The greatest velocity, with angular velocities times the length of the mechanism, and the G(nu, nu).
  Parts greatest(const Vec& both) const {
    Parts out(0, std::abs(both[both.size() - 1]));
    for (Eigen::Index i = 0; i + 6 < both.size(); i += 6)
      out[0] =
          max_or_nan(out[0], max_or_nan(both.segment<3>(i).norm(), length_ * both.segment<3>(i + 3).norm()));
    return out;
  }
  /// The derivative by differences. Raises `terms` to the greatest values.
  Vec difference(const SamplePoint& at, const Vec& X, double h, Parts& terms) {
    const auto value = [&](int k) {
      SamplePoint moved{at.t, at.q};
      const Vec xi = k * h * X;
      system_.retract(at.q, xi, moved.q);
      const Vec here = nu(moved);
      Vec both(6 * model_.size() + 1);
      both << of_bodies(moved, here), metric_product(system_, moved.t, moved.q, here, here);
      terms = terms.max(greatest(both));
      return both;
    };
    return (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / (12 * h);
  }

  double length_;
  const MechanismSystem& system_;
  const Model& model_;
  Vec units_;
  Workspace<double> work_;
  Vec a0_, y_;
};

struct Residuals {
  Mat directions, S1;
  Vec S2;
  double G_nu_nu = 0;

  double greatest_S1() const { return S1.size() == 0 ? 0 : linear::spectral_radius(S1); }
};

/// Derivatives need states off the constraints, where rows that are redundant at `at` seem independent.
Residuals residuals(const MechanismSystem& system, Offset& offset, const SamplePoint& at, bool sampled) {
  const AllRows restored_afterwards(system.parts().rows);
  system.parts().redundant.leave_out(at.t, at.q);
  Residuals out;
  out.directions = allowed_directions(system, at.t, at.q, sampled);
  const Eigen::Index k = out.directions.cols();
  out.S1.setZero(k, k), out.S2.setZero(k);
  // G(nu, Y) = 0 for all allowed fields Y. Where nu = 0, its derivative along X gives G(X(nu), Y) = 0, so S1
  // is 0.
  if (offset.none(at)) return out;
  const Vec nu = offset.nu(at), nu_B = offset.of_bodies(at, nu);
  out.G_nu_nu = metric_product(system, at.t, at.q, nu, nu);
  Mat X(nu_B.size(), k), dX(nu_B.size(), k);
  for (Eigen::Index i = 0; i < k; ++i) {
    const Vec change = offset.derivative(at, out.directions.col(i));
    X.col(i) = offset.of_bodies(at, out.directions.col(i));
    dX.col(i) = change.head(nu_B.size());
    out.S2[i] = change[nu_B.size()];
  }
  for (Eigen::Index i = 0; i < k; ++i)
    for (Eigen::Index j = 0; j < k; ++j) {
      const double part = offset.half(dX.col(i), nu_B, X.col(i), X.col(j));
      out.S1(i, j) += part, out.S1(j, i) += part;
    }
  return out;
}

void find_causes(const MechanismSystem& system, const SamplePoint& at, TimeReport& report) {
  Vec a0(system.rows());
  system.power()->row_offsets(at.t, at.q, a0);
  int row = 0;
  for (const Constraints::Item& item : system.constraints().items()) {
    if (item.tree) continue;
    bool moves = false;
    for (int k = 0; k < item.rows; ++k, ++row) {
      const Constraints::Row& of_item = system.constraints().rows()[item.row_begin + k];
      moves = moves || of_item.rheonomic || of_item.drives || a0[row] != 0;
    }
    if (moves) report.rows.push_back(item.name);
  }
  for (const Force& force : system.model().mechanism().forces)
    if (with_kind(force, [](const auto& kind, const auto& law) { return kind.depends_on_time(law); }))
      report.forces.push_back(force.name);
}

}  // namespace

TimeReport time_report(const MechanismSystem& system, double t, const Vec& q) {
  constexpr int most_velocities = 30, states = 3;
  constexpr double tolerance = 1e-6;
  TimeReport report;
  const SamplePoint here{t, q};
  find_causes(system, here, report);
  report.states = 1;
  if (report.rows.empty()) return report;
  report.sampled = system.nv() > most_velocities;
  const double length = LinkLengths(system.model(), q).greatest();
  Offset offset(system, length);
  double greatest_G = 0;
  const auto look = [&](const SamplePoint& at) {
    Residuals residual = residuals(system, offset, at, report.sampled);
    report.S1_around = max_or_nan(report.S1_around, residual.greatest_S1());
    report.S2_around = max_or_nan(report.S2_around, residual.S2.norm());
    greatest_G = max_or_nan(greatest_G, residual.G_nu_nu);
    return residual;
  };
  Residuals residual = look(here);
  report.G_nu_nu = residual.G_nu_nu;
  report.S1 = residual.greatest_S1(), report.S2 = residual.S2.norm();
  report.directions = std::move(residual.directions);
  report.S1_matrix = std::move(residual.S1), report.S2_vector = std::move(residual.S2);
  for (const SamplePoint& at : states_around(system, t, q, states)) look(at), ++report.states;

  double mass = 0;  // both residuals are compared with the speed of nu over a length
  for (const Body& body : system.model().mechanism().bodies) mass = std::max(mass, body.mass);
  report.S1_terms = std::sqrt(greatest_G / mass) / length;
  report.S2_terms = greatest_G / (std::sqrt(mass) * length);
  report.removable =
      report.S1_around <= tolerance * report.S1_terms && report.S2_around <= tolerance * report.S2_terms;
  return report;
}

}  // namespace torsor::mechanics
