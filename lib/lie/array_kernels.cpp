// torsor_lanes compiles this file once for each instruction set.
#include "array_kernels.hpp"

#include <type_traits>

#include "torsor/lie/pack.hpp"
#include "torsor/lie/se3.hpp"

namespace torsor {
namespace {

struct PackKernels {
  using P = Pack;
  static constexpr std::size_t width = static_cast<std::size_t>(P::size());

  /// Loads up to `count` lanes of numbers that are stored by component. Missing lanes repeat the first.
  template <int size, class Count>
  static void load(const double* from, std::size_t n, std::size_t k, Count count, P* into) {
    for (int i = 0; i < size; ++i) {
      const double* row = from + static_cast<std::size_t>(i) * n + k;
      if (count == width) {
        into[i].copy_from(row, stdx::element_aligned);
      } else {
        into[i] = P([&](auto l) { return row[l < count ? l : 0]; });
      }
    }
  }
  template <int size, class Count>
  static void store(const P* from, std::size_t n, std::size_t k, Count count, double* into) {
    for (int i = 0; i < size; ++i) {
      double* row = into + static_cast<std::size_t>(i) * n + k;
      if (count == width) {
        from[i].copy_to(row, stdx::element_aligned);
      } else {
        for (std::size_t l = 0; l < count; ++l) row[l] = from[i][l];
      }
    }
  }
  template <int size>
  static Vector<P, size> vector(const P* from) {
    Vector<P, size> v;
    for (int i = 0; i < size; ++i) v[i] = from[i];
    return v;
  }
  template <int size>
  static void put(const Vector<P, size>& v, P* into) {
    for (int i = 0; i < size; ++i) into[i] = v[i];
  }
  template <class Map>
  static void each_pack(std::size_t n, const Map& map) {
    const std::size_t rest = n % width;
    for (std::size_t k = 0; k < n - rest; k += width) map(k, std::integral_constant<std::size_t, width>{});
    if (rest > 0) map(n - rest, rest);
  }

  template <class G>
  [[gnu::flatten]] static void exp(std::size_t n, const double* xi, double* g) {
    each_pack(n, [&](std::size_t k, auto count) {
      P in[G::dof], out[G::nq];
      load<G::dof>(xi, n, k, count, in);
      G::exp(vector<G::dof>(in)).to(out);
      store<G::nq>(out, n, k, count, g);
    });
  }
  template <class G>
  [[gnu::flatten]] static void log(std::size_t n, const double* g, double* xi) {
    each_pack(n, [&](std::size_t k, auto count) {
      P in[G::nq], out[G::dof];
      load<G::nq>(g, n, k, count, in);
      put<G::dof>(G::from(in).log(), out);
      store<G::dof>(out, n, k, count, xi);
    });
  }
  template <class G>
  [[gnu::flatten]] static void dexp_inv(std::size_t n, const double* xi, const double* eta, double* rate) {
    each_pack(n, [&](std::size_t k, auto count) {
      P at[G::dof], in[G::dof], out[G::dof];
      load<G::dof>(xi, n, k, count, at);
      load<G::dof>(eta, n, k, count, in);
      put<G::dof>(G::dexp_inv(vector<G::dof>(at), vector<G::dof>(in)), out);
      store<G::dof>(out, n, k, count, rate);
    });
  }

  static constexpr ArrayKernels table() {
    return {&exp<SO3<P>>, &log<SO3<P>>, &dexp_inv<SO3<P>>, &exp<SE3<P>>, &log<SE3<P>>, &dexp_inv<SE3<P>>};
  }
};

}  // namespace

template <>
constinit const ArrayKernels IsaKernels<compiled_isa>::table = PackKernels::table();

}  // namespace torsor
