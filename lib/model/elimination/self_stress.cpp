#include "self_stress.hpp"

#include <algorithm>
#include <functional>

namespace torsor::model_detail {
namespace {

/// The greatest part of the reactions of a state that the joints of the paths may leave. The reactions A^T y
/// change by this part at most.
constexpr double balanced_below = 1e-13;
/// The least ratio of a pivot of N^T W^2 N to its diagonal number, so that at most four digits are lost.
constexpr double accurate_above = 1e-4;
/// The greatest numbers of entries that N^T W^2 N and N may have for each body. The first is the size of the
/// block of G. N has 63 entries for each body of planar loops of three bodies.
constexpr long in_products = 36, in_states = 144;

}  // namespace

SelfStress::SelfStress(const CoordinateFactor& equations) : equations_(&equations) {
  const Elimination& plan = equations.plan();
  const auto& bodies = equations.bodies();
  std::vector<int> index_of_body(plan.bodies, -1), first_loop(bodies.size(), -1);
  for (std::size_t k = 0; k < bodies.size(); ++k) index_of_body[bodies[k].body] = static_cast<int>(k);
  long size = 0, states = 0;
  int most_places = 0, most_rows = 0, unknowns = 0;
  std::vector<int> unknown_of;
  for (int c = 0; c + 1 < static_cast<int>(plan.block_begin.size()); ++c) {
    const auto begin = plan.block_body.begin() + plan.block_begin[c],
               end = plan.block_body.begin() + plan.block_begin[c + 1];
    if (!std::all_of(begin, end, [&](int body) { return index_of_body[body] >= 0; })) continue;
    const int at = static_cast<int>(loops_.size());
    Loop loop{};
    loop.constraint = c, loop.row = plan.constraint_row[c];
    loop.rows = plan.pivots[plan.place_of_node[plan.bodies + c]].size;
    loop.earliest = at;
    place(loop, index_of_body);
    for (int p = loop.place_begin; p < loop.place_end; ++p) {
      int& first = first_loop[places_[p].body];
      if (first < 0) first = at;
      loop.earliest = std::min(loop.earliest, first);
    }
    loop.number = states;
    loop.all_rows = static_cast<int>(row_.size()) - loop.row_begin;
    states += static_cast<long>(loop.rows) * loop.all_rows;
    most_rows = std::max(most_rows, loop.all_rows);
    most_places = std::max(most_places, loop.place_end - loop.place_begin);
    unknown_of.push_back(unknowns);
    unknowns += loop.rows;
    size += static_cast<long>(loop.rows) * (unknowns - unknown_of[loop.earliest]);
    loops_.push_back(loop);
    sparse_ = size <= in_products * plan.bodies && states <= in_states * plan.bodies;
    if (!sparse_) return;
  }
  for (int k = 0; k < static_cast<int>(loops_.size()); ++k) couple(k);
  states_.resize(states), lower_.resize(size);
  reaction_.resize(most_places), state_.resize(most_rows);
  c_.resize(unknowns), first_.resize(unknowns), row_at_.resize(unknowns);
}

/// The bodies on the paths of a constraint, outer bodies first.
void SelfStress::place(Loop& loop, const std::vector<int>& index_of_body) {
  const Elimination& plan = equations_->plan();
  const auto& bodies = equations_->bodies();
  std::vector<int> on;
  for (int b = plan.block_begin[loop.constraint]; b < plan.block_begin[loop.constraint + 1]; ++b)
    for (int at = index_of_body[plan.block_body[b]]; at >= 0; at = bodies[at].parent_index) on.push_back(at);
  std::sort(on.rbegin(), on.rend());
  on.erase(std::unique(on.begin(), on.end()), on.end());
  loop.place_begin = static_cast<int>(places_.size());
  loop.row_begin = static_cast<int>(row_.size());
  for (int i = 0; i < loop.rows; ++i) row_.push_back(loop.row + i);
  const auto place_of = [&](int body) {
    return static_cast<int>(std::lower_bound(on.begin(), on.end(), body, std::greater<>()) - on.begin());
  };
  for (const int at : on) {
    const auto& body = bodies[at];
    places_.push_back({at, body.parent_index < 0 ? -1 : place_of(body.parent_index),
                       static_cast<int>(row_.size()) - loop.row_begin});
    for (int i = 0; i < body.rows; ++i) row_.push_back(body.row + i);
  }
  loop.place_end = static_cast<int>(places_.size());
  loop.block_begin = static_cast<int>(blocks_.size());
  for (int b = plan.block_begin[loop.constraint]; b < plan.block_begin[loop.constraint + 1]; ++b)
    blocks_.push_back({place_of(index_of_body[plan.block_body[b]]), plan.block_value[b]});
  loop.block_end = static_cast<int>(blocks_.size());
}

/// Lists the joints that a constraint shares with earlier ones.
void SelfStress::couple(int at) {
  Loop& loop = loops_[at];
  loop.coupled_begin = static_cast<int>(coupled_.size());
  for (int earlier = loop.earliest; earlier < at; ++earlier)
    for (int p = loops_[earlier].place_begin, q = loop.place_begin;
         p < loops_[earlier].place_end && q < loop.place_end;) {
      const Place &of_earlier = places_[p], &of_loop = places_[q];
      if (of_earlier.body == of_loop.body)
        coupled_.push_back(
            {earlier, of_loop.first, of_earlier.first, equations_->bodies()[of_loop.body].rows});
      p += of_earlier.body >= of_loop.body;  // outer bodies, which have the greater index, come first
      q += of_loop.body >= of_earlier.body;
    }
  loop.coupled_end = static_cast<int>(coupled_.size());
}

bool SelfStress::factor(const double* A, const std::vector<double>& w, int redundant_rows) {
  const auto& redundant = equations_->rows().redundant();
  int unknowns = 0;
  for (Loop& loop : loops_) {
    loop.unknown = unknowns;
    loop.states =
        static_cast<int>(std::count_if(redundant.begin() + loop.row, redundant.begin() + loop.row + loop.rows,
                                       [](char one) { return one != 0; }));
    unknowns += loop.states;
  }
  if (unknowns != redundant_rows) return false;
  long size = 0;
  for (const Loop& loop : loops_) {
    for (int i = loop.unknown; i < loop.unknown + loop.states; ++i) {
      first_[i] = loops_[loop.earliest].unknown;
      row_at_[i] = size;
      size += i + 1 - first_[i];
    }
    if (loop.states == 0) continue;
    if (!find_states(loop, A, w)) return false;
    with_rows(loop.states, [&](auto states) { add_products<states()>(loop); });
  }
  unknowns_ = unknowns;
  return factor_products();
}

bool SelfStress::find_states(const Loop& loop, const double* A, const std::vector<double>& w) {
  const Elimination& plan = equations_->plan();
  const BlockFactor& rows = equations_->rows();
  const auto& pivot = plan.pivots[plan.place_of_node[plan.bodies + loop.constraint]];
  double* to = states_.data() + loop.number;
  for (int step = 0; step < loop.rows; ++step) {
    if (!rows.redundant()[loop.row + rows.pivot_row(pivot, step)]) continue;
    rows.combination(pivot, step, state_.data());
    if (!balance(loop, A)) return false;
    for (int i = 0; i < loop.all_rows; ++i) to[i * loop.states] = w[row_[loop.row_begin + i]] * state_[i];
    ++to;
  }
  return true;
}

/// Given the multipliers of the constraint, sets those of the joints, y = -K f, where f is the sum of the
/// reactions of the constraint and of the joints of the children. Returns false if a force is left along a
/// freedom of a joint.
bool SelfStress::balance(const Loop& loop, const double* A) {
  double terms = 0;
  std::fill_n(reaction_.begin(), loop.place_end - loop.place_begin, Row<6>{});
  for (int b = loop.block_begin; b < loop.block_end; ++b)
    for (int i = 0; i < loop.rows; ++i) {
      if (state_[i] == 0) continue;  // another redundant row, or a row that is not combined
      const auto a = Row<6>::read(A + blocks_[b].value + 6 * i);
      reaction_[blocks_[b].place].add<6>(state_[i], a);
      terms += state_[i] * state_[i] * dot(a, a);
    }
  for (int p = 0; p < loop.place_end - loop.place_begin; ++p) {
    const Place& place = places_[loop.place_begin + p];
    const auto& body = equations_->bodies()[place.body];
    const double* const X = equations_->X(body);
    for (int j = body.unknowns - (6 - body.rows); j < body.unknowns; ++j) {
      const auto freedom = Row<6>::read(X + 6 * j);
      const double left = dot(freedom, reaction_[p]);
      if (!(left * left <= balanced_below * balanced_below * terms * dot(freedom, freedom))) return false;
    }
    for (int i = 0; i < body.rows; ++i) {
      const double y = -dot(Row<6>::read(equations_->K(body) + 6 * i), reaction_[p]);
      state_[place.first + i] = y;
      if (place.parent >= 0) reaction_[place.parent].add<6>(y, Row<6>::read(A + body.parent_block + 6 * i));
    }
  }
  return true;
}

/// The rows of N^T W^2 N that belong to the states of a constraint.
template <int K>
void SelfStress::add_products(const Loop& loop) {
  const double* const n = states_.data() + loop.number;
  for (int a = 0; a < K; ++a)
    std::fill_n(row(loop.unknown + a) + first_[loop.unknown], loop.unknown - first_[loop.unknown], 0.);
  Row<K> sum[K] = {};
  for (int i = 0; i < loop.all_rows; ++i) {
    const auto states = Row<K>::read(n + i * K);
    each<K>([&](auto a) { sum[a].template add<a + 1>(states[a], states); });
  }
  each<K>([&](auto a) { each<a + 1>([&](auto b) { row(loop.unknown + a)[loop.unknown + b] = sum[a][b]; }); });
  for (int k = loop.coupled_begin; k < loop.coupled_end; ++k) {
    const Coupled& coupled = coupled_[k];
    const Loop& earlier = loops_[coupled.loop];
    const double *of_loop = n + coupled.first * K,
                 *of_earlier = states_.data() + earlier.number + coupled.first_of_earlier * earlier.states;
    if (earlier.states == 0) continue;
    with_rows(earlier.states, [&](auto states) {
      for (int a = 0; a < K; ++a) {
        double* const to = row(loop.unknown + a) + earlier.unknown;
        auto products = Row<states()>::read(to);
        for (int i = 0; i < coupled.rows; ++i)
          products.template add<states()>(of_loop[i * K + a], Row<states()>::read(of_earlier + i * states()));
        products.write(to);
      }
    });
  }
}

/// The diagonal of the factor has the inverse pivots.
bool SelfStress::factor_products() {
  for (int i = 0; i < unknowns_; ++i) {
    double* const of_i = row(i);
    double pivot = of_i[i];
    for (int j = first_[i]; j < i; ++j) {
      const double* const of_j = row(j);
      double sum = of_i[j];
      for (int k = std::max(first_[i], first_[j]); k < j; ++k) sum -= of_i[k] * of_j[k];
      of_i[j] = sum;
    }
    for (int j = first_[i]; j < i; ++j) {
      const double scaled = of_i[j] * row(j)[j];
      pivot -= scaled * of_i[j];
      of_i[j] = scaled;
    }
    if (!(pivot > accurate_above * of_i[i])) return false;
    of_i[i] = 1 / pivot;
  }
  return true;
}

void SelfStress::reduce(const std::vector<double>& w, double* y) {
  for (const Loop& loop : loops_) {
    if (loop.states == 0) continue;
    with_rows(loop.states, [&](auto states) {
      Row<states()> sum{};
      for (int i = 0; i < loop.all_rows; ++i) {
        const int at = row_[loop.row_begin + i];
        sum.template add<states()>(w[at] * y[at],
                                   Row<states()>::read(states_.data() + loop.number + i * states()));
      }
      sum.write(c_.data() + loop.unknown);
    });
  }
  solve_products();
  for (const Loop& loop : loops_) {
    if (loop.states == 0) continue;
    with_rows(loop.states, [&](auto states) {
      const auto c = Row<states()>::read(c_.data() + loop.unknown);
      for (int i = 0; i < loop.all_rows; ++i) {
        const int at = row_[loop.row_begin + i];
        y[at] -= dot(c, Row<states()>::read(states_.data() + loop.number + i * states())) / w[at];
      }
    });
  }
}

/// c <- (N^T W^2 N)^-1 c
void SelfStress::solve_products() {
  for (int i = 0; i < unknowns_; ++i)
    for (int j = first_[i]; j < i; ++j) c_[i] -= row(i)[j] * c_[j];
  for (int i = 0; i < unknowns_; ++i) c_[i] *= row(i)[i];
  for (int i = unknowns_; i-- > 0;)
    for (int j = first_[i]; j < i; ++j) c_[j] -= row(i)[j] * c_[i];
}

}  // namespace torsor::model_detail
