#include "stepper_rows.hpp"

#include <algorithm>

namespace torsor::mechanics {

StepperRows::StepperRows(const Constraints& constraints, bool replaced) : constraints_(constraints) {
  for (const Constraints::Row& row : constraints.rows()) replaced_.push_back(replaced && !row.holonomic);
  any_replaced_ = std::find(replaced_.begin(), replaced_.end(), 1) != replaced_.end();
  left_out_ = replaced_;
  for (const Constraints::Item& item : constraints.items())
    for (int row = item.row_begin; row < item.row_begin + item.rows; ++row) {
      if (item.tree) continue;
      index_.push_back(row);
      holonomic_.push_back(constraints.rows()[row].holonomic);
    }
  lambda_.setZero(static_cast<Eigen::Index>(index_.size()));
}

void StepperRows::leave_out(const std::vector<char>& rows) {
  if (left_out_ == rows) return;
  left_out_ = rows;
  ++choice_;
}

const double* StepperRows::blocks(const BodyEquations& bodies) {
  if (std::find(left_out_.begin(), left_out_.end(), 1) == left_out_.end()) return bodies.rows().blocks.data();
  blocks_ = bodies.rows().blocks;
  for (const Constraints::Item& item : constraints_.items())
    for (std::size_t k = 0; k < item.links.size(); ++k)
      for (int row = 0; row < item.rows; ++row)
        if (left_out_[item.row_begin + row])
          std::fill_n(blocks_.data() + constraints_.block_offset()[item.block_begin + k] + 6 * row, 6, 0.);
  return blocks_.data();
}

void StepperRows::times(const BodyEquations& bodies, const Vec& V, VecOut out) const {
  int at = 0;
  for (const Constraints::Item& item : constraints_.items()) {
    if (item.tree) continue;
    bodies.rows_times(item, V, out.data() + at);
    for (int row = 0; row < item.rows; ++row)
      if (left_out_[item.row_begin + row]) out[at + row] = 0;
    at += item.rows;
  }
}

void StepperRows::position_residual(const BodyEquations& bodies, VecOut out) const {
  for (std::size_t i = 0; i < index_.size(); ++i)
    out[i] = left_out_[index_[i]] ? 0 : bodies.rows().phi[index_[i]];
}

void StepperRows::offsets(const BodyEquations& bodies, VecOut out) const {
  for (std::size_t i = 0; i < index_.size(); ++i)
    out[i] = replaced_[index_[i]] ? 0 : bodies.rows().a0[index_[i]];
}

void StepperRows::add(const std::vector<double>& values, VecOut out) const {
  for (std::size_t i = 0; i < index_.size(); ++i)
    if (const int row = index_[i]; !left_out_[row]) out[i] += values[row];
}

void StepperRows::add_reactions(const BodyEquations& bodies, VecIn lambda, Vec& W) {
  int at = 0;
  for (const Constraints::Item& item : constraints_.items()) {
    if (item.tree) continue;
    for (int row = 0; row < item.rows; ++row)
      lambda_[at + row] = left_out_[item.row_begin + row] ? 0 : lambda[at + row];
    for (std::size_t k = 0; k < item.links.size(); ++k)
      W.segment<6>(6 * item.links[k]) += bodies.wrench_on(item, k, lambda_.data() + at);
    at += item.rows;
  }
}

void StepperRows::spread(VecIn rows, Vec& out) const {
  out.setZero();
  for (std::size_t i = 0; i < index_.size(); ++i)
    if (const int row = index_[i]; !left_out_[row]) out[row] = rows[i];
}

void StepperRows::gather(const Vec& all, VecOut rows) const {
  for (std::size_t i = 0; i < index_.size(); ++i) rows[i] = all[index_[i]];
}

}  // namespace torsor::mechanics
