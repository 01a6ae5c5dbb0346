#include "redundant_rows.hpp"

#include <Eigen/SparseCore>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "model/body_space.hpp"
#include "system/text.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::mechanics {
namespace {

/// Greatest residual that a redundant row may have at the beginning of a step and at the end of the run:
/// `missed` (in BodySolver::unit; for a velocity row, per second) plus `beside_others` times the greatest
/// residual of the other rows.
constexpr double missed = 1e-6, beside_others = 1e3;

/// Distance from a singular configuration, m and rad, at which the pivots, which are of the order of its
/// square, show that the rank is full.
const double telling = 10 * std::sqrt(KktSolver::redundant_below);

/// For the factorisation of the m rows: a row is redundant if its pivot is below `dependent`, relative to its
/// size, or if its size is below `nothing`.
constexpr double dependent = 1e-9, nothing = 1e-14;

/// One of the m rows, divided by its size: the indices of the velocities of the tree, ascending, with the
/// coefficients of the row.
struct SparseRow {
  int row;
  std::vector<std::pair<int, double>> entries;
};
using SparseRows = std::vector<const SparseRow*>;

/// The groups of rows that share no velocity with each other. Each keeps the order of its rows.
std::vector<SparseRows> separate(const std::vector<SparseRow>& rows, int velocities) {
  std::vector<int> root(rows.size()), first(static_cast<std::size_t>(velocities), -1);
  std::iota(root.begin(), root.end(), 0);
  const auto root_of = [&](int k) {
    while (root[k] != k) k = root[k] = root[root[k]];
    return k;
  };
  for (int k = 0; k < static_cast<int>(rows.size()); ++k)
    for (const auto& [velocity, number] : rows[k].entries) {
      if (first[velocity] < 0) first[velocity] = k;
      const int other = root_of(first[velocity]);
      root[root_of(k)] = other;
    }
  std::vector<SparseRows> groups(rows.size());
  for (int k = 0; k < static_cast<int>(rows.size()); ++k) groups[root_of(k)].push_back(&rows[k]);
  std::erase_if(groups, [](const SparseRows& group) { return group.empty(); });
  return groups;
}

/// Marks the rows that depend on the rows before them, by a QR factorisation.
void mark_dependent(const SparseRows& rows, std::vector<char>& redundant) {
  std::vector<int> velocities;
  for (const SparseRow* row : rows)
    for (const auto& [velocity, number] : row->entries) velocities.push_back(velocity);
  std::sort(velocities.begin(), velocities.end());
  velocities.erase(std::unique(velocities.begin(), velocities.end()), velocities.end());
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (const auto& [velocity, number] : rows[k]->entries)
      entries.emplace_back(
          std::lower_bound(velocities.begin(), velocities.end(), velocity) - velocities.begin(), k, number);
  Eigen::SparseMatrix<double> columns(static_cast<Eigen::Index>(velocities.size()),
                                      static_cast<Eigen::Index>(rows.size()));
  columns.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::NaturalOrdering<int>> qr;
  qr.setPivotThreshold(dependent);
  qr.compute(columns);
  for (Eigen::Index k = qr.rank(); k < columns.cols(); ++k)
    redundant[rows[qr.colsPermutation().indices()[k]]->row] = 1;
}

}  // namespace

