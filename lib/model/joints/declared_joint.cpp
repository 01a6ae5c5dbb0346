#include "model/declared_joint.hpp"

#include <algorithm>
#include <array>

#include "model/detail/local_kinematics.hpp"

namespace torsor {
Vector<double, 6> joint_twist(JointKind kind, GroupProduct group, double pitch, const double* q,
                              const double* v) {
  return with_joint(kind, [&]<class Kind>(Kind) { return joints::twist_of<Kind>(group, pitch, q, v); });
}

SE3<> inboard_pose(const Model& model, int link, const double* q) {
  const SE3<> X = joint_pose(model.kind[link], model.pitch[link], q);
  return model.moves_inversely[link] ? X.inverse() : X;
}

Vector<double, 6> inboard_twist(const Model& model, int link, const double* q, const double* v) {
  Vector<double, 6> twist = joint_twist(model.kind[link], model.group[link], model.pitch[link], q, v);
  if (!model.moves_inversely[link]) return twist;
  return -joint_pose(model.kind[link], model.pitch[link], q).Ad(twist);
}

void inboard_coordinates(const Model& model, int link, const SE3<>& X_FM, double* q) {
  joint_coordinates(model.kind[link], model.pitch[link], model.moves_inversely[link] ? X_FM.inverse() : X_FM,
                    q);
}

void declared_from_tree(const Model& model, int link, const double* q, const double* v, double* q_declared,
                        double* v_declared) {
  const JointKind kind = model.kind[link];
  if (!has_declared_coordinates(model, link))
    return joint_type(kind).seen_from_child(model.group[link], model.pitch[link], q, v, q_declared,
                                            v_declared);
  std::copy_n(q, coordinate_count(kind), q_declared);
  std::copy_n(v, freedom_count(kind), v_declared);
}

void tree_from_declared(const Model& model, int link, const double* q_declared, const double* v_declared,
                        double* q, double* v) {
  declared_from_tree(model, link, q_declared, v_declared, q, v);  // the conversion is its own inverse
}

void tree_force_from_declared(const Model& model, int link, const double* q, const double* tau_declared,
                              double* tau) {
  const int n = freedom_count(model.kind[link]);
  if (has_declared_coordinates(model, link)) {
    std::copy_n(tau_declared, n, tau);
    return;
  }
  std::array<double, 7> q_declared;
  std::array<double, 6> unit{}, rates{};
  for (int k = 0; k < n; ++k) {
    unit[k] = 1;
    declared_from_tree(model, link, q, unit.data(), q_declared.data(), rates.data());
    unit[k] = 0;
    tau[k] = 0;
    for (int l = 0; l < n; ++l) tau[k] += rates[l] * tau_declared[l];
  }
}

}  // namespace torsor
