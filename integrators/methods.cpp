#include <algorithm>
#include <array>
#include <memory>

#include "integrators/composition.hpp"
#include "integrators/projected.hpp"
#include "make.hpp"

namespace torsor {

// Each function is defined in the source file of its method.
std::unique_ptr<Stepper> make_lie_euler();
std::unique_ptr<Stepper> make_rkmk_ck54();
std::unique_ptr<Stepper> make_rkmk_dopri5();
std::unique_ptr<Stepper> make_rkmk_fehlberg78();
std::unique_ptr<Stepper> make_rkmk_dopri8();
std::unique_ptr<Stepper> make_cf4();
std::unique_ptr<Stepper> make_cg3();
std::unique_ptr<Stepper> make_cg4();
std::unique_ptr<Stepper> make_lie_midpoint();
std::unique_ptr<Stepper> make_lie_verlet();
std::unique_ptr<Stepper> make_geodesic_verlet();
std::unique_ptr<Stepper> make_generalized_alpha(Treatment form);
std::unique_ptr<Stepper> make_hemk4();
std::unique_ptr<Stepper> make_hemk5();
std::unique_ptr<Stepper> make_bliedf1(Treatment form);
std::unique_ptr<Stepper> make_bliedf2(Treatment form);
std::unique_ptr<Stepper> make_bliedf3(Treatment form);
std::unique_ptr<Stepper> make_rattlie();

namespace {

using enum Treatment;

constexpr std::array explicit_treatments{index_1, minimal, dynamic, viscous};
constexpr std::array alpha_treatments{index_2, index_3, stabilised_index_2, minimal, dynamic, viscous};
constexpr std::array half_explicit_treatments{index_2, minimal, dynamic, viscous};
constexpr std::array bdf_treatments{index_2, index_3, minimal, dynamic, viscous};
constexpr std::array symmetric_treatments{stabilised_index_2, minimal, dynamic, viscous};
constexpr std::array rattle_treatments{stabilised_index_2, minimal};
constexpr std::span<const Treatment> none;

/// Makes a method. For index 1 and index 2, the method runs inside Projected; with the other treatments it
/// needs no projection.
template <std::unique_ptr<Stepper> (*plain)()>
std::unique_ptr<Stepper> make(Treatment treatment) {
  if (treatment != index_1 && treatment != index_2) return plain();
  return std::make_unique<Projected>(plain());
}

/// Makes a method that is never projected: a method for systems without constraints, or a method that solves
/// the constraint equations itself.
template <std::unique_ptr<Stepper> (*plain)()>
std::unique_ptr<Stepper> make_free(Treatment) {
  return plain();
}

/// Makes a composition of a method of order 2.
template <std::unique_ptr<Stepper> (*plain)(), const CompositionTable& table>
std::unique_ptr<Stepper> make_composed(Treatment) {
  return std::make_unique<Composition>(plain(), table);
}

/// Explicit Runge-Kutta, Crouch-Grossman and commutator-free methods.
std::vector<MethodInfo> explicit_methods() {
  return {
      {"lie-euler", 1, 0, "", "Iserles et al. 2000", false, explicit_treatments, make<make_lie_euler>},
      {"rkmk4", 4, 0, "", "Munthe-Kaas 1999", false, explicit_treatments, make<make_rkmk4>},
      {"rkmk-ck54", 5, 4, "", "Munthe-Kaas 1999; Cash, Karp 1990", false, explicit_treatments,
       make<make_rkmk_ck54>},
      {"rkmk-dopri5", 5, 4, "", "Munthe-Kaas 1999; Dormand, Prince 1980", false, explicit_treatments,
       make<make_rkmk_dopri5>},
      {"rkmk-fehlberg78", 8, 7, "", "Munthe-Kaas 1999; Fehlberg 1968", false, explicit_treatments,
       make<make_rkmk_fehlberg78>},
      {"rkmk-dopri8", 8, 7, "", "Munthe-Kaas 1999; Prince, Dormand 1981", false, explicit_treatments,
       make<make_rkmk_dopri8>},
      {"rkmk-dop853", 8, 7, "", "Munthe-Kaas 1999; Hairer, Norsett, Wanner 1993", false, explicit_treatments,
       make<make_rkmk_dop853>},
      {"cf4", 4, 3, "", "Celledoni, Marthinsen, Owren 2003", false, explicit_treatments, make<make_cf4>},
      {"cg3", 3, 0, "", "Crouch, Grossman 1993; Owren, Marthinsen 1999", false, explicit_treatments,
       make<make_cg3>},
      {"cg4", 4, 0, "", "Crouch, Grossman 1993; Jackiewicz, Marthinsen, Owren 2000", false,
       explicit_treatments, make<make_cg4>},
  };
}

/// The midpoint rule, the Verlet methods and their compositions.
std::vector<MethodInfo> symmetric_methods() {
  return {
      {"lie-midpoint", 2, 0, "time-symmetric", "Hairer, Lubich, Wanner 2006, IV.8", false,
       symmetric_treatments, make<make_lie_midpoint>},
      {"lie-midpoint4", 4, 0, "time-symmetric", "Hairer, Lubich, Wanner 2006, IV.8; Suzuki 1990", false,
       symmetric_treatments, make_composed<make_lie_midpoint, suzuki_table>},
      {"lie-midpoint6", 6, 0, "time-symmetric", "Hairer, Lubich, Wanner 2006, IV.8; Sofroniou, Spaletta 2005",
       false, symmetric_treatments, make_composed<make_lie_midpoint, sofroniou_spaletta_table>},
      {"lie-verlet", 2, 0, "symplectic, time-symmetric, spatial momentum", "Bogfjellmo, Marthinsen 2016",
       true, none, make_free<make_lie_verlet>},
      {"lie-verlet4", 4, 0, "symplectic, time-symmetric, spatial momentum",
       "Bogfjellmo, Marthinsen 2016; Suzuki 1990", true, none, make_composed<make_lie_verlet, suzuki_table>},
      {"lie-verlet6", 6, 0, "symplectic, time-symmetric, spatial momentum",
       "Bogfjellmo, Marthinsen 2016; Sofroniou, Spaletta 2005", true, none,
       make_composed<make_lie_verlet, sofroniou_spaletta_table>},
      {"geodesic-verlet", 2, 0, "symplectic, time-symmetric, spatial momentum", "McLachlan, Quispel 2002",
       true, none, make_free<make_geodesic_verlet>, "christoffel"},
  };
}

/// Methods made for constraint rows.
std::vector<MethodInfo> constrained_methods() {
  return {
      {"generalized-alpha", 2, 0, "damps motions that are much faster than the step",
       "Bruls, Cardona, Arnold 2012", false, alpha_treatments, make_generalized_alpha},
      {"hemk4", 4, 0, "", "Brasey, Hairer 1993; Arnold, Cardona, Bruls 2016", false, half_explicit_treatments,
       make<make_hemk4>},
      {"hemk5", 5, 4, "", "Murua 1997; Arnold, Cardona, Bruls 2016", false, half_explicit_treatments,
       make<make_hemk5>},
      {"bliedf1", 1, 0, "damps motions that are much faster than the step", "Wieloch, Arnold 2021", true,
       bdf_treatments, make_bliedf1},
      {"bliedf2", 2, 0, "damps motions that are much faster than the step", "Wieloch, Arnold 2021", true,
       bdf_treatments, make_bliedf2},
      {"bliedf3", 3, 0, "damps motions that are much faster than the step", "Wieloch, Arnold 2021", true,
       bdf_treatments, make_bliedf3},
      {"rattlie", 2, 0, "symplectic, time-symmetric", "Hante, Arnold 2021", true, rattle_treatments,
       make_free<make_rattlie>},
      {"rattlie4", 4, 0, "symplectic, time-symmetric", "Hante, Arnold 2021; Suzuki 1990", true,
       rattle_treatments, make_composed<make_rattlie, suzuki_table>},
      {"rattlie6", 6, 0, "symplectic, time-symmetric", "Hante, Arnold 2021; Sofroniou, Spaletta 2005", true,
       rattle_treatments, make_composed<make_rattlie, sofroniou_spaletta_table>},
  };
}

}  // namespace

bool MethodInfo::takes(Treatment treatment) const {
  return std::find(treatments.begin(), treatments.end(), treatment) != treatments.end();
}

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> list = [] {
    std::vector<MethodInfo> all = explicit_methods();
    for (const auto& part : {symmetric_methods(), constrained_methods()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return list;
}

const char* to_string(StepConnection connection) {
  switch (connection) {
    case StepConnection::canonical_minus:
      return "canonical (-)";
    case StepConnection::canonical_zero:
      return "canonical (0)";
    case StepConnection::canonical_plus:
      return "canonical (+)";
    case StepConnection::christoffel:
      return "christoffel";
  }
  return "";
}

std::optional<StepConnection> find_step_connection(std::string_view name) {
  if (name == "canonical-minus") return StepConnection::canonical_minus;
  if (name == "canonical-zero") return StepConnection::canonical_zero;
  if (name == "canonical-plus" || name == "canonical") return StepConnection::canonical_plus;
  if (name == "christoffel") return StepConnection::christoffel;
  return std::nullopt;
}

const MethodInfo& first_method_along(StepConnection connection) {
  return *std::find_if(methods().begin(), methods().end(),
                       [&](const MethodInfo& method) { return method.follows(connection); });
}

const MethodInfo* find_method(std::string_view name) {
  const auto found = std::find_if(methods().begin(), methods().end(),
                                  [&](const MethodInfo& method) { return method.name == name; });
  return found == methods().end() ? nullptr : &*found;
}

}  // namespace torsor
