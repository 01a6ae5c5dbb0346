#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torsor/model/workspace.hpp"

namespace torsor {

/// All errors in the constraints of a mechanism, one sentence each, which names the constraint; empty if the
/// constraints can be evaluated. `Model` rejects a mechanism with such errors.
Reasons why_constraints_invalid(const Mechanism& mechanism);

class Feedback;

/// All constraint rows of a model at one instant, as Pfaffian forms on the velocities of the bodies. V_k =
/// (v, w) is the velocity of the mass centre and the angular velocity of body k, world axes:
///
///   sum_k J_k V_k + a0 = 0,      sum_k J_k V'_k + gamma = 0,      phi = 0 where the row is holonomic.
struct ConstraintValues {
  std::vector<double> phi, a0, gamma;  ///< over rows; phi is 0 for rows that are not holonomic
  /// J of all blocks, each row-major rows x 6; block b starts at Constraints::block_offset()[b].
  std::vector<double> blocks;

  const Feedback* feedback = nullptr;  ///< for laws that are functions of the state

  // Input and output of users' functions.
  std::vector<BodyKinematics> bodies;
  UserRows user;
};

/// The constraint rows of a model: the rows of the mechanism's joints and of its `constraints`.
///
/// Every joint of the mechanism has one row for each degree of freedom that it removes (a free joint has
/// none, a translation joint three unless it carries a particle). Joints of the spanning tree have rows too
/// (their phi stays 0 up to rounding in tree form), so the rows and the multipliers of a mechanism are the
/// same in both formulations. Rows are orthonormal directions of force or of torque; the rows of a joint lie
/// along the axes of its frame F. The least norm of the multipliers, with torques divided by one length,
/// therefore does not depend on the frames. The wrench of a row on body k, at its mass centre, is J_k^T
/// lambda.
///
/// J is the exact derivative of phi on and off the constraint, so that Newton's method converges
/// quadratically. With e a unit vector of F, d from the origin of F to that of M, and x_F ... z_M the unit
/// vectors of the two frames:
///
///   position    phi = e . d
///   direction   phi = -a . b for a fixed in F, b in M that stay perpendicular; J is along a x b
///   attitude    phi = 2 e . vec of the quaternion (w > 0) of R_FM, whose only root is R_FM = I
///   angle       atan2(x_M . y_F - y_M . x_F, x_M . x_F + y_M . y_F), rate (z_F + z_M) . w / (1 + z_F . z_M)
///
/// Where z_M should stay along z_F but the angle between them exceeds 60 degrees, the two rows have the phi
/// of the attitude instead. The phi of the direction vanishes at half a turn too, and Newton's method could
/// converge to this root.
class Constraints {
 public:
  /// One joint or one constraint.
  struct Item {
    std::string name;                 ///< as the user wrote it, else "joint 3" (from 1)
    int joint = -1, constraint = -1;  ///< index in the mechanism; one of them is -1
    int row_begin = 0, rows = 0;
    int block_begin = 0;  ///< first of its blocks; it has one for each link
    /// The links that it acts on, without the ground. The outer link of a tree joint comes first.
    std::vector<int> links;
    bool tree = false;      ///< inboard joint of a link of the tree
    bool grounded = false;  ///< acts on the ground too
    int first_named = 0;    ///< index in `links` of the first body that the law names, without the ground
    /// Of a law that is a sum of terms: the greatest factors of terms in m or m/s, and in rad or rad/s.
    double length_factor = 0, angle_factor = 0;
    Part part() const { return joint >= 0 ? joint_part(joint) : constraint_part(constraint); }
  };
  struct Row {
    enum class Kind : char { force, torque, mixed };
    Kind kind = Kind::force;  ///< unit of the multiplier: N, N m; mixed: depends on the law
    bool holonomic = true;    ///< written with a phi; false for velocity constraints, even integrable ones
    bool rheonomic = false;   ///< depends on time explicitly
    std::string what = {};    ///< name among the rows of its item: "position x", "turn about y", "slip 1"
    bool drives = false;      ///< prescribes a velocity other than 0, so that its reaction does work
  };

