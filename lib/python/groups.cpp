#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

#include "bindings.hpp"
#include "group_elements.hpp"
#include "torsor/lie/arrays.hpp"

namespace torsor::python {
namespace {

/// A map of group elements, twists or points, for many at once. They are stored one after the other. `first`,
/// `second` and `value` are the numbers of components of the arguments and of the value.
struct GroupMap {
  using Function = void(std::size_t n, const double* a, const double* b, double* out);
  /// The place of the first of n arguments that is not valid; n if there is none.
  using FirstInvalid = std::size_t(std::size_t n, const double* arguments);
  std::string_view group, name;
  int first, second, value;  ///< `second`: 0 for a map of one argument
  Function* function;
  std::array<FirstInvalid*, 2> checks = {};  ///< of both arguments; nullptr if every argument is valid
  std::string_view outside = {};             ///< the error message's words for an argument that is not valid
};

/// The defect of a valid argument is at most 1e-6. Arguments that have a NaN are valid: their values have a
/// NaN too.
template <int size, double (*defect)(const double* argument)>
std::size_t first_invalid(std::size_t n, const double* arguments) {
  for (std::size_t k = 0; k < n; ++k)
    if (defect(arguments + k * static_cast<std::size_t>(size)) > 1e-6) return k;
  return n;
}

/// The maps of one element at a time.
template <class G>
struct Maps {
  static constexpr int dof = G::dof, nq = G::nq, size = G::matrix_size;
  static constexpr int turn = G::Point::RowsAtCompileTime == 2 ? 2 : 4;  ///< components of a rotation
  using Tangent = typename G::Tangent;

  template <int first, int second, int value, class One>
  static void each(std::size_t n, const double* a, const double* b, double* out, const One& one) {
    for (std::size_t k = 0; k < n; ++k, a += first, b += second, out += value) one(a, b, out);
  }
  static void compose(std::size_t n, const double* a, const double* b, double* out) {
    each<nq, nq, nq>(n, a, b, out, [](auto g, auto h, auto to) { put(element<G>(g) * element<G>(h), to); });
  }
  static void inverse(std::size_t n, const double* a, const double* b, double* out) {
    each<nq, 0, nq>(n, a, b, out, [](auto g, auto, auto to) { put(element<G>(g).inverse(), to); });
  }
  static void Ad(std::size_t n, const double* a, const double* b, double* out) {
    each<nq, dof, dof>(n, a, b, out, [](auto g, auto x, auto to) {
      put_values(Tangent(element<G>(g).Ad(vector<dof>(x))), to);
    });
  }
  /// A rotation whose squared length overflows or underflows is divided by its greatest component first.
  static void normalized(std::size_t n, const double* a, const double* b, double* out) {
    each<nq, 0, nq>(n, a, b, out, [](auto g, auto, auto to) {
      Vector<double, nq> from = vector<nq>(g);
      auto rotation = from.template tail<turn>();
      const double square = rotation.squaredNorm();
      if (!(square > 1e-280 && square < 1e280)) rotation /= rotation.cwiseAbs().maxCoeff();
      put(element<G>(from.data()).normalized(), to);
    });
  }
  static double defect(const double* g) { return element<G>(g).defect(); }
  static void matrix(std::size_t n, const double* a, const double* b, double* out) {
    each<nq, 0, size * size>(n, a, b, out,
                             [](auto g, auto, auto to) { put_values(element<G>(g).matrix(), to); });
  }
};

/// The kernels of a group.
template <class G>
const GroupKernels& kernels_of() {
  const ArrayKernels& all = array_kernels();
  if constexpr (std::is_same_v<G, SO2<>>)
    return all.so2;
  else if constexpr (std::is_same_v<G, SO3<>>)
    return all.so3;
  else if constexpr (std::is_same_v<G, SE2<>>)
    return all.se2;
  else
    return all.se3;
}

/// The maps in packs: blocks of elements are rearranged by components, for array_kernels(). Maps with little
/// arithmetic, such as products, lose more by that than they gain: a million products of poses took 20 ms in
/// place of 13 ms on an AMD EPYC with AVX-512.
template <class G>
struct Packed {
  static constexpr int dof = G::dof, nq = G::nq, dim = static_cast<int>(G::Point::RowsAtCompileTime);
  /// A multiple of the lanes. Larger blocks are slower, and so are powers of two: their rows share cache
  /// sets.
  static constexpr std::size_t block = 120;
  /// An argument or a value of a map, with `size` components. The components of an element have another order
  /// than in the library.
  template <int components, bool element>
  struct Kind {
    static constexpr int size = components;
    static constexpr int place_of(int i) { return element ? place<G>(i) : i; }
    using Rows = std::array<double, static_cast<std::size_t>(size) * block>;

