#pragma once

#include "model/law_table.hpp"
#include "reading.hpp"

namespace torsor::scene {

/// A [[force]] or [[constraint]] table of a scene, as the files in lib/model/forces and lib/model/constraints
/// read it.
class SceneLawTable final : public LawTable {
 public:
  SceneLawTable(Reading& reading, TableReader table) : reading_(reading), table_(std::move(table)) {}

  bool has(std::string_view key) const override { return table_.find(key); }
  std::unique_ptr<LawTable> inner(std::string_view key) const override;
  std::vector<std::unique_ptr<LawTable>> elements(std::string_view key) const override;

  std::string text(std::string_view key) const override { return table_.text(key); }
  std::vector<std::string> texts(std::string_view key) const override { return table_.texts(key); }
  bool flag(std::string_view key) const override { return table_.flag(key); }
  long integer(std::string_view key) const override { return table_.integer(key); }
  std::optional<double> number(std::string_view key) const override { return table_.number(key); }
  std::optional<Vec3> vec3(std::string_view key) const override { return table_.vec3(key); }
  std::optional<Mat3> matrix(std::string_view key) const override { return table_.matrix(key); }
  TimeFunction time_function(std::string_view key, std::string_view unit) const override {
    return unit.empty() ? table_.time_function(key) : table_.time_function(key, unit);
  }
  TimeVec3 time_vec3(std::string_view key) const override { return table_.time_vec3(key); }
  Vec3 direction(std::string_view key) const override;

  int body(std::string_view key) const override { return reading_.body(table_, key); }
  BodyPoint point() const override { return reading_.point(table_); }
  std::optional<int> joint(std::string_view key) const override;
  std::optional<NamedCoordinate> coordinate(std::string_view joint_key, std::string_view coordinate_key,
                                            bool rate) const override;
  Joint frames() const override;
  ForceElement force_plugin() const override { return read_force_plugin(reading_, table_); }
  UserConstraint constraint_plugin() const override { return read_constraint_plugin(reading_, table_); }
  JointKind joint_kind(int joint) const override { return reading_.scene.mechanism.joints[joint].kind; }

  std::string where() const override { return table_.where(); }
  void error(std::string_view key, const std::string& message) const override { table_.error(key, message); }

 private:
  Reading& reading_;
  TableReader table_;
};

}  // namespace torsor::scene
