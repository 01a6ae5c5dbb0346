#include <fmt/format.h>

#include <limits>
#include <numbers>
#include <span>
#include <string>

#include "bindings.hpp"
#include "group_elements.hpp"
#include "torsor/integrators/commutator_free.hpp"
#include "torsor/integrators/integrate.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/integrators/rkmk_order8.hpp"
#include "torsor/lie/detail/real_functions.hpp"

namespace torsor::python {
namespace {

/// A group that is chosen at run time. Its elements are stored as in Python.
struct FieldGroup {
  using Map = void(const double* a, const double* b, double* out);
  std::string_view name;
  int nq, dof, rotation;  ///< numbers of components: element, twist, rotation (last in the twist)
  Map *retract, *difference, *dexp, *dexp_inv;
  double (*defect)(const double* y);
};

template <class G>
FieldGroup field_group(std::string_view name) {
  constexpr int dof = G::dof;
  const auto retract = [](const double* y, const double* u, double* out) {
    put(renormalized(element<G>(y) * G::exp(vector<dof>(u))), out);
  };
  const auto difference = [](const double* y, const double* z, double* out) {
    put_values(torsor::difference(element<G>(y), element<G>(z)), out);
  };
  const auto dexp = [](const double* u, const double* w, double* out) {
    put_values(G::dexp(vector<dof>(u), vector<dof>(w)), out);
  };
  const auto dexp_inv = [](const double* u, const double* w, double* out) {
    put_values(G::dexp_inv(vector<dof>(u), vector<dof>(w)), out);
  };
  const auto defect = [](const double* y) { return element<G>(y).defect(); };
  return {name, G::nq, dof, Stored<G>::quaternion < 0 ? 1 : 3, retract, difference, dexp, dexp_inv, defect};
}

FieldGroup field_group_named(const std::string& name) {
  if (name == "SO2") return field_group<SO2<>>("SO2");
  if (name == "SO3") return field_group<SO3<>>("SO3");
  if (name == "SE2") return field_group<SE2<>>("SE2");
  if (name == "SE3") return field_group<SE3<>>("SE3");
  throw std::invalid_argument("there is no group " + name);
}

/// Thrown where a field or a motion is not finite.
struct NotFinite : std::domain_error {
  using std::domain_error::domain_error;
};

/// The field y' = y field(t, y) of a Python function (the concept LieField). Calls need the GIL. Exceptions
/// of the function and of signal handlers propagate. `chart_rate` must not be inlined: methods would inline
/// it in every stage, which takes minutes to compile.
class PythonField {
 public:
  using Scalar = double;
  using Point = Vec;
  using Tangent = Vec;

  PythonField(const FieldGroup& group, const py::object& field) : group_(group), field_(field) {}

  int dim() const { return group_.dof; }
  const FieldGroup& group() const { return group_; }
  void retract(const Vec& y, const Vec& u, Vec& out) const {
    out.resize(group_.nq);
    group_.retract(y.data(), u.data(), out.data());
  }
  void difference(const Vec& y, const Vec& z, Vec& out) const {
    out.resize(group_.dof);
    group_.difference(y.data(), z.data(), out.data());
  }
  void dexp(const Vec& u, const Vec& w, Vec& out) const {
    out.resize(group_.dof);
    group_.dexp(u.data(), w.data(), out.data());
  }
  void rate(double t, const Vec& y, Vec& out) const {
    if (!y.allFinite())
      throw NotFinite(fmt::format("a step leads to numbers that are not finite at t = {}", t));
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    const py::array_t<double> g(static_cast<py::ssize_t>(y.size()), y.data());
    read_twist(field_(t, g), t, out);
  }
  [[gnu::noinline]] void chart_rate(double t, const Vec& y, const Vec& u, Vec& out) const {
    retract(y, u, stage_);
    rate(t, stage_, slope_);
    out.resize(group_.dof);
    group_.dexp_inv(u.data(), slope_.data(), out.data());
  }
  void rate_from_chart(const Vec&, const Vec& u, const Vec& u_rate, Vec& out) const { dexp(u, u_rate, out); }

 private:
  void read_twist(const py::object& returned, double t, Vec& out) const {
    const py::array any = py::array::ensure(returned);
    const auto text = [](const py::object& of) { return py::repr(of).cast<std::string>(); };
    if (!any || std::string_view("fiu").find(any.dtype().kind()) == std::string_view::npos)
      throw py::type_error(
          fmt::format("the field must return real numbers; at t = {} it returned {}", t, text(returned)));
    if (!any.is(returned) && py::hasattr(returned, "mask") &&
        py::module_::import("numpy").attr("any")(returned.attr("mask")).cast<bool>())
      throw std::invalid_argument(
          fmt::format("the field must return an array without masked entries; at t = {} it returned {}", t,
                      text(returned)));
    if (any.ndim() != 1 || any.shape(0) != group_.dof)
      throw std::invalid_argument(
          fmt::format("the field must return a twist of {}, an array of shape ({},); at t = {} it returned "
                      "an array of shape {}",
                      group_.name, group_.dof, t, text(any.attr("shape"))));
    const auto values = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(any);
    if (!values) throw py::error_already_set();
    out = Eigen::Map<const Vec>(values.data(), group_.dof);
    if (!out.allFinite())
      throw NotFinite(
          fmt::format("the field must return finite numbers; at t = {} it returned {}", t, text(returned)));
  }

