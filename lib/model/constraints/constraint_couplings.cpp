#include <algorithm>
#include <cmath>
#include <numbers>

#include "constraint_laws.hpp"
#include "torsor/model/declared_joint.hpp"

namespace torsor::constraint {
namespace {

using Term = CouplingRow::Term;

void clear(const RowSink& out, int blocks) {
  std::fill_n(out.J, 6 * out.rows * blocks, 0.);
  out.phi[0] = out.a0[0] = out.gamma[0] = 0;
}

int block_count(const BodyRef& body, int so_far) { return std::max(so_far, body.slot + 1); }

int block_count(const std::vector<Term>& terms, int count) {
  for (const Term& term : terms) count = block_count(term.frames.P, block_count(term.frames.C, count));
  return count;
}

/// Adds the row of the coordinate times the ratio.
void add_coordinate(const Term& term, const Instant& now, const RowSink& out) {
  const PairRow row = coordinate_row(term.frames, term.coordinate, now.work);
  out.add(term.frames.C, 0, term.ratio, row.lin, row.ang_C);
  out.add(term.frames.P, 0, term.ratio, -row.lin, row.ang_P);
  out.gamma[0] += term.ratio * row.gamma;
}

/// The coordinate, with full turns counted.
double coordinate(const Term& term, const Instant& now) {
  return declared_motion(now.model, term.joint, now.q, now.v, now.work).q[term.coordinate];
}

double nearest_turn(double angle, double to) {
  constexpr double turn = 2 * std::numbers::pi;
  return angle + turn * std::round((to - angle) / turn);
}

}  // namespace

void put_rows(const CouplingRow& law, const Instant& now, const RowSink& out) {
  clear(out, block_count(law.terms, 0));
  const auto wanted = law.value.with_derivatives(now.t);
  for (const Term& term : law.terms) {
    add_coordinate(term, now, out);
    out.phi[0] += term.ratio * coordinate(term, now);
  }
  if (law.terms.size() == 1 && law.terms[0].free_turns) {
    const double ratio = law.terms[0].ratio;
    out.phi[0] = ratio * nearest_turn(out.phi[0] / ratio, wanted.value / ratio);
  }
  out.phi[0] -= wanted.value;
  out.a0[0] = -wanted.rate;
  out.gamma[0] -= wanted.acceleration;
}

void put_rows(const VelocityRow& law, const Instant& now, const RowSink& out) {
  int blocks = 0;
  for (const auto& point : law.points) blocks = block_count(point.body, blocks);
  clear(out, block_count(law.rates, blocks));
  for (const auto& [body, p, c, angular, body_axes] : law.points) {
    const BodyAt at = body_at(body, now.work);
    const Vector3 c_W = body_axes ? at.R * c : c;
    if (angular) {  // c fixed in the body: c' . w = (w x c) . w = 0
      out.add(body, 0, 1, {}, c_W);
      continue;
    }
    const PointAt point = point_at(at, p);
    out.add(body, 0, 1, c_W, cross(point.arm, c_W));
    out.gamma[0] += dot(c_W, point.a) + (body_axes ? dot(cross(at.w, c_W), point.v) : 0);
  }
  for (const Term& term : law.rates) add_coordinate(term, now, out);
  const auto wanted = law.value.with_derivatives(now.t);
  out.a0[0] = -wanted.value;
  out.gamma[0] -= wanted.rate;
}

}  // namespace torsor::constraint
