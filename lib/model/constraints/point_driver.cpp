#include "position_rows.hpp"

// A point follows a target along some axes.

namespace torsor::constraint {
namespace {

class PointDriverKind final : public ConstraintKind<PointDriver> {
 public:
  bool reads(std::string_view kind) const override { return kind == "point-driver"; }
  PointDriver read(const LawTable& table) const override {
    PointDriver law{
        table.inner("point")->moving_point(), table.inner("target")->moving_point(), {false, false, false}};
    for (const std::string& axis : table.texts("along"))
      if (axis.size() == 1 && axis[0] >= 'x' && axis[0] <= 'z') law.along[axis[0] - 'x'] = true;
    return law;
  }

  void check(const PointDriver& law, Check& at) const override {
    at.point(law.point);
    at.point(law.target);
    at.two_bodies(law.point.body, law.target.body);
    at.require(law.along[0] || law.along[1] || law.along[2], "no axis is driven");
  }

  std::vector<Row> rows_of(const PointDriver& law, const Mechanism&) const override {
    std::vector<Row> out;
    for (int i = 0; i < 3; ++i)
      if (law.along[i])
        out.push_back({Row::Kind::force, true, moves(law.point) || moves(law.target), position_name(i)});
    return out;
  }

  Prepared prepare(const PointDriver& law, Builder& build) const override {
    auto out = std::make_unique<PositionRows>(law.target, law.point, build);
    for (int i = 0; i < 3; ++i)
      if (law.along[i]) out->axes[out->count++] = Vector3(Vec3(Vec3::Unit(i)));
    return out;
  }

  void draw(const PointDriver& law, const Mechanism&, LawDrawing& out) const override {
    out.mark("point", law.point);
    out.hold(law.point);
  }
};

}  // namespace
}  // namespace torsor::constraint

namespace torsor {

const ConstraintKind<PointDriver>& PointDriver::kind() {
  static constexpr constraint::PointDriverKind kind;
  return kind;
}

}  // namespace torsor
