#include <algorithm>
#include <array>
#include <span>

#include "bindings.hpp"
#include "group_elements.hpp"
#include "torsor/lie/arrays.hpp"

namespace torsor::python {
namespace {

/// A map of group elements, twists or points, for many at once. The elements follow one another: `sizes` are
/// the numbers of components of the arguments and of the value.
struct GroupMap {
  using Function = void(std::size_t n, const double* a, const double* b, double* out);
  std::string_view group, name;
  int first, second, value;  ///< `second`: 0 for a map of one argument
  Function* function;
};

/// The maps of one element at a time.
template <class G>
struct Maps {
  static constexpr int dof = G::dof, nq = G::nq, size = G::matrix_size;
  static constexpr int point = static_cast<int>(G::Point::RowsAtCompileTime);
  using Tangent = typename G::Tangent;

  template <int first, int second, int value, class One>
  static void each(std::size_t n, const double* a, const double* b, double* out, const One& one) {
    for (std::size_t k = 0; k < n; ++k, a += first, b += second, out += value) one(a, b, out);
  }
  static void exp(std::size_t n, const double* a, const double* b, double* out) {
    each<dof, 0, nq>(n, a, b, out, [](auto x, auto, auto to) { put(G::exp(vector<dof>(x)), to); });
  }
  static void log(std::size_t n, const double* a, const double* b, double* out) {
    each<nq, 0, dof>(n, a, b, out, [](auto g, auto, auto to) { put_values(element<G>(g).log(), to); });
  }
  static void dexp(std::size_t n, const double* a, const double* b, double* out) {
    each<dof, dof, dof>(n, a, b, out, [](auto x, auto w, auto to) {
      put_values(G::dexp(vector<dof>(x), vector<dof>(w)), to);
    });
  }
  static void dexp_inv(std::size_t n, const double* a, const double* b, double* out) {
    each<dof, dof, dof>(n, a, b, out, [](auto x, auto w, auto to) {
      put_values(G::dexp_inv(vector<dof>(x), vector<dof>(w)), to);
    });
  }
  static void compose(std::size_t n, const double* a, const double* b, double* out) {
    each<nq, nq, nq>(n, a, b, out, [](auto g, auto h, auto to) { put(element<G>(g) * element<G>(h), to); });
  }
  static void inverse(std::size_t n, const double* a, const double* b, double* out) {
    each<nq, 0, nq>(n, a, b, out, [](auto g, auto, auto to) { put(element<G>(g).inverse(), to); });
  }
  static void act(std::size_t n, const double* a, const double* b, double* out) {
    each<nq, point, point>(n, a, b, out, [](auto g, auto p, auto to) {
      put_values(typename G::Point(element<G>(g) * vector<point>(p)), to);
    });
  }
  static void Ad(std::size_t n, const double* a, const double* b, double* out) {
    each<nq, dof, dof>(n, a, b, out, [](auto g, auto x, auto to) {
      put_values(Tangent(element<G>(g).Ad(vector<dof>(x))), to);
    });
  }
  static void normalized(std::size_t n, const double* a, const double* b, double* out) {
    each<nq, 0, nq>(n, a, b, out, [](auto g, auto, auto to) { put(element<G>(g).normalized(), to); });
  }
  static void matrix(std::size_t n, const double* a, const double* b, double* out) {
    each<nq, 0, size * size>(n, a, b, out,
                             [](auto g, auto, auto to) { put_values(element<G>(g).matrix(), to); });
  }
};

/// SO(3) and SE(3) in packs: blocks of elements are rearranged by components, for array_kernels().
template <class G>
struct Packed {
  /// A multiple of the lanes. Larger blocks are slower, and so are powers of two: their rows share cache sets.
  static constexpr std::size_t block = 120;
  template <int size>
  using Rows = std::array<double, static_cast<std::size_t>(size) * block>;

