#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "coordinate_reader.hpp"
#include "dense.hpp"
#include "reading.hpp"

namespace torsor::scene {
namespace {

using Kind = CoordinateReader::Kind;

/// Reports lists of tables, except events, and keys of bodies and joints: a scene in coordinates has none.
void refuse_company(const Reading& reading) {
  for (const auto& [key, rule] : scene_rule().properties) {
    if (!rule->items || !(rule->items->types & Rule::object) || key == "event") continue;
    const auto tables = reading.tables(key);
    if (!tables.empty())
      tables.front().error({}, fmt::format("[[{}]] cannot be combined with [chart]: a scene has either "
                                           "bodies and joints or a system in coordinates",
                                           key));
  }
  if (const Node* gravity = reading.document.find("gravity"))
    reading.diagnostics.error(gravity->at,
                              "\"gravity\" is for bodies; in a [chart] put the weight into \"potential\"");
  const TableReader integrator = reading.section("integrator");
  for (const char* key : {"formulation", "group", "cut"})
    if (integrator.find(key))
      integrator.error(key, fmt::format("\"{}\" of [integrator] does not apply to a [chart]", key));
}

/// Reads the metric. It must be square, and symmetric at the start and at two states near it.
void read_metric(CoordinateReader& reader, Formulas& formulas) {
  const TableReader& table = reader.table();
  const Node* node = table.find("metric");
  if (!node || !table.readable("metric")) return;
  const auto& rows = *node->as<Node::Array>();
  const auto n = static_cast<std::size_t>(formulas.n);
  if (rows.size() != n || std::any_of(rows.begin(), rows.end(),
                                      [n](const Node& row) { return row.as<Node::Array>()->size() != n; }))
    return table.error("metric", fmt::format("\"metric\" of [chart] must have {} rows of {}", n, n));
  for (const Node& row : rows)
    for (const Node& entry : *row.as<Node::Array>())
      formulas.metric.push_back(reader.formula(entry, "\"metric\" of [chart]", Kind::of_place));
  for (int k = 0; k < 3; ++k) {
    const Vec at = reader.near_start(k);
    const auto value = [&](std::size_t i, std::size_t j) { return formulas.metric[n * i + j].at(at.data()); };
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double lower = value(i, j), upper = value(j, i);
        const double size =
            std::abs(lower) + std::abs(upper) + std::sqrt(std::abs(value(i, i) * value(j, j)));
        if (!(std::abs(lower - upper) > 1e-12 * size)) continue;  // also if a value is not finite
        return reading_error(
            table, rows[i].as<Node::Array>()->at(j),
            fmt::format("\"metric\" of [chart] must be symmetric: row {} has {:.6g} in column {}, row "
                        "{} has {:.6g} in column {}{}",
                        i + 1, lower, j + 1, j + 1, upper, i + 1, k == 0 ? "" : reader.place(at)));
      }
  }
}

double read_mass(const CoordinateReader& reader, const TableReader& table) {
  const bool by_lagrangian = reader.table().find("lagrangian") != nullptr;
  if (by_lagrangian && table.find("mass"))
    table.error("mass",
                fmt::format("\"mass\" of {} cannot be combined with \"lagrangian\", which contains the "
                            "kinetic energy; without a mass, the particle only shows the motion",
                            table.where()));
  if (!by_lagrangian && !table.find("mass")) table.error({}, fmt::format("{} needs \"mass\"", table.where()));
  const Node* node = table.readable("mass") ? table.find("mass") : nullptr;
  if (!node) return 1;
  const Expression mass = reader.formula(*node, "\"mass\" of " + table.where(), Kind::of_place, "kg");
  const double value = reader.at_start(mass);
  if (!mass.is_constant())
    table.error("mass", fmt::format("\"mass\" of {} must be a number", table.where()));
  else if (!(value > 0))
    table.error("mass", fmt::format("\"mass\" of {} must be greater than 0, got {}", table.where(), value));
  return value;
}

void read_particles(CoordinateReader& reader, Formulas& formulas) {
  for (const TableReader& table : reader.tables("particle")) {
    Formulas::Particle particle;
    particle.mass = read_mass(reader, table);
    if (table.readable("position"))
      for (const Node& entry : *table.find("position")->as<Node::Array>())
        particle.position.push_back(
            reader.formula(entry, "\"position\" of " + table.where(), Kind::of_place, "m"));
    formulas.particles.push_back(std::move(particle));
  }
}

/// Reads the Lagrangian, which takes the place of all keys of the kinetic and the potential energy.
void read_lagrangian(CoordinateReader& reader, Formulas& formulas, const SimulationOptions& run) {
  const TableReader& table = reader.table();
  for (const char* key : {"metric", "potential"})
    if (table.find(key))
      return table.error(key,
                         fmt::format("\"{}\" of [chart] cannot be combined with \"lagrangian\", which is "
                                     "the kinetic energy minus the potential energy",
                                     key));
  for (const char* key : {"connection", "time_metric"})
    if (table.find(key))
      table.error(
          key,
          fmt::format("\"{}\" of [chart] needs \"metric\" or particles in place of \"lagrangian\"", key));
  if (run.treatment.reduced_order)
    table.error("lagrangian",
                "[reduced] needs \"metric\" or particles of [chart] in place of \"lagrangian\"");
  if (run.constraints == Treatment::dynamic)
    table.error("lagrangian",
                "\"constraints\" of [integrator] as \"dynamic\" needs \"metric\" or particles of [chart] in "
                "place of \"lagrangian\"");
  if (!table.readable("lagrangian")) return;
  formulas.lagrangian = reader.formula(*table.find("lagrangian"), "\"lagrangian\" of [chart]", Kind::any);
}

/// Reads the kinetic and the potential energy.
void read_energy(CoordinateReader& reader, Formulas& formulas, const SimulationOptions& run) {
  const TableReader& table = reader.table();
  formulas.potential = constant_formula(0);
  read_particles(reader, formulas);
  if (table.find("lagrangian")) return read_lagrangian(reader, formulas, run);
  read_metric(reader, formulas);
  if (!table.find("metric") && !table.find("particle"))
    table.error({}, "[chart] needs \"metric\", particles or \"lagrangian\", which give the mass");
  if (table.readable("potential"))
    formulas.potential = reader.formula(*table.find("potential"), "\"potential\" of [chart]", Kind::of_place);
}

/// Reads the friction coefficient of the constraint rows that have no coefficient of their own (N s/m).
Expression read_friction(const Reading& reading, const CoordinateReader& reader) {
  const TableReader friction = reading.section("friction");
  if (!friction.readable("mu")) return constant_formula(TreatmentParameters().mu);
  Expression mu = reader.formula(*friction.find("mu"), "\"mu\" of [friction]", Kind::of_place, "N*s/m");
  if (!(reader.at_start(mu) > 0)) friction.error("mu", "\"mu\" of [friction] must be greater than 0");
  return mu;
}

void read_constraints_of(CoordinateReader& reader, const Expression& mu, bool viscous, Formulas& formulas,
                         CoordinateScene& described) {
  Names names;
  std::vector<std::string> velocity_rows;
  for (const TableReader& table : reader.tables("constraint")) {
    const std::string name = table.text("name");
    if (table.readable("name") && !is_word(name))
      table.error("name", fmt::format("\"{:.80}\" is not a valid name: use letters, digits and _, do not "
                                      "begin with a digit, and use at most 64 characters",
                                      name));
    else if (!names.add(name) && table.readable("name"))
      table.error("name", fmt::format("the name of {} is already used", table.where()));
    const auto key = choice(table, {"position", "velocity"});
    if (!key) {
      table.error({}, fmt::format("{} needs \"position\" or \"velocity\"", table.where()));
      continue;
    }
    const std::string where = fmt::format("\"{}\" of {}", *key, table.where());
    const bool holonomic = *key == "position";
    if (!table.readable(*key)) continue;
    Expression formula = reader.formula(*table.find(*key), where, holonomic ? Kind::of_place : Kind::affine);
    if (!holonomic && reader.rateless(formula))
      table.error(*key, fmt::format("{} contains no rate; write it as \"position\"", where));
    if (table.find("friction") && (holonomic || !viscous))
      table.error("friction", fmt::format("\"friction\" of {} {}", table.where(),
                                          holonomic ? "applies only to \"velocity\" constraints"
                                                    : "needs constraints = \"viscous\" in [integrator]"));
    if (holonomic) {
      if (const auto jump = rough_function(formula, 0))
        table.error(*key, fmt::format("{} uses {}, which jumps; a position cannot jump", where, jump->name));
      formulas.positions.push_back(std::move(formula));
      described.constraints.push_back(name);
      continue;
    }
    formulas.rows.push_back(std::move(formula));
    velocity_rows.push_back(name);
    formulas.friction.push_back(mu);
    if (!table.readable("friction")) continue;
    const std::string of_row = fmt::format("\"friction\" of {}", table.where());
    formulas.friction.back() = reader.formula(*table.find("friction"), of_row, Kind::of_place);
    if (!(reader.at_start(formulas.friction.back()) > 0))
      table.error("friction", of_row + " must be greater than 0");
  }
  described.constraints.insert(described.constraints.end(), velocity_rows.begin(), velocity_rows.end());
  formulas.row_names = described.constraints;
}

/// The rates at the start: as given, or computed from the given quasi-velocities.
Vec read_rates(CoordinateReader& reader, const Formulas& formulas) {
  const TableReader& table = reader.table();
  const auto key = choice(table, {"rates", "velocities"});
  Vec none = Vec::Zero(formulas.n);
  if (!key) return none;
  Vec given = reader.numbers(*key).value_or(none);
  if (*key == "rates") return given;
  if (formulas.velocities.empty()) {
    table.error("velocities", "\"velocities\" of [chart] needs \"quasi_velocities\"");
    return none;
  }
  if (!table.diagnostics().empty()) return none;
  const Eigen::MatrixXd B = reader.coefficients(formulas.velocities);
  return linear::solve_by_lu(B, given);
}

void read_equations(CoordinateReader& reader, Formulas& formulas, CoordinateScene& described) {
  const TableReader& table = reader.table();
  choice(table, {"equations", "connection"});
  read_connection(reader, formulas, described);
  if (table.text("equations") != "hamel") return;
  described.equations = CoordinateEquations::hamel;
  if (formulas.velocities.empty())
    table.error("equations", "\"equations\" of [chart] as \"hamel\" needs \"quasi_velocities\"");
}

/// Reports constraints and dependence on time that the expansion of the slow manifold cannot take.
void check_reduced(const Reading& reading, const CoordinateReader& reader, const Formulas& formulas) {
  if (!reading.scene.run.treatment.reduced_order) return;
  const TableReader& table = reader.table();
  const int n = formulas.n;
  if (!formulas.positions.empty())
    table.error("constraint",
                "[reduced] in a [chart] takes only \"velocity\" constraints; choose coordinates without "
                "\"position\" constraints");
  else if (formulas.rows.empty())
    table.error("constraint", "[reduced] needs a \"velocity\" constraint");
  for (const Expression& row : formulas.rows)
    if (row.degree(n + 1, 2 * n + 1) != Expression::Degree::linear)
      return table.error("constraint", "[reduced] takes only constraints in which every term has a rate");
  if (formulas.depend_on_time()) table.error({}, "[reduced] needs a [chart] that does not depend on t");
}

void read_coordinate_events(Reading& reading, const CoordinateReader& reader) {
  for (const TableReader& table : reading.tables("event")) {
    EventSpec event;
    event.name = table.text("name");
    const std::string quantity = table.text("quantity");
    if (quantity != "coordinate" && quantity != "rate" && table.readable("quantity"))
      table.error("quantity",
                  fmt::format("\"quantity\" of {} must be coordinate or rate in a [chart]", table.where()));
    for (const char* key : {"joint", "coordinate", "point", "along", "expression"})
      if (table.find(key))
        table.error(key, fmt::format("\"{}\" of {} does not apply to a [chart]; \"of\" names the coordinate",
                                     key, table.where()));
    if (!table.find("of")) table.error({}, fmt::format("{} needs \"of\"", table.where()));
    event.coordinate = table.readable("of") ? reader.coordinate(table, "of") : 0;
    event.quantity = quantity == "rate" ? EventSpec::Quantity::rate : EventSpec::Quantity::coordinate;
    event.value = table.time_function("value", "");
    const std::string crossing = table.text("crossing");
    event.direction = crossing == "rising" ? 1 : crossing == "falling" ? -1 : 0;
    event.stop = table.text("action") == "stop";
    reading.scene.events.push_back(std::move(event));
  }
}

}  // namespace

