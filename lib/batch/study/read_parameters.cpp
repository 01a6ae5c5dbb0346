#include "read_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "scene/overrides.hpp"
#include "scene/toml.hpp"

namespace torsor::batch {
namespace {

using scene::Node;
using scene::TableReader;

Value listed(const Node& node) {
  Value value{scene::to_toml_value(node), {}};
  if (const auto* integer = node.as<std::int64_t>())
    value.cells = {static_cast<double>(*integer)};
  else if (const auto* number = node.as<double>())
    value.cells = {*number};
  else if (const auto* text = node.as<std::string>())
    value.cells = {*text};
  else
    value.cells = {value.toml};
  return value;
}

/// The key of the scene that this key removes if both are set; empty if it removes none.
std::string rival_of(const std::string& key) {
  const std::string_view setting = scene::rival_setting(key);
  return setting.empty() ? "" : fmt::format("integrator.{}", setting);
}

/// Whether `part` is the key of an element or of a value inside `whole`.
bool is_part_of(std::string_view part, std::string_view whole) {
  return part.size() > whole.size() && part.starts_with(whole) && part[whole.size()] == '.';
}

class ParameterReader {
 public:
  ParameterReader(const std::vector<TableReader>& tables, Study& study) : tables_(tables), study_(study) {}

  void read() {
    for (const TableReader& table : tables_) read(table);
  }

 private:
  void read(const TableReader& table) {
    Parameter& parameter = study_.parameters.emplace_back();
    parameter.key = table.text("key");
    if (!keys_.insert(parameter.key).second)
      table.error("key", fmt::format("\"{}\" is the key of two parameters", parameter.key));
    for (const std::string& other : keys_)
      if (is_part_of(parameter.key, other) || is_part_of(other, parameter.key))
        table.error("key", fmt::format("the key \"{}\" is a part of \"{}\", another key of a parameter",
                                       std::max(other, parameter.key), std::min(other, parameter.key)));
    if (const std::string rival = rival_of(parameter.key); keys_.contains(rival))
      table.error("key", fmt::format("\"{}\" and \"{}\" exclude each other, and both are keys of parameters",
                                     rival, parameter.key));
    const std::string kind = table.text("kind");
    if (kind != "list" && kind != "rotation") parameter.unit = table.text("unit");
    if (kind == "list") {
      read_list(table, parameter);
    } else if (kind == "range") {
      read_range(table, parameter);
    } else {
      read_random(table, kind, parameter);
    }
  }

  void read_list(const TableReader& table, Parameter& parameter) {
    ValueList list;
    for (const Node& node : *table.find("values")->as<Node::Array>()) list.values.push_back(listed(node));
    put_on_axis(table, parameter, static_cast<long>(list.values.size()));
    parameter.law = std::move(list);
  }

  void read_range(const TableReader& table, Parameter& parameter) {
    Range range{table.number("from").value_or(0), table.number("to").value_or(0), table.integer("count"),
                table.text("spacing") == "logarithmic"};
    if (range.count == 1 && range.first != range.last)
      table.error("count", fmt::format("\"count\" of [[parameter]]: one value cannot be both {} and {}",
                                       range.first, range.last));
    const auto [least, greatest] = std::minmax(range.first, range.last);
    if (range.logarithmic && !(least > 0 || greatest < 0))
      table.error(
          "spacing",
          fmt::format(
              "\"spacing\" of [[parameter]]: logarithmic needs two limits of the same sign, got {} and {}",
              range.first, range.last));
    put_on_axis(table, parameter, range.count);
    parameter.law = range;
  }

  void read_random(const TableReader& table, const std::string& kind, Parameter& parameter) {
    parameter.latin = table.text("sampling") == "latin";
    if (kind == "uniform") {
      const Uniform law{table.number("from").value_or(0), table.number("to").value_or(1)};
      if (!(law.from < law.to))
        table.error("to", fmt::format("\"to\" of [[parameter]] must be greater than \"from\", {}; got {}",
                                      law.from, law.to));
      parameter.law = law;
    } else if (kind == "normal") {
      parameter.law = Normal{table.number("mean").value_or(0), table.number("deviation").value_or(1)};
    } else if (kind == "rotation") {
      parameter.law = RandomRotation{};
    } else {
      parameter.law = RandomDirection{table.number("length").value_or(1)};
    }
  }

  /// Gives the parameter a new axis, or the axis of the parameters with the same label.
  void put_on_axis(const TableReader& table, Parameter& parameter, long count) {
    const std::string label = table.text("zip");
    if (const auto known = zips_.find(label); !label.empty() && known != zips_.end()) {
      parameter.axis = known->second;
      const long others = study_.axes[static_cast<std::size_t>(parameter.axis)];
      if (count != others)
        table.error(
            "zip",
            fmt::format("\"zip\" of [[parameter]]: {} values cannot be zipped with the {} values of \"{}\"",
                        count, others, label));
      return;
    }
    parameter.axis = static_cast<int>(study_.axes.size());
    study_.axes.push_back(count);
    if (!label.empty()) zips_[label] = parameter.axis;
  }

  const std::vector<TableReader>& tables_;
  Study& study_;
  std::set<std::string> keys_;
  std::map<std::string, int> zips_;
};

}  // namespace

void read_parameters(const std::vector<TableReader>& tables, Study& study) {
  ParameterReader(tables, study).read();
}

}  // namespace torsor::batch