    static void load(const double* from, std::size_t n, double* rows) {
      [=]<int... i>(std::integer_sequence<int, i...>) {
        for (std::size_t k = 0; k < n; ++k) ((rows[i * n + k] = from[k * size + place_of(i)]), ...);
      }
      (std::make_integer_sequence<int, size>());
    }
    static void store(const double* rows, std::size_t n, double* into) {
      [=]<int... i>(std::integer_sequence<int, i...>) {
        for (std::size_t k = 0; k < n; ++k) ((into[k * size + place_of(i)] = rows[i * n + k]), ...);
      }
      (std::make_integer_sequence<int, size>());
    }
  };
  using Element = Kind<nq, true>;
  using Twist = Kind<dof, false>;
  using Point = Kind<dim, false>;

  template <class In, class Out>
  static void map(GroupKernels::Map* kernel, std::size_t n, const double* in, double* out) {
    typename In::Rows from;
    typename Out::Rows to;
    for (std::size_t k = 0; k < n; k += block) {
      const std::size_t m = std::min(block, n - k);
      In::load(in + k * In::size, m, from.data());
      kernel(m, from.data(), to.data());
      Out::store(to.data(), m, out + k * Out::size);
    }
  }
  template <class A, class B, class Out>
  static void map(GroupKernels::Map2* kernel, std::size_t n, const double* a, const double* b, double* out) {
    typename A::Rows from_a;
    typename B::Rows from_b;
    typename Out::Rows to;
    for (std::size_t k = 0; k < n; k += block) {
      const std::size_t m = std::min(block, n - k);
      A::load(a + k * A::size, m, from_a.data());
      B::load(b + k * B::size, m, from_b.data());
      kernel(m, from_a.data(), from_b.data(), to.data());
      Out::store(to.data(), m, out + k * Out::size);
    }
  }