void read_coordinates(Reading& reading) {
  refuse_company(reading);
  const SimulationOptions& run = reading.scene.run;
  CoordinateReader reader(reading);
  if (reader.size() == 0) return;
  const TableReader& table = reader.table();
  CoordinateScene described;
  auto formulas = std::make_shared<Formulas>();
  formulas->n = reader.size();
  described.coordinates = reader.coordinates();
  reader.read_definitions();
  described.start.q = reader.read_start();
  described.quasi_velocities = reader.read_quasi_velocities(*formulas);
  described.start.v = read_rates(reader, *formulas);
  reader.start_at(described.start);
  described.time_metric = table.number("time_metric").value_or(1);
  read_energy(reader, *formulas, run);
  if (table.readable("dissipation"))
    formulas->dissipation =
        reader.formula(*table.find("dissipation"), "\"dissipation\" of [chart]", Kind::any);
  formulas->force = reader.formulas("force", Kind::any);
  formulas->quasi_force = reader.formulas("quasi_force", Kind::any);
  if (!formulas->quasi_force.empty() && formulas->velocities.empty())
    table.error("quasi_force", "\"quasi_force\" of [chart] needs \"quasi_velocities\"");
  read_constraints_of(reader, read_friction(reading, reader), run.constraints == Treatment::viscous,
                      *formulas, described);
  read_equations(reader, *formulas, described);
  check_reduced(reading, reader, *formulas);
  read_coordinate_events(reading, reader);
  described.formulas = std::move(formulas);
  reading.scene.in_coordinates = std::move(described);
  if (reading.diagnostics.empty()) check_coordinate_start(reading);
}

}  // namespace torsor::scene
