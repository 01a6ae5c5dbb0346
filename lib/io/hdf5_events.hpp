#pragma once

#include "hdf5_file.hpp"
#include "torsor/io/result.hpp"

namespace torsor {

inline void write_events(Hdf5File& file, const Scene& scene, const RunSummary& summary) {
  std::vector<std::string> names;
  for (const EventRecord& record : summary.events) names.push_back(event_name(scene, record));
  file.group("/events");
  file.strings("/events/names", names);
  file.array("/events/time", names.size(), {},
             [&](std::size_t i, std::span<double> row) { row[0] = summary.events[i].t; });
  file.attribute("/events/time", {"unit", std::string("s")});
}

}  // namespace torsor
