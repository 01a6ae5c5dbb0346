#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formula_fields.hpp"
#include "reading.hpp"

namespace torsor::scene {

/// Reads the formulas of [chart]: their vocabulary, and what each may depend on.
class ChartReader {
 public:
  enum class Kind {
    of_place,  ///< coordinates and t
    linear,    ///< in the rates
    affine,    ///< in the rates, with a part without them
    any,       ///< coordinates, rates and t
  };

  /// Reads the coordinates.
  explicit ChartReader(Reading& reading);

  const TableReader& table() const { return table_; }
  int size() const { return static_cast<int>(coordinates_.size()); }
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  /// The tables [[chart.key]].
  std::vector<TableReader> tables(const std::string& key) const;

  void read_definitions();
  Vec read_start();
  std::vector<std::string> read_quasi_velocities(Formulas& formulas);
  /// Where formulas must have values from now on.
  void start_at(const State& start);

  /// A formula, which may have a unit behind it; what cannot be read is reported, and 0.
  Expression formula(const Node& node, const std::string& where, Kind kind, std::string_view unit = {}) const;
  /// One for each coordinate, or none where the key is absent.
  std::vector<Expression> formulas(const std::string& key, Kind kind) const;
  /// Constants, one for each coordinate.
  std::optional<Vec> numbers(std::string_view key) const;

  double at_start(const Expression& formula) const { return formula.at(start_.data()); }
  /// The coefficients of the rates at the start.
  Eigen::MatrixXd coefficients(const std::vector<Expression>& linear) const;
  bool rateless(const Expression& formula) const {
    return formula.degree(size() + 1, 2 * size() + 1) == Expression::Degree::none;
  }
  /// Place of the coordinate that a key names; an unknown one is reported, and 0.
  int coordinate(const TableReader& table, std::string_view key) const;

 private:
  /// Names of the scene, as formulas of the chart.
  void take_definitions();
  bool take_name(const std::string& name, const Position& at, const std::string& what);
  const Node::Table* entries(const std::string& key) const;
  std::string why_not(const Expression& formula, Kind kind) const;
  Expression read(const std::string& text, Kind kind, std::string_view unit, std::string& why) const;

  Reading& reading_;
  TableReader table_;
  std::vector<std::string> coordinates_;
  Names names_;
  Vocabulary vocabulary_;
  Vec start_;             ///< values of all variables
  bool started_ = false;  ///< they are those of the start
};

Expression constant_formula(double x);
void reading_error(const TableReader& table, const Node& node, const std::string& message);

/// Whether metric, quasi-velocities, rows and connection are what they must be at the start, and whether it
/// meets the constraints: else an error, or the start is moved there (`consistent`).
void check_chart_start(Reading& reading);

}  // namespace torsor::scene
