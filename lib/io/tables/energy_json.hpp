#pragma once

#include "json_writer.hpp"
#include "torsor/run/trajectory.hpp"

namespace torsor::io {

/// Writes the energy at the start and at the end of a run, its work, and its greatest energy drift.
inline void write_energy(JsonWriter& json, const Trajectory& trajectory) {
  const Invariants& last = trajectory.samples.back().invariants;
  json.open("energy");
  json.number("initial", trajectory.samples.front().invariants.energy());
  json.number("final", last.energy());
  json.number("work", last.work);
  json.number("max_drift", trajectory.energy_max_drift);
  json.close();
}

}  // namespace torsor::io