  const FieldGroup& group_;
  const py::object& field_;
  mutable Vec stage_, slope_;
};

/// The motion at the output times that were reached, and how the integration ended.
struct FieldMotion {
  std::vector<double> rows;
  std::string message;
  StepStatus status = StepStatus::reached_end;
  long accepted = 0, rejected = 0, evaluations = 0;
};

/// Integrates from the first to the last of at least two output times. For an output time within a step, a
/// shorter step from the beginning of the step gives the output, so that outputs do not change the steps.
template <template <class> class Method>
class FieldIntegration {
 public:
  FieldIntegration(const PythonField& field, const Vec& start, std::span<const double> times)
      : field_(field), group_(field.group()), times_(times), y_(start) {
    put_row(y_);
  }

  /// As torsor::integrate (integrate.hpp). A step is also rejected if it turns by more than half a turn: the
  /// exponential chart is singular at a full turn. The error is proportional to h^k and the turn is
  /// proportional to h, so the step size control uses the greater of the relative error and (turn / pi)^k.
  /// After the start, a field that is not finite only rejects the step.
  FieldMotion controlled(const IntegrateOptions& options) {
    detail::ControlledSteps<double> steps(
        {times_.front(), times_.back(), options.max_step, options.max_steps},
        estimate_order_of<Method<Field>>);
    set_slope(times_.front());
    steps.begin(0, options.first_step > 0 ? options.first_step : chosen_first_step(options.tolerance));
    while (!steps.arrived()) {
      const auto step = steps.next();
      if (step.tiny || step.beyond) {
        fail(step.tiny ? StepStatus::underflow : StepStatus::step_limit,
             fmt::format("{} at t = {}{}",
                         step.tiny ? "the step size is below its lower limit" : "too many steps", steps.t(),
                         why_.empty() ? "" : ": " + why_));
        break;
      }
      const double error = try_step(steps.t(), steps.direction(), step, options.tolerance);
      if (steps.judge(step, error, true)) std::swap(y_, next_), std::swap(slope_, next_slope_);
    }
    motion_.accepted = static_cast<long>(steps.accepted());
    motion_.rejected = static_cast<long>(steps.attempts()) - motion_.accepted;
    return finished();
  }

  /// n equal steps between neighbouring times.
  FieldMotion equal(long n) {
    for (std::size_t k = 1; k < times_.size(); ++k) {
      const double begin = times_[k - 1], h = (times_[k] - begin) / static_cast<double>(n);
      for (long i = 0; i < n; ++i) {
        const double t = begin + static_cast<double>(i) * h;
        set_slope(t);
        method_.step(field_, y_, slope_, t, h, next_);
        require_finite(next_, t);
        if (!(turn(h) <= std::numbers::pi)) {
          fail(StepStatus::rejected,
               fmt::format("the step from t = {} turns by more than half a turn; take more steps", t));
          return finished();
        }
        ++motion_.accepted;
        advance();
      }
      put_row(y_);
    }
    return finished();
  }

 private:
  using Field = detail::CountingField<PythonField>;

  void set_slope(double t) {
    if (!slope_known_) field_.rate(t, y_, slope_);
    slope_known_ = true;
  }
  void advance() {
    std::swap(y_, next_);
    slope_known_ = Method<Field>::first_same_as_last;
    if constexpr (Method<Field>::first_same_as_last) slope_ = method_.last_slope();
  }

  /// The angle of rotation of the last step, rad. For a method without a chart: |h| times the angular speed
  /// of its first slope.
  double turn(double h) const {
    if constexpr (requires { method_.chart(); })
      return method_.chart().tail(group_.rotation).norm();
    else
      return std::abs(h) * slope_.tail(group_.rotation).norm();
  }

  static void require_finite(const Vec& y, double t) {
    if (!y.allFinite())
      throw NotFinite(fmt::format("the step from t = {} leads to numbers that are not finite", t));
  }

  /// If the field is not finite at the probe, the first step is as long as the probe.
  double chosen_first_step(double tolerance) const {
    try {
      return detail::chosen_first_step(field_, y_, slope_, times_.front(), times_.back(), tolerance,
                                       estimate_order_of<Method<Field>>);
    } catch (const NotFinite&) {
      return probe_step(field_.error_size(y_, slope_));
    }
  }

