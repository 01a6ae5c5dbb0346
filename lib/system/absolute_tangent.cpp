#include "absolute_tangent.hpp"

#include <algorithm>

#include "body_solver.hpp"
#include "model/forces/force_kind.hpp"

namespace torsor::mechanics {
namespace {

/// Step of forward differences: the square root of the rounding unit.
constexpr double difference = 1.5e-8;

/// Pairs of links that a force couples, with or without a common constraint.
std::vector<std::pair<int, int>> tied_by_forces(const Model& model) {
  std::vector<std::pair<int, int>> pairs;
  for (const Force& force : model.mechanism().forces)
    with_kind(force, [&](const auto& kind, const auto& law) {
      std::vector<int> bodies = kind.coupled_bodies(law);
      if (kind.depends_on_state(law)) {
        const auto append = [&](const std::vector<int>& more) {
          bodies.insert(bodies.end(), more.begin(), more.end());
        };
        append(kind.loaded_bodies(law, model.mechanism()));
        for (const TimeFunction* function : kind.functions(law))
          append(measured_bodies(*function, model.mechanism()));
      }
      for (auto a = bodies.begin(); a != bodies.end(); ++a)
        for (auto b = a + 1; b != bodies.end(); ++b)
          if (*a != world && *b != world && *a != *b)
            pairs.emplace_back(model.link_of_body[*a], model.link_of_body[*b]);
    });
  return pairs;
}

/// Groups of links in which no two links act on the same link or row. A difference that changes all links
/// of a group at once gives the column of each link. Greedy.
std::vector<std::vector<int>> groups_of(int links, const std::vector<std::pair<int, int>>& pairs) {
  std::vector<std::vector<int>> near(static_cast<std::size_t>(links));
  for (const auto& [a, b] : pairs) near[a].push_back(b), near[b].push_back(a);
  std::vector<int> group(static_cast<std::size_t>(links), -1);
  std::vector<std::vector<int>> groups;
  std::vector<char> taken;
  for (int link = 0; link < links; ++link) {
    taken.assign(groups.size() + 1, false);
    const auto take = [&](int other) {
      if (group[other] >= 0) taken[group[other]] = true;
    };
    for (const int next : near[link]) {
      take(next);
      for (const int second : near[next]) take(second);
    }
    group[link] = static_cast<int>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    if (group[link] == static_cast<int>(groups.size())) groups.emplace_back();
    groups[group[link]].push_back(link);
  }
  return groups;
}

}  // namespace

AbsoluteTangent::AbsoluteTangent(const MechanismSystem& system)
    : system_(system),
      solver_(graph_of(system.model(), system.constraints()), tied_by_forces(system.model())),
      groups_(groups_of(system.model().size(), solver_.pairs())),
      group_of_(static_cast<std::size_t>(system.model().size())),
      diagonal_(36 * static_cast<std::size_t>(system.model().size())),
      between_(72 * solver_.pairs().size()) {
  const Model& model = system.model();
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (const int link : groups_[g]) group_of_[link] = static_cast<int>(g);
  for (int link = 0; link < model.size(); ++link)  // a particle has no rotations
    for (int k = freedom_count(model.kind[link]); k < 6; ++k) diagonal_[36 * link + 7 * k] = 1;
  std::size_t size = 0;
  for (const Constraints::Item& item : system.constraints().items())
    size += 6 * static_cast<std::size_t>(item.rows) * item.links.size();
  B_.resize(size), C_.resize(size);
  const Eigen::Index n = model.nv(), m = system.constraints().size();
  for (Vec* v : {&unit_, &xi_, &column_, &r_, &r_next_, &v_next_}) v->setZero(n);
  for (Vec* rows : {&row_, &psi_, &psi_next_, &s_scaled_}) rows->setZero(m);
  r_padded_.setZero(6 * model.size()), x_padded_.setZero(6 * model.size());
  q_next_.setZero(model.nq());
}

/// Copies column k of the equations of motion to the blocks of all links of a group.
void AbsoluteTangent::put_dynamics(int group, int k) {
  const Model& model = system_.model();
  const auto put = [&](int link, double* block) {
    for (int i = 0; i < freedom_count(model.kind[link]); ++i)
      block[6 * i + k] = column_[model.v_begin[link] + i];
  };
  for (const int link : groups_[group]) put(link, diagonal_.data() + 36 * link);
  for (std::size_t p = 0; p < solver_.pairs().size(); ++p) {
    const auto& [a, b] = solver_.pairs()[p];
    if (group_of_[b] == group) put(a, between_.data() + 72 * p);
    if (group_of_[a] == group) put(b, between_.data() + 72 * p + 36);
  }
}

/// Copies column k of the constraint rows to the blocks of all links of a group.
void AbsoluteTangent::put_rows(int group, int k, std::vector<double>& blocks) const {
  const Constraints& constraints = system_.constraints();
  for (const Constraints::Item& item : constraints.items())
    for (std::size_t at = 0; at < item.links.size(); ++at) {
      if (group_of_[item.links[at]] != group) continue;
      double* const block = blocks.data() + constraints.block_offset()[item.block_begin + at];
      for (int i = 0; i < item.rows; ++i) block[6 * i + k] = row_[item.row_begin + i];
    }
}

void AbsoluteTangent::factor(const Linearisation& at) {
  const Vec &q = at.x.q, &v = at.x.v;
  const Model& model = system_.model();
  const auto dynamics = [&](const Vec& q_now, const Vec& v_now, Vec& r) {
    system_.imbalance(at.t, q_now, v_now, at.a, at.lambda, r);
  };
  dynamics(q, v, r_);
  system_.velocity_residual(at.t, q, v, psi_);
  std::fill(B_.begin(), B_.end(), 0), std::fill(C_.begin(), C_.end(), 0);
  const bool position = at.level == Level::position;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (int k = 0; k < 6; ++k) {
      const int group = static_cast<int>(g);
      unit_.setZero();
      for (const int link : groups_[g])
        if (k < freedom_count(model.kind[link])) unit_[model.v_begin[link] + k] = 1;
      system_.metric_times(at.t, q, unit_, column_);
      v_next_ = v + difference * unit_;
      dynamics(q, v_next_, r_next_);
      column_ += at.c_v / difference * (r_next_ - r_);
      system_.constraint_times(at.t, q, unit_, row_);
      put_rows(group, k, B_);

      system_.dexp(at.xi, unit_, xi_);
      if (position) system_.constraint_times(at.t, q, xi_, s_scaled_);
      v_next_ = difference * xi_;
      system_.retract(q, v_next_, q_next_);
      dynamics(q_next_, v, r_next_);
      column_ += at.c_q / difference * (r_next_ - r_);
      put_dynamics(group, k);
      system_.velocity_residual(at.t, q_next_, v, psi_next_);
      row_ += at.c_q / at.c_v / difference * (psi_next_ - psi_);
      if (position)
        for (Eigen::Index i = 0; i < row_.size(); ++i)
          if (system_.holonomic()[static_cast<std::size_t>(i)]) row_[i] = s_scaled_[i];
      put_rows(group, k, C_);
    }
  c_row_ = position ? at.c_q : at.c_v;
  solver_.factor(diagonal_.data(), between_.data(), B_.data(), C_.data());
}

void AbsoluteTangent::solve(VecIn r, VecIn rows, VecOut da, VecOut dl) {
  const Model& model = system_.model();
  const auto each = [&](auto&& use) {
    for (int link = 0; link < model.size(); ++link)
      for (int k = 0; k < freedom_count(model.kind[link]); ++k) use(model.v_begin[link] + k, 6 * link + k);
  };
  r_padded_.setZero();
  each([&](int flat, int padded) { r_padded_[padded] = r[flat]; });
  s_scaled_ = rows / c_row_;
  psi_next_.resize(dl.size());
  solver_.solve(r_padded_.data(), s_scaled_.data(), x_padded_.data(), psi_next_.data());
  each([&](int flat, int padded) { da[flat] = x_padded_[padded]; });
  dl = psi_next_;
}

}  // namespace torsor::mechanics
