#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "constraint_check.hpp"
#include "constraint_joints.hpp"
#include "model/law_drawing.hpp"
#include "model/law_table.hpp"
#include "time_values.hpp"
#include "torsor/model/constraints.hpp"

namespace torsor::constraint {

using Row = Constraints::Row;

/// The state at one instant; `values` holds scratch memory.
struct Instant {
  const Model& model;
  const Workspace<double>& work;
  double t;
  VecIn q, v;
  ConstraintValues& values;
};

/// A law of Mechanism::constraints prepared for evaluation: bodies found, vectors normalised.
class PreparedLaw {
 public:
  virtual ~PreparedLaw() = default;
  virtual void put_rows(const Instant& now, const RowSink& out) const = 0;
};
using Prepared = std::unique_ptr<const PreparedLaw>;

/// Finds the bodies and joints of one item and collects the links that it acts on, each once.
class Builder {
 public:
  Builder(const Model& model, Constraints::Item& item) : model_(model), item_(item) {}

  const Model& model() const { return model_; }
  BodyRef body(int index);
  JointFrames frames(const Joint& joint);
  /// Records that the law names this body first. Necessary only if the law calls `body` or `frames` in
  /// another order.
  void name_first(const BodyRef& body) {
    if (body.link != world) item_.first_named = body.slot;
  }
  /// Records the factor of a term of a sum.
  void add_factor(double factor, bool angle) {
    double& greatest = angle ? item_.angle_factor : item_.length_factor;
    greatest = std::max(greatest, std::abs(factor));
  }

 private:
  const Model& model_;
  Constraints::Item& item_;
};

/// The rows of a joint or a constraint.
int row_count(const Joint& joint, const Mechanism& mechanism);
std::vector<Row> rows_of(const Joint& joint, const Mechanism& mechanism);
std::vector<Row> rows_of(const Constraint& constraint, const Mechanism& mechanism);

// ---- parts that several laws use

/// Holonomic rows with these names.
std::vector<Row> rows(std::initializer_list<const char*> names, Row::Kind kind, bool rheonomic);
/// "position x", ...
const char* position_name(int axis);

inline bool moves(const TimeFunction& f) { return !f.is_constant(); }
inline bool moves(const TimeVec3& f) { return !is_constant(f); }
inline bool moves(const MovingPoint& point) { return moves(point.p); }

/// The number under a key; 1 if the key is absent. Reports the number 0 as an error.
double nonzero(const LawTable& table, std::string_view key);
/// Marks the joint whose coordinate a constraint names. `driven`: the constraint names no other coordinate,
/// so it drives this one.
void mark_coordinate(const Mechanism& mechanism, int joint, int coordinate, bool driven, LawDrawing& out);

inline Vector3 unit(const Vec3& a) { return Vector3(Vec3(a.normalized())); }
/// Two unit vectors that form a right-handed frame with the unit vector z.
std::array<Vec3, 2> tangents(const Vec3& z);

}  // namespace torsor::constraint

namespace torsor {

/// The functions of a law of constraints. The file of a law derives a class from this one and overrides the
/// functions that differ from the defaults.
template <class Law>
class ConstraintKind {
 public:
  /// Whether a [[constraint]] with this `kind` in a scene has this law.
  virtual bool reads([[maybe_unused]] std::string_view kind) const { return false; }
  virtual Law read(const LawTable&) const { return {}; }
  /// Collects the errors in the data.
  virtual void check(const Law& law, constraint::Check& at) const = 0;

  /// For each row: the kind of its multiplier, whether the row is holonomic, and whether the row depends on
  /// time.
  virtual std::vector<constraint::Row> rows_of(const Law& law, const Mechanism& mechanism) const = 0;
  /// Finds the bodies. The object that it returns computes phi, a0, gamma and the blocks of the rows.
  virtual constraint::Prepared prepare(const Law& law, constraint::Builder& build) const = 0;
  /// Whether the rows resist a common rigid motion of their bodies. Rows that act on the ground too always
  /// do.
  virtual bool resists_rigid_motion() const { return false; }

  /// Adds the marks and lines by which a replay shows the constraint.
  virtual void draw(const Law&, const Mechanism&, LawDrawing&) const {}

 protected:
  ~ConstraintKind() = default;
};

/// Calls f(kind, law) with the law of a constraint and its kind.
template <class F>
decltype(auto) with_kind(const Constraint& constraint, F&& f) {
  return std::visit([&](const auto& law) -> decltype(auto) { return f(law.kind(), law); }, constraint.law);
}

}  // namespace torsor
