#pragma once

#include "torsor/system/mechanism_system.hpp"

namespace torsor {

/// VelocityMap, PoweredRows, StepChoices and Conditioning of a mechanism, by its Parts.
struct MechanismSystem::Capabilities final : VelocityMap, PoweredRows, StepChoices, Conditioning {
  explicit Capabilities(const MechanismSystem& mechanism) : system(mechanism), parts(mechanism.parts()) {}

  void velocity(double t, VecIn q, VecIn v, VecOut out) const override;

  bool conserves_energy() const override;
  void acceleration_and_power(double t, VecIn q, VecIn v, VecOut a, double& power) const override;
  double load_power(double t, VecIn q, VecIn v) const override;
  void row_offsets(double t, VecIn q, VecOut a0) const override;

  void begin_run() override;
  void choose(double t, VecIn q) override;
  bool still_right(double t, VecIn q) override;
  bool stages_right() override;
  void check_end(double t, VecIn q) override;

  double condition() const override;
  double last_condition() const override;
  std::string_view worst() const override;
  Part worst_part() const override;
  void visit_loops(double above, double t, VecIn q, const std::vector<Vec>& v,
                   const VisitLoops& visit) const override;
  bool began_singular() const override;
  std::string rank_doubt() const override;
  bool start_was_near() const override;
  long general_solutions() const override;
  std::string_view acceleration_rounding(VecOut out) const override;

  const MechanismSystem& system;
  Parts& parts;
};

}  // namespace torsor
