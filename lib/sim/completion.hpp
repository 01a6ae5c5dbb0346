#pragma once

#include <string>
#include <vector>

#include "given_bodies.hpp"
#include "given_outside.hpp"
#include "torsor/sim/mechanism_system.hpp"

namespace torsor::sim {

/// What is off by no more than this, in m, rad and their rates, relative to the size of the mechanism, is
/// rounding.
constexpr double start_tolerance = 1e-9;

/// Solves for what is not given of a start. First the coordinates (rates) of those joints of which nothing is
/// given are changed, the least change that meets the rows. If that does not do, everything that is not given
/// itself is changed, level after level: bodies and joints as they are given, then the rows that must hold,
/// then those that may give way to friction; each level is met as far as the levels before it leave open.
class Completion {
 public:
  /// `exact` has the rows that a start must meet, `all` those that it meets where what is given leaves that
  /// open: of the same tree. Refers to `start`, which must live longer.
  Completion(const MechanismSystem& exact, const MechanismSystem& all, double t, double length,
             const Start& start);
  Completion(const MechanismSystem& exact, const MechanismSystem& all, double t, double length,
             const Start&& start) = delete;

  void solve_coordinates(Vec& q) const;
  void solve_rates(const Vec& q, Vec& v) const;

  /// Whether bodies and joints are as they are given.
  bool keeps_coordinates(const Vec& q) const;
  bool keeps_rates(const Vec& q, const Vec& v) const;

  /// One reason for each joint or constraint that must hold and is off.
  Reasons position_faults(const Vec& q) const;
  Reasons velocity_faults(const Vec& q, const Vec& v) const;

  /// Whether there are coordinates that are not given themselves.
  bool leaves_coordinates_open() const { return !open_.coordinates.empty(); }

 private:
  using Matrix = Eigen::MatrixXd;
  /// Numbers of the tree.
  struct Numbers {
    std::vector<int> coordinates, rates;
  };
  /// Rows that are to vanish with a change x: M x + residual.
  struct Level {
    Matrix M;
    Vec residual;
  };

  static Numbers numbers(const Model& tree, const Start& start, bool of_bodies_too);
  static Vec least_change(const std::vector<Level>& levels, Eigen::Index size);
  template <class Step, class Miss>
  void iterate(Vec& q, const Step& step, const Miss& miss) const;
  void solve_untouched_coordinates(Vec& q) const;
  void solve_open_coordinates(Vec& q) const;
  void solve_untouched_rates(const Vec& q, Vec& v) const;
  void solve_open_rates(const Vec& q, Vec& v) const;
  Vec position_residual(const MechanismSystem& system, const Vec& q) const;
  Vec velocity_residual(const MechanismSystem& system, const Vec& q, const Vec& v) const;
  template <class Rates>
  Matrix outside_columns(const Rates& rates, const std::vector<int>& which) const;
  Reasons faults(const MechanismSystem& system, const Vec& q, const Vec& v) const;
  Reasons faults(const Vec& residual, double size, bool of_velocity) const;
  double velocity_size(const Vec& v) const;

  const MechanismSystem &exact_, &all_;
  double t_, length_;
  Numbers untouched_, open_;  ///< of joints of which nothing is given, by their bodies neither; not by them
  GivenBodies bodies_;
  GivenOutside outside_;
};

}  // namespace torsor::sim
