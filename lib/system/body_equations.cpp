#include "body_equations.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "model/body_space.hpp"
#include "model/forces/feedback.hpp"
#include "same_numbers.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor::mechanics {

BodyEquations::BodyEquations(const Model& model, const Forces& forces)
    : model_(model),
      forces_(forces),
      constraints_(model),
      work_(model),
      loads_(model),
      metric_(36 * static_cast<std::size_t>(model.size()), 0),
      squares_(Vec::Zero(6 * model.size())),
      zero_(Vec::Zero(model.nv())) {
  values_.feedback = &forces.feedback();
  for (int i = 0; i < model.size(); ++i) {
    const Body& body = model.mechanism().bodies[model.body[i]];
    inertia_.push_back({body.mass, body.inertia, body.particle});
    for (int k = 0; k < 3; ++k) metric_[36 * static_cast<std::size_t>(i) + 7 * k] = body.mass;
  }
}

void BodyEquations::evaluate(double t, VecIn q, VecIn v) {
  const bool same_place = is_at(t, q);
  if (same_place && same_numbers(v_, v)) return;
  if (!same_place) ++place_;
  t_ = std::numeric_limits<double>::quiet_NaN();
  forward_kinematics(model_, q, v, work_);
  constraints_.evaluate(t, q, v, work_, values_);
  t_ = t, q_ = q, v_ = v, feedback_version_ = forces_.feedback().version();
}

void BodyEquations::evaluate(double t, VecIn q) {
  if (!is_at(t, q)) evaluate(t, q, zero_);
}

bool BodyEquations::is_at(double t, VecIn q) const {
  return t_ == t && feedback_version_ == forces_.feedback().version() && same_numbers(q_, q);
}

double BodyEquations::row_times(const Constraints::Item& item, int row, const Vec& V) const {
  double sum = 0;
  for (std::size_t k = 0; k < item.links.size(); ++k)
    sum += Eigen::Map<const Vector<double, 6>>(block(item, k) + 6 * row).dot(V.segment<6>(6 * item.links[k]));
  return sum;
}

double BodyEquations::row_terms(const Constraints::Item& item, int row, const Vec& V) const {
  double sum = 0;
  for (std::size_t k = 0; k < item.links.size(); ++k)
    sum += Eigen::Map<const Vector<double, 6>>(block(item, k) + 6 * row)
               .cwiseProduct(V.segment<6>(6 * item.links[k]))
               .lpNorm<1>();
  return sum;
}

Vector<double, 6> BodyEquations::wrench_on(const Constraints::Item& item, std::size_t k,
                                           const double* lambda) const {
  const double* J = block(item, k);
  Vector<double, 6> wrench = Vector<double, 6>::Zero();
  for (int row = 0; row < item.rows; ++row, J += 6)
    wrench += lambda[row] * Eigen::Map<const Vector<double, 6>>(J);
  return wrench;
}

const std::vector<double>& BodyEquations::metric() {
  for (int i = 0; i < model_.size(); ++i) {
    const Inertia& body = inertia_[i];
    double* const block = metric_.data() + 36 * i;  // its linear part does not change
    const Mat3& R = work_.R_WB[i];
    const Mat3 J = body.particle ? Mat3::Identity() : Mat3(R * body.inertia * R.transpose());
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) block[6 * (row + 3) + column + 3] = J(row, column);
  }
  return metric_;
}

void BodyEquations::times_metric(const Vec& V, Vec& out) const {
  for (int i = 0; i < model_.size(); ++i) {
    const Inertia& body = inertia_[i];
    const Mat3& R = work_.R_WB[i];
    out.segment<3>(6 * i) = body.mass * V.segment<3>(6 * i);
    out.segment<3>(6 * i + 3).setZero();
    if (!body.particle)
      out.segment<3>(6 * i + 3) = R * (body.inertia * (R.transpose() * V.segment<3>(6 * i + 3)));
  }
}

void BodyEquations::loads(Terms terms, Vec& W) {
  forces_.evaluate(t_, q_, v_, work_, loads_);
  for (int i = 0; i < model_.size(); ++i) {
    const Inertia& body = inertia_[i];
    Vec3 force = body.mass * loads_.gravity, torque = Vec3::Zero();
    if (!body.particle && terms == Terms::applied_and_gyroscopic) {
      const Mat3& R = work_.R_WB[i];
      const Vec3 Omega = R.transpose() * work_.w_WB[i];
      torque = R * (body.inertia * Omega).cross(Omega);
    }
    if (loads_.has_wrenches) force += loads_.force[i], torque += loads_.torque[i];
    W.segment<3>(6 * i) = force;
    W.segment<3>(6 * i + 3) = torque;
  }
  if (loads_.has_tau) add_wrenches_of(model_, work_, loads_.tau, W);
}

void BodyEquations::bias(Vec& out) { acceleration_bias(model_, work_, v_, out); }

/// The rounding error of a sum of wrenches is eps times the root of the sum of their squares, however small
/// the sum is. This error, divided by mass or inertia, is the rounding error of the acceleration of the body.
int BodyEquations::acceleration_rounding(const Vec& y, Vec& V) {
  squares_.setZero();
  for (const Constraints::Item& item : constraints_.items())
    for (std::size_t k = 0; k < item.links.size(); ++k) {
      const double* J = block(item, k);
      auto sums = squares_.segment<6>(6 * item.links[k]);
      for (int row = item.row_begin; row < item.row_begin + item.rows; ++row)
        for (int i = 0; i < 6; ++i, ++J) sums[i / 3] += *J * y[row] * (*J * y[row]);
    }
  double most = 0;
  int link = 0;
  for (int i = 0; i < model_.size(); ++i) {
    const Inertia& body = inertia_[i];
    const double eps = std::numeric_limits<double>::epsilon();
    const double force = eps * std::sqrt(squares_[6 * i]), torque = eps * std::sqrt(squares_[6 * i + 1]);
    V.segment<3>(6 * i).setConstant(force / body.mass);
    V.segment<3>(6 * i + 3).setZero();
    if (!body.particle)
      V.segment<3>(6 * i + 3) = work_.R_WB[i] * (torque * body.inertia.diagonal().cwiseInverse());
    const double here = V.segment<6>(6 * i).squaredNorm();
    if (here > most) most = here, link = i;
  }
  return link;
}

}  // namespace torsor::mechanics
