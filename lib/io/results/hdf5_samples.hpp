#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdf5_file.hpp"
#include "torsor/run/trajectory.hpp"

namespace torsor::io {

/// Unit and axes of a dataset, as attributes. An empty text gives no attribute.
inline std::vector<Fact> described(std::string_view unit, std::string_view axes) {
  std::vector<Fact> all;
  if (!unit.empty()) all.push_back({"unit", std::string(unit)});
  if (!axes.empty()) all.push_back({"axes", std::string(axes)});
  return all;
}

/// The datasets of a file that have a row for each sample of a run.
class Hdf5Samples {
 public:
  /// Fills a row of a dataset from a sample.
  using Fill = std::function<void(const Sample& sample, std::span<double> row)>;

  explicit Hdf5Samples(Hdf5File& file) : file_(file) {}

  void add(const std::string& path, const std::vector<std::size_t>& shape, std::string_view unit,
           std::string_view axes, Fill fill) {
    sets_.emplace_back(file_, path, shape, described(unit, axes), std::move(fill));
  }
  void take(const Sample& sample) {
    for (auto& [rows, fill] : sets_) fill(sample, rows.next());
  }
  void close() {
    for (auto& [rows, fill] : sets_) rows.close();
    sets_.clear();
  }

 private:
  struct Set {
    Set(Hdf5File& file, const std::string& path, const std::vector<std::size_t>& shape,
        std::vector<Fact> facts, Fill fill_)
        : rows(file, path, shape, std::move(facts)), fill(std::move(fill_)) {}
    Hdf5Rows rows;
    Fill fill;
  };
  Hdf5File& file_;
  std::deque<Set> sets_;
};

}  // namespace torsor::io
