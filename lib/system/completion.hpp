#pragma once

#include <string>
#include <vector>

#include "given_bodies.hpp"
#include "given_outside.hpp"
#include "sparse.hpp"
#include "torsor/system/mechanism_system.hpp"

namespace torsor::mechanics {

/// Residuals up to this, in m, rad and their rates, are rounding in a mechanism of 1 m. For one of size L,
/// the limit of lengths is this times L above 1 m, and times L / 1 mm below 1 mm. The limit of angles is that
/// of lengths divided by L, but at least this. Rates above max(1, L) raise the limits of rates in proportion,
/// and those of a slow motion lower them (unit_of_rates).
/// The limit of a sum of terms is the greatest of the limits of its terms, times their factors, and a few
/// rounding errors of the terms are added.
constexpr double start_tolerance = 1e-9;

/// Solves for the values of a start that are not given, by the least change that meets the rows. First it
/// changes only the coordinates (rates) of joints for which nothing is given. If that is not enough, it
/// changes all coordinates (rates) that are not given by joints, in levels: first the given values of bodies
/// and loop joints, then the rows that must hold, then the rows that may give way to friction. Each level is
/// met as closely as the earlier levels permit. If no coordinates meet them all, the search begins again
/// with all rotations for which nothing is given changed by 1 rad.
class Completion {
 public:
  /// `holonomic` has the rows that restrict coordinates; `exact` has the rows that a start must meet; `all`
  /// also has the rows that it meets only if the given values permit. All are of the same tree. Refers to
  /// `start`, which must live longer.
  Completion(const MechanismSystem& holonomic, const MechanismSystem& exact, const MechanismSystem& all,
             double t, double length, const Start& start);
  Completion(const MechanismSystem& holonomic, const MechanismSystem& exact, const MechanismSystem& all,
             double t, double length, const Start&& start) = delete;

  void solve_coordinates(Vec& q) const;
  void solve_rates(const Vec& q, Vec& v) const;

  /// Whether the bodies have their given poses (velocities).
  bool keeps_coordinates(const Vec& q) const;
  bool keeps_rates(const Vec& q, const Vec& v) const;

  /// One reason for each joint or constraint that must hold and is violated.
  Reasons position_faults(const Vec& q) const;
  Reasons velocity_faults(const Vec& q, const Vec& v) const;

  /// Whether there are coordinates that are not given by joints.
  bool leaves_coordinates_open() const { return !open_.coordinates.empty(); }

 private:
  /// Indices of velocities of the tree: those whose coordinates change, and those whose rates change.
  struct VelocityIndices {
    std::vector<int> coordinates, rates;
  };
  /// Rows A x + residual = 0 for a change x of all velocities of the tree.
  struct Level {
    linear::Sparse A;
    Vec residual;
  };

  static VelocityIndices velocity_indices(const Model& tree, const Start& start, bool of_bodies_too);
  static Vec least_change(const std::vector<Level>& levels, const std::vector<int>& which);
  static Vec least_change_of_many(const std::vector<Level>& levels, const std::vector<int>& which);
  template <class Step, class Miss>
  void iterate(Vec& q, const Step& step, const Miss& miss) const;
  void solve_coordinates_near(Vec& q) const;
  Vec turn_of_untouched() const;
  /// Whether the given values of bodies and loop joints are kept, and the rows are met.
  bool meets_all(const Vec& q) const;
  void solve_untouched_coordinates(Vec& q) const;
  void solve_open_coordinates(Vec& q) const;
  void solve_untouched_rates(const Vec& q, Vec& v) const;
  void solve_open_rates(const Vec& q, Vec& v) const;
  linear::Sparse rows(const MechanismSystem& system, const Vec& q) const;
  Vec position_residual(const Vec& q) const;
  Vec velocity_residual(const MechanismSystem& system, const Vec& q, const Vec& v) const;
  Reasons faults(const MechanismSystem& system, const Vec& q, const Vec& v) const;
  Reasons faults(const Vec& residual, const Vec& terms, double size, bool of_velocity) const;
  double velocity_size(const Vec& v) const;

  const MechanismSystem &holonomic_, &exact_, &all_;
  double t_, length_;
  /// `untouched_`: given neither by joints nor by their bodies; `open_`: not given by joints.
  VelocityIndices untouched_, open_;
  GivenBodies bodies_;
  GivenOutside outside_;
};

}  // namespace torsor::mechanics
