#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scene/document.hpp"
#include "table.hpp"

namespace torsor::scene {

/// The lines of a table and the places of its cells, found once for all columns. Refers to the text. Blank
/// lines after the first line are left out.
class TableText {
 public:
  explicit TableText(std::string_view text);

  std::size_t lines() const { return lines_.size(); }
  std::string_view line(std::size_t i) const;
  /// The number of this line in the file, from 1.
  std::size_t number(std::size_t i) const { return i < lines_.size() ? lines_[i].number : 1; }
  /// The number of cells of a line of numbers; 0 for the first line and for comments.
  std::size_t cells(std::size_t i) const;
  std::string_view cell(std::size_t i, std::size_t column) const;

 private:
  struct Line {
    std::uint32_t begin, size, number, first_cell;
  };
  std::string_view text_;
  std::vector<Line> lines_;
  std::vector<std::uint32_t> cell_at_;  ///< where the cells begin in the text
};

/// The files of numbers that the formulas of a scene read: comma-separated values in the folder of the scene
/// or below it. The scene in a result contains the texts of these files in its table `files`.
///
/// The first line has the names of the columns; [unit] may follow a name. Lines that begin with # are
/// comments; a line "# unit: " with a list gives the units of all columns. Units that formulas know are
/// converted to SI. The first column is the abscissa, and increases.
class TableFiles {
 public:
  static constexpr std::size_t most_bytes = 16u << 20;  ///< of all files together

  /// `folder`: of the scene. `document`: its contents. `known`: texts of files in the folder that were read
  /// before.
  TableFiles(const std::string& folder, const Node& document, std::map<std::string, std::string> known = {});

  /// The function that interpolates a column, or nullptr and the reason `why`. `options`: words such as
  /// "cubic" and "periodic".
  std::shared_ptr<const Table> table(const std::string& file, const std::string& column,
                                     const std::vector<std::string>& options, std::string& why);
  /// Names and texts of the files that were read.
  const std::map<std::string, std::string>& texts() const { return texts_; }

 private:
  /// The text of a file, or nullptr and the reason.
  const TableText* text(const std::string& file, std::string& why);

  std::string folder_;
  std::map<std::string, std::string> given_;  ///< the table `files` of the scene, and known texts
  std::size_t bytes_ = 0;
  std::map<std::string, std::string> texts_;
  std::map<std::string, TableText> cells_;  ///< of texts_
  std::map<std::vector<std::string>, std::shared_ptr<const Table>> tables_;
};

}  // namespace torsor::scene
