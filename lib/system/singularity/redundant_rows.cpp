#include "redundant_rows.hpp"

#include <Eigen/SparseCore>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/body_space.hpp"
#include "system/text.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::mechanics {
namespace {

/// Greatest residual that a redundant row may have at the beginning of a step and at the end of the run: `missed` (in
/// BodySolver::unit; for a velocity row, per second) plus `beside_others` times the greatest residual of the other
/// rows.
constexpr double missed = 1e-6, beside_others = 1e3;

/// Distance from a singular configuration, m and rad, at which the pivots, which are of the order of its
/// square, show that the rank is full.
const double telling = 10 * std::sqrt(KktSolver::redundant_below);

/// For the factorisation of the m rows: a row is redundant if its pivot is below `dependent`, relative to its
/// size, or if its size is below `nothing`.
constexpr double dependent = 1e-9, nothing = 1e-14;

}  // namespace

/// The elimination may reach the rows of tree joints after rows that depend on them, and then find the rows
/// of tree joints redundant. It may also find a holonomic row redundant beside velocity rows (the lean of a
/// wheel beside its lateral slip). If that row were left out, integration errors would violate it at position
/// level. In these cases a QR factorisation of the m rows decides. It takes the holonomic rows first, and
/// otherwise keeps the order of the rows.
std::vector<char> RedundantRows::find(double t, VecIn q) {
  bodies_.evaluate(t, q);
  solver_.factor();
  const KktSolver& kkt = solver_.kkt();
  std::vector<char> redundant;
  for (const int row : rows_.index()) redundant.push_back(kkt.redundant()[row]);
  const std::vector<char>& holonomic = rows_.holonomic();
  bool beside_velocity_rows = false;
  for (std::size_t i = 0; i < redundant.size(); ++i) beside_velocity_rows |= redundant[i] && holonomic[i];
  beside_velocity_rows &= std::count(holonomic.begin(), holonomic.end(), 0) > 0;
  if (std::count(redundant.begin(), redundant.end(), 1) == kkt.redundant_rows() && !beside_velocity_rows)
    return redundant;

  const Model& model = bodies_.model();
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<int> row_of;  // of each column of `rows_in_order`
  Vec wrenches(6 * model.size());
  std::vector<int> order(static_cast<std::size_t>(rows_.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [&](int i) { return holonomic[i]; });
  for (const int i : order) {
    wrenches.setZero();
    rows_.add_reactions(bodies_, Vec::Unit(rows_.size(), i), wrenches);
    joint_forces(model, bodies_.kinematics(), wrenches, reaction_);
    const double size = reaction_.norm();
    redundant[i] = !(size > nothing);
    if (redundant[i]) continue;
    for (int j = 0; j < model.nv(); ++j)
      if (std::abs(reaction_[j]) > nothing * size)
        entries.emplace_back(j, static_cast<int>(row_of.size()), reaction_[j] / size);
    row_of.push_back(i);
  }
  if (row_of.empty()) return redundant;  // SparseQR reads outside of a matrix without columns
  Eigen::SparseMatrix<double> rows_in_order(model.nv(), static_cast<Eigen::Index>(row_of.size()));
  rows_in_order.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::NaturalOrdering<int>> qr;
  qr.setPivotThreshold(dependent);
  qr.compute(rows_in_order);
  for (Eigen::Index k = qr.rank(); k < rows_in_order.cols(); ++k)
    redundant[row_of[qr.colsPermutation().indices()[k]]] = 1;
  return redundant;
}

/// After the first choice, a step chooses the redundant rows anew only in two cases: as many rows are
/// redundant at its beginning as expected and the condition is good, or certainly fewer rows are redundant.
/// If no row is redundant any more, all rows act from then on.
void RedundantRows::leave_out(double t, VecIn q) {
  const RankMonitor& rank = solver_.rank();
  const bool none = rank.knows_start() && rank.expected_redundant_rows() == 0;
  rows_.leave_out(rows_.replaced());
  if (none || !solver_.kkt().has_loops()) return;
  bodies_.evaluate(t, q);
  solver_.factor();
  if (rank_has_risen() && !rank.half_lost()) choose(t, q);
  if (rank.expected_redundant_rows() == 0) return;
  if (redundant_.empty()) q_start_ = q;
  check(t);
  if ((redundant_.empty() || rank.chooses_well()) && solver_.kkt().redundant() != pivots_) choose(t, q);
  rows_.leave_out(redundant_);
  check_velocities(t);
}

/// The greatest residual, m and rad, of the rows that steps keep.
double RedundantRows::missed_by() const {
  double held = 0;
  for (const int row : rows_.index())
    if (redundant_.empty() || !redundant_[row]) held = std::max(held, std::abs(bodies_.rows().phi[row]));
  return held;
}

/// Whether fewer rows are redundant than expected, and the residuals of the other rows are too small to be
/// the cause.
bool RedundantRows::rank_has_risen() const {
  const double held = missed_by();
  return solver_.kkt().redundant_rows() < solver_.rank().expected_redundant_rows() &&
         held * held < KktSolver::redundant_below;
}

void RedundantRows::choose(double t, VecIn q) {
  solver_.rank().expect_redundant_rows();
  pivots_ = solver_.kkt().redundant();
  const std::vector<char> redundant = find(t, q);
  redundant_.assign(rows_.left_out().size(), 0);
  for (std::size_t i = 0; i < redundant.size(); ++i) redundant_[rows_.index()[i]] = redundant[i];
}

/// A motion may start in a singular configuration, where more rows are redundant than around it (a four-bar
/// linkage that lies flat). If fewer rows are redundant at the end of a step, they are chosen anew there, and
/// the step is repeated. This is checked after each step, until a step ends further than `telling` from the
/// start.
bool RedundantRows::end_step(double t, VecIn q) {
  if (known_around_start_ || redundant_.empty()) return true;
  known_around_start_ = (q - q_start_).lpNorm<Eigen::Infinity>() > telling;
  const AllRows all(rows_);
  bodies_.evaluate(t, q);
  solver_.factor();
  if (!rank_has_risen()) return true;
  choose(t, q);
  return false;
}

void RedundantRows::check_end(double t, VecIn q) {
  if (redundant_.empty()) return;
  bodies_.evaluate(t, q);
  check(t);
  check_velocities(t);
}

/// Throws if a holonomic row that is redundant contradicts the other rows: then the state violates it.
void RedundantRows::check(double t) const {
  if (redundant_.empty()) return;
  const double held = missed_by();
  throw_if(t, [&](const Constraints::Item&, int, int row) {
    return !(std::abs(bodies_.rows().phi[row]) < missed * solver_.unit(row) + beside_others * held);
  });
}

/// Throws if a velocity row that is redundant contradicts the other rows. Its phi is 0 at any velocity. So the row
/// is evaluated at the velocities V of least kinetic energy that satisfy the other rows.
void RedundantRows::check_velocities(double t) {
  const auto& rows = bodies_.constraints().rows();
  const auto checked = [&](int row) {
    return redundant_[row] && !rows[row].holonomic && !rows_.replaced()[row];
  };
  const std::vector<double>& a0 = bodies_.rows().a0;
  bool any = false, moving = false;
  for (const int row : rows_.index()) any |= checked(row), moving |= a0[row] != 0;
  if (!any || !moving) return;  // V = 0 satisfies rows that do not move
  no_load_.setZero(6 * bodies_.model().size());
  V_ = no_load_;
  offsets_.resize(bodies_.constraints().size());
  lambda_.resize(offsets_.size());
  for (Eigen::Index row = 0; row < offsets_.size(); ++row)
    offsets_[row] = rows_.left_out()[row] ? 0 : -a0[row];
  solver_.factor();
  solver_.solve(no_load_, offsets_, V_, lambda_, KktSolver::Multipliers::any);
  const double held = missed_by();
  throw_if(t, [&](const Constraints::Item& item, int row_of_item, int row) {
    if (!checked(row)) return false;
    const double unit = solver_.unit(row);
    const double terms = std::abs(a0[row]) + bodies_.row_terms(item, row_of_item, V_);
    const double residual = std::abs(a0[row] + bodies_.row_times(item, row_of_item, V_));
    return !(residual < (missed * unit + beside_others * held) * std::max(1., terms / unit));
  });
}

/// Throws an error that names the redundant rows that are `contradictory`, if there are any.
template <class Test>
void RedundantRows::throw_if(double t, const Test& contradictory) const {
  std::string names;
  Part first;
  for (const Constraints::Item& item : bodies_.constraints().items())
    for (int i = 0; i < item.rows; ++i) {
      const int row = item.row_begin + i;
      if (!redundant_[row] || !contradictory(item, i, row)) continue;
      if (names.empty()) first = item.part();
      names += (names.empty() ? "" : ", ") + quoted(&item) + " (row " + std::to_string(i + 1) + ")";
    }
  if (!names.empty())
    throw EvaluationError(StepStatus::singular,
                          "constraints contradict the others at t = " + text(t) + ": " + names, first);
}

}  // namespace torsor::mechanics
