// Measures the cost of the maps of groups: one by one in doubles (SO(3), SE(3)), over arrays in packs, and
// with Eigen's conversions. Counters: items per second; for exp, log and dexp_inv one by one also `error`,
// the greatest difference from long double.
#include <benchmark/benchmark.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/greatest.hpp"
#include "torsor/lie/arrays.hpp"
#include "torsor/lie/se3.hpp"

namespace {

using torsor::ArrayKernels;
using torsor::GroupKernels;
using torsor::Isa;
using torsor::SE3;
using torsor::SO3;

/// Small angles are those of an integrator's steps. Wide angles fill the ball of radius 3.1 rad.
enum Angles : int { small_angles, wide_angles };
constexpr std::size_t count = 256;  // the arrays of one kernel take at most 42 KiB

/// An array of numbers aligned to a cache line.
class Columns {
 public:
  explicit Columns(int size) : lines_(count / 8 * static_cast<std::size_t>(size)) {}
  double* data() { return lines_.data()->numbers; }
  const double* data() const { return lines_.data()->numbers; }
  double operator[](std::size_t i) const { return data()[i]; }

 private:
  struct alignas(64) Line {
    double numbers[8];
  };
  std::vector<Line> lines_;
};

/// Random tangent vectors, component i of element k at [i * count + k]. The last components, at most three,
/// have a random direction and a random length up to the greatest angle.
Columns tangents(int dof, Angles angles) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Columns all(dof);
  for (std::size_t i = 0; i < count * static_cast<std::size_t>(dof); ++i) all.data()[i] = uniform(random);
  const double radius = angles == small_angles ? 0.2 : 3.1;
  for (std::size_t k = 0; k < count; ++k) {
    const auto turn = static_cast<std::size_t>(std::min(dof, 3));
    double* w = all.data() + (static_cast<std::size_t>(dof) - turn) * count + k;
    double square = 0;
    for (std::size_t i = 0; i < turn; ++i) square += w[i * count] * w[i * count];
    const double length = radius * std::abs(uniform(random)) / std::sqrt(square);
    for (std::size_t i = 0; i < turn; ++i) w[i * count] *= length;
  }
  return all;
}

template <class Element, int size, class From>
std::vector<Element> gather(const Columns& columns, const From& from) {
  std::vector<Element> elements;
  for (std::size_t k = 0; k < count; ++k) {
    double one[size];
    for (std::size_t i = 0; i < size; ++i) one[i] = columns[i * count + k];
    elements.push_back(from(one));
  }
  return elements;
}
template <class G>
std::vector<typename G::Tangent> vectors(const Columns& columns) {
  return gather<typename G::Tangent, G::dof>(columns, [](const double* one) {
    return typename G::Tangent(Eigen::Map<const typename G::Tangent>(one));
  });
}
template <class G>
std::vector<G> elements(const Columns& columns) {
  std::vector<G> all;
  for (const auto& xi : vectors<G>(columns)) all.push_back(G::exp(xi));
  return all;
}

