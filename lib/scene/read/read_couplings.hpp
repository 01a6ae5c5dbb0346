#pragma once

#include "reading.hpp"

namespace torsor::scene {

// Each reads the law of one kind of constraint between joint coordinates or between velocities.
decltype(Constraint::law) read_coupling(Reading& reading, const TableReader& table);
decltype(Constraint::law) read_driver(Reading& reading, const TableReader& table);
decltype(Constraint::law) read_gear(Reading& reading, const TableReader& table);
decltype(Constraint::law) read_rack_and_pinion(Reading& reading, const TableReader& table);
decltype(Constraint::law) read_velocity(Reading& reading, const TableReader& table);

}  // namespace torsor::scene
