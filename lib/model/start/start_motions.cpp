#include <Eigen/Geometry>
#include <array>

#include "joint_fit.hpp"
#include "model/declared_joint.hpp"
#include "start_passes.hpp"

namespace torsor {
namespace {

/// Velocity of a point of a rigid body, and angular velocity of the body, world axes.
struct Twist {
  Vec3 v = Vec3::Zero(), omega = Vec3::Zero();

  /// The same motion seen at the point that lies `arm` away.
  Twist at(const Vec3& arm) const { return {v + omega.cross(arm), omega}; }
  Twist operator+(const Twist& other) const { return {v + other.v, omega + other.omega}; }
  Twist operator-(const Twist& other) const { return {v - other.v, omega - other.omega}; }
};

/// Known twists of the links at the origins of their frames M; `sure` and `wish` are as in KnownPoses
/// (start_poses.cpp).
struct KnownTwists {
  std::vector<std::optional<Twist>> sure, wish;
};

class Setting {
 public:
  Setting(const Model& model, const Start& start, const std::vector<SE3<>>& X_WM, const Vec& q,
          Contradictions& contradictions, Vec& v)
      : model_(model),
        start_(start),
        X_WM_(X_WM),
        q_(q),
        contradictions_(contradictions),
        v_(v),
        is_given_(model.size(), false) {
    for (int i = 0; i < model.size(); ++i) take_rates(i);
  }

  void settle() {
    const KnownTwists known = look_up();
    std::vector<Twist> twist(model_.size());
    for (int i = 0; i < model_.size(); ++i) {
      const int parent = model_.parent[i];
      const Twist carried = parent == world ? Twist() : twist[parent].at(from_parent(i));
      if (!is_given_[i]) fit_rates(model_, i, known_twist(i, known, carried), coordinates(i), rates(i));
      twist[i] = carried + relative(i);
      fastest_ = std::max({fastest_, twist[i].v.norm(), twist[i].omega.norm()});
      compare(i, twist[i].at(to_centre(i)));
    }
  }

 private:
  const double* coordinates(int link) const { return q_.data() + model_.q_begin[link]; }
  double* rates(int link) { return v_.data() + model_.v_begin[link]; }
  SO3<> R_WB(int link) const { return X_WM_[link].R * model_.X_MB[link].R; }
  Vec3 to_centre(int link) const { return X_WM_[link].R * model_.X_MB[link].p; }
  Vec3 from_parent(int link) const { return X_WM_[link].p - X_WM_[model_.parent[link]].p; }

  void take_rates(int link) {
    is_given_[link] = model_.kind[link] == JointKind::fixed;
    const JointStart& given = joint_start(model_, start_, link);
    if (!given.v) return;
    is_given_[link] = true;
    std::array<double, 7> q_declared, q_tree;
    std::array<double, 6> unused;
    declared_from_tree(model_, link, coordinates(link), rates(link), q_declared.data(), unused.data());
    tree_from_declared(model_, link, q_declared.data(), given.v->data(), q_tree.data(), rates(link));
  }

  /// Twist of M in F, in world axes.
  Twist relative(int link) {
    const Vector<double, 6> twist = inboard_twist(model_, link, coordinates(link), rates(link));
    const SO3<>& R = X_WM_[link].R;
    return {R * Vec3(twist.head<3>()), R * Vec3(twist.tail<3>())};
  }

  std::optional<Vec3> velocity(int link) const {
    const BodyStart& given = body_start(model_, start_, link);
    if (given.v_W || !given.v_B) return given.v_W;
    return R_WB(link) * *given.v_B;
  }
  std::optional<Vec3> angular_velocity(int link) const {
    const BodyStart& given = body_start(model_, start_, link);
    if (given.omega_W || !given.Omega) return given.omega_W;
    return R_WB(link) * *given.Omega;
  }

  KnownTwists look_up() {
    KnownTwists known;
    known.sure.resize(model_.size()), known.wish.resize(model_.size());
    for (int i = model_.size() - 1; i >= 0; --i) {
      auto &sure = known.sure[i], &wish = known.wish[i];
      const auto v = velocity(i), omega = angular_velocity(i);
      if (v && omega) sure = wish = Twist{*v, *omega}.at(-to_centre(i));
      const int parent = model_.parent[i];
      if (parent == world || !wish) continue;
      const Twist step = relative(i);
      const Vec3 arm = -from_parent(i);
      known.wish[parent] = (*wish - step).at(arm);
      if (sure && is_given_[i]) known.sure[parent] = (*sure - step).at(arm);
    }
    return known;
  }

  KnownTwist known_twist(int link, const KnownTwists& known, const Twist& carried) const {
    const bool wished = !known.sure[link] && model_.kind[link] == JointKind::free;
    const std::optional<Twist>& at_M = wished ? known.wish[link] : known.sure[link];
    std::optional<Vec3> v = velocity(link), omega = angular_velocity(link);
    const Vec3 arm = to_centre(link);
    if (at_M && !v) v = at_M->at(arm).v;
    if (at_M && !omega) omega = at_M->omega;

    const int parent = model_.parent[link];
    const SO3<> R_FW = ((parent == world ? SO3<>() : X_WM_[parent].R) * model_.X_PF[link].R).inverse();
    KnownTwist twist;
    if (v) twist.v_F = R_FW * Vec3(*v - carried.at(arm).v);
    if (omega) twist.omega_F = R_FW * Vec3(*omega - carried.omega);
    return twist;
  }

  void compare(int link, const Twist& centre) {
    using Field = Reason::Field;
    const BodyStart& given = body_start(model_, start_, link);
    const auto check = [&](const std::optional<Vec3>& value, const Vec3& found, Field field,
                           const char* quantity, const char* unit) {
      constexpr double rounding = 1e-6;  // 1e-15 of the fastest rate, at the tolerance of 1e-9
      if (value)
        contradictions_.require((found - *value).norm(),
                                std::max(unit_of_rates(value->norm()), rounding * fastest_), link, field,
                                quantity, unit);
    };
    const SO3<> R_BW = R_WB(link).inverse();
    check(given.v_W, centre.v, Field::velocity, "velocity", "m/s");
    check(given.v_B, R_BW * centre.v, Field::velocity, "velocity in body axes", "m/s");
    check(given.omega_W, centre.omega, Field::angular_velocity, "angular velocity", "rad/s");
    check(given.Omega, R_BW * centre.omega, Field::angular_velocity, "angular velocity in body axes",
          "rad/s");
  }

  const Model& model_;
  const Start& start_;
  const std::vector<SE3<>>& X_WM_;
  const Vec& q_;
  Contradictions& contradictions_;
  Vec& v_;
  std::vector<char> is_given_;  ///< over links: whether the joint's rates are given
  double fastest_ = 0;          ///< greatest velocity or angular velocity of a link, m/s or rad/s
};

}  // namespace

void move_links(const Model& model, const Start& start, const std::vector<SE3<>>& X_WM, const Vec& q,
                Contradictions& contradictions, Vec& v) {
  Setting(model, start, X_WM, q, contradictions, v).settle();
}

}  // namespace torsor