/// Runs map(k) over all elements one by one and stores the results in `out`.
template <class Out, class Map>
void one_by_one(benchmark::State& bench, const Map& map) {
  std::vector<Out> out(count, map(0));
  for (auto _ : bench) {
    for (std::size_t k = 0; k < count; ++k) out[k] = map(k);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  bench.SetItemsProcessed(bench.iterations() * static_cast<std::int64_t>(count));
}

template <class Reference>
void report_error(benchmark::State& bench, const Reference& difference) {
  double worst = 0;
  for (std::size_t k = 0; k < count; ++k) worst = torsor::test::greatest(worst, difference(k));
  bench.counters["error"] = worst;
}

template <class G, class Wide>
void exp_scalar(benchmark::State& bench, Angles angles) {
  const auto xi = vectors<G>(tangents(G::dof, angles));
  one_by_one<G>(bench, [&](std::size_t k) { return G::exp(xi[k]); });
  report_error(bench, [&](std::size_t k) {
    const auto exact = Wide::exp(xi[k].template cast<long double>());
    return (G::exp(xi[k]).matrix().template cast<long double>() - exact.matrix()).eval();
  });
}
template <class G, class Wide>
void log_scalar(benchmark::State& bench, Angles angles) {
  const auto g = elements<G>(tangents(G::dof, angles));
  one_by_one<typename G::Tangent>(bench, [&](std::size_t k) { return g[k].log(); });
  report_error(bench, [&](std::size_t k) {
    double stored[G::nq];
    long double wide[G::nq];
    g[k].to(stored);
    std::copy(stored, stored + G::nq, wide);
    const auto exact = Wide::from(wide).normalized().log();
    return (g[k].log().template cast<long double>() - exact).eval();
  });
}
template <class G, class Wide>
void dexp_inv_scalar(benchmark::State& bench, Angles angles) {
  const auto xi = vectors<G>(tangents(G::dof, angles));
  const auto eta = vectors<G>(tangents(G::dof, small_angles));
  one_by_one<typename G::Tangent>(bench, [&](std::size_t k) { return G::dexp_inv(xi[k], eta[k]); });
  report_error(bench, [&](std::size_t k) {
    const auto exact =
        Wide::dexp_inv(xi[k].template cast<long double>(), eta[k].template cast<long double>());
    return (G::dexp_inv(xi[k], eta[k]).template cast<long double>() - exact).eval();
  });
}

/// Runs a kernel with one input over arrays. The output has `out_size` components.
template <class Kernel>
void over_arrays(benchmark::State& bench, const Columns& in, int out_size, const Kernel& kernel) {
  Columns out(out_size);
  for (auto _ : bench) {
    kernel(in.data(), out.data());
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  bench.SetItemsProcessed(bench.iterations() * static_cast<std::int64_t>(count));
}
Columns exp_of(const Columns& xi, int nq, GroupKernels::Map* exp) {
  Columns g(nq);
  exp(count, xi.data(), g.data());
  return g;
}

// Eigen's conversions between the same representations, and the same conversions of Torsor.
void eigen_exp_quaternion(benchmark::State& bench, Angles angles) {
  const auto w = vectors<SO3<>>(tangents(3, angles));
  one_by_one<Eigen::Quaterniond>(bench, [&](std::size_t k) {
    return Eigen::Quaterniond(Eigen::AngleAxisd(w[k].norm(), w[k].normalized()));
  });
}
void eigen_exp_matrix(benchmark::State& bench, Angles angles) {
  const auto w = vectors<SO3<>>(tangents(3, angles));
  one_by_one<Eigen::Matrix3d>(bench, [&](std::size_t k) {
    return Eigen::AngleAxisd(w[k].norm(), w[k].normalized()).toRotationMatrix();
  });
}
void torsor_exp_matrix(benchmark::State& bench, Angles angles) {
  const auto w = vectors<SO3<>>(tangents(3, angles));
  one_by_one<Eigen::Matrix3d>(bench, [&](std::size_t k) { return SO3<>::exp(w[k]).matrix(); });
}
std::vector<Eigen::Quaterniond> eigen_quaternions(Angles angles) {
  std::vector<Eigen::Quaterniond> all;
  for (const auto& R : elements<SO3<>>(tangents(3, angles))) all.emplace_back(R.w(), R.x(), R.y(), R.z());
  return all;
}
void eigen_log(benchmark::State& bench, Angles angles) {
  const auto q = eigen_quaternions(angles);
  one_by_one<Eigen::Vector3d>(bench, [&](std::size_t k) {
    const Eigen::AngleAxisd turn(q[k]);
    return Eigen::Vector3d(turn.angle() * turn.axis());
  });
}
void eigen_from_matrix(benchmark::State& bench, Angles angles) {
  std::vector<Eigen::Matrix3d> R;
  for (const auto& q : eigen_quaternions(angles)) R.push_back(q.toRotationMatrix());
  one_by_one<Eigen::Quaterniond>(bench, [&](std::size_t k) { return Eigen::Quaterniond(R[k]); });
}
void torsor_from_matrix(benchmark::State& bench, Angles angles) {
  std::vector<Eigen::Matrix3d> R;
  for (const auto& q : eigen_quaternions(angles)) R.push_back(q.toRotationMatrix());
  one_by_one<SO3<>>(bench, [&](std::size_t k) { return SO3<>::from_matrix(R[k]); });
}
void eigen_slerp(benchmark::State& bench, Angles angles) {
  const auto q = eigen_quaternions(angles);
  one_by_one<Eigen::Quaterniond>(bench, [&](std::size_t k) { return q[k].slerp(0.3, q[count - 1 - k]); });
}
void torsor_interpolate(benchmark::State& bench, Angles angles) {
  const auto R = elements<SO3<>>(tangents(3, angles));
  one_by_one<SO3<>>(bench, [&](std::size_t k) { return interpolate(R[k], R[count - 1 - k], 0.3); });
}

void add_arrays(Isa isa, Angles angles, const std::string& ending) {
  const ArrayKernels& kernels = torsor::array_kernels(isa);
  const auto add = [&](const std::string& name, const Columns& in, int out_size, auto kernel) {
    benchmark::RegisterBenchmark((name + ending).c_str(),
                                 [=](benchmark::State& bench) { over_arrays(bench, in, out_size, kernel); });
  };
  const auto add_group = [&](const std::string& name, const GroupKernels& group, int dof, int nq, int dim) {
    const auto xi = tangents(dof, angles), eta = tangents(dof, small_angles), p = tangents(dim, small_angles);
    const auto g = exp_of(xi, nq, group.exp);
    const auto with = [](GroupKernels::Map2* map, const Columns& b) {
      return [=](const double* in, double* out) { map(count, in, b.data(), out); };
    };
    add(name + "_exp", xi, nq, [&group](const double* in, double* out) { group.exp(count, in, out); });
    add(name + "_log", g, dof, [&group](const double* in, double* out) { group.log(count, in, out); });
    add(name + "_dexp", xi, dof, with(group.dexp, eta));
    add(name + "_dexp_inv", xi, dof, with(group.dexp_inv, eta));
    add(name + "_compose", g, nq, with(group.compose, g));
    add(name + "_act", g, dim, with(group.act, p));
  };
  add_group("so2", kernels.so2, 1, 2, 2);
  add_group("so3", kernels.so3, 3, 4, 3);
  add_group("se2", kernels.se2, 3, 4, 2);
  add_group("se3", kernels.se3, 6, 7, 3);
}

void add_all(Angles angles, const std::string& range) {
  const auto add = [&](const char* name, void (*run)(benchmark::State&, Angles)) {
    benchmark::RegisterBenchmark((name + range).c_str(),
                                 [=](benchmark::State& bench) { run(bench, angles); });
  };
  using R = SO3<>;
  using X = SE3<>;
  add("so3_exp/one", &exp_scalar<R, SO3<long double>>);
  add("so3_log/one", &log_scalar<R, SO3<long double>>);
  add("so3_dexp_inv/one", &dexp_inv_scalar<R, SO3<long double>>);
  add("se3_exp/one", &exp_scalar<X, SE3<long double>>);
  add("se3_log/one", &log_scalar<X, SE3<long double>>);
  add("se3_dexp_inv/one", &dexp_inv_scalar<X, SE3<long double>>);
  for (Isa isa : {Isa::sse2, Isa::avx2, Isa::avx512}) {
    if (torsor::is_available(isa)) add_arrays(isa, angles, "/" + std::string(to_string(isa)) + range);
  }
  add("so3_exp/eigen", &eigen_exp_quaternion);
  add("so3_exp_matrix/one", &torsor_exp_matrix);
  add("so3_exp_matrix/eigen", &eigen_exp_matrix);
  add("so3_log/eigen", &eigen_log);
  add("so3_from_matrix/one", &torsor_from_matrix);
  add("so3_from_matrix/eigen", &eigen_from_matrix);
  add("so3_interpolate/one", &torsor_interpolate);
  add("so3_interpolate/eigen", &eigen_slerp);
}

}  // namespace

int main(int argc, char** argv) {
  add_all(small_angles, "/small");
  add_all(wide_angles, "/wide");
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
