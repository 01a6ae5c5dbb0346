#pragma once

#include <string>

#include "torsor/model/detail/reason.hpp"
#include "torsor/model/mechanism.hpp"

namespace torsor {

/// Collects the reasons why one force is invalid.
class ForceCheck {
 public:
  ForceCheck(const Mechanism& mechanism, int index, Reasons& reasons)
      : mechanism_(mechanism), index_(index), reasons_(reasons) {}

  const Mechanism& mechanism() const { return mechanism_; }

  void reject(const std::string& reason);
  void require(bool condition, const std::string& reason) {
    if (!condition) reject(reason);
  }

  void check_point(const BodyPoint& point);
  bool is_particle(int index) const;

 private:
  void check_body(int index);
  void check_node(const BodyPoint& point);

  const Mechanism& mechanism_;
  int index_;
  Reasons& reasons_;
};

}  // namespace torsor
