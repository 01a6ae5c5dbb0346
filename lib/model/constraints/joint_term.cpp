#include "joint_term.hpp"

#include <algorithm>

#include "model/declared_joint.hpp"

namespace torsor::constraint {

JointTerm joint_term(int joint, int coordinate, double ratio, Builder& build) {
  const Joint& declared = build.model().mechanism().joints[joint];
  const bool in_tree = build.model().link_of_joint[joint] >= 0;
  return {build.frames(declared), coordinate, ratio, joint, !in_tree && counts_turns(declared, coordinate)};
}

void clear_row(const RowSink& out, const std::vector<JointTerm>& terms, const std::vector<BodyRef>& bodies) {
  int blocks = 0;
  const auto count = [&blocks](const BodyRef& body) { blocks = std::max(blocks, body.slot + 1); };
  for (const BodyRef& body : bodies) count(body);
  for (const JointTerm& term : terms) count(term.frames.C), count(term.frames.P);
  std::fill_n(out.J, 6 * out.rows * blocks, 0.);
  out.phi[0] = out.a0[0] = out.gamma[0] = 0;
}

void add_coordinate(const JointTerm& term, const Instant& now, const RowSink& out) {
  const PairRow row = coordinate_row(term.frames, term.coordinate, now.work);
  out.add(term.frames.C, 0, term.ratio, row.lin, row.ang_C);
  out.add(term.frames.P, 0, term.ratio, -row.lin, row.ang_P);
  out.gamma[0] += term.ratio * row.gamma;
}

}  // namespace torsor::constraint
