#pragma once

#include <string>
#include <vector>

#include "batch/layout.hpp"
#include "batch/ledger/ledger.hpp"

namespace torsor::batch {

/// The facts that determine the results of all cases, bit for bit: study, scene, plugins, files of tables,
/// shard and program. The program is given by its hash and by a readable text.
Ledger::Facts study_facts(const Study& study, const FirstCase& first, int shard, int shards);

/// How two batches differ, as parts of a sentence; empty if one may continue the other.
std::vector<std::string> differences(const Ledger::Facts& then, const Ledger::Facts& now);

}  // namespace torsor::batch
