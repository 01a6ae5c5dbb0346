#pragma once

#include <string>

#include "time_values.hpp"
#include "torsor/model/detail/reason.hpp"
#include "torsor/model/mechanism.hpp"

namespace torsor::constraint {

/// Collects the errors in one constraint.
class Check {
 public:
  Check(const Mechanism& mechanism, int index, Reasons& reasons)
      : mechanism_(mechanism), index_(index), reasons_(reasons) {}

  void reject(const std::string& reason);
  void require(bool condition, const std::string& reason) {
    if (!condition) reject(reason);
  }

  /// A number or a vector is finite, and constant or a function of time alone.
  template <class Function>
  void of_time(const Function& f, const std::string& what) {
    require(finite(f), what + " is not finite");
    require(!of_state(f),
            what +
                " is a function of the state; it must be a function of time, since the equations "
                "need its second derivative");
  }
  void body(int index);
  /// The two ends are on different bodies.
  void two_bodies(int a, int b);
  /// The body exists and is not a particle.
  void attitude(int index);
  void point(const MovingPoint& at);
  /// A point on a particle is the particle itself.
  void on_particle(int index, bool at_centre);
  void direction(const Vec3& a, const std::string& what);
  void frame(const SE3<>& X, const std::string& what);
  /// A coordinate of a joint, and its ratio in a sum.
  void coordinate(int joint, int index, double ratio);

 private:
  bool is_particle(int index) const;
  bool is_body(int index) const;

  const Mechanism& mechanism_;
  int index_;
  Reasons& reasons_;
};

/// `constraint "name"`, `constraint #3`.
std::string label(const Constraint& constraint, int index);

}  // namespace torsor::constraint
