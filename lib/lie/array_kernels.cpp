// torsor_lanes compiles this file once for each instruction set.
#include "array_kernels.hpp"

#include <type_traits>

#include "torsor/lie/pack.hpp"
#include "torsor/lie/se2.hpp"
#include "torsor/lie/se3.hpp"

namespace torsor {
namespace {

struct PackKernels {
  using P = Pack;
  static constexpr std::size_t width = static_cast<std::size_t>(P::size());

  /// Loads `count` lanes of numbers that are stored by component. The remaining lanes repeat the first lane.
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

  template <int size_in, int size_out, class Map>
  static void map(std::size_t n, const double* in, double* out, const Map& one) {
    each_pack(n, [&](std::size_t k, auto count) {
      P from[size_in], to[size_out];
      load<size_in>(in, n, k, count, from);
      one(from, to);
      store<size_out>(to, n, k, count, out);
    });
  }
  template <int size_a, int size_b, int size_out, class Map>
  static void map(std::size_t n, const double* a, const double* b, double* out, const Map& one) {
    each_pack(n, [&](std::size_t k, auto count) {
      P from_a[size_a], from_b[size_b], to[size_out];
      load<size_a>(a, n, k, count, from_a);
      load<size_b>(b, n, k, count, from_b);
      one(from_a, from_b, to);
      store<size_out>(to, n, k, count, out);
    });
  }

  template <class G>
  struct Of {
    static constexpr int dof = G::dof, nq = G::nq, dim = static_cast<int>(G::Point::RowsAtCompileTime);

    [[gnu::flatten]] static void exp(std::size_t n, const double* xi, double* g) {
      map<dof, nq>(n, xi, g, [](const P* in, P* out) { G::exp(vector<dof>(in)).to(out); });
    }
    [[gnu::flatten]] static void log(std::size_t n, const double* g, double* xi) {
      map<nq, dof>(n, g, xi, [](const P* in, P* out) { put<dof>(G::from(in).log(), out); });
    }
    [[gnu::flatten]] static void dexp(std::size_t n, const double* xi, const double* eta, double* rate) {
      map<dof, dof, dof>(n, xi, eta, rate, [](const P* at, const P* in, P* out) {
        put<dof>(G::dexp(vector<dof>(at), vector<dof>(in)), out);
      });
    }
    [[gnu::flatten]] static void dexp_inv(std::size_t n, const double* xi, const double* eta, double* rate) {
      map<dof, dof, dof>(n, xi, eta, rate, [](const P* at, const P* in, P* out) {
        put<dof>(G::dexp_inv(vector<dof>(at), vector<dof>(in)), out);
      });
    }
    [[gnu::flatten]] static void compose(std::size_t n, const double* g, const double* h, double* gh) {
      map<nq, nq, nq>(n, g, h, gh, [](const P* a, const P* b, P* out) { (G::from(a) * G::from(b)).to(out); });
    }
    [[gnu::flatten]] static void act(std::size_t n, const double* g, const double* p, double* gp) {
      map<nq, dim, dim>(n, g, p, gp, [](const P* a, const P* b, P* out) {
        put<dim>(typename G::Point(G::from(a) * vector<dim>(b)), out);
      });
    }
    static constexpr GroupKernels table() { return {&exp, &log, &dexp, &dexp_inv, &compose, &act}; }
  };

  static constexpr ArrayKernels table() {
    return {Of<SO2<P>>::table(), Of<SO3<P>>::table(), Of<SE2<P>>::table(), Of<SE3<P>>::table()};
  }
};

}  // namespace

template <>
constinit const ArrayKernels IsaKernels<compiled_isa>::table = PackKernels::table();

}  // namespace torsor
