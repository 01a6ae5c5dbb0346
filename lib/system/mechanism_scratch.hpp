#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "torsor/model/body_space.hpp"
#include "torsor/model/kkt.hpp"
#include "torsor/system/mechanism_system.hpp"
#include "tree_tangent.hpp"

namespace torsor {

namespace sim {
/// The graph of links and constraints, with the constraints in the order of Constraints::items().
KktGraph graph_of(const Model& model, const Constraints& constraints);

/// Pivot growth at which a row has half of its digits left: it is certainly independent, but near a loss of
/// rank.
inline const double half_lost = 1 / std::sqrt(KktSolver::redundant_below);
}  // namespace sim

struct MechanismSystem::Scratch {
  Scratch(const Model& model, double length, Treatment treatment_, const TreatmentParameters& parameters_)
      : work(model),
        loads(model),
        constraints(model),
        kkt(sim::graph_of(model, constraints)),
        treatment(treatment_),
        parameters(parameters_) {
    const bool viscous = treatment == Treatment::viscous;
    for (const Constraints::Row& row : constraints.rows()) gives_way.push_back(viscous && !row.holonomic);
    has_friction = std::find(gives_way.begin(), gives_way.end(), 1) != gives_way.end();
    left_out = gives_way;
    for (const Constraints::Item& item : constraints.items())
      for (int row = item.row_begin; row < item.row_begin + item.rows; ++row) {
        if (item.tree) continue;
        own_rows.push_back(row);
        holonomic.push_back(constraints.rows()[row].holonomic);
      }
    std::vector<double> scale;
    for (const Constraints::Row& row : constraints.rows())
      scale.push_back(row.kind == Constraints::Row::Kind::torque ? 1 / length : 1);
    kkt.set_row_scale(scale);
    for (Vec* six : {&W, &V, &bias}) six->setZero(6 * model.size());
    for (Vec* row : {&s, &y, &friction, &reactions}) row->setZero(constraints.size());
    G.assign(36 * static_cast<std::size_t>(model.size()), 0);
    zero.setZero(model.nv());
    lambda.setZero(static_cast<Eigen::Index>(own_rows.size()));
  }

  Workspace<double> work;
  Loads<double> loads;
  Constraints constraints;
  ConstraintValues values;
  KktSolver kkt;
  std::vector<int> own_rows;    ///< indices of the m rows among all rows
  std::vector<char> holonomic;  ///< over the m rows
  Treatment treatment;
  TreatmentParameters parameters;
  std::vector<char> gives_way;  ///< over all rows: friction acts in place of the row
  std::vector<char> left_out;   ///< over all rows: gives way, or is one of `redundant`
  bool has_friction = false;
  std::vector<double> blocks;  ///< A_B with zeros in rows that are left out; used only if there are such rows
  std::vector<double> G;
  Vec friction;   ///< over all rows: multipliers of the rows that give way to friction
  Vec pull;       ///< dynamic: D (A v + a0) + K phi over the m rows
  Vec reactions;  ///< over all rows: multipliers of the last acceleration
  Vec W, V, bias, s, y, zero, lambda, xi, q_next, q_near, v_near;

  // Treatment `minimal`: the dependent velocities, kept while this choice is good enough.
  std::vector<int> dependent;
  Vec mapped;
  Vec v_given, v_met;  ///< argument and result of the last `nearest_velocity`

  // Tangents for implicit methods in absolute and in tree form, made on first use.
  std::shared_ptr<Newton> newton;
  std::shared_ptr<sim::TreeTangent> tree_tangent;

  // The point at which `work` and `values` were evaluated.
  double t = std::numeric_limits<double>::quiet_NaN();
  Vec q, v;
  bool factored = false;
  Vec q_factored;                    ///< state of the last factorisation in this step, at first empty
  double t_factored = 0;             ///< time of that factorisation
  bool at_beginning = true;          ///< no acceleration yet in this step
  bool steep = false;                ///< this step is near a loss of rank
  std::vector<double> first_growth;  ///< pivot growth by item in the first factorisation, at the start
  double conditioning = 1, worst_conditioning = 1;  ///< of the last factorisation; greatest of this step
  int worst_item = -1;                              ///< the item with `worst_conditioning`; -1: none yet
  int first_redundant = 0;  ///< number of redundant rows at the start or at the last choice of `redundant`
  int most_rounded = 0;     ///< link with the greatest rounding error of its acceleration

  std::vector<char> redundant;           ///< over all rows: redundant rows that steps leave out
  std::vector<double> redundant_growth;  ///< as first_growth, without these rows, when they were chosen
  std::vector<char> redundant_pivots;    ///< the solver's redundant rows when `redundant` was chosen
  Vec q_start;                           ///< configuration at their first choice
  bool redundant_around_start = false;   ///< whether they are known to be redundant around q_start
};

}  // namespace torsor
