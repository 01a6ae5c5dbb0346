#pragma once

#include "ledger.hpp"

namespace torsor::batch {

/// The statements that make the tables of a ledger.
std::vector<std::string> schema_of(const Layout& layout);
/// Throws std::invalid_argument where SQLite cannot have these columns.
void check_columns(const Database& database, const Layout& layout);
/// A hash of all that the tables `study` and `columns` say.
std::string digest_of(const Ledger::Facts& facts, const Layout& layout);

}  // namespace torsor::batch
