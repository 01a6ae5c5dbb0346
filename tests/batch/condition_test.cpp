#include "batch/condition.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/contains.hpp"

namespace torsor::test {
namespace {

std::string condition(const std::string& text) {
  return batch::sql_condition(text, {"case", "body.top.z", "body.top.z@2", "status", "steps"});
}

}  // namespace

TEST_CASE("names of columns get quotes in a condition") {
  CHECK(condition("body.top.z > 0.5 and body.top.z@2<1e-3") ==
        "\"body.top.z\" > 0.5 and \"body.top.z@2\"<1e-3");
  CHECK(condition("status = 'steps; (--' or `steps` = 1 or [steps] = 2 or \"steps\" = 3") ==
        "\"status\" = 'steps; (--' or `steps` = 1 or [steps] = 2 or \"steps\" = 3");
  CHECK(condition("status = 'it''s' and (steps - -1) > 2") ==
        "\"status\" = 'it''s' and (\"steps\" - -1) > 2");
}

TEST_CASE("a text that could end the condition is refused") {
  const auto refused = [](const std::string& text, const std::string& why) {
    CAPTURE(text);
    std::string message;
    try {
      condition(text);
    } catch (const batch::QueryError& error) {
      message = error.what();
    }
    CHECK(contains(message, "\"" + text + "\" is not a valid condition: " + why));
  };
  refused("1=1) union select sql from sqlite_master --", "a closing bracket has no opening bracket");
  refused("1=1) union select 1 where (1=1", "a closing bracket has no opening bracket");
  refused("(steps > 5", "a bracket is not closed");
  refused("steps > 5; delete from cases", "it has more than one statement");
  refused("steps > 5 -- 6", "it has a comment");
  refused("steps > 5 /* 6", "it has a comment");
  for (const char* text : {"status = 'a", "status = \"a", "[steps > 5", "`steps > 5", "status = '"})
    refused(text, "a quote is not closed");
  refused("$a(') or 1=1", "\"$\" has no meaning in it");  // for SQLite the bracket and the quote belong to $a
  refused("steps > ?1", "\"?\" has no meaning in it");
  refused("steps > :a", "\":\" has no meaning in it");
  refused("steps > @a", "\"@\" has no meaning in it");
}

TEST_CASE("case is a column, and the keyword before WHEN, a column, a number, a text or a bracket") {
  CHECK(condition("case > 1 and not case in (1, 2)") == "\"case\" > 1 and not \"case\" in (1, 2)");
  CHECK(condition("case when steps > 5 then 1 else 0 end") == "case when \"steps\" > 5 then 1 else 0 end");
  CHECK(condition("case status when 'a' then case end") == "case \"status\" when 'a' then \"case\" end");
  CHECK(condition("case case when 1 then 2 end") == "case \"case\" when 1 then 2 end");
  CHECK(condition("CASE case WHEN 1 THEN 2 END") == "CASE \"case\" WHEN 1 THEN 2 END");
  CHECK(condition("case (case) when 1 then 2 end") == "case (\"case\") when 1 then 2 end");
  CHECK(condition("case") == "\"case\"");
}

}  // namespace torsor::test
