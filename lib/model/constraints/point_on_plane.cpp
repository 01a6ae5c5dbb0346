#include "position_rows.hpp"

// A point stays at a distance from a plane.

namespace torsor::constraint {
namespace {

class PointOnPlaneKind final : public ConstraintKind<PointOnPlane> {
 public:
  bool reads(std::string_view kind) const override { return kind == "point-on-plane"; }
  PointOnPlane read(const LawTable& table) const override {
    const auto plane = table.inner("plane");
    return {table.inner("point")->moving_point(), plane->moving_point(), plane->direction("normal"),
            table.time_function("distance")};
  }

  void check(const PointOnPlane& law, Check& at) const override {
    at.point(law.point);
    at.point(law.origin);
    at.two_bodies(law.point.body, law.origin.body);
    at.direction(law.normal, "the normal");
    at.of_time(law.distance, "the distance");
  }

  std::vector<Row> rows_of(const PointOnPlane& law, const Mechanism&) const override {
    return rows({"distance"}, Row::Kind::force, moves(law.point) || moves(law.origin) || moves(law.distance));
  }

  Prepared prepare(const PointOnPlane& law, Builder& build) const override {
    auto out = std::make_unique<PositionRows>(law.origin, law.point, build);
    out->axes[0] = unit(law.normal);
    out->count = 1;
    out->distance = law.distance;
    return out;
  }

  void draw(const PointOnPlane& law, const Mechanism&, LawDrawing& out) const override {
    if (law.distance.is_constant())
      if (const auto at = still(law.origin))
        out.mark("plane", at->body,
                 {frame_along(law.normal), at->p + law.distance(0) * law.normal.normalized()});
    out.mark("point", law.point);
    out.hold(law.point);
  }
};

}  // namespace
}  // namespace torsor::constraint

namespace torsor {

const ConstraintKind<PointOnPlane>& PointOnPlane::kind() {
  static constexpr constraint::PointOnPlaneKind kind;
  return kind;
}

}  // namespace torsor
