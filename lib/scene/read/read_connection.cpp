#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "coordinate_reader.hpp"
#include "dense.hpp"
#include "scene/language/units.hpp"

namespace torsor::scene {
namespace {

using Kind = CoordinateReader::Kind;

CoordinateEquations base_of(const std::string& name) {
  return name == "christoffel"       ? CoordinateEquations::christoffel
         : name == "canonical-minus" ? CoordinateEquations::canonical_minus
         : name == "canonical-zero"  ? CoordinateEquations::canonical_zero
                                     : CoordinateEquations::canonical_plus;
}

/// The separators of the three indices in the name of a component, which has the form of `example`.
struct Notation {
  const char* example;
  std::string_view first, second;
};
constexpr Notation of_affinity{"i, j -> k", ",", "->"}, of_sigma{"k: i, j", ":", ","};

/// The indices of a component, in the order in which they are written, or the reason why it is not valid.
std::variant<std::array<int, 3>, std::string> indices(std::string_view written, const Notation& notation,
                                                      const std::vector<std::string>& names) {
  const auto first = written.find(notation.first),
             second = first == written.npos ? first : written.find(notation.second, first + 1);
  if (second == written.npos)
    return fmt::format("\"{:.80}\" is not a component: write it as \"{}\"", written, notation.example);
  const std::string_view parts[] = {
      trimmed(written.substr(0, first)),
      trimmed(written.substr(first + notation.first.size(), second - first - notation.first.size())),
      trimmed(written.substr(second + notation.second.size()))};
  std::array<int, 3> found{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto name = std::find(names.begin(), names.end(), parts[i]);
    if (name == names.end())
      return fmt::format("\"{:.80}\": the frame of the connection has no vector \"{:.80}\"{}", written,
                         parts[i], did_you_mean(std::string(parts[i]), {names.begin(), names.end()}));
    found[i] = static_cast<int>(name - names.begin());
  }
  return found;
}

/// The order of the indices in Formulas::Component.
std::array<int, 3> in_order(const std::array<int, 3>& written, const Notation& notation) {
  return notation.second == "->" ? std::array{written[2], written[0], written[1]} : written;
}

std::vector<Formulas::Component> read_components(const CoordinateReader& reader, const TableReader& table,
                                                 const char* key, const Notation& notation,
                                                 const std::vector<std::string>& names) {
  std::vector<Formulas::Component> all;
  if (!table.readable(key)) return all;
  std::set<std::array<int, 3>> given;
  const std::string where = fmt::format("\"{}\" of {}", key, table.where());
  for (const Entry& entry : *table.find(key)->as<Node::Table>()) {
    const auto refuse = [&](const std::string& why) {
      table.diagnostics().error(entry.key_at, fmt::format("{}: {}", where, why));
    };
    const auto found = indices(entry.key, notation, names);
    if (const auto* why = std::get_if<std::string>(&found)) {
      refuse(*why);
      continue;
    }
    const auto at = in_order(std::get<0>(found), notation);
    const bool antisymmetric = &notation == &of_sigma;
    if (antisymmetric && at[1] == at[2])
      refuse(fmt::format("\"{:.80}\" is 0, since sigma is antisymmetric in its last two indices", entry.key));
    else if (!given.insert(at).second)
      refuse(fmt::format("\"{:.80}\" is given twice", entry.key));
    else if (antisymmetric && given.contains({at[0], at[2], at[1]}))
      refuse(fmt::format("\"{:.80}\" is given twice: sigma is antisymmetric in its last two indices",
                         entry.key));
    else if (!entry.value.bad)
      all.push_back({at, reader.formula(entry.value, fmt::format("\"{:.80}\" of {}", entry.key, where),
                                        Kind::of_place)});
  }
  return all;
}

/// Reads the vectors of a frame that the scene states, and returns their names.
std::vector<std::string> read_vectors(CoordinateReader& reader, const TableReader& table,
                                      const Node::Table& vectors, Formulas& formulas) {
  const int n = reader.size();
  std::vector<std::string> names;
  const std::string where = fmt::format("\"frame\" of {}", table.where());
  if (vectors.size() != static_cast<std::size_t>(n))
    table.error("frame", fmt::format("{}: {} vector{} for {} coordinate{}", where, vectors.size(),
                                     vectors.size() == 1 ? "" : "s", n, n == 1 ? "" : "s"));
  for (const Entry& entry : vectors) {
    if (!reader.take_name(entry.key, entry.key_at, "a vector") || entry.value.bad) continue;
    names.push_back(entry.key);
    const auto& components = *entry.value.as<Node::Array>();
    if (components.size() != static_cast<std::size_t>(n))
      reading_error(table, entry.value,
                    fmt::format("\"{}\" of {} must have {} component{}, one for each coordinate, got {}",
                                entry.key, where, n, n == 1 ? "" : "s", components.size()));
    for (const Node& component : components)
      formulas.vectors.push_back(
          reader.formula(component, fmt::format("\"{}\" of {}", entry.key, where), Kind::of_place));
  }
  if (!table.diagnostics().empty()) return names;
  Eigen::MatrixXd E(n, n);
  for (int i = 0; i < n * n; ++i) E(i % n, i / n) = reader.at_start(formulas.vectors[std::size_t(i)]);
  if (const auto rank = linear::rank(E); rank < n)
    table.error("frame", fmt::format("{}: the vectors are not independent at the start: rank {} of {}", where,
                                     rank, n));
  return names;
}

/// Reads the frame of a connection and returns the names of its vectors.
std::vector<std::string> read_frame(CoordinateReader& reader, const TableReader& table, Formulas& formulas,
                                    const std::vector<std::string>& quasi_velocities) {
  if (table.readable("frame"))
    if (const auto* vectors = table.find("frame")->as<Node::Table>())
      return read_vectors(reader, table, *vectors, formulas);
  const std::string name = table.readable("frame") ? table.text("frame") : "";
  if (name == "quasi-velocities" && quasi_velocities.empty())
    table.error("frame", fmt::format("\"frame\" of {} as \"quasi-velocities\" needs \"quasi_velocities\"",
                                     table.where()));
  if (name != "coordinates" && !quasi_velocities.empty()) return quasi_velocities;
  if (!quasi_velocities.empty())
    for (int i = 0; i < reader.size() * reader.size(); ++i)
      formulas.vectors.push_back(constant_formula(i % (reader.size() + 1) == 0 ? 1 : 0));
  return reader.coordinates();
}

void name_vectors(const std::vector<std::string>& frame, Formulas& formulas) {
  formulas.vector_names = frame;
  formulas.vector_names.push_back("t");
}

/// The name of a connection: the terms of its affinities, such as "canonical-plus + sigma".
std::string name_of(const std::string& base, const Formulas& formulas) {
  std::string name = base == "canonical-minus" && !formulas.affinities.empty() ? "" : base;
  const auto add = [&](const char* part) { name += (name.empty() ? "" : " + ") + std::string(part); };
  if (!formulas.affinities.empty()) add("affinities");
  if (!formulas.sigma.empty()) add("sigma");
  return name;
}

}  // namespace

void read_connection(CoordinateReader& reader, Formulas& formulas, CoordinateScene& described) {
  const TableReader& chart = reader.table();
  described.frame = described.quasi_velocities.empty() ? described.coordinates : described.quasi_velocities;
  name_vectors(described.frame, formulas);
  if (!chart.readable("connection")) return;
  if (!chart.find("connection")->as<Node::Table>()) {
    described.connection = chart.text("connection");
    described.equations = base_of(described.connection);
    return;
  }
  const TableReader table = chart.inner("connection");
  described.frame = read_frame(reader, table, formulas, described.quasi_velocities);
  described.equations = base_of(table.text("base"));
  name_vectors(described.frame, formulas);
  formulas.affinities = read_components(reader, table, "affinities", of_affinity, formulas.vector_names);
  formulas.sigma = read_components(reader, table, "sigma", of_sigma, formulas.vector_names);
  described.connection = name_of(table.text("base"), formulas);
}

void refuse_connection(const TableReader& chart, const AffinitiesAt& at, const std::string& message) {
  const TableReader table = chart.inner("connection");
  const WrongAffinity wrong = at.wrong_affinity();
  if (table.find("affinities"))
    for (const Entry& entry : *table.find("affinities")->as<Node::Table>()) {
      const auto found = indices(entry.key, of_affinity, at.names);
      if (found.index() == 0 && std::get<0>(found) == std::array{wrong.i, wrong.j, wrong.k})
        return chart.diagnostics().error(entry.value.at, message);
    }
  chart.error("connection", message);
}

}  // namespace torsor::scene
