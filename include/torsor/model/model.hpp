#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "torsor/model/mechanism.hpp"

namespace torsor {

/// A mechanism that cannot be: every reason, one a line, each naming its body or joint.
class ModelError : public std::invalid_argument {
 public:
  explicit ModelError(std::vector<std::string> reasons_);
  std::vector<std::string> reasons;
};

/// A checked mechanism as a tree: flat arrays over links, parents first. Constant after it is built.
///
/// Link i is one body with its inboard joint. Bodies without a joint towards the ground get a free joint (a particle
/// a translation joint) to it. A joint declared against the direction of the tree is `reversed`: its coordinates
/// inside the tree are those of the same kind of joint seen from the other side.
class Model {
 public:
  /// Throws ModelError: mass or inertia not physical (positive definite, triangle and product bounds within
  /// 1e-9 trace), frames not rigid, unknown or doubled bodies, a closed loop.
  explicit Model(Mechanism mechanism);

  int size() const { return static_cast<int>(parent.size()); }  ///< number of links = number of bodies
  int nq() const { return nq_; }
  int nv() const { return nv_; }
  const Mechanism& mechanism() const { return mechanism_; }

  // Arrays over links.
  std::vector<int> parent;          ///< link index, or `world`
  std::vector<JointKind> kind;
  std::vector<GroupProduct> group;  ///< of free joints
  std::vector<int> q_begin, v_begin;
  std::vector<int> body;            ///< link -> body of the mechanism
  std::vector<int> joint;           ///< link -> joint of the mechanism, -1 for an implied free joint
  std::vector<char> reversed;
  std::vector<double> pitch;

  std::vector<int> link_of_body;    ///< body of the mechanism -> link

 private:
  Mechanism mechanism_;
  int nq_ = 0, nv_ = 0;
};

}  // namespace torsor
