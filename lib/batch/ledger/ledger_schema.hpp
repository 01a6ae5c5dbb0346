#pragma once

#include "ledger.hpp"

namespace torsor::batch {

/// The statements that create the tables of a ledger.
std::vector<std::string> schema_of(const Layout& layout);
/// Throws std::invalid_argument if SQLite cannot store these columns.
void check_columns(const Layout& layout);
/// A hash of the contents of the tables `study` and `columns`.
std::string digest_of(const Ledger::Facts& facts, const Layout& layout);

}  // namespace torsor::batch