/// The elimination may reach the rows of tree joints after rows that depend on them, and then find the rows
/// of tree joints redundant. It may also find a holonomic row redundant beside velocity rows (the lean of a
/// wheel beside its lateral slip). If that row were left out, integration errors would violate it at position
/// level. In these cases a QR factorisation of the m rows decides. It takes the rows of joints of the
/// spanning tree first, since they define the joint coordinates of the solver, then the other holonomic rows,
/// and otherwise keeps the order of the rows.
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

  std::vector<std::pair<const Constraints::Item*, int>> places;  // of the m rows: the item, and the row in it
  for (const Constraints::Item& item : bodies_.constraints().items())
    for (int row = 0; row < item.rows && !item.tree; ++row) places.emplace_back(&item, row);
  std::vector<int> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [&](int i) { return holonomic[i]; });
  std::stable_partition(order.begin(), order.end(), [&](int i) {
    const int joint = places[i].first->joint;
    return joint >= 0 && bodies_.model().span_link_of_joint[joint] >= 0;
  });
  std::vector<SparseRow> rows;
  wrenches_.setZero(6 * bodies_.model().size());
  for (const int i : order) {
    rows.push_back({i, entries(*places[i].first, places[i].second)});
    redundant[i] = rows.back().entries.empty();
    if (redundant[i]) rows.pop_back();
  }
  for (const SparseRows& group : separate(rows, bodies_.model().nv())) mark_dependent(group, redundant);
  return redundant;
}

/// The coefficients of a row, divided by its size; none if it is left out or has no size. Only velocities of
/// the links from its bodies to the ground have coefficients other than zero.
std::vector<std::pair<int, double>> RedundantRows::entries(const Constraints::Item& item, int row) {
  if (rows_.left_out()[item.row_begin + row]) return {};
  const Model& model = bodies_.model();
  std::set<int> inwards;
  for (std::size_t k = 0; k < item.links.size(); ++k) {
    wrenches_.segment<6>(6 * item.links[k]) +=
        Eigen::Map<const Vector<double, 6>>(bodies_.block(item, k) + 6 * row);
    for (int link = item.links[k]; link != world && inwards.insert(link).second;) link = model.parent[link];
  }
  const std::vector<int> links(inwards.begin(), inwards.end());
  joint_forces(model, bodies_.kinematics(), wrenches_, links, reaction_);
  for (const int link : item.links) wrenches_.segment<6>(6 * link).setZero();
  double square = 0;
  const auto each_velocity = [&](const auto& use) {
    for (const int link : links)
      for (int j = model.v_begin[link]; j < model.v_begin[link] + freedom_count(model.kind[link]); ++j)
        use(j);
  };
  each_velocity([&](int j) { square += reaction_[j] * reaction_[j]; });
  const double size = std::sqrt(square);
  std::vector<std::pair<int, double>> all;
  if (!(size > nothing)) return all;
  each_velocity([&](int j) {
    if (std::abs(reaction_[j]) > nothing * size) all.emplace_back(j, reaction_[j] / size);
  });
  return all;
}

void RedundantRows::begin_run() {
  redundant_.clear(), pivots_.clear();
  known_around_start_ = false;
  rows_.leave_out(rows_.replaced());
}

/// After the first choice, a step chooses the redundant rows anew only in two cases: as many rows are
/// redundant at its beginning as expected and the condition is good, or certainly fewer rows are redundant.
/// If no row is redundant any more, all rows act from then on.
void RedundantRows::leave_out(double t, VecIn q) {
  const RankMonitor& rank = solver_.rank();
  rows_.leave_out(rows_.replaced());
  const bool none = !rank.awaits_reference(false) && rank.expected() == 0;
  if (none || !solver_.kkt().has_loops()) return;
  bodies_.evaluate(t, q);
  solver_.factor();
  if (rank_has_risen() && !rank.half_lost()) choose(t, q);
  if (rank.expected() == 0) return;
  if (redundant_.empty()) q_start_ = q;
  check(t);
  if ((redundant_.empty() || rank.chooses_well()) && solver_.kkt().redundant() != pivots_) choose(t, q);
  rows_.leave_out(redundant_);
  if (rank.awaits_reference(!rows_.only_replaced_left_out())) solver_.factor();
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
  return solver_.kkt().redundant_rows() < solver_.rank().expected() &&
         held * held < KktSolver::redundant_below;
}

void RedundantRows::choose(double t, VecIn q) {
  solver_.rank().expect(solver_.kkt().redundant_rows());
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

/// Throws if a velocity row that is redundant contradicts the other rows. Its phi is 0 at any velocity. So
/// the row is evaluated at the velocities V of least kinetic energy that satisfy the other rows.
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