  /// Takes a step from t to next_ and returns its error relative to the tolerance. If the error is small
  /// enough, also adds the rows of the step and finds the slope at its end. If any of this is not finite,
  /// adds no row and returns infinity or NaN.
  double try_step(double t, double direction, const detail::ControlledSteps<double>::Next& step,
                  double tolerance) {
    why_.clear();
    const std::size_t row = row_, size = motion_.rows.size();
    try {
      const double h = direction * step.size, t_next = step.last ? times_.back() : t + h;
      method_.step(field_, y_, slope_, t, h, next_, &error_);
      require_finite(next_, t);
      const double turned = real::pow(turn(h) / std::numbers::pi, estimate_order_of<Method<Field>> + 1);
      const double error =
          std::max(field_.error_size(y_, error_) * (1 / tolerance), turned);  // in this order a NaN remains
      if (!(error <= 1)) return error;
      put_rows(t, t_next, direction);
      if constexpr (Method<Field>::first_same_as_last)
        next_slope_ = method_.last_slope();
      else if (!step.last)
        field_.rate(t_next, next_, next_slope_);
      return error;
    } catch (const NotFinite& failure) {
      why_ = failure.what();
      row_ = row, motion_.rows.resize(size);
      return std::numeric_limits<double>::infinity();
    }
  }

  /// The rows of the step from t to t_next, which ends at next_.
  void put_rows(double t, double t_next, double direction) {
    for (; row_ < times_.size() && direction * (times_[row_] - t_next) < 0; ++row_) {
      shorter_.step(field_, y_, slope_, t, times_[row_] - t, output_);
      require_finite(output_, t);
      put_row(output_);
    }
    if (row_ < times_.size() && times_[row_] == t_next) ++row_, put_row(next_);
  }
  void put_row(const Vec& y) { motion_.rows.insert(motion_.rows.end(), y.begin(), y.end()); }

  void fail(StepStatus status, std::string message) {
    motion_.status = status;
    motion_.message = std::move(message);
  }
  FieldMotion finished() {
    motion_.evaluations = field_.evaluations();
    return std::move(motion_);
  }

  Field field_;
  const FieldGroup& group_;
  std::span<const double> times_;
  std::size_t row_ = 1;  ///< the next output
  Method<Field> method_, shorter_;
  Vec y_, slope_, next_, next_slope_, error_, output_;
  bool slope_known_ = false;
  std::string why_;  ///< why the last step led to numbers that are not finite
  FieldMotion motion_;
};

/// A method for fields: its name, whether it can control the error, and the function that runs it.
struct FieldMethod {
  using Run = FieldMotion(const PythonField& field, const Vec& start, std::span<const double> times,
                          const IntegrateOptions& options, long steps);
  std::string_view name;
  bool controls_error;
  Run* run;
};

template <template <class> class Method, bool controls_error>
FieldMotion run_method(const PythonField& field, const Vec& start, std::span<const double> times,
                       const IntegrateOptions& options, long steps) {
  FieldIntegration<Method> integration(field, start, times);
  if constexpr (controls_error)
    if (steps == 0) return integration.controlled(options);
  return integration.equal(steps);
}

/// The pair of Fehlberg is not listed, since rkmk-dop853 has its order with fewer evaluations. cf4 takes
/// equal steps only: under a tolerance, rkmk-dopri5 has a higher order.
constexpr FieldMethod field_methods[] = {{"rkmk-dopri5", true, run_method<RkmkDopri5, true>},
                                         {"rkmk-dop853", true, run_method<RkmkDop853, true>},
                                         {"rkmk4", false, run_method<Rkmk4, false>},
                                         {"cf4", false, run_method<Cf4, false>}};

const FieldMethod& field_method_named(const std::string& name) {
  for (const FieldMethod& method : field_methods)
    if (method.name == name) return method;
  throw std::invalid_argument("there is no method " + name);
}

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// With error control if `steps` is zero. The package has checked the shapes, the times and the options.
py::tuple integrate_field(const std::string& group_name, const std::string& method_name,
                          const py::object& field, const Numbers& start, const Numbers& times,
                          const py::tuple& control, long steps) {
  const FieldGroup group = field_group_named(group_name);
  const FieldMethod& method = field_method_named(method_name);
  if (start.size() != group.nq || times.size() < 2 || steps < 0 || (steps == 0 && !method.controls_error))
    throw std::invalid_argument("the arguments of the integration have wrong shapes or values");
  const Vec y = Eigen::Map<const Vec>(start.data(), group.nq);
  const std::span<const double> at(times.data(), static_cast<std::size_t>(times.size()));
  IntegrateOptions options;
  options.tolerance = control[0].cast<double>();
  options.first_step = control[1].cast<double>();
  options.max_step = control[2].cast<double>();
  options.check(at.front(), at.back());
  const FieldMotion motion = method.run(PythonField(group, field), y, at, options, steps);
  const auto rows = static_cast<py::ssize_t>(motion.rows.size()) / group.nq;
  return py::make_tuple(py::array_t<double>({rows, static_cast<py::ssize_t>(group.nq)}, motion.rows.data()),
                        std::string(to_string(motion.status)), motion.message, motion.accepted,
                        motion.rejected, motion.evaluations);
}

}  // namespace

void add_group_fields(py::module_& module) {
  module.def("integrate_field", &integrate_field);
  module.def("field_methods", [] {
    py::dict all;
    for (const FieldMethod& method : field_methods)
      all[py::str(std::string(method.name))] = method.controls_error;
    return all;
  });
  module.def("group_defect", [](const std::string& group, const Numbers& g) {
    return field_group_named(group).defect(g.data());
  });
}

}  // namespace torsor::python
