#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/model/mechanism.hpp"

namespace torsor {

/// A coordinate of a joint that a table names.
struct NamedCoordinate {
  int joint = 0, coordinate = 0;
  std::string_view unit = "m";  ///< of the coordinate
};

/// A [[force]] or [[constraint]] table of a scene, from which the file of the law reads its data. The layer
/// `scene` implements this interface. Units, ranges and defaults are those of the scene schema. A value that
/// cannot be read is reported, and returned as absent (or zero), so that reading continues.
class LawTable {
 public:
  virtual ~LawTable() = default;

  virtual bool has(std::string_view key) const = 0;
  /// The table under a key.
  virtual std::unique_ptr<LawTable> inner(std::string_view key) const = 0;
  /// The tables of an array.
  virtual std::vector<std::unique_ptr<LawTable>> elements(std::string_view key) const = 0;

  virtual std::string text(std::string_view key) const = 0;
  virtual std::vector<std::string> texts(std::string_view key) const = 0;
  virtual bool flag(std::string_view key) const = 0;
  virtual long integer(std::string_view key) const = 0;
  virtual std::optional<double> number(std::string_view key) const = 0;
  virtual std::optional<Vec3> vec3(std::string_view key) const = 0;
  virtual std::optional<Mat3> matrix(std::string_view key) const = 0;
  /// `unit` replaces the unit of the schema where the unit depends on other keys.
  virtual TimeFunction time_function(std::string_view key, std::string_view unit = {}) const = 0;
  virtual TimeVec3 time_vec3(std::string_view key) const = 0;
  /// A unit vector.
  virtual Vec3 direction(std::string_view key) const = 0;

  /// Index of the body that a key names; `world` for "ground".
  virtual int body(std::string_view key) const = 0;
  /// The point that the keys "body" and "position" give; "body" may name a node.
  virtual BodyPoint point() const = 0;
  /// Index of the joint that a key names; nothing if it is unknown.
  virtual std::optional<int> joint(std::string_view key) const = 0;
  /// The joint and the coordinate that two keys name. Reports a coordinate that the joint does not have. A
  /// coordinate of a spherical or free joint is accepted only with `rate`: the law then uses its rate alone.
  virtual std::optional<NamedCoordinate> coordinate(std::string_view joint_key,
                                                    std::string_view coordinate_key, bool rate) const = 0;
  /// A joint that has the frames X_PF and X_CM of the table.
  virtual Joint frames() const = 0;
  /// The force or the constraint that a plugin defines.
  virtual ForceElement force_plugin() const = 0;
  virtual UserConstraint constraint_plugin() const = 0;
  /// The kind of the joint with this index.
  virtual JointKind joint_kind(int joint) const = 0;

  /// The table as messages name it, such as `force "left"`.
  virtual std::string where() const = 0;
  virtual void error(std::string_view key, const std::string& message) const = 0;

  /// The point that "body" and "position" give, where the position may depend on time.
  MovingPoint moving_point() const { return {body("body"), time_vec3("position")}; }
};

/// Reads the law of a [[force]] or of a [[constraint]] by its "kind".
void read_law(const LawTable& table, Force& force);
void read_law(const LawTable& table, Constraint& constraint);

/// Reads the law of a table by the alternative that accepts the table's `kind`. Throws std::logic_error if
/// there is none, which a scene that fits the schema cannot cause.
template <class... Laws>
void read_alternative(const LawTable& table, std::variant<Laws...>& law) {
  const std::string kind = table.text("kind");
  const auto read = [&](const auto& one) { return one.reads(kind) && (law = one.read(table), true); };
  if (!(read(Laws::kind()) || ...)) throw std::logic_error("no law reads the kind \"" + kind + "\"");
}

}  // namespace torsor
