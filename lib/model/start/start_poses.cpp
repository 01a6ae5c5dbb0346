#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "joint_fit.hpp"
#include "model/declared_joint.hpp"
#include "start_passes.hpp"

namespace torsor {
namespace {

/// Poses X_WM of the links as far as the data determine them. `sure`: given in full, or found from such a
/// pose through given joints. `wish`: also found through joints that are not given, at their zero
/// coordinates.
struct KnownPoses {
  std::vector<std::optional<SE3<>>> sure, wish;
};

class Placement {
 public:
  Placement(const Model& model, const Start& start, Contradictions& contradictions, Vec& q)
      : model_(model), start_(start), contradictions_(contradictions), q_(q), is_given_(model.size(), false) {
    for (int i = 0; i < model.size(); ++i) take_coordinates(i);
    for (std::size_t j = 0; j < start.joints.size(); ++j) {
      if (model.link_of_joint[j] >= 0 || !start.joints[j].q) continue;
      const Joint& at = model.mechanism().joints[j];
      for (const int body : {at.parent, at.child})
        if (body != world) loop_joints_[body].push_back(static_cast<int>(j));
    }
  }

  void settle() {
    KnownPoses known = look_up();
    std::vector<SE3<>> X_WM(model_.size());
    for (int i = 0; i < model_.size(); ++i) {
      if (!known.sure[i] && model_.joint[i] < 0) known.sure[i] = through_loop_joint(i, X_WM);
      const int parent = model_.parent[i];
      const SE3<> X_WF = parent == world ? model_.X_PF[i] : X_WM[parent] * model_.X_PF[i];
      if (!is_given_[i]) {
        fit_coordinates(model_, i, known_pose(i, known, X_WF), coordinates(i));
        add_turns(i);
      }
      X_WM[i] = X_WF * joint(i);
      const SE3<> X_WB = X_WM[i] * model_.X_MB[i];
      reach_ = std::max({reach_, X_WM[i].p.norm(), X_WB.p.norm()});
      compare(i, X_WB);
    }
  }

 private:
  double* coordinates(int link) { return q_.data() + model_.q_begin[link]; }
  SE3<> joint(int link) { return inboard_pose(model_, link, coordinates(link)); }

  void take_coordinates(int link) {
    is_given_[link] = model_.kind[link] == JointKind::fixed;
    const JointStart& given = joint_start(model_, start_, link);
    if (!given.q) return;
    is_given_[link] = true;
    Vec q_declared = *given.q;
    if (joint_type(model_.kind[link]).quaternion) q_declared.tail<4>().normalize();
    const std::array<double, 6> no_rates{};
    std::array<double, 6> unused;
    tree_from_declared(model_, link, q_declared.data(), no_rates.data(), coordinates(link), unused.data());
  }

  /// Adds full turns, so that the angles are those within half a turn of Joint::angles_near.
  void add_turns(int link) {
    if (model_.joint[link] < 0) return;
    const Joint& at = model_.mechanism().joints[model_.joint[link]];
    if (at.angles_near == std::array<double, 2>{}) return;
    constexpr double turn = 2 * std::numbers::pi;
    const std::array<double, 6> no_rates{};
    std::array<double, 6> unused;
    std::array<double, 7> declared;
    declared_from_tree(model_, link, coordinates(link), no_rates.data(), declared.data(), unused.data());
    std::size_t i = 0;
    for (const int k : counted_coordinates(at))
      declared[k] += turn * std::rint((at.angles_near[i++] - declared[k]) / turn);
    tree_from_declared(model_, link, declared.data(), no_rates.data(), coordinates(link), unused.data());
  }

  KnownPoses look_up() {
    KnownPoses known;
    known.sure.resize(model_.size()), known.wish.resize(model_.size());
    for (int i = model_.size() - 1; i >= 0; --i) {
      const BodyStart& given = body_start(model_, start_, i);
      auto &sure = known.sure[i], &wish = known.wish[i];
      if (given.x && given.R) sure = wish = SE3<>(given.R->normalized(), *given.x) * model_.X_MB[i].inverse();
      const int parent = model_.parent[i];
      if (parent == world || !wish) continue;
      const SE3<> X_MP = (model_.X_PF[i] * joint(i)).inverse();
      known.wish[parent] = *wish * X_MP;
      if (sure && is_given_[i]) known.sure[parent] = *sure * X_MP;
    }
    return known;
  }

  /// The pose X_WM of a link from the ground or an earlier link, through a joint outside the tree whose
  /// coordinates are given; nothing if there is none.
  std::optional<SE3<>> through_loop_joint(int link, const std::vector<SE3<>>& X_WM) const {
    const auto joints = loop_joints_.find(model_.body[link]);
    if (joints == loop_joints_.end()) return {};
    for (const int j : joints->second) {
      const Joint& at = model_.mechanism().joints[j];
      const bool outward = at.child == model_.body[link];
      const int other = outward ? at.parent : at.child;
      const int from = other == world ? -1 : model_.link_of_body[other];
      if (from >= link) continue;
      Vec q = *start_.joints[j].q;
      if (joint_type(at.kind).quaternion) q.tail<4>().normalize();
      const SE3<> X_PC = at.X_PF * joint_pose(at.kind, at.pitch, q.data()) * at.X_CM.inverse();
      const SE3<> X_WO = from < 0 ? SE3<>() : X_WM[from] * model_.X_MB[from];
      return X_WO * (outward ? X_PC : X_PC.inverse()) * model_.X_MB[link].inverse();
    }
    return {};
  }

  KnownPose known_pose(int link, const KnownPoses& known, const SE3<>& X_WF) const {
    const BodyStart& given = body_start(model_, start_, link);
    const bool wished = !known.sure[link] && model_.kind[link] == JointKind::free;
    const std::optional<SE3<>>& X_WM = wished ? known.wish[link] : known.sure[link];
    const SE3<> X_FW = X_WF.inverse();
    KnownPose pose;
    if (X_WM) {
      const SE3<> X_FB = X_FW * *X_WM * model_.X_MB[link];
      pose = {X_FB.p, X_FB.R};
    }
    if (given.x) pose.x_F = X_FW * *given.x;
    if (given.R) pose.R_FB = X_FW.R * given.R->normalized();
    return pose;
  }

  void compare(int link, const SE3<>& X_WB) {
    using Field = Reason::Field;
    const BodyStart& given = body_start(model_, start_, link);
    if (given.x)
      contradictions_.require((X_WB.p - *given.x).norm(), unit_of_lengths(given.x->norm(), reach_), link,
                              Field::position, "position", "m");
    if (given.R)
      contradictions_.require((X_WB.R.inverse() * given.R->normalized()).log().norm(), 1, link,
                              Field::attitude, "attitude", "rad");
  }

  const Model& model_;
  const Start& start_;
  Contradictions& contradictions_;
  Vec& q_;
  std::vector<char> is_given_;  ///< over links: whether the joint's coordinates are given
  /// By body: its joints outside the tree whose coordinates are given, in ascending order.
  std::map<int, std::vector<int>> loop_joints_;
  double reach_ = 0;  ///< greatest distance of a link or its mass centre from the origin, m
};

}  // namespace

void place_links(const Model& model, const Start& start, Contradictions& contradictions, Vec& q) {
  Placement(model, start, contradictions, q).settle();
}

}  // namespace torsor
