#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "reading.hpp"
#include "run/plain_text.hpp"

// Quantities of the motion in formulas, and the own states of a mechanism.

namespace torsor::scene {
namespace {

using Quantity = Measured::Quantity;

constexpr std::string_view axes = "xyz";

/// The parts of a dotted name.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  for (std::size_t dot = 0; dot != name.npos;) {
    dot = name.find('.');
    parts.emplace_back(name.substr(0, dot));
    if (dot != name.npos) name.remove_prefix(dot + 1);
  }
  return parts;
}

/// Finds the quantity of one dotted name, or the reason why there is none.
class Finder {
 public:
  Finder(Reading& reading, std::string_view name) : reading_(reading), name_(name), parts_(parts_of(name)) {}

  FoundQuantity find() const {
    if (parts_[0] == "joint") return of_joint();
    if (parts_[0] == "body") return of_body();
    if (parts_[0] == "point") return of_point();
    if (parts_[0] == "state" || parts_[0] == "sampled") return of_state();
    if (parts_[0] == "function") return of_function();
    return unknown(parts_[0], {"joint", "body", "point", "state", "sampled", "function"});
  }

 private:
  std::string unknown(const std::string& word, const std::vector<std::string_view>& known) const {
    const std::string hint = did_you_mean(word, known);
    return fmt::format("unknown quantity \"{}\": \"{}\" is not one of {}{}", name_, word,
                       fmt::join(known, ", "), hint);
  }
  std::string wants(std::string_view form) const {
    return fmt::format("\"{}\" is not a quantity; write {}", name_, form);
  }
  /// The index of the second part in `names`, or the reason why it is not known.
  std::variant<int, std::string> index_in(const Names& names, std::string_view what) const {
    const int index = names.find(parts_[1]);
    if (index >= 0) return index;
    return fmt::format("unknown {} \"{}\" in \"{}\"{}", what, parts_[1], name_, names.hint(parts_[1]));
  }
  std::optional<int> axis(const std::string& word) const {
    const std::size_t axis = axes.find(word);
    return word.size() == 1 && axis != axes.npos ? std::optional(static_cast<int>(axis)) : std::nullopt;
  }

  FoundQuantity of_joint() const {
    if (parts_.size() != 3) return wants("joint.NAME.COORDINATE");
    const auto found = index_in(reading_.joints, "joint");
    if (const auto* why = std::get_if<std::string>(&found)) return *why;
    const int index = std::get<int>(found);
    const JointType& type = joint_type(reading_.scene.mechanism.joints[static_cast<std::size_t>(index)].kind);
    std::vector<std::string_view> known;
    for (std::size_t k = 0; k < type.coordinates.size() && !type.quaternion; ++k) {
      if (type.coordinates[k].name == parts_[2])
        return Measured{Quantity::joint_coordinate, index, static_cast<int>(k), {}};
      known.push_back(type.coordinates[k].name);
    }
    for (std::size_t k = 0; k < type.rates.size(); ++k) {
      if (type.rates[k].name == parts_[2] || (parts_[2] == "rate" && type.rates.size() == 1))
        return Measured{Quantity::joint_rate, index, static_cast<int>(k), {}};
      known.push_back(type.rates[k].name);
    }
    if (type.rates.size() == 1) known.push_back("rate");
    return unknown(parts_[2], known);
  }

  FoundQuantity of_body() const {
    if (parts_.size() != 4) return wants("body.NAME.QUANTITY.AXIS, such as body.top.position.z");
    const auto found = index_in(reading_.bodies, "body");
    if (const auto* why = std::get_if<std::string>(&found)) return *why;
    const auto [body, node] = reading_.body_places[static_cast<std::size_t>(std::get<int>(found))];
    const Body& data = reading_.scene.mechanism.bodies[static_cast<std::size_t>(body)];
    BodyPoint point{body, Vec3::Zero(), node};
    if (node >= 0) point.p = data.nodes[static_cast<std::size_t>(node)].p;
    if (parts_[2] == "rotation") {
      const auto row = axis(parts_[3].substr(0, 1)),
                 column = axis(parts_[3].substr(std::min<std::size_t>(1, parts_[3].size())));
      if (!row || !column) return wants("body.NAME.rotation.xy, with the row and the column of the matrix");
      return Measured{Quantity::rotation, 0, 3 * *row + *column, point};
    }
    const std::pair<std::string_view, Quantity> quantities[] = {
        {"position", Quantity::position},
        {"velocity", Quantity::velocity},
        {"angular_velocity", Quantity::angular_velocity},
        {"angular_velocity_body", Quantity::angular_velocity_body}};
    return of_vector(quantities, point);
  }

