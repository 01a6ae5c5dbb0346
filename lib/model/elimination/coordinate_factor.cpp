#include "coordinate_factor.hpp"

#include <algorithm>

#include "coordinate_kernels.hpp"

namespace torsor::model_detail {
namespace {

/// Limit of a diagonal number of the mass matrix, or of `carried_`, divided by the pivot. Above this limit,
/// five digits are lost.
constexpr double inaccurate_above = 1e5;

/// Limit of the pivot divided by a diagonal number of the mass matrix. Above this limit, sizes of rows are
/// too large by two digits, as many as an accurate solution of loops may lose (kkt.cpp). Rows of gears can
/// make the pivot of a light body this large.
constexpr double enlarged_above = 100;

/// Bytes of the level-2 cache, of which processors of x86-64 have 0.25 to 2 MB for each core. A mechanism
/// that exceeds it fetches the numbers of the body that is `fetched_ahead` places ahead, because processors
/// do not predict the addresses of blocks that are not contiguous. For a smaller mechanism this would take
/// 5 % longer.
constexpr std::size_t cache = 1 << 20;
constexpr int fetched_ahead = 12;  // with 4 to 12 places, ladders of 10 000 loops took about the same time

inline void fetch(const double* begin, int numbers) {
  constexpr int line = 64 / sizeof(double);  // 64 bytes: a cache line
  for (int i = 0; i < numbers + line - 1; i += line) __builtin_prefetch(begin + i);
}

/// Calls use(std::integral_constant<int, rows>) for the number of rows of a joint, from 1 to 5.
template <class Use>
[[gnu::always_inline]] inline void with_joint_rows(int rows, Use use) {
  with_rows(rows, [&](auto count) {
    if constexpr (count() < 6) use(count);
  });
}

}  // namespace

CoordinateFactor::CoordinateFactor(const KktGraph& graph, const JointCoordinates& joints)
    : plan_(graph, joints),
      factor_(plan_),
      inverse_mass_(static_cast<std::size_t>(plan_.unknowns)),
      carried_(inverse_mass_.size()),
      work_(inverse_mass_.size()) {
  place_bodies(graph, joints);
  find_complete(joints);
  metric_.resize(bodies_.size());
  f_.resize(6 * bodies_.size());
  // G; K and the blocks of A, of which a body in loops has about two; X; the factor
  exceeds_cache_ =
      sizeof(double) * (36 * bodies_.size() + 3 * K_.size() + X_.size() + factor_.numbers().size()) > cache;
}

void CoordinateFactor::place_bodies(const KktGraph& graph, const JointCoordinates& joints) {
  std::vector<int> row_of(graph.constraints.size()), index(graph.parent.size(), -1);
  std::vector<long> value_of(graph.constraints.size());
  std::vector<std::vector<std::pair<int, long>>> blocks_on(graph.parent.size());
  for (int c = 0; c + 1 < static_cast<int>(plan_.block_begin.size()); ++c)
    for (int b = plan_.block_begin[c]; b < plan_.block_begin[c + 1]; ++b)
      blocks_on[plan_.block_body[b]].emplace_back(c, plan_.block_value[b]);
  int row = 0;
  long value = 0;
  for (std::size_t c = 0; c < graph.constraints.size(); ++c) {
    const KktGraph::Constraint& constraint = graph.constraints[c];
    row_of[c] = row, value_of[c] = value;
    row += constraint.rows;
    value += 6L * constraint.rows * static_cast<long>(constraint.bodies.size());
  }
  for (const int at : joints.order) {
    const int c = joints.joint[at];
    const KktGraph::Constraint& joint = graph.constraints[c];
    Body body{};
    body.body = at, body.parent = graph.parent[at];
    body.parent_index = body.parent < 0 ? -1 : index[body.parent];
    body.row = row_of[c], body.rows = joint.rows;
    body.parent_block = -1;
    for (std::size_t b = 0; b < joint.bodies.size(); ++b)
      (joint.bodies[b] == at ? body.block : body.parent_block) =
          value_of[c] + 6L * joint.rows * static_cast<long>(b);
    body.K = static_cast<long>(K_.size()), body.X = static_cast<long>(X_.size());
    body.joints = static_cast<int>(joints.path[at].size());
    body.unknown = static_cast<int>(unknown_.size());
    body.metric = static_cast<int>(metric_to_.size());
    body.own = static_cast<int>(diagonal_.size());
    place_metric(joints, at);
    body.unknowns = static_cast<int>(unknown_.size()) - body.unknown;
    K_.resize(K_.size() + 6 * static_cast<std::size_t>(body.rows));
    X_.resize(X_.size() + 6 * static_cast<std::size_t>(body.unknowns));
    body.block_begin = static_cast<int>(blocks_.size());
    for (const auto& [constraint, at_value] : blocks_on[at]) place_blocks(joints, at, constraint, at_value);
    body.block_end = static_cast<int>(blocks_.size());
    index[at] = static_cast<int>(bodies_.size());
    bodies_.push_back(body);
  }
}

/// Sets for each body the last body that adds numbers to the pivots of its path.
void CoordinateFactor::find_complete(const JointCoordinates& joints) {
  std::vector<int> last(joints.path.size());
  for (int k = 0; k < static_cast<int>(bodies_.size()); ++k)
    for (const int on : joints.path[bodies_[k].body]) last[on] = k;
  for (Body& body : bodies_)
    for (const int on : joints.path[body.body]) body.complete = std::max(body.complete, last[on]);
}

void CoordinateFactor::place_metric(const JointCoordinates& joints, int body) {
  const auto& path = joints.path[body];
  const auto pivot_of = [this](int node) -> const Elimination::Pivot& {
    return plan_.pivots[plan_.place_of_node[node]];
  };
  for (const int on : path)
    for (int i = 0; i < joints.freedoms[on]; ++i) {
      unknown_.push_back(pivot_of(on).row + i);
      for (const int other : path) {
        if (other == on) break;
        const auto entry = plan_.between(on, other);
        for (int j = 0; j < joints.freedoms[other]; ++j)
          metric_to_.push_back(entry.to + (entry.transposed ? j * entry.stride + i : i * entry.stride + j));
      }
      const auto& pivot = pivot_of(on);
      for (int j = 0; j <= i; ++j) metric_to_.push_back(pivot.diagonal + i * pivot.stride + j);
      if (on == body) diagonal_.emplace_back(pivot.row + i, metric_to_.back());
    }
}

/// The blocks of the other constraints on a body with joint coordinates.
void CoordinateFactor::place_blocks(const JointCoordinates& joints, int body, int constraint, long value) {
  const int node = plan_.bodies + constraint;
  const auto& pivot = plan_.pivots[plan_.place_of_node[node]];
  blocks_.push_back(
      {plan_.constraint_row[constraint], pivot.row, pivot.size, value, static_cast<int>(columns_.size())});
  for (const int on : joints.path[body]) {
    const auto entry = plan_.between(node, on);
    for (int j = 0; j < joints.freedoms[on]; ++j)
      columns_.push_back(entry.transposed ? Column{entry.to + j * entry.stride, 1, entry.sign}
                                          : Column{entry.to + j, entry.stride, entry.sign});
  }
}

/// The sizes of the rows on a body are added as soon as the numbers m_j of its path are complete.
bool CoordinateFactor::factor(const double* G, const double* A, const BlockFactor::Rules& rules) {
  factor_.clear();
  std::fill(carried_.begin(), carried_.end(), 0.);
  auto measured = bodies_.begin();
  for (int k = 0; k < static_cast<int>(bodies_.size()); ++k) {
    fetch_body(k + fetched_ahead, G, A);
    const Body& body = bodies_[k];
    metric_[k] = BodyMetric::read(G + 36L * body.body);
    bool independent = true;
    with_joint_rows(body.rows, [&](auto rows) { independent = resolve<rows()>(body, A); });
    if (!independent || !metric_[k].is_positive()) return false;
    add_metric(body, metric_[k]);
    add_blocks(body, A);
    for (; measured != bodies_.end() && measured->complete <= k; ++measured)
      add_sizes(*measured, metric_[measured - bodies_.begin()], A);
  }
  factor_.factor(G, A, rules);
  return accurate();
}

template <int R>
bool CoordinateFactor::resolve(const Body& body, const double* A) {
  const int inner = body.unknowns - (6 - R);
  double* const X = X_.data() + body.X;
  Row<6> K[R];
  const bool independent = resolve_joint<R>(A + body.block, K, X + 6 * inner);
  each<R>([&](auto i) { K[i].write(K_.data() + body.K + 6 * i); });
  if (inner == 0) return independent;
  Row<6> P[R];
  each<R>([&](auto i) { P[i] = Row<6>::read(A + body.parent_block + 6 * i); });
  const double* const X_p = X_.data() + bodies_[body.parent_index].X;
  for (int j = 0; j < inner; ++j) {
    const auto x = Row<6>::read(X_p + 6 * j);
    combine<R>(K, [&](auto i) { return -dot(P[i], x); }).write(X + 6 * j);
  }
  return independent;
}

void CoordinateFactor::add_metric(const Body& body, const BodyMetric& metric) {
  double* const numbers = factor_.numbers().data();
  const double* const X = X_.data() + body.X;
  const long* to = metric_to_.data() + body.metric;
  for (int i = 0; i < body.unknowns - (6 - body.rows); ++i) {
    const auto X_p = Row<6>::read(X_.data() + bodies_[body.parent_index].X + 6 * i);
    carried_[unknown_[body.unknown + i]] += dot(metric.times(X_p), X_p);
  }
  for (int i = 0; i < body.unknowns; ++i) {
    const Row<6> GX = metric.times(Row<6>::read(X + 6 * i));
    for (int j = 0; j <= i; ++j) numbers[*to++] += dot(GX, Row<6>::read(X + 6 * j));
  }
}

void CoordinateFactor::add_blocks(const Body& body, const double* A) {
  double* const numbers = factor_.numbers().data();
  const double* const X = X_.data() + body.X;
  for (int b = body.block_begin; b < body.block_end; ++b) {
    const Block& block = blocks_[b];
    const Column* const columns = columns_.data() + block.column;
    for (int i = 0; i < block.rows; ++i) {
      const auto a = Row<6>::read(A + block.value + 6 * i);
      for (int j = 0; j < body.unknowns; ++j)
        numbers[columns[j].to + i * columns[j].step] += columns[j].sign * dot(a, Row<6>::read(X + 6 * j));
    }
  }
}

/// Only unknowns that are eliminated before the row have terms in its pivot.
void CoordinateFactor::add_sizes(const Body& body, const BodyMetric& metric, const double* A) {
  for (int k = 0; k < 6 - body.rows; ++k) {
    const auto [unknown, at] = diagonal_[body.own + k];
    inverse_mass_[unknown] = 1 / factor_.numbers()[at];
  }
  if (body.block_begin == body.block_end) return;
  double share[6];  // |X_j|^2 / m_j
  for (int j = 0; j < body.unknowns; ++j) {
    const auto X_j = Row<6>::read(X_.data() + body.X + 6 * j);
    share[j] = dot(X_j, metric.times(X_j)) * inverse_mass_[unknown_[body.unknown + j]];
  }
  const InverseMetric inverse(metric);
  for (int b = body.block_begin; b < body.block_end; ++b) {
    const Block& block = blocks_[b];
    double greatest = 0;
    for (int j = 0; j < body.unknowns; ++j)
      if (columns_[block.column + j].sign > 0) greatest = std::max(greatest, share[j]);
    for (int i = 0; i < block.rows; ++i) {
      const double size = greatest * inverse.square(A + block.value + 6 * i);
      factor_.add_size(block.row, i, size, 2 * body.joints * size);
    }
  }
}

/// X has rounding errors relative to the motion of the parent, also where the body does not follow it. So the
/// pivot of an unknown must not be small beside `carried_`, the sum of X^T G X with the X of the parent of
/// each body. The factor has the inverse pivots on the diagonal.
bool CoordinateFactor::accurate() const {
  return std::all_of(diagonal_.begin(), diagonal_.end(), [this](const auto& one) {
    const auto [unknown, at] = one;
    const double inverse_pivot = factor_.numbers()[at];
    return inverse_pivot > 0 && inverse_pivot < inaccurate_above * inverse_mass_[unknown] &&
           inverse_mass_[unknown] < enlarged_above * inverse_pivot &&
           inverse_pivot * carried_[unknown] < inaccurate_above;
  });
}

void CoordinateFactor::solve(const double* A, const double* r, const double* s, double* x, double* y) const {
  for (const auto& pivot : plan_.pivots)
    if (pivot.sign < 0)
      std::copy_n(s + plan_.first_row(pivot), pivot.size, work_.begin() + pivot.row);
    else if (pivot.size == 6)
      std::copy_n(r + 6 * pivot.node, 6, work_.begin() + pivot.row);
    else
      std::fill_n(work_.begin() + pivot.row, pivot.size, 0.);
  for (int k = 0; k < static_cast<int>(bodies_.size()); ++k)
    with_joint_rows(bodies_[k].rows, [&](auto rows) { start_solution<rows()>(k, A, r, s, x); });
  factor_.solve(work_.data());
  for (const auto& pivot : plan_.pivots)
    if (pivot.sign < 0)
      for (int i = 0; i < pivot.size; ++i) y[plan_.first_row(pivot) + i] = -work_[pivot.row + i];
    else if (pivot.size == 6)
      std::copy_n(work_.begin() + pivot.row, 6, x + 6 * pivot.node);
  std::fill(f_.begin(), f_.end(), 0.);
  for (int k = static_cast<int>(bodies_.size()); k-- > 0;)
    with_joint_rows(bodies_[k].rows, [&](auto rows) { end_solution<rows()>(k, A, r, x, y); });
}

/// Fetches the numbers of a body for the factorisation, or, without G, for a solution.
void CoordinateFactor::fetch_body(int index, const double* G, const double* A) const {
  if (!exceeds_cache_ || index < 0 || index >= static_cast<int>(bodies_.size())) return;
  const Body& body = bodies_[index];
  fetch(K_.data() + body.K, 6 * body.rows);
  if (body.parent >= 0) fetch(A + body.parent_block, 6 * body.rows);
  for (int b = body.block_begin; b < body.block_end; ++b) fetch(A + blocks_[b].value, 6 * blocks_[b].rows);
  if (!G) return;
  fetch(G + 36L * body.body, 36);
  fetch(A + body.block, 6 * body.rows);
}

/// x = c; the right-hand sides become X^T (r - G c) and s - A c.
template <int R>
[[gnu::flatten]] void CoordinateFactor::start_solution(int index, const double* A, const double* r,
                                                       const double* s, double* x) const {
  fetch_body(index + fetched_ahead, nullptr, A);
  const Body& body = bodies_[index];
  Row<6> K[R];
  double t[R];
  each<R>([&](auto i) {
    K[i] = Row<6>::read(K_.data() + body.K + 6 * i);
    t[i] = s[body.row + i];
  });
  if (body.parent >= 0) {
    const auto c_p = Row<6>::read(x + 6 * body.parent);
    each<R>([&](auto i) { t[i] -= dot(Row<6>::read(A + body.parent_block + 6 * i), c_p); });
  }
  const Row<6> c = combine<R>(K, [&](auto i) { return t[i]; });
  c.write(x + 6 * body.body);
  auto rest = Row<6>::read(r + 6 * body.body);
  rest.subtract(1, metric_[index].times(c));
  for (int j = 0; j < body.unknowns; ++j)
    work_[unknown_[body.unknown + j]] += dot(Row<6>::read(X_.data() + body.X + 6 * j), rest);
  for (int b = body.block_begin; b < body.block_end; ++b)
    for (int i = 0; i < blocks_[b].rows; ++i)
      work_[blocks_[b].unknown + i] -= dot(Row<6>::read(A + blocks_[b].value + 6 * i), c);
}

/// x = X u + c, and the multipliers of the joint.
template <int R>
[[gnu::flatten]] void CoordinateFactor::end_solution(int index, const double* A, const double* r, double* x,
                                                     double* y) const {
  fetch_body(index - fetched_ahead, nullptr, A);
  const Body& body = bodies_[index];
  auto velocity = Row<6>::read(x + 6 * body.body), f = Row<6>::read(f_.data() + 6 * index);
  for (int j = 0; j < body.unknowns; ++j)
    velocity.add<6>(work_[unknown_[body.unknown + j]], Row<6>::read(X_.data() + body.X + 6 * j));
  velocity.write(x + 6 * body.body);
  for (int b = body.block_begin; b < body.block_end; ++b)
    for (int i = 0; i < blocks_[b].rows; ++i)
      f.add<6>(y[blocks_[b].row + i], Row<6>::read(A + blocks_[b].value + 6 * i));
  Row<6> rest = metric_[index].times(velocity);
  rest.subtract(1, Row<6>::read(r + 6 * body.body));
  rest.subtract(1, f);
  each<R>([&](auto i) { y[body.row + i] = dot(Row<6>::read(K_.data() + body.K + 6 * i), rest); });
  if (body.parent < 0) return;
  double* const f_p = f_.data() + 6 * body.parent_index;
  auto sum = Row<6>::read(f_p);
  each<R>([&](auto i) { sum.template add<6>(y[body.row + i], Row<6>::read(A + body.parent_block + 6 * i)); });
  sum.write(f_p);
}

}  // namespace torsor::model_detail
