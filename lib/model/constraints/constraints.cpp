#include "torsor/model/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "constraint_kind.hpp"
#include "model/words.hpp"
#include "torsor/lie/status.hpp"

namespace torsor {
namespace {

std::string name_of(const std::string& given, const char* what, int index) {
  return given.empty() ? std::string(what) + " " + std::to_string(index + 1) : given;
}

/// `joint "hinge"`, `constraint 3`.
std::string quoted(const Constraints::Item& item, const Mechanism& mechanism) {
  const bool joint = item.joint >= 0;
  const std::string& given =
      joint ? mechanism.joints[item.joint].name : mechanism.constraints[item.constraint].name;
  return given.empty() ? item.name : (joint ? "joint \"" : "constraint \"") + given + "\"";
}

/// Sets whether the joint is in the tree. Puts the outer link of a joint of the spanning tree first in the
/// list of links. The blocks of the joint are then in the order in which an elimination from the leaves uses
/// them.
void outer_first(const Model& model, int joint, Constraints::Item& item) {
  item.tree = model.link_of_joint[joint] >= 0;
  if (const int outer = model.span_link_of_joint[joint]; outer >= 0) item.links.push_back(outer);
}

}  // namespace

/// All rows, prepared for evaluation: those of the joints, in the order of the mechanism, then those of its
/// constraints.
struct Constraints::Plan {
  struct JointItem {
    constraint::JointFrames frames;
    int item;
  };
  struct LawItem {
    constraint::Prepared law;
    int item;
  };
  std::vector<JointItem> joints;
  std::vector<LawItem> laws;
  std::vector<int> particle_blocks;  ///< blocks of particles: their angular columns are zero
  std::size_t numbers = 0;           ///< how many numbers all blocks hold
};

Constraints::Constraints(const Model& model) : model_(&model) {
  const Mechanism& mechanism = model.mechanism();
  auto plan = std::make_shared<Plan>();
  const auto append = [&](Item item, const std::vector<Row>& rows) {
    item.row_begin = size(), item.rows = static_cast<int>(rows.size());
    item.block_begin = static_cast<int>(block_offset_.size());
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    for (const int link : item.links) {
      if (mechanism.bodies[model.body[link]].particle)
        plan->particle_blocks.push_back(static_cast<int>(block_offset_.size()));
      block_offset_.push_back(static_cast<int>(plan->numbers));
      plan->numbers += 6 * rows.size();
    }
    items_.push_back(std::move(item));
  };
  for (int i = 0; i < static_cast<int>(mechanism.joints.size()); ++i) {
    const Joint& joint = mechanism.joints[i];
    if (constraint::row_count(joint, mechanism) == 0) continue;
    Item item{name_of(joint.name, "joint", i), i, -1, 0, 0, 0, {}, false};
    outer_first(model, i, item);
    plan->joints.push_back({constraint::Builder(model, item).frames(joint), static_cast<int>(items_.size())});
    append(std::move(item), constraint::rows_of(joint, mechanism));
  }
  for (int i = 0; i < static_cast<int>(mechanism.constraints.size()); ++i) {
    const Constraint& each = mechanism.constraints[i];
    Item item{name_of(each.name, "constraint", i), -1, i, 0, 0, 0, {}, false};
    constraint::Builder build(model, item);
    auto prepared =
        with_kind(each, [&](const auto& kind, const auto& law) { return kind.prepare(law, build); });
    plan->laws.push_back({std::move(prepared), static_cast<int>(items_.size())});
    append(std::move(item), constraint::rows_of(each, mechanism));
  }
  plan_ = std::move(plan);
}

void Constraints::evaluate(double t, VecIn q, VecIn v, const Workspace<double>& work,
                           ConstraintValues& values) const {
  values.phi.resize(size()), values.a0.resize(size()), values.gamma.resize(size());
  values.blocks.resize(plan_->numbers);
  const auto sink = [&](const Item& item) {
    const int row = item.row_begin;
    double* const blocks =
        item.links.empty() ? nullptr : values.blocks.data() + block_offset_[item.block_begin];
    return constraint::RowSink{&values.phi[row], &values.a0[row], &values.gamma[row], blocks, item.rows};
  };
  double sum = 0;  // not finite if a row is not finite
  const auto add_rows = [&](const Item& item) {
    for (int i = item.row_begin; i < item.row_begin + item.rows; ++i)
      sum += values.phi[i] + values.a0[i] + values.gamma[i];
  };
  for (const auto& [frames, index] : plan_->joints) {
    const Item& item = items_[index];
    constraint::put_joint_rows(frames, work, sink(item));
    add_rows(item);
  }
  const constraint::Instant now{*model_, work, t, q, v, values};
  for (const auto& [law, index] : plan_->laws) {
    const Item& item = items_[index];
    const auto named = [&](const std::string& what) {
      return at_time(quoted(item, model_->mechanism()) + what, t);
    };
    try {
      law->put_rows(now, sink(item));
    } catch (const EvaluationError& error) {
      throw EvaluationError(error.status, named(std::string(": ") + error.what()), item.part());
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      throw EvaluationError(StepStatus::callback_failed, named(std::string(": ") + error.what()),
                            item.part());
    } catch (...) {
      throw EvaluationError(StepStatus::callback_failed, named(" threw an object that is not an exception"),
                            item.part());
    }
    add_rows(item);
  }
  for (const int block : plan_->particle_blocks) {
    const int end = block + 1 < static_cast<int>(block_offset_.size()) ? block_offset_[block + 1]
                                                                       : static_cast<int>(plan_->numbers);
    for (int at = block_offset_[block]; at < end; at += 6) std::fill_n(&values.blocks[at + 3], 3, 0.);
  }
  if (!std::isfinite(sum)) throw_for_cause(t, values);
}

void Constraints::throw_for_cause(double t, const ConstraintValues& values) const {
  for (const Item& item : items_)
    for (int i = item.row_begin; i < item.row_begin + item.rows; ++i)
      if (!std::isfinite(values.phi[i] + values.a0[i] + values.gamma[i]))
        throw EvaluationError(StepStatus::non_finite,
                              at_time(quoted(item, model_->mechanism()) + " is not finite", t), item.part());
}

}  // namespace torsor
