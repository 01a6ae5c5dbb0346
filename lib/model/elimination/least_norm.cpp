#include "least_norm.hpp"

#include <algorithm>
#include <cmath>

#include "kkt_kernels.hpp"

namespace torsor::model_detail {
namespace {

/// delta / greatest number among the squares of the entries of W^-1 A D^-1/2 and the diagonal of D^-1 times
/// the matrix. It is far above rounding errors and far below the squares of the singular values that must be
/// resolved.
constexpr double weight = 1e-11;
constexpr int most_passes = 12;
constexpr double settled_below = 1e-9;  // change of z by the second pass / size of z

using Pairs = std::vector<std::pair<int, int>>;

/// The pairs of bodies with a constraint that acts on no other body.
Pairs narrow_pairs(const KktGraph& graph) {
  Pairs pairs;
  for (const auto& constraint : graph.constraints)
    if (constraint.bodies.size() == 2)
      pairs.push_back(std::minmax(constraint.bodies[0], constraint.bodies[1]));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

KktGraph wide_constraints(const KktGraph& graph) {
  KktGraph wide{graph.parent, {}};
  for (const KktGraph::Constraint& constraint : graph.constraints)
    if (constraint.bodies.size() > 2)
      wide.constraints.push_back({constraint.rows, constraint.bodies, constraint.grounded});
  return wide;
}

Elimination plan_of(const KktGraph& graph) {
  const Pairs pairs = narrow_pairs(graph);
  return {wide_constraints(graph), &pairs};
}

}  // namespace

LeastNorm::LeastNorm(const KktGraph& graph, const Elimination& equations)
    : equations_(&equations), plan_(plan_of(graph)), factor_(plan_) {
  place_narrow(narrow_pairs(graph));
  auto to = plan_.block_value.begin();
  for (std::size_t c = 0; c + 1 < equations.block_begin.size(); ++c) {
    const auto begin = equations.block_value.begin() + equations.block_begin[c],
               end = equations.block_value.begin() + equations.block_begin[c + 1];
    if (end - begin <= 2) continue;
    to = std::copy(begin, end, to);
    for (int row = equations.constraint_row[c]; row < equations.constraint_row[c + 1]; ++row)
      wide_row_.push_back(row);
  }
  regular_.resize(wide_row_.size());
  inverse_.resize(wide_row_.size());
  work_.resize(static_cast<std::size_t>(plan_.unknowns));
  inverse_square_.resize(static_cast<std::size_t>(equations.rows));
}

void LeastNorm::place_narrow(const Pairs& pairs) {
  const Elimination& all = *equations_;
  for (std::size_t c = 0; c + 1 < all.block_begin.size(); ++c) {
    const int begin = all.block_begin[c], bodies = all.block_begin[c + 1] - begin;
    if (bodies < 1 || bodies > 2) continue;
    Narrow one{};
    one.row = all.constraint_row[c], one.rows = all.constraint_row[c + 1] - one.row, one.bodies = bodies;
    for (int k = 0; k < bodies; ++k) {
      const auto& pivot = plan_.pivots[plan_.place_of_node[all.block_body[begin + k]]];
      one.body[k] = pivot.node;
      one.unknown[k] = pivot.row;
      one.block[k] = all.block_value[begin + k];
      one.diagonal[k] = {pivot.diagonal, pivot.stride};
    }
    if (bodies == 2) {
      const int a = all.block_body[begin], b = all.block_body[begin + 1];
      const std::pair<int, int> pair = std::minmax(a, b);
      const auto& entry =
          plan_.pair_entries[std::lower_bound(pairs.begin(), pairs.end(), pair) - pairs.begin()];
      one.coupled = {entry.to, entry.stride};
      one.first = (a < b) == entry.transposed;
    }
    narrow_.push_back(one);
  }
}

/// Adds the terms a^T b / w^2 of a constraint of K rows, with the blocks a and b of its bodies.
template <int K>
void LeastNorm::add_narrow(const Narrow& one, const double* A) {
  double* const numbers = factor_.numbers().data();
  Row<6> block[2][K];
  for (int k = 0; k < one.bodies; ++k)
    each<K>([&](auto row) { block[k][row] = Row<6>::read(A + one.block[k] + 6 * row); });
  for (int k = 0; k < one.bodies; ++k) {
    Row<6> weighed[K];
    each<K>([&](auto row) { weighed[row] = block[k][row].times(inverse_square_[one.row + row]); });
    double* const diagonal = numbers + one.diagonal[k].to;
    const int stride = one.diagonal[k].stride;
    Row<6> sum[6];
    each<6>([&](auto i) { sum[i] = Row<6>::read(diagonal + i * stride); });
    add_products<K, 6>(weighed, block[k], sum);
    each<6>([&](auto i) { sum[i].write(diagonal + i * stride); });
    if (one.bodies == 1 || k != one.first) continue;
    each<6>([&](auto i) {
      double* const to = numbers + one.coupled.to + i * one.coupled.stride;
      auto row = Row<6>::read(to);
      each<K>([&](auto r) { row.template add<6>(weighed[r][i], block[1 - k][r]); });
      row.write(to);
    });
  }
}

/// The greatest square of an entry of W^-1 A D^-1/2 in the constraints on more than two bodies.
double LeastNorm::greatest_wide(const double* A, double length) const {
  double greatest = 0;
  auto of_constraint = wide_row_.begin();
  for (std::size_t c = 0; c + 1 < plan_.block_begin.size(); ++c) {
    const int rows = plan_.constraint_row[c + 1] - plan_.constraint_row[c];
    for (int b = plan_.block_begin[c]; b < plan_.block_begin[c + 1]; ++b)
      for (int i = 0; i < 6 * rows; ++i) {
        const double number = A[plan_.block_value[b] + i], entry = i % 6 < 3 ? number : number / length;
        greatest = std::max(greatest, entry * entry * inverse_square_[of_constraint[i / 6]]);
      }
    of_constraint += rows;
  }
  return greatest;
}

void LeastNorm::factor(const double* A, const std::vector<double>& w, double length) {
  std::transform(w.begin(), w.end(), inverse_square_.begin(), [](double one) { return 1 / (one * one); });
  factor_.start(A);
  std::vector<double>& numbers = factor_.numbers();
  for (const Narrow& one : narrow_) with_rows(one.rows, [&](auto rows) { add_narrow<rows()>(one, A); });
  const auto for_diagonal = [&](const auto& use) {
    for (const auto& pivot : plan_.pivots)
      for (int i = 0; pivot.sign > 0 && i < 6; ++i)
        use(numbers[pivot.diagonal + i * (pivot.stride + 1)], i < 3 ? 1 : length * length);
  };
  double greatest = greatest_wide(A, length);
  for_diagonal([&](double entry, double D) { greatest = std::max(greatest, entry / D); });
  if (!(greatest > 1e-280)) greatest = 1;  // without reactions, any delta will do
  for_diagonal([&](double& entry, double D) { entry += weight * greatest * D; });
  for (std::size_t i = 0; i < wide_row_.size(); ++i) {
    regular_[i] = w[wide_row_[i]] * w[wide_row_[i]];
    inverse_[i] = 1 / regular_[i];
  }
  factor_.factor_numbers({0, &regular_, &inverse_});
}

/// z is computed from u so that it lies in the range of W^-2 A, as the multipliers of least norm do; the next
/// pass corrects the rounding error of u. Each pass multiplies the error by about the same factor, so after a
/// second pass that changes z by less than `settled_below`, the error is below the square of `settled_below`.
bool LeastNorm::solve(const double* A, const std::vector<double>& w, double* f, double* z) {
  std::fill_n(z, equations_->rows, 0.);
  double last = HUGE_VAL;
  for (int k = 0; k < most_passes; ++k) {
    for (const auto& pivot : plan_.pivots)
      if (pivot.sign > 0)
        std::copy_n(f + 6 * pivot.node, 6, work_.begin() + pivot.row);
      else
        std::fill_n(work_.begin() + pivot.row, pivot.size, 0.);
    factor_.solve(work_.data());
    Pass pass{f, z, w};
    for (const Narrow& one : narrow_) one.bodies == 1 ? correct<1>(one, A, pass) : correct<2>(one, A, pass);
    if (!wide_row_.empty()) correct_wide(A, pass);
    if (pass.change <= 1e-14 * pass.size || (k == 1 && pass.change <= settled_below * pass.size)) return true;
    if (!(pass.change < last)) return false;
    last = pass.change / 2;
  }
  return false;
}

/// z += W^-2 A u and f -= A^T W^-2 A u for the rows of a constraint.
template <int Bodies>
void LeastNorm::correct(const Narrow& one, const double* A, Pass& pass) const {
  Row<6> u[Bodies], rest[Bodies];
  each<Bodies>([&](auto k) {
    u[k] = Row<6>::read(work_.data() + one.unknown[k]);
    rest[k] = Row<6>::read(pass.f + 6 * one.body[k]);
  });
  for (int i = 0; i < one.rows; ++i) {
    Row<6> block[Bodies];
    double dz = 0;
    each<Bodies>([&](auto k) {
      block[k] = Row<6>::read(A + one.block[k] + 6 * i);
      dz += dot(block[k], u[k]);
    });
    dz *= inverse_square_[one.row + i];
    each<Bodies>([&](auto k) { rest[k].subtract(dz, block[k]); });
    pass.add(one.row + i, dz);
  }
  each<Bodies>([&](auto k) { rest[k].write(pass.f + 6 * one.body[k]); });
}

/// The same for the constraints on more than two bodies.
void LeastNorm::correct_wide(const double* A, Pass& pass) const {
  auto row = wide_row_.begin();
  for (std::size_t c = 0; c + 1 < plan_.block_begin.size(); ++c)
    for (int i = 0; i < plan_.constraint_row[c + 1] - plan_.constraint_row[c]; ++i, ++row) {
      const auto block = [&](int b) { return Row<6>::read(A + plan_.block_value[b] + 6 * i); };
      double dz = 0;
      for (int b = plan_.block_begin[c]; b < plan_.block_begin[c + 1]; ++b)
        dz += dot(block(b), Row<6>::read(work_.data() + plan_.row_of_node[plan_.block_body[b]]));
      dz *= inverse_square_[*row];
      for (int b = plan_.block_begin[c]; b < plan_.block_begin[c + 1]; ++b) {
        double* const f = pass.f + 6 * plan_.block_body[b];
        auto rest = Row<6>::read(f);
        rest.subtract(dz, block(b));
        rest.write(f);
      }
      pass.add(*row, dz);
    }
}

}  // namespace torsor::model_detail