  explicit Constraints(const Model& model);

  const std::vector<Item>& items() const { return items_; }
  const std::vector<Row>& rows() const { return rows_; }
  int size() const { return static_cast<int>(rows_.size()); }
  /// Index in ConstraintValues::blocks of the first number of block b.
  const std::vector<int>& block_offset() const { return block_offset_; }

  /// All rows at (t, q, v), after forward_kinematics for (q, v). Throws EvaluationError: callback_failed
  /// if a user's function throws or returns a number that is not finite, singular if the direction of a law
  /// is undefined (a rod of length zero, a disk that lies flat), non_finite for any other row that is not
  /// finite. Each error names the constraint and t.
  ///
  /// Each thread needs its own `values`: besides the results it holds the scratch memory of users' functions.
  /// Only joint couplings and values that are functions of the state use q and v. Couplings count full turns
  /// of an angle: from q for a tree joint, from the workspace for any other joint (declared_motion), from the
  /// law of the driver for a joint with a driver.
  void evaluate(double t, VecIn q, VecIn v, const Workspace<double>& work, ConstraintValues& values) const;

 private:
  struct Plan;

  void throw_for_cause(double t, const ConstraintValues& values) const;

  const Model* model_;
  std::vector<Item> items_;
  std::vector<Row> rows_;
  std::vector<int> block_offset_;
  std::shared_ptr<const Plan> plan_;  ///< the rows prepared for evaluation; copies share it
};

/// Rows A(q, t) v + a0(q, t) = 0 on a Lie group, as forms A theta + a0 dt on configurations and time. theta
/// are the left-invariant forms: v = theta(q').
struct PfaffianSystem {
  int velocities = 0;
  std::vector<char> exact;  ///< over rows: the row has a phi, so it is integrable
  std::function<void(double t, const Vec& q, Eigen::MatrixXd& A, Vec& a0)> rows;
  std::function<void(const Vec& q, const Vec& xi, Vec& q_next)> retract;  ///< q exp(xi)
  /// Inverse of the left-trivialised derivative of exp. It gives the bracket:
  /// dexp_inv(u, w) - dexp_inv(-u, w) = [u, w].
  std::function<void(const Vec& xi, const Vec& w, Vec& out)> dexp_inv;
};

/// The rows of the constraints of a model, with velocities in `unit` (m) per second and in rad/s. Keeps
/// references to both arguments.
PfaffianSystem pfaffian_system(const Model& model, const Constraints& constraints, double unit = 1);

struct SamplePoint {
  double t = 0;
  Vec q;
};

enum class Integrable : char { no, yes, in_doubt };

/// Over rows, `yes` where the row is holonomic, even if it was written as a velocity constraint: its form
/// lies in the last term of the derived flag of all rows,
///
///   I_0 = span of the forms,   I_k+1 = { theta in I_k : d theta = 0 modulo I_k },
///
/// which is the greatest integrable system in the span of the forms (Frobenius; Bryant, Chern, Gardner,
/// Goldschmidt, Griffiths, Exterior Differential Systems, II.4). The points must satisfy the holonomic rows
/// and should be random: a row is holonomic if it lies in the last term at all points. With left-invariant
/// fields
///
///   d theta(X, Y) = X theta(Y) - Y theta(X) - theta([X, Y]).
///
/// Derivatives are central differences of order 4 with steps of 3e-3, in units of the velocities and of the
/// time. The error of the differences can hide that d theta = 0, if coefficients vary fast. Therefore a row
/// that is not found to be holonomic is tested again with steps of 1e-4 and 3e-6. A row that is holonomic by
/// one of these steps must be so by 0.618 of this step too, otherwise it is `in_doubt`: differences at equal
/// distances can miss a coefficient with this period. The method uses dense matrices. Each term costs 4 d
/// times the evaluations of the term before it, where d is the number of degrees of freedom plus one for
/// time; parts of the mechanism whose rows do not depend on each other are examined separately.
std::vector<Integrable> integrable_rows(const PfaffianSystem& system, const std::vector<SamplePoint>& points);

}  // namespace torsor
