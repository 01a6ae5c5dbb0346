#pragma once

#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace torsor {

/// The operations of Odeint on a Lie algebra vector: contiguous numbers, combined element by element.
/// Odeint's own algebras either need resizing traits and iterators or build expression temporaries. This one
/// gives its first argument the size of its second (no work after the first step) and compiles to one loop.
struct ChartAlgebra {
  // for_eachN(out, in..., operation): Odeint has a separate name for each number of arguments.
  template <class... Args>
  static void for_each2(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each3(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each4(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each5(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each6(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each7(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each8(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each9(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each10(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each11(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each12(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each13(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each14(Args&&... args) {
    each(args...);
  }
  template <class... Args>
  static void for_each15(Args&&... args) {
    each(args...);
  }

 private:
  template <class... Args>
  static void each(Args&... args) {
    const auto all = std::tie(args...);
    constexpr std::size_t vectors = sizeof...(Args) - 1;
    [&]<std::size_t... k>(std::index_sequence<k...>) { combine(std::get<vectors>(all), std::get<k>(all)...); }
    (std::make_index_sequence<vectors>{});
  }

  template <class Operation, class Out, class First, class... Rest>
  static void combine(Operation operation, Out& out, const First& first, const Rest&... rest) {
    out.resize(first.size());
    loop(operation, first.size(), out.data(), first.data(), rest.data()...);
  }

  template <class Operation, class Index, class Scalar, class... In>
  static void loop(const Operation operation, Index n, Scalar* out, const In*... in) {
    Index i = 0;
    if constexpr (std::is_same_v<Scalar, double>) {  // out is one of the inputs or does not overlap them
      if (n >= long_vector)
        for (; i + 2 <= n; i += 2) {
          Pair both = pair_at(out + i);
          operation(both, pair_at(in + i)...);
          std::memcpy(out + i, &both, sizeof both);
        }
    }
    for (; i < n; ++i) operation(out[i], in[i]...);
  }

  /// Two numbers, combined by one instruction.
  using Pair [[gnu::vector_size(16)]] = double;
  /// A copy, since a vector of a fixed odd size may begin at any multiple of 8 bytes.
  static Pair pair_at(const double* numbers) {
    Pair both;
    std::memcpy(&both, numbers, sizeof both);
    return both;
  }
  /// Length from which vectors are combined in pairs. The numbers of a short vector are still being stored,
  /// one by one, when they are needed, and pairs would wait for them: at 30 numbers a run takes up to 4 %
  /// longer in pairs, at 300 it takes 6 % less (bench_chain, measured with rkmk-dopri5 and rkmk-fehlberg78
  /// while they used this algebra).
  static constexpr int long_vector = 32;
};

}  // namespace torsor
