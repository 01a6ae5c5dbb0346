#include "hdf5_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace torsor::io {

void Hdf5Reader::fail(const std::string& why) const { throw ResultError(fmt::format("{} {}", name_, why)); }

const Hdf5Content::Set& Hdf5Reader::set(const std::string& path) const {
  const auto found = content_.sets.find(path);
  if (found == content_.sets.end()) fail(fmt::format("is not a result of torsor run: it has no {}", path));
  return found->second;
}

const std::vector<std::string>& Hdf5Reader::strings(const std::string& path) const {
  const auto* texts = std::get_if<std::vector<std::string>>(&set(path).values);
  if (!texts) fail(fmt::format("is damaged at {}: expected texts", path));
  return *texts;
}

const std::string& Hdf5Reader::text(const std::string& path) const {
  const auto& all = strings(path);
  if (all.size() != 1) fail(fmt::format("is damaged at {}: expected one text", path));
  return all.front();
}

const std::vector<double>& Hdf5Reader::array(const std::string& path,
                                             const std::vector<std::size_t>& wanted) const {
  const auto& [found, values] = set(path);
  if (!std::equal(found.begin(), found.end(), wanted.begin(), wanted.end()))
    fail(fmt::format("is damaged at {}: shape {}, expected {}", path, fmt::join(found, " x "),
                     fmt::join(wanted, " x ")));
  const auto* numbers = std::get_if<std::vector<double>>(&values);
  if (!numbers) fail(fmt::format("is damaged at {}: expected numbers", path));
  return *numbers;
}

std::size_t Hdf5Reader::rows(const std::string& path) const {
  const auto& shape = set(path).shape;
  if (shape.empty()) fail(fmt::format("is damaged at {}: expected a list", path));
  return static_cast<std::size_t>(shape.front());
}

}  // namespace torsor::io