  FoundQuantity of_point() const {
    if (parts_.size() != 4) return wants("point.NAME.position.AXIS or point.NAME.velocity.AXIS");
    const auto found = index_in(reading_.points, "point");
    if (const auto* why = std::get_if<std::string>(&found)) return *why;
    const std::pair<std::string_view, Quantity> quantities[] = {{"position", Quantity::position},
                                                                {"velocity", Quantity::velocity}};
    return of_vector(quantities, reading_.scene.points[static_cast<std::size_t>(std::get<int>(found))].point);
  }

  template <class Quantities>
  FoundQuantity of_vector(const Quantities& quantities, const BodyPoint& point) const {
    std::vector<std::string_view> known;
    for (const auto& [word, quantity] : quantities) {
      known.push_back(word);
      if (word != parts_[2]) continue;
      const auto component = axis(parts_[3]);
      if (!component) return wants(fmt::format("{}.{}.{}.x, .y or .z", parts_[0], parts_[1], parts_[2]));
      return Measured{quantity, 0, *component, point};
    }
    if (parts_[0] == "body") known.push_back("rotation");
    return unknown(parts_[2], known);
  }

  FoundQuantity of_state() const {
    if (parts_.size() != 2) return wants(fmt::format("{}.NAME", parts_[0]));
    const bool sampled = parts_[0] == "sampled";
    const auto found =
        index_in(sampled ? reading_.sampled : reading_.states, sampled ? "sampled value" : "state");
    if (const auto* why = std::get_if<std::string>(&found)) return *why;
    return Measured{
        Quantity::own_state, std::get<int>(found) + (sampled ? reading_.states.size() : 0), 0, {}};
  }

  /// Accepts a function that the program has not given, because the scene in a result names functions without
  /// containing them. If such a function is still missing when the model is built, the model refuses it.
  FoundQuantity of_function() const {
    if (parts_.size() != 2) return wants("function.NAME");
    auto& functions = reading_.scene.mechanism.functions;
    const auto found = std::find_if(functions.begin(), functions.end(),
                                    [&](const NamedFunction& one) { return one.name == parts_[1]; });
    const auto index = static_cast<int>(found - functions.begin());
    if (found == functions.end()) functions.push_back({parts_[1], {}});
    return Measured{Quantity::function, index, 0, {}};
  }

  Reading& reading_;
  std::string_view name_;
  std::vector<std::string> parts_;
};

}  // namespace

FoundQuantity find_quantity(Reading& reading, std::string_view name) { return Finder(reading, name).find(); }

namespace {

/// The quantity that is an argument of a function, or the reason why it cannot be one.
FoundQuantity argument_of_function(Reading& reading, const std::string& argument) {
  constexpr const char* arguments = "arguments of functions are \"t\" or quantities of the motion";
  if (argument == "function" || argument.starts_with("function."))
    return fmt::format("its argument \"{}\" is a function; {}", argument, arguments);
  auto found = find_quantity(reading, argument);
  if (auto* why = std::get_if<std::string>(&found); why && !why->ends_with('?'))
    *why += fmt::format("; {}", arguments);
  return found;
}

}  // namespace

void read_functions(Reading& reading) {
  if (!reading.given_functions) return;
  for (const SceneFunction& given : *reading.given_functions) {
    StateFunction function;
    std::vector<int> places;  // the place of each input in y; place 0 is t
    for (const std::string& input : given.inputs) {
      places.push_back(input == "t" ? 0 : static_cast<int>(function.inputs.size()) + 1);
      if (input == "t") continue;
      const auto found = argument_of_function(reading, input);
      if (const auto* why = std::get_if<std::string>(&found))
        throw SceneError({{reading.scene.name, 0, 0, fmt::format("function \"{}\": {}", given.name, *why)}});
      function.inputs.push_back(std::get<Measured>(found));
    }
    function.function = [call = given.function, places](const double* y, const signed char*, double*) {
      // Threads may share a model, and a function may run another scene.
      thread_local std::vector<double> unused;
      std::vector<double> inputs = std::exchange(unused, {});
      inputs.resize(places.size());
      for (std::size_t i = 0; i < places.size(); ++i) inputs[i] = y[places[i]];
      const double value = call(inputs.data());
      unused = std::move(inputs);
      return value;
    };
    reading.scene.mechanism.functions.push_back({given.name, std::move(function)});
  }
}

void read_states(Reading& reading) {
  auto& states = reading.scene.mechanism.states;
  for (const TableReader& table : reading.tables("state"))
    states.push_back({table.text("name"), plain_text(table.text("unit")), table.number("start").value_or(0),
                      table.of_state(reading).time_function("rate"), 0});
  for (const TableReader& table : reading.tables("sampled"))
    states.push_back({table.text("name"), plain_text(table.text("unit")), table.number("start").value_or(0),
                      table.of_state(reading).time_function("value"), table.number("period").value_or(1)});
}

}  // namespace torsor::scene
