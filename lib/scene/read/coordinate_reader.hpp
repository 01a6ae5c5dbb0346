#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reading.hpp"
#include "scene/language/formula_fields.hpp"

namespace torsor::scene {

/// Reads the formulas of [chart]: keeps their vocabulary and checks on which variables each may depend.
class CoordinateReader {
 public:
  enum class Kind {
    of_place,  ///< may depend on coordinates and t
    linear,    ///< linear in the rates
    affine,    ///< linear in the rates, plus an optional part without rates
    any,       ///< may depend on coordinates, rates and t
  };

  /// Reads the names of the coordinates.
  explicit CoordinateReader(Reading& reading);

  const TableReader& table() const { return table_; }
  int size() const { return static_cast<int>(coordinates_.size()); }
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  /// The tables [[chart.key]].
  std::vector<TableReader> tables(const std::string& key) const;

  /// Reports a name that is not valid or already taken, and returns false.
  bool take_name(const std::string& name, const Position& at, const std::string& what);
  void read_definitions();
  Vec read_start();
  std::vector<std::string> read_quasi_velocities(Formulas& formulas);
  /// Sets the start state. Every formula read after this call must be finite there.
  void start_at(const State& start);

  /// Reads a formula, which may have a unit after it. Reports a formula that cannot be read and returns 0.
  Expression formula(const Node& node, const std::string& where, Kind kind, std::string_view unit = {}) const;
  /// One formula for each coordinate; none if the key is absent.
  std::vector<Expression> formulas(const std::string& key, Kind kind) const;
  /// Constants, one for each coordinate.
  std::optional<Vec> numbers(std::string_view key) const;

  double at_start(const Expression& formula) const { return formula.at(start_.data()); }
  /// The values of all variables at a generic state near the start; for k = 0, at the start.
  Vec near_start(int k) const;
  /// " at x = ..., t = ...": the coordinates and the time among the values of all variables.
  std::string place(const Vec& variables) const;
  /// The coefficients of the rates at the start.
  Eigen::MatrixXd coefficients(const std::vector<Expression>& linear) const;
  bool rateless(const Expression& formula) const {
    return formula.degree(size() + 1, 2 * size() + 1) == Expression::Degree::none;
  }
  /// Index of the coordinate that a key names. Reports an unknown name and returns 0.
  int coordinate(const TableReader& table, std::string_view key) const;

 private:
  /// Adds the definitions of the scene, as formulas in the variables of the system.
  void take_definitions();
  const Node::Table* entries(const std::string& key) const;
  std::string why_not(const Expression& formula, Kind kind) const;
  Expression read(const std::string& text, Kind kind, std::string_view unit, std::string& why) const;

  Reading& reading_;
  TableReader table_;
  std::vector<std::string> coordinates_;
  Names names_;
  Vocabulary vocabulary_;
  Vec start_;             ///< values of all variables
  bool started_ = false;  ///< whether `start_` holds the start state
};

Expression constant_formula(double x);
void reading_error(const TableReader& table, const Node& node, const std::string& message);

/// Reads "connection": a name, or a table.
void read_connection(CoordinateReader& reader, Formulas& formulas, CoordinateScene& described);
/// Reports a connection that does not give the motion. The position of the error is that of the wrong
/// affinity if the scene states this affinity, else that of the connection.
void refuse_connection(const TableReader& chart, const AffinitiesAt& at, const std::string& message);

/// Checks the mass matrix and the connection at the start, and whether the start meets the constraints. A
/// start that violates the constraints is an error, or is projected onto them (`consistent`).
void check_coordinate_start(Reading& reading);

}  // namespace torsor::scene
