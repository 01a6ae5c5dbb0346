#pragma once

#include <string>

#include "torsor/model/detail/reason.hpp"
#include "torsor/model/mechanism.hpp"

namespace torsor {

/// Collects what is wrong with one force.
class ForceCheck {
 public:
  ForceCheck(const Mechanism& mechanism, int index, Reasons& reasons)
      : mechanism_(mechanism), index_(index), reasons_(reasons) {}

  const Mechanism& mechanism() const { return mechanism_; }

  void reject(const std::string& reason);
  void require(bool condition, const std::string& reason) {
    if (!condition) reject(reason);
  }

  void point(const BodyPoint& point);
  bool is_particle(int index) const;

 private:
  void body(int index);
  void node(const BodyPoint& point);

  const Mechanism& mechanism_;
  int index_;
  Reasons& reasons_;
};

}  // namespace torsor
