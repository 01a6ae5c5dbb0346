#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>

#include "constraint_kind.hpp"
#include "torsor/lie/status.hpp"

// The rows of a user's function.

namespace torsor::constraint {
namespace {

[[noreturn]] void fail(const std::string& why) { throw EvaluationError(StepStatus::callback_failed, why); }

template <class T>
void expect(const std::vector<T>& numbers, std::size_t count, const char* name) {
  if (numbers.size() != count)
    fail(std::string("the function returned ") + name + " of size " + std::to_string(numbers.size()) +
         " instead of " + std::to_string(count));
}

bool finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

bool finite(const UserRows& rows) {
  return finite(rows.offset) && finite(rows.rate) && finite(rows.phi) &&
         std::all_of(rows.rows.begin(), rows.rows.end(), [](const auto& row) { return row.allFinite(); });
}

class UserLaw final : public PreparedLaw {
 public:
  UserLaw(const UserConstraint& law, Builder& build) : law_(law) {
    for (const int index : law.bodies) bodies_.push_back(build.body(index));
  }

  void put_rows(const Instant& now, const RowSink& out) const override;

 private:
  void look_at(const Instant& now) const;

  std::vector<BodyRef> bodies_;
  UserConstraint law_;
};

void UserLaw::look_at(const Instant& now) const {
  auto& bodies = now.values.bodies;
  bodies.resize(bodies_.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const int link = bodies_[k].link;
    bodies[k].X_WB = {SO3<>::from_matrix(now.work.R_WB[link]), now.work.p_WB[link]};
    bodies[k].v_W = now.work.v_WB[link], bodies[k].omega_W = now.work.w_WB[link];
  }
}

void UserLaw::put_rows(const Instant& now, const RowSink& out) const {
  look_at(now);
  UserRows& user = now.values.user;
  const int rows = law_.rows, bodies = static_cast<int>(bodies_.size());
  user.rows.assign(rows * bodies, Vector<double, 6>::Zero());
  user.offset.assign(rows, 0);
  user.rate.assign(rows, 0);
  user.phi.assign(rows, 0);
  law_.function(now.t, now.values.bodies, user);
  expect(user.rows, rows * bodies, "rows");
  expect(user.offset, rows, "offset");
  expect(user.rate, rows, "rate");
  expect(user.phi, rows, "phi");
  if (!finite(user)) fail("the function returned a number that is not finite");
  for (int i = 0; i < rows; ++i) {
    out.phi[i] = law_.holonomic ? user.phi[i] : 0;
    out.a0[i] = user.offset[i], out.gamma[i] = user.rate[i];
    for (int k = 0; k < bodies; ++k) std::copy_n(user.rows[i * bodies + k].data(), 6, out.at(bodies_[k], i));
  }
}

class UserConstraintKind final : public ConstraintKind<UserConstraint> {
 public:
  bool reads(std::string_view kind) const override { return kind == "plugin"; }
  UserConstraint read(const LawTable& table) const override { return table.constraint_plugin(); }

  void check(const UserConstraint& law, Check& at) const override {
    at.require(bool(law.function), "no function is given");
    at.require(law.rows > 0, "it has no rows");
    at.require(!law.bodies.empty(), "it acts on no body");
    std::unordered_set<int> seen;
    for (const int index : law.bodies) {
      at.body(index);
      at.require(index != world, "the ground is listed among its bodies");
      at.require(seen.insert(index).second, "a body is listed twice");
    }
  }

  std::vector<Row> rows_of(const UserConstraint& law, const Mechanism&) const override {
    std::vector<Row> out;
    for (int i = 1; i <= law.rows; ++i)
      out.push_back({Row::Kind::mixed, law.holonomic, true, "row " + std::to_string(i)});
    return out;
  }

  Prepared prepare(const UserConstraint& law, Builder& build) const override {
    return std::make_unique<UserLaw>(law, build);
  }

  bool resists_rigid_motion() const override { return true; }

  void draw(const UserConstraint& law, const Mechanism&, LawDrawing& out) const override {
    for (const int body : law.bodies) out.mark("point", body, SE3<>::identity());
  }
};

}  // namespace
}  // namespace torsor::constraint

namespace torsor {

const ConstraintKind<UserConstraint>& UserConstraint::kind() {
  static constexpr constraint::UserConstraintKind kind;
  return kind;
}

}  // namespace torsor
