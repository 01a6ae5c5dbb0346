#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "torsor/model/body_space.hpp"
#include "torsor/model/kkt.hpp"
#include "torsor/sim/mechanism_system.hpp"
#include "tree_tangent.hpp"

namespace torsor {

namespace sim {
/// Who touches whom, over links, in the order of the items of the constraints.
KktGraph graph_of(const Model& model, const Constraints& constraints);

/// A row of this growth has half of its digits left: it is independent beyond doubt, and next to a loss of
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
    absent = gives_way;
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
  std::vector<int> own_rows;    ///< of the m rows: their places among all
  std::vector<char> holonomic;  ///< over the m rows
  Treatment treatment;
  TreatmentParameters parameters;
  std::vector<char> gives_way;  ///< over all rows: friction in its place
  std::vector<char> absent;     ///< over all rows: those that give way, and in a step the spare ones
  bool has_friction = false;
  std::vector<double> blocks;  ///< of the rows that are there, zeros in the others, where some are absent
  std::vector<double> G;
  Vec friction;   ///< over all rows: multipliers of the rows that give way to friction
  Vec pull;       ///< dynamic: D (A v + a0) + K phi over the m rows
  Vec reactions;  ///< over all rows: multipliers of the last acceleration
  Vec W, V, bias, s, y, zero, lambda, xi, q_next, q_near, v_near;

  // minimal: the velocities that follow from the others, as long as they do so well.
  std::vector<int> dependent;
  Vec mapped;
  Vec v_given, v_met;  ///< of the last velocity that was mapped

  // Of implicit methods, once they are asked for, in absolute and in tree form.
  std::shared_ptr<Newton> newton;
  std::shared_ptr<sim::TreeTangent> tree_tangent;

  // What `work` and `values` belong to.
  double t = std::numeric_limits<double>::quiet_NaN();
  Vec q, v;
  bool factored = false;
  Vec q_factored;                    ///< of the last factorisation of this step, none at first
  double t_factored = 0;             ///< its time
  bool at_beginning = true;          ///< no acceleration yet in this step
  bool steep = false;                ///< this step is near a loss of rank
  std::vector<double> first_growth;  ///< of pivots by item, in the first factorisation: at the start
  double conditioning = 1, worst_conditioning = 1;  ///< of the last factorisation, and of all in this step
  int worst_item = -1;                              ///< where, -1: nowhere yet
  int first_redundant = 0;                          ///< rows, at the start
  int most_rounded = 0;                             ///< link with the greatest rounding of its acceleration

  std::vector<char> spare;           ///< over all rows: what steps leave out, see `leave_out_spare_rows`
  std::vector<double> spare_growth;  ///< as first_growth without them, where they were chosen
  std::vector<char> spare_pivots;    ///< the solver's redundant rows that they stand for
  Vec q_start;                       ///< where they were first chosen
  bool spare_around_start = false;   ///< whether they are known to be redundant around it
};

}  // namespace torsor
