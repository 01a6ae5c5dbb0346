#include "constraint_kind.hpp"
#include "torsor/lie/status.hpp"

// |b - a| = length between two points.

namespace torsor::constraint {
namespace {

class DistanceRow final : public PreparedLaw {
 public:
  DistanceRow(const Distance& law, Builder& build)
      : a_(build.body(law.a.body)),
        b_(build.body(law.b.body)),
        p_a_(law.a.p),
        p_b_(law.b.p),
        length_(law.length) {}

  void put_rows(const Instant& now, const RowSink& out) const override;

 private:
  BodyRef a_, b_;
  TimeVec3 p_a_, p_b_;
  TimeFunction length_;
};

/// With u = d / |d|:  |d|' = u . d',   |d|'' = u . d'' + (|d'|^2 - (u . d')^2) / |d|.
void DistanceRow::put_rows(const Instant& now, const RowSink& out) const {
  const PointAt a = point_at(body_at(a_, now.work), p_a_, now.t);
  const PointAt b = point_at(body_at(b_, now.work), p_b_, now.t);
  const Vector3 d = b.x - a.x, d_rate = b.v - a.v;
  const double length = norm(d);
  if (length == 0) throw EvaluationError(StepStatus::singular, "the two points coincide");
  const auto wanted = length_.with_derivatives(now.t);
  const Vector3 u = (1 / length) * d;
  const double along = dot(u, d_rate);
  const double bend = (dot(d_rate, d_rate) - along * along) / length;
  put(out, 0, a_, b_,
      {length - wanted.value, dot(u, b.a - a.a) + bend - wanted.acceleration,
       dot(u, b.own - a.own) - wanted.rate, u, cross(b.arm, u), -cross(a.arm, u)});
}

class DistanceKind final : public ConstraintKind<Distance> {
 public:
  bool reads(std::string_view kind) const override { return kind == "distance"; }
  Distance read(const LawTable& table) const override {
    return {table.inner("from")->moving_point(), table.inner("to")->moving_point(),
            table.time_function("length")};
  }

  void check(const Distance& law, Check& at) const override {
    at.point(law.a);
    at.point(law.b);
    at.two_bodies(law.a.body, law.b.body);
    at.of_time(law.length, "the length");
    at.require(!(law.length.is_constant() && law.length(0) <= 0), "the length is not positive");
  }

  std::vector<Row> rows_of(const Distance& law, const Mechanism&) const override {
    return rows({"length"}, Row::Kind::force, moves(law.a) || moves(law.b) || moves(law.length));
  }

  Prepared prepare(const Distance& law, Builder& build) const override {
    return std::make_unique<DistanceRow>(law, build);
  }

  void draw(const Distance& law, const Mechanism&, LawDrawing& out) const override {
    out.line("rod", law.a, law.b);
  }
};

}  // namespace
}  // namespace torsor::constraint

namespace torsor {

const ConstraintKind<Distance>& Distance::kind() {
  static constexpr constraint::DistanceKind kind;
  return kind;
}

}  // namespace torsor
