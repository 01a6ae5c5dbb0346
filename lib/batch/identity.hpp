#pragma once

#include <string>
#include <vector>

#include "layout.hpp"
#include "ledger.hpp"

namespace torsor::batch {

/// What decides the bits of a case besides the study: the program, as its own hash and as people read it.
Ledger::Facts study_facts(const Study& study, const FirstCase& first, int shard, int shards);

/// In what two batches differ, as parts of a sentence; empty where one may go on with the other.
std::vector<std::string> differences(const Ledger::Facts& then, const Ledger::Facts& now);

}  // namespace torsor::batch
