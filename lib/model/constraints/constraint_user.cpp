#include <algorithm>
#include <cmath>
#include <string>

#include "constraint_laws.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::constraint {
namespace {

[[noreturn]] void fail(const std::string& why) { throw EvaluationError(StepStatus::callback_failed, why); }

template <class T>
void expect(const std::vector<T>& numbers, std::size_t count, const char* name) {
  if (numbers.size() != count)
    fail(std::string("the function returned ") + std::to_string(numbers.size()) + " entries of " + name +
         ", not " + std::to_string(count));
}

bool finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

bool finite(const UserRows& rows) {
  return finite(rows.offset) && finite(rows.rate) && finite(rows.phi) &&
         std::all_of(rows.rows.begin(), rows.rows.end(), [](const auto& row) { return row.allFinite(); });
}

void look_at(const UserLaw& law, const Instant& now) {
  auto& bodies = now.values.bodies;
  bodies.resize(law.bodies.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const int link = law.bodies[k].link;
    bodies[k].X_WB = {SO3<>::from_matrix(now.work.R_WB[link]), now.work.p_WB[link]};
    bodies[k].v_W = now.work.v_WB[link], bodies[k].omega_W = now.work.w_WB[link];
  }
}

}  // namespace

void put_rows(const UserLaw& law, const Instant& now, const RowSink& out) {
  look_at(law, now);
  UserRows& user = now.values.user;
  const int rows = law.law.rows, bodies = static_cast<int>(law.bodies.size());
  user.rows.assign(rows * bodies, Vector<double, 6>::Zero());
  user.offset.assign(rows, 0);
  user.rate.assign(rows, 0);
  user.phi.assign(rows, 0);
  law.law.function(now.t, now.values.bodies, user);
  expect(user.rows, rows * bodies, "rows");
  expect(user.offset, rows, "offset");
  expect(user.rate, rows, "rate");
  expect(user.phi, rows, "phi");
  if (!finite(user)) fail("the function returned a number that is not finite");
  for (int i = 0; i < rows; ++i) {
    out.phi[i] = law.law.holonomic ? user.phi[i] : 0;
    out.a0[i] = user.offset[i], out.gamma[i] = user.rate[i];
    for (int k = 0; k < bodies; ++k)
      std::copy_n(user.rows[i * bodies + k].data(), 6, out.at(law.bodies[k], i));
  }
}

}  // namespace torsor::constraint
