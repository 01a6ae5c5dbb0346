#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "mechanism_scratch.hpp"
#include "model/elimination/newton_solver.hpp"

namespace torsor {
namespace {

/// Step of forward differences: the square root of the rounding unit.
constexpr double probe = 1.5e-8;

/// Pairs of links that a point spring couples, with or without a common constraint.
std::vector<std::pair<int, int>> tied_by_forces(const Model& model) {
  std::vector<std::pair<int, int>> pairs;
  for (const Force& force : model.mechanism().forces)
    if (const auto* spring = std::get_if<PointSpring>(&force.law))
      if (spring->a.body != world && spring->b.body != world && spring->a.body != spring->b.body)
        pairs.emplace_back(model.link_of_body[spring->a.body], model.link_of_body[spring->b.body]);
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

/// The tangent of a mechanism in absolute form, in blocks of bodies and rows.
struct MechanismSystem::Newton {
  Newton(const Model& model, const Constraints& constraints)
      : solver(sim::graph_of(model, constraints), tied_by_forces(model)),
        groups(groups_of(model.size(), solver.pairs())),
        group_of(static_cast<std::size_t>(model.size())),
        diagonal(36 * static_cast<std::size_t>(model.size())),
        between(72 * solver.pairs().size()) {
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (const int link : groups[g]) group_of[link] = static_cast<int>(g);
    for (int link = 0; link < model.size(); ++link)  // a particle has no rotations
      for (int k = freedom_count(model.kind[link]); k < 6; ++k) diagonal[36 * link + 7 * k] = 1;
    const Eigen::Index n = model.nv(), m = constraints.size();
    for (Vec* v : {&unit, &xi, &column, &r, &r_next, &v_next}) v->setZero(n);
    for (Vec* rows : {&row, &psi, &psi_next, &s_scaled}) rows->setZero(m);
    r_padded.setZero(6 * model.size()), x_padded.setZero(6 * model.size());
    q_next.setZero(model.nq());
  }

  NewtonSolver solver;
  std::vector<std::vector<int>> groups;
  std::vector<int> group_of;
  std::vector<double> diagonal, between, B, C;
  Vec unit, xi, column, r, r_next, v_next, row, psi, psi_next, s_scaled, r_padded, x_padded, q_next;
  double c_row = 1;
};

MechanismSystem::Newton& MechanismSystem::newton() const {
  Scratch& s = *scratch_;
  if (!s.newton) s.newton = std::make_shared<Newton>(model(), s.constraints);
  return *s.newton;
}

sim::TreeTangent& MechanismSystem::tree_tangent() const {
  Scratch& s = *scratch_;
  if (!s.tree_tangent) s.tree_tangent = std::make_shared<sim::TreeTangent>(*this, s.treatment, s.parameters);
  return *s.tree_tangent;
}

/// Copies column k of the dynamics, for all links of a group, to its blocks.
void MechanismSystem::put_dynamics(int group, int k, const Vec& column) const {
  Newton& n = newton();
  const auto put = [&](int link, double* block) {
    for (int i = 0; i < freedom_count(model().kind[link]); ++i)
      block[6 * i + k] = column[model().v_begin[link] + i];
  };
  for (const int link : n.groups[group]) put(link, n.diagonal.data() + 36 * link);
  for (std::size_t p = 0; p < n.solver.pairs().size(); ++p) {
    const auto& [a, b] = n.solver.pairs()[p];
    if (n.group_of[b] == group) put(a, n.between.data() + 72 * p);
    if (n.group_of[a] == group) put(b, n.between.data() + 72 * p + 36);
  }
}

/// Copies column k of the rows, for all links of a group, to its blocks.
void MechanismSystem::put_rows(int group, int k, const Vec& row, std::vector<double>& blocks) const {
  const Scratch& s = *scratch_;
  for (const Constraints::Item& item : s.constraints.items())
    for (std::size_t at = 0; at < item.links.size(); ++at) {
      if (s.newton->group_of[item.links[at]] != group) continue;
      double* const block = blocks.data() + s.constraints.block_offset()[item.block_begin + at];
      for (int i = 0; i < item.rows; ++i) block[6 * i + k] = row[item.row_begin + i];
    }
}

/// The tangent includes gyroscopic terms, forces, curvature of the constraints and the derivative of exp.
/// Derivatives of forces and rows are forward differences, taken for all links of a group at once.
void MechanismSystem::factor_newton(const Linearisation& at) const {
  if (model().formulation() == Formulation::tree) return tree_tangent().factor(at);
  Newton& n = newton();
  const Vec &q = at.x.q, &v = at.x.v;
  const auto dynamics = [&](const Vec& q_now, const Vec& v_now, Vec& r) {
    imbalance(at.t, q_now, v_now, at.a, at.lambda, r);
  };
  dynamics(q, v, n.r);
  velocity_residual(at.t, q, v, n.psi);
  n.B.assign(scratch_->values.blocks.size(), 0), n.C.assign(n.B.size(), 0);
  const bool position = at.level == Level::position;
  const auto& links_holonomic = holonomic();
  for (std::size_t g = 0; g < n.groups.size(); ++g)
    for (int k = 0; k < 6; ++k) {
      n.unit.setZero();
      for (const int link : n.groups[g])
        if (k < freedom_count(model().kind[link])) n.unit[model().v_begin[link] + k] = 1;
      metric_times(at.t, q, n.unit, n.column);
      n.v_next = v + probe * n.unit;
      dynamics(q, n.v_next, n.r_next);
      n.column += at.c_v / probe * (n.r_next - n.r);
      constraint_times(at.t, q, n.unit, n.row);
      put_rows(static_cast<int>(g), k, n.row, n.B);

      dexp(at.xi, n.unit, n.xi);
      if (position) constraint_times(at.t, q, n.xi, n.s_scaled);
      n.v_next = probe * n.xi;
      retract(q, n.v_next, n.q_next);
      dynamics(n.q_next, v, n.r_next);
      n.column += at.c_q / probe * (n.r_next - n.r);
      put_dynamics(static_cast<int>(g), k, n.column);
      velocity_residual(at.t, n.q_next, v, n.psi_next);
      n.row += at.c_q / at.c_v / probe * (n.psi_next - n.psi);
      if (position)
        for (Eigen::Index i = 0; i < n.row.size(); ++i)
          if (links_holonomic[static_cast<std::size_t>(i)]) n.row[i] = n.s_scaled[i];
      put_rows(static_cast<int>(g), k, n.row, n.C);
    }
  n.c_row = position ? at.c_q : at.c_v;
  n.solver.factor(n.diagonal.data(), n.between.data(), n.B.data(), n.C.data());
}

void MechanismSystem::solve_newton(VecIn r, VecIn rows, VecOut da, VecOut dl) const {
  if (model().formulation() == Formulation::tree) return tree_tangent().solve(r, rows, da, dl);
  Newton& n = newton();
  const auto each = [&](auto&& use) {
    for (int link = 0; link < model().size(); ++link)
      for (int k = 0; k < freedom_count(model().kind[link]); ++k)
        use(model().v_begin[link] + k, 6 * link + k);
  };
  n.r_padded.setZero();
  each([&](int flat, int padded) { n.r_padded[padded] = r[flat]; });
  n.s_scaled = rows / n.c_row;
  n.psi_next.resize(dl.size());
  n.solver.solve(n.r_padded.data(), n.s_scaled.data(), n.x_padded.data(), n.psi_next.data());
  each([&](int flat, int padded) { da[flat] = n.x_padded[padded]; });
  dl = n.psi_next;
}

}  // namespace torsor
