#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/model/detail/reason.hpp"
#include "torsor/model/detail/spatial.hpp"
#include "torsor/model/mechanism.hpp"

namespace torsor {

/// The mechanism is not valid. The message has one reason on each line; each reason names the body, joint,
/// force or constraint.
class ModelError : public std::invalid_argument {
 public:
  explicit ModelError(Reasons reasons_);
  Reasons reasons;
};

/// The formulation of a mechanism. `tree`: the coordinates of the joints of a spanning tree are the
/// configuration; the other joints close loops and are constraints. `absolute`: every body is free, and every
/// joint is a constraint.
enum class Formulation { tree, absolute };
constexpr std::string_view to_string(Formulation formulation) {
  return formulation == Formulation::tree ? "tree" : "absolute";
}

/// A checked mechanism as a tree: flat arrays over links, parents first. Constant after it is built.
///
/// Link i is one body with its inboard joint. If no joint connects a group of bodies to the ground, one of
/// them gets an implied joint to the ground: a free joint, or a translation joint if it is a particle. A
/// joint declared against the direction of the tree is `reversed`: its coordinates in the tree are those of
/// the same kind of joint with parent and child exchanged (declared_joint.hpp converts them), or the declared
/// ones if the exchange gives another kind of joint. Links are numbered depth first, so the links of a chain
/// are adjacent in memory.
class Model {
 public:
  /// `cut`: joints that must not be in the spanning tree. A joint that closes a loop with earlier joints is
  /// not in it either. Throws ModelError if a mass or an inertia is not physical (positive definite, triangle
  /// and product bounds within 1e-9 trace) or not that of the nodes of the body, a frame is not rigid, a body
  /// is unknown, a name occurs twice, or a joint, a force or a constraint is not valid.
  explicit Model(Mechanism mechanism, Formulation formulation = Formulation::tree, std::vector<int> cut = {});

  Formulation formulation() const { return formulation_; }
  const std::vector<int>& cut() const { return cut_; }
  /// Whether there are constraints other than the inboard joints of the links.
  bool constrained() const { return constrained_; }

  int size() const { return static_cast<int>(parent.size()); }  ///< number of links = number of bodies
  int nq() const { return nq_; }
  int nv() const { return nv_; }
  const Mechanism& mechanism() const { return mechanism_; }

  // Arrays over links.
  std::vector<int> parent;  ///< link index, or `world`
  std::vector<JointKind> kind;
  std::vector<GroupProduct> group;  ///< of free joints
  std::vector<int> q_begin, v_begin;
  std::vector<int> body;   ///< link -> body of the mechanism
  std::vector<int> joint;  ///< link -> joint of the mechanism, -1 for an implied joint
  std::vector<char> reversed;
  /// Whether the joint is reversed and the exchange gives another kind of joint. The inverse of the declared
  /// motion then moves the link.
  std::vector<char> moves_inversely;
  std::vector<double> pitch;

  // Constant data of the recursions, in separate arrays for each pass. P is the frame M of the parent link,
  // or the world frame; F is the joint frame fixed in P; M is the joint frame fixed in the link.
  std::vector<spatial::Vec3<double>> p_PF;
  std::vector<char> aligned;  ///< R_PF is the identity
  std::vector<spatial::Mat3<double>> R_PF;
  std::vector<spatial::RigidInertia<double>> inertia;  ///< about the origin of M, axes of M
  std::vector<SE3<>> X_PF;                  ///< joint frame F in the parent's frame M, or in the world
  std::vector<SE3<>> X_MB;                  ///< body frame (at the mass centre) in the link's frame M
  std::vector<spatial::Mat3<double>> R_MB;  ///< its rotation as a matrix
  std::vector<char> centred;                ///< X_MB is the identity, as for every body in absolute form
  std::vector<char> has_side_branch;        ///< whether the link has children besides the next link
  std::vector<int> factor_begin;            ///< index of the link's part of Workspace::factor
  int factor_size = 0;

  std::vector<int> link_of_body;   ///< body of the mechanism -> link
  std::vector<int> link_of_joint;  ///< joint of the mechanism -> the link whose inboard joint it is, or -1

  // The spanning tree over links, parents first. In tree formulation it equals `parent` and `joint`; in
  // absolute formulation it is the tree that tree formulation would have.
  std::vector<int> span_parent, span_joint;
  std::vector<int> span_link_of_joint;  ///< joint of the mechanism -> its outer link in this tree, or -1

 private:
  void append_link(int parent_body, int body_index, int joint_index);

  Mechanism mechanism_;
  Formulation formulation_;
  std::vector<int> cut_;
  bool constrained_ = false;
  int nq_ = 0, nv_ = 0;
};

}  // namespace torsor
