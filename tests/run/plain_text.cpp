#include "run/plain_text.hpp"

#include <doctest/doctest.h>

using torsor::plain_text;

TEST_CASE("plain text escapes control characters of terminals and pages") {
  CHECK(plain_text("") == "");
  CHECK(plain_text("a heavy top, \"θ = 30°\" 🌀 \\u001B") == "a heavy top, \"θ = 30°\" 🌀 \\u001B");
  CHECK(plain_text("\033[31mred\033[0m") == "\\u001B[31mred\\u001B[0m");
  CHECK(plain_text("\033]0;title\a\b\x7f") == "\\u001B]0;title\\u0007\\u0008\\u007F");
  CHECK(plain_text(std::string("a\0b", 3)) == "a\\u0000b");
  CHECK(plain_text("two\nlines\r\n\tand a tab") == "two lines   and a tab");
  CHECK(plain_text("\u009b31m \u0085") == "\\u009B31m \\u0085");
}

TEST_CASE("plain text escapes marks that change the direction of writing") {
  CHECK(plain_text("abc\u202edcba\u202c") == "abc\\u202Edcba\\u202C");
  CHECK(plain_text("\u2066\u2067\u2068\u2069\u200e\u200f\u061c") ==
        "\\u2066\\u2067\\u2068\\u2069\\u200E\\u200F\\u061C");
  CHECK(plain_text("\u2028\u2029\u202a\u202b\u202d") == "\\u2028\\u2029\\u202A\\u202B\\u202D");
  CHECK(plain_text("שלום مرحبا") == "שלום مرحبا");  // letters of either direction remain
}

TEST_CASE("UTF-8 is distinguished from other bytes") {
  for (const char* good : {"", "a", "θ", "שלום", "🌀", "\033"}) CHECK(torsor::is_utf8(good));
  for (const char* bad : {"\xff", "a\xe2\x82", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "1e-\xb6"})
    CHECK_FALSE(torsor::is_utf8(bad));
}

TEST_CASE("plain text escapes bytes that are not UTF-8") {
  CHECK(plain_text("\xff\xc0\x80") == "\\xFF\\xC0\\x80");
  CHECK(plain_text("a\xe2\x82") == "a\\xE2\\x82");         // cut short
  CHECK(plain_text("\xed\xa0\x80") == "\\xED\\xA0\\x80");  // a surrogate
  CHECK(plain_text("\x9b"
                   "31m") ==
        "\\x9B"
        "31m");  // an escape of one byte
}
