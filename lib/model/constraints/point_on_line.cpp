#include "position_rows.hpp"

// A point stays on a line.

namespace torsor::constraint {
namespace {

class PointOnLineKind final : public ConstraintKind<PointOnLine> {
 public:
  bool reads(std::string_view kind) const override { return kind == "point-on-line"; }
  PointOnLine read(const LawTable& table) const override {
    const auto line = table.inner("line");
    return {table.inner("point")->moving_point(), line->moving_point(), line->direction("direction")};
  }

  void check(const PointOnLine& law, Check& at) const override {
    at.point(law.point);
    at.point(law.origin);
    at.two_bodies(law.point.body, law.origin.body);
    at.direction(law.direction, "the direction");
  }

  std::vector<Row> rows_of(const PointOnLine& law, const Mechanism&) const override {
    return rows({"across 1", "across 2"}, Row::Kind::force, moves(law.point) || moves(law.origin));
  }

  Prepared prepare(const PointOnLine& law, Builder& build) const override {
    auto out = std::make_unique<PositionRows>(law.origin, law.point, build);
    const auto [x, y] = tangents(law.direction.normalized());
    out->axes = {Vector3(x), Vector3(y), {}};
    out->count = 2;
    return out;
  }

  void draw(const PointOnLine& law, const Mechanism&, LawDrawing& out) const override {
    out.mark("rail", law.origin, law.direction);
    out.mark("point", law.point);
    out.hold(law.point), out.hold(law.origin);
  }
};

}  // namespace
}  // namespace torsor::constraint

namespace torsor {

const ConstraintKind<PointOnLine>& PointOnLine::kind() {
  static constexpr constraint::PointOnLineKind kind;
  return kind;
}

}  // namespace torsor
