#pragma once

#include <memory>
#include <span>

#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// Coefficients of a symmetric composition: the sizes of the substeps in a step of size 1.
struct CompositionTable {
  int order;
  std::span<const double> gamma;  ///< gamma_i = gamma_(s + 1 - i), with sum 1
};

/// Symmetric composition of a time-symmetric method Phi of order 2:
///
///   Psi_h = Phi_(gamma_s h) o ... o Phi_(gamma_1 h).
///
/// With m_i the middle of substep i, the order is 4 if sum gamma_i^3 = 0, and 6 if in addition sum gamma_i^5
/// = 0 and sum gamma_i^3 m_i^2 = 0. Psi preserves the properties of Phi: the group, the constraints, time
/// symmetry and the symplectic form. Some substeps go backward in time; in these, friction makes motions
/// grow. The ends of all substeps lie within the step. A step is rejected if one of its substeps turns a
/// rotation by pi or more. Hairer, Lubich, Wanner, Geometric Numerical Integration, II.4, V.3.2.
class Composition final : public Stepper {
 public:
  Composition(std::unique_ptr<Stepper> method, const CompositionTable& table);

  int order() const override { return table_.order; }
  long evaluations() const override { return method_->evaluations(); }
  std::string message() const override { return message_; }
  std::optional<std::string> why_unsuitable(const System& system) const override {
    return method_->why_unsuitable(system);
  }
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;

  const CompositionTable& table() const { return table_; }

 private:
  std::unique_ptr<Stepper> method_;
  CompositionTable table_;
  State next_;
  std::string message_;
};

extern const CompositionTable suzuki_table, sofroniou_spaletta_table;

}  // namespace torsor
