#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "table.hpp"

namespace torsor::batch {

/// The message of an unknown column.
std::string unknown_column(const std::string& name, const std::vector<std::string>& known);

QueryError invalid_condition(std::string_view condition, std::string_view why);

/// A condition on columns as an expression of SQL. The names of columns get quotes, because SQL does not
/// accept dots in names without quotes. Throws QueryError for a text that could end the expression, so that
/// only the condition follows WHERE: quotes and brackets must be closed, and comments, parameters and a
/// second statement are refused.
///
/// "case" is a column and a keyword. It is the keyword if WHEN, a column, a number, a text or a bracket
/// follows.
std::string sql_condition(std::string_view condition, const std::vector<std::string>& known);

}  // namespace torsor::batch