  static void exp(std::size_t n, const double* a, const double*, double* out) {
    map<Twist, Element>(kernels_of<G>().exp, n, a, out);
  }
  static void log(std::size_t n, const double* a, const double*, double* out) {
    map<Element, Twist>(kernels_of<G>().log, n, a, out);
  }
  static void dexp(std::size_t n, const double* a, const double* b, double* out) {
    map<Twist, Twist, Twist>(kernels_of<G>().dexp, n, a, b, out);
  }
  static void dexp_inv(std::size_t n, const double* a, const double* b, double* out) {
    map<Twist, Twist, Twist>(kernels_of<G>().dexp_inv, n, a, b, out);
  }
  static void act(std::size_t n, const double* a, const double* b, double* out) {
    map<Element, Point, Point>(kernels_of<G>().act, n, a, b, out);
  }
};

using RowMajor3 = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;

/// At least 1 for a reflection, and for entries beyond 2, whose squares could overflow.
double rotation_defect(const double* a) {
  const RowMajor3 R(a);
  if (R.cwiseAbs().maxCoeff() > 2) return 1;
  return (R.transpose() * R - Mat3::Identity()).norm() + (R.determinant() < 0 ? 1 : 0);
}

void so3_from_matrix(std::size_t n, const double* a, const double*, double* out) {
  for (std::size_t k = 0; k < n; ++k, a += 9, out += 4) put(SO3<>::from_matrix(RowMajor3(a)), out);
}

template <class G>
void add_maps(std::string_view group, std::vector<GroupMap>& all) {
  using M = Maps<G>;
  using P = Packed<G>;
  constexpr GroupMap::FirstInvalid* check = first_invalid<M::nq, M::defect>;
  constexpr std::string_view outside =
      "is not in the group: its rotation does not have length 1; see normalized";
  all.insert(all.end(), {{group, "exp", P::dof, 0, P::nq, P::exp},
                         {group, "log", P::nq, 0, P::dof, P::log, {check}, outside},
                         {group, "dexp", P::dof, P::dof, P::dof, P::dexp},
                         {group, "dexp_inv", P::dof, P::dof, P::dof, P::dexp_inv},
                         {group, "compose", M::nq, M::nq, M::nq, M::compose, {check, check}, outside},
                         {group, "inverse", M::nq, 0, M::nq, M::inverse, {check}, outside},
                         {group, "act", P::nq, P::dim, P::dim, P::act, {check}, outside},
                         {group, "Ad", M::nq, M::dof, M::dof, M::Ad, {check}, outside},
                         {group, "normalized", M::nq, 0, M::nq, M::normalized},
                         {group, "matrix", M::nq, 0, M::size * M::size, M::matrix, {check}, outside}});
}

std::vector<GroupMap> group_maps() {
  std::vector<GroupMap> all;
  add_maps<SO2<>>("SO2", all);
  add_maps<SO3<>>("SO3", all);
  add_maps<SE2<>>("SE2", all);
  add_maps<SE3<>>("SE3", all);
  constexpr std::string_view outside =
      "is not a rotation matrix: its columns must be orthonormal and its determinant 1";
  all.push_back(
      {"SO3", "from_matrix", 9, 0, 4, so3_from_matrix, {first_invalid<9, rotation_defect>}, outside});
  return all;
}

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Throws if one of n arguments is not valid. `begin`: the place of the first of them among all.
void require_valid(const GroupMap& map, std::size_t which, std::size_t begin, std::size_t n,
                   const double* arguments) {
  if (!map.checks[which]) return;
  const std::size_t invalid = map.checks[which](n, arguments);
  if (invalid == n) return;
  throw std::invalid_argument(fmt::format("{}.{}: element {}, counted from 0,{} {}", map.group, map.name,
                                          begin + invalid, which == 1 ? " of the second argument" : "",
                                          map.outside));
}

/// Applies a map to each row. Both arguments are arrays (n, size); the package has checked their shapes.
/// Blocks are small enough for the cache, in which the check of an element takes 1 to 2 ns.
Array mapped(const GroupMap& map, const Array& a, const Array& b) {
  const py::ssize_t n = a.shape(0);
  if (a.ndim() != 2 || a.shape(1) != map.first ||
      (map.second > 0 && (b.ndim() != 2 || b.shape(0) != n || b.shape(1) != map.second)))
    throw std::invalid_argument("the arguments of a map of groups have other shapes than it takes");
  Array out({n, static_cast<py::ssize_t>(map.value)});
  const double *from_a = a.data(), *from_b = b.data();
  double* to = out.mutable_data();
  constexpr std::size_t block = 8 * Packed<SO3<>>::block;
  const auto count = static_cast<std::size_t>(n), first = static_cast<std::size_t>(map.first),
             second = static_cast<std::size_t>(map.second), value = static_cast<std::size_t>(map.value);
  const py::gil_scoped_release others_may_run;
  for (std::size_t k = 0; k < count; k += block) {
    const std::size_t m = std::min(block, count - k);
    require_valid(map, 0, k, m, from_a + k * first);
    require_valid(map, 1, k, m, from_b + k * second);
    map.function(m, from_a + k * first, from_b + k * second, to + k * value);
  }
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