  template <int size, bool is_element>
  static void load(const double* from, std::size_t n, double* rows) {
    [=]<int... i>(std::integer_sequence<int, i...>) {
      for (std::size_t k = 0; k < n; ++k)
        ((rows[i * n + k] = from[k * size + (is_element ? place<G>(i) : i)]), ...);
    }
    (std::make_integer_sequence<int, size>());
  }
  template <int size, bool is_element>
  static void store(const double* rows, std::size_t n, double* into) {
    [=]<int... i>(std::integer_sequence<int, i...>) {
      for (std::size_t k = 0; k < n; ++k)
        ((into[k * size + (is_element ? place<G>(i) : i)] = rows[i * n + k]), ...);
    }
    (std::make_integer_sequence<int, size>());
  }
  /// Calls the kernel on blocks of the rows a (and b) with the values out. Kinds: 'g' elements, 'x' twists.
  template <char kind_a, char kind_b, char kind_out, class Kernel>
  static void in_blocks(std::size_t n, const double* a, const double* b, double* out, const Kernel& kernel) {
    constexpr int size_a = kind_a == 'g' ? G::nq : G::dof, size_out = kind_out == 'g' ? G::nq : G::dof;
    Rows<size_a> rows_a;
    Rows<G::dof> rows_b;
    Rows<size_out> rows_out;
    for (std::size_t k = 0; k < n; k += block) {
      const std::size_t m = std::min(block, n - k);
      load<size_a, kind_a == 'g'>(a + k * size_a, m, rows_a.data());
      if constexpr (kind_b != 0) load<G::dof, false>(b + k * G::dof, m, rows_b.data());
      kernel(m, rows_a.data(), rows_b.data(), rows_out.data());
      store<size_out, kind_out == 'g'>(rows_out.data(), m, out + k * size_out);
    }
  }
  static constexpr bool rotations = std::is_same_v<G, SO3<>>;
  static void exp(std::size_t n, const double* a, const double* b, double* out) {
    const ArrayKernels& kernels = array_kernels();
    const auto kernel = rotations ? kernels.so3_exp : kernels.se3_exp;
    in_blocks<'x', 0, 'g'>(n, a, b, out, [=](auto m, auto x, auto, auto to) { kernel(m, x, to); });
  }
  static void log(std::size_t n, const double* a, const double* b, double* out) {
    const ArrayKernels& kernels = array_kernels();
    const auto kernel = rotations ? kernels.so3_log : kernels.se3_log;
    in_blocks<'g', 0, 'x'>(n, a, b, out, [=](auto m, auto g, auto, auto to) { kernel(m, g, to); });
  }
  static void dexp_inv(std::size_t n, const double* a, const double* b, double* out) {
    const ArrayKernels& kernels = array_kernels();
    const auto kernel = rotations ? kernels.so3_dexp_inv : kernels.se3_dexp_inv;
    in_blocks<'x', 'x', 'x'>(n, a, b, out, kernel);
  }
};

void so3_from_matrix(std::size_t n, const double* a, const double*, double* out) {
  for (std::size_t k = 0; k < n; ++k, a += 9, out += 4)
    put(SO3<>::from_matrix(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(a)), out);
}

template <class G>
void add_maps(std::string_view group, std::vector<GroupMap>& all) {
  using M = Maps<G>;
  constexpr bool packed = Stored<G>::quaternion >= 0;
  using P = std::conditional_t<packed, Packed<G>, M>;
  all.insert(all.end(), {{group, "exp", M::dof, 0, M::nq, P::exp},
                         {group, "log", M::nq, 0, M::dof, P::log},
                         {group, "dexp", M::dof, M::dof, M::dof, M::dexp},
                         {group, "dexp_inv", M::dof, M::dof, M::dof, P::dexp_inv},
                         {group, "compose", M::nq, M::nq, M::nq, M::compose},
                         {group, "inverse", M::nq, 0, M::nq, M::inverse},
                         {group, "act", M::nq, M::point, M::point, M::act},
                         {group, "Ad", M::nq, M::dof, M::dof, M::Ad},
                         {group, "normalized", M::nq, 0, M::nq, M::normalized},
                         {group, "matrix", M::nq, 0, M::size * M::size, M::matrix}});
}

std::vector<GroupMap> group_maps() {
  std::vector<GroupMap> all;
  add_maps<SO2<>>("SO2", all);
  add_maps<SO3<>>("SO3", all);
  add_maps<SE2<>>("SE2", all);
  add_maps<SE3<>>("SE3", all);
  all.push_back({"SO3", "from_matrix", 9, 0, 4, so3_from_matrix});
  return all;
}

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// The map of rows. Both arguments are arrays (n, size); the package has checked their shapes.
Array mapped(const GroupMap& map, const Array& a, const Array& b) {
  const py::ssize_t n = a.shape(0);
  if (a.ndim() != 2 || a.shape(1) != map.first ||
      (map.second > 0 && (b.ndim() != 2 || b.shape(0) != n || b.shape(1) != map.second)))
    throw std::invalid_argument("the arguments of a map of groups have other shapes than it takes");
  Array out({n, static_cast<py::ssize_t>(map.value)});
  const double *from_a = a.data(), *from_b = b.data();
  double* to = out.mutable_data();
  const py::gil_scoped_release others_may_run;
  map.function(static_cast<std::size_t>(n), from_a, from_b, to);
  return out;
}

}  // namespace

void add_groups(py::module_& module) {
  py::class_<GroupMap>(module, "GroupMap")
      .def_readonly("group", &GroupMap::group)
      .def_readonly("name", &GroupMap::name)
      .def_property_readonly(
          "sizes", [](const GroupMap& map) { return py::make_tuple(map.first, map.second, map.value); })
      .def("__call__", &mapped);
  module.def("group_maps", &group_maps);
}

}  // namespace torsor::python
