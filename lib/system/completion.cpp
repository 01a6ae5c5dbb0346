#include "completion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "length_unit.hpp"
#include "model/start/start_check.hpp"
#include "sparse_rows.hpp"
#include "text.hpp"
#include "torsor/lie/scalar.hpp"

namespace torsor::mechanics {
namespace {

double greatest(const Vec& a) {
  if (!a.allFinite()) return std::numeric_limits<double>::infinity();
  return a.size() ? a.lpNorm<Eigen::Infinity>() : 0;
}

Vec joined(const Vec& a, const Vec& b) {
  Vec out(a.size() + b.size());
  out << a, b;
  return out;
}

/// Up to this number of entries, zeros included, a matrix is decomposed as a dense one, in about 10^6
/// operations.
constexpr Eigen::Index most_dense = 100 * 100;

/// Pivots below this fraction of the norm of the rows count as zero.
constexpr double zero_below = 1e-10;

/// The threshold of linear::least_squares for the columns A of rows with the norm `size`. If all columns of A
/// are only rounding errors, it is above 1.
double pivot_threshold(const Eigen::MatrixXd& A, double size) {
  return zero_below * size / A.colwise().norm().maxCoeff();
}

/// The least change x of the velocities with the indices `which` that meets A x + residual = 0 as closely as
/// possible.
Vec least_change_for(const linear::Sparse& rows, const std::vector<int>& which, const Vec& residual) {
  const linear::Sparse A = linear::columns(rows, which);
  const double size = rows.norm();
  if (A.rows() * A.cols() > most_dense) return linear::least_squares(A, -residual, zero_below * size);
  const Eigen::MatrixXd dense = A;
  return linear::least_squares(dense, -residual, pivot_threshold(dense, size));
}

/// The greatest factor of a term, if the item is a sum of terms; else 1.
double factor(const Constraints::Item& item) {
  const double greatest = std::max(item.length_factor, item.angle_factor);
  return greatest > 0 ? greatest : 1;
}

/// The greatest factor of the terms of each row outside the tree.
Vec row_factors(const MechanismSystem& system) {
  Vec all(system.rows());
  int at = 0;
  for (const Constraints::Item& item : system.constraints().items())
    for (int row = 0; !item.tree && row < item.rows; ++row) all[at++] = factor(item);
  return all;
}

/// For each velocity of the tree the size of the coordinate that it changes; 0 for components of a quaternion.
Vec coordinate_sizes(const Model& tree, const Vec& q) {
  Vec sizes = Vec::Zero(tree.nv());
  for (int link = 0; link < tree.size(); ++link) {
    const JointKind kind = tree.kind[link];
    const int plain = coordinate_count(kind) - (joint_type(kind).quaternion ? 4 : 0);
    for (int k = 0; k < plain; ++k) sizes[tree.v_begin[link] + k] = std::abs(q[tree.q_begin[link] + k]);
  }
  return sizes;
}

void add(const Vec& change, const std::vector<int>& which, VecOut x) {
  for (std::size_t j = 0; j < which.size(); ++j) x[which[j]] += change[static_cast<Eigen::Index>(j)];
}

}  // namespace

Completion::Completion(const MechanismSystem& holonomic, const MechanismSystem& exact,
                       const MechanismSystem& all, double t, double length, const Start& start)
    : holonomic_(holonomic),
      exact_(exact),
      all_(all),
      t_(t),
      length_(length),
      untouched_(velocity_indices(exact.model(), start, true)),
      open_(velocity_indices(exact.model(), start, false)),
      bodies_(exact.model(), start),
      outside_(exact.model(), start) {}

/// The velocities of the tree whose coordinates (rates) are given neither by the joint nor, if
/// `of_bodies_too`, by the body of their link.
Completion::VelocityIndices Completion::velocity_indices(const Model& tree, const Start& start,
                                                         bool of_bodies_too) {
  VelocityIndices all;
  for (int link = 0; link < tree.size(); ++link) {
    const int joint = tree.joint[link];
    const BodyStart body =
        start.bodies.empty() || !of_bodies_too ? BodyStart() : start.bodies[tree.body[link]];
    const JointStart at_joint = start.joints.empty() || joint < 0 ? JointStart() : start.joints[joint];
    const bool placed = at_joint.q || body.x || body.R;
    const bool moved = at_joint.v || body.v_W || body.v_B || body.omega_W || body.Omega;
    for (int k = 0; k < freedom_count(tree.kind[link]); ++k) {
      if (!placed) all.coordinates.push_back(tree.v_begin[link] + k);
      if (!moved) all.rates.push_back(tree.v_begin[link] + k);
    }
  }
  return all;
}

/// The least change of the velocities with the indices `which` that meets each level as closely as the
/// earlier levels permit.
Vec Completion::least_change(const std::vector<Level>& levels, const std::vector<int>& which) {
  const auto size = static_cast<Eigen::Index>(which.size());
  Eigen::Index most_rows = 0;
  for (const Level& level : levels) most_rows = std::max(most_rows, level.A.rows());
  if (size * most_rows > most_dense) return least_change_of_many(levels, which);
  Eigen::MatrixXd free = Eigen::MatrixXd::Identity(size, size);
  Vec x = Vec::Zero(size);
  for (const auto& [rows, residual] : levels) {
    if (free.cols() == 0) break;
    if (rows.rows() == 0) continue;
    const Eigen::MatrixXd M = linear::columns(rows, which), A = linear::product(M, free);
    const double threshold = pivot_threshold(A, rows.norm());
    if (!(threshold < 1)) continue;
    const auto [y, kernel] = linear::least_squares_and_kernel(A, -(residual + M * x), threshold);
    x += free * y;
    free = linear::product(free, kernel);
  }
  return x;
}

/// The same with sparse matrices. The last level needs no kernel.
Vec Completion::least_change_of_many(const std::vector<Level>& levels, const std::vector<int>& which) {
  const auto size = static_cast<Eigen::Index>(which.size());
  linear::Sparse free(size, size);
  free.setIdentity();
  Vec x = Vec::Zero(size);
  for (std::size_t i = 0; i < levels.size() && free.cols() > 0; ++i) {
    if (levels[i].A.rows() == 0) continue;
    const double least = zero_below * levels[i].A.norm();
    const linear::Sparse M = linear::columns(levels[i].A, which);
    const linear::Sparse A = linear::product(M, free);
    const Vec right = -(levels[i].residual + M * x);
    if (i + 1 == levels.size()) return x + free * linear::least_squares(A, right, least);
    const auto [y, kernel] = linear::least_squares_and_kernel(A, right, least);
    x += free * y;
    free = linear::product(free, kernel);
  }
  return x;
}

/// Newton's method. Limits each step to half of max(1, length), m or rad. Stops if the residual is only
/// rounding, or has grown to ten times the residual before the step, and after 50 steps. A limited step that
/// reduces the residual by at least half of the predicted reduction does not count, up to 10 000 of them.
template <class Step, class Miss>
void Completion::iterate(Vec& q, const Step& step, const Miss& miss) const {
  Vec xi(exact_.nv()), q_next(q.size());
  double last = std::numeric_limits<double>::infinity(), part = 1;  // part of Newton's step that is taken
  for (int i = 0, counted = 0; counted < 50 && i < 10000; ++i) {
    const double off = miss(q);
    if (off < 1e-14 * length_ || !(off < 10 * last)) return;
    if (part == 1 || !(off < (1 - part / 2) * last)) ++counted;
    last = off;
    xi = step(q);
    part = 1;
    if (const double size = greatest(xi) / std::max(1., length_); size > 0.5) xi *= part = 0.5 / size;
    exact_.retract(q, xi, q_next);
    q = q_next;
  }
}

/// The rows outside the tree. Those of a sum of terms, and their residuals, are divided by the greatest factor.
linear::Sparse Completion::rows(const MechanismSystem& system, const Vec& q) const {
  return row_factors(system).cwiseInverse().asDiagonal() * constraint_rows(system, t_, q);
}

Vec Completion::position_residual(const Vec& q) const {
  Vec phi(holonomic_.rows());
  holonomic_.position_residual(t_, q, phi);
  return phi.cwiseQuotient(row_factors(holonomic_));
}

Vec Completion::velocity_residual(const MechanismSystem& system, const Vec& q, const Vec& v) const {
  Vec psi(system.rows());
  system.velocity_residual(t_, q, v, psi);
  return psi.cwiseQuotient(row_factors(system));
}

void Completion::solve_untouched_coordinates(Vec& q) const {
  const std::vector<int>& which = untouched_.coordinates;
  if (which.empty()) return;
  const auto residual = [&](const Vec& at) {
    return joined(position_residual(at), outside_.coordinate_residual(at));
  };
  const auto step = [&](const Vec& at) {
    const linear::Sparse all = linear::above(rows(holonomic_, at), outside_.coordinate_rows(at));
    Vec xi = Vec::Zero(exact_.nv());
    add(least_change_for(all, which, residual(at)), which, xi);
    return xi;
  };
  iterate(q, step, [&](const Vec& at) { return greatest(residual(at)); });
}

void Completion::solve_open_coordinates(Vec& q) const {
  const std::vector<int>& which = open_.coordinates;
  const auto given = [&](const Vec& at) {
    return joined(bodies_.coordinate_residual(at), outside_.coordinate_residual(at));
  };
  const auto step = [&](const Vec& at) {
    const std::vector<Level> levels{
        {linear::above(bodies_.coordinate_rows(at), outside_.coordinate_rows(at)), given(at)},
        {rows(holonomic_, at), position_residual(at)}};
    Vec xi = Vec::Zero(exact_.nv());
    add(least_change(levels, which), which, xi);
    return xi;
  };
  iterate(q, step,
          [&](const Vec& at) { return std::max(greatest(given(at)), greatest(position_residual(at))); });
}

void Completion::solve_coordinates_near(Vec& q) const {
  Vec first = q;
  solve_untouched_coordinates(first);
  if (!meets_all(first)) {
    const auto off = [&](const Vec& at) {
      return std::max(greatest(position_residual(at)), greatest(outside_.coordinate_residual(at)));
    };
    const bool kept = keeps_coordinates(first);
    solve_open_coordinates(q);
    if (keeps_coordinates(q) && (!kept || off(q) + start_tolerance < off(first))) return;
  }
  q = first;
}

/// If joints lie on one line, turning them does not change its length to first order, and the step is zero.
/// The same holds if a joint that closes a loop is tilted by half a turn. A start 1 rad away avoids this.
void Completion::solve_coordinates(Vec& q) const {
  Vec turned(q.size());
  exact_.retract(q, turn_of_untouched(), turned);
  solve_coordinates_near(q);
  if (meets_all(q)) return;
  solve_coordinates_near(turned);
  if (meets_all(turned)) q = turned;
}

/// 1 rad for each rotation of a joint or free body that is given neither by the joint nor by its body.
Vec Completion::turn_of_untouched() const {
  const Model& tree = exact_.model();
  Vec turn = Vec::Zero(exact_.nv());
  add(Vec::Ones(static_cast<Eigen::Index>(untouched_.coordinates.size())), untouched_.coordinates, turn);
  for (int link = 0; link < tree.size(); ++link)
    for (int k = 0; k < freedom_count(tree.kind[link]); ++k) {
      const bool turns =
          tree.kind[link] == JointKind::free ? k >= 3 : joint_type(tree.kind[link]).rates[k].unit == "rad/s";
      if (!turns) turn[tree.v_begin[link] + k] = 0;
    }
  return turn;
}

void Completion::solve_untouched_rates(const Vec& q, Vec& v) const {
  const std::vector<int>& which = untouched_.rates;
  if (which.empty()) return;
  const Vec residual = joined(velocity_residual(all_, q, v), outside_.rate_residual(q, v));
  if (greatest(residual) == 0) return;
  add(least_change_for(linear::above(rows(all_, q), outside_.rate_rows(q)), which, residual), which, v);
}

void Completion::solve_open_rates(const Vec& q, Vec& v) const {
  const std::vector<int>& which = open_.rates;
  const Vec given = joined(bodies_.rate_residual(q, v), outside_.rate_residual(q, v));
  std::vector<Level> levels{{linear::above(bodies_.rate_rows(q, v), outside_.rate_rows(q)), given},
                            {rows(exact_, q), velocity_residual(exact_, q, v)}};
  if (&all_ != &exact_) levels.push_back({rows(all_, q), velocity_residual(all_, q, v)});
  add(least_change(levels, which), which, v);
}

void Completion::solve_rates(const Vec& q, Vec& v) const {
  Vec first = v;
  solve_untouched_rates(q, first);
  const bool kept = keeps_rates(q, first);
  if (!kept || !faults(all_, q, first).empty()) {
    const auto off = [&](const Vec& at) { return greatest(velocity_residual(all_, q, at)); };
    solve_open_rates(q, v);
    const bool newly_fits = velocity_faults(q, v).empty() && !velocity_faults(q, first).empty();
    if (keeps_rates(q, v) && (!kept || newly_fits || off(v) + start_tolerance < off(first))) return;
  }
  v = first;
}

bool Completion::keeps_coordinates(const Vec& q) const {
  return bodies_.keeps_coordinates(q, start_tolerance);
}

bool Completion::keeps_rates(const Vec& q, const Vec& v) const {
  return bodies_.keeps_rates(q, v, start_tolerance);
}

bool Completion::meets_all(const Vec& q) const {
  return keeps_coordinates(q) && greatest(outside_.coordinate_residual(q)) < start_tolerance &&
         position_faults(q).empty();
}

double Completion::velocity_size(const Vec& v) const {
  return unit_of_rates(greatest(v), std::max(1., length_));
}

/// `terms`: for each row the sum of the sizes of its terms.
Reasons Completion::faults(const Vec& residual, const Vec& terms, double size, bool of_velocity) const {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const double lengths = start_tolerance * length_unit(length_) * size,
               angles = start_tolerance * std::max(1., length_unit(length_) * size / length_);
  Reasons reasons;
  int at = 0;
  for (const Constraints::Item& item : exact_.constraints().items()) {
    if (item.tree) continue;
    double off = 0, turned = 0, rounding_of_off = 0, rounding_of_turned = 0;
    for (int row = 0; row < item.rows; ++row, ++at) {
      const bool angle =
          exact_.constraints().rows()[item.row_begin + row].kind == Constraints::Row::Kind::torque;
      double &worst = angle ? turned : off, &summed = angle ? rounding_of_turned : rounding_of_off;
      worst = max_or_nan(worst, std::abs(residual[at]));
      summed = std::max(summed, rounding * terms[at]);
    }
    const std::string label =
        (item.joint >= 0 ? "joint \"" : "constraint \"") + item.name +
        "\": " + (of_velocity ? "the start velocities violate it by " : "the start positions violate it by ");
    const std::string rate = of_velocity ? "/s" : "";
    const bool sum = item.length_factor + item.angle_factor > 0;
    const double of_sum = std::max(item.length_factor * lengths, item.angle_factor * angles) / factor(item);
    if (!(off <= (sum ? of_sum : lengths) + rounding_of_off))
      reasons.push_back({item.part(), {}, label + brief(factor(item) * off) + " m" + rate});
    if (!(turned <= (sum ? of_sum : angles) + rounding_of_turned))
      reasons.push_back({item.part(), {}, label + brief(factor(item) * turned) + " rad" + rate});
  }
  return reasons;
}

Reasons Completion::faults(const MechanismSystem& system, const Vec& q, const Vec& v) const {
  const Vec terms = rows(system, q).cwiseAbs() * v.cwiseAbs();
  return faults(velocity_residual(system, q, v), terms, velocity_size(v), true);
}

Reasons Completion::position_faults(const Vec& q) const {
  const Vec terms = rows(holonomic_, q).cwiseAbs() * coordinate_sizes(holonomic_.model(), q);
  return faults(position_residual(q), terms, std::max(1., length_), false);
}

Reasons Completion::velocity_faults(const Vec& q, const Vec& v) const { return faults(exact_, q, v); }

}  // namespace torsor::mechanics
