#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "../support/greatest.hpp"
#include "scene/language/evaluate.hpp"
#include "scene/language/table_files.hpp"
#include "scene/language/units.hpp"
#include "support.hpp"
#include "torsor/geometry/detail/taylor.hpp"

namespace torsor::scene {
namespace {

using Method = Table::Method;
using Ends = Table::Ends;
using Series3 = Taylor<double, 3>;
constexpr double infinite = std::numeric_limits<double>::infinity();
const std::vector<double> uneven{-1, -0.4, 0.1, 0.3, 1.2, 1.5, 2.5};
constexpr Method methods[] = {Method::linear, Method::akima, Method::cubic};

struct TableValue {
  Series3 f;
  double switching = 0;
};

/// The series of the table at x, on the given side (1 or -1) of its kinks; if `side` is 0, x chooses the
/// side.
TableValue table_value(const Table& table, double x, int side = 0) {
  const auto given = static_cast<signed char>(side);
  Series3 at(x), switching(0.);
  at[1] = 1;
  Sides<Series3> sides(side == 0 ? nullptr : &given, &switching);
  const Series3 f = table_at(table, at, sides);
  return {f, switching[0]};
}

std::vector<double> mapped(const std::vector<double>& x, double (*f)(double)) {
  std::vector<double> y;
  for (const double at : x) y.push_back(f(at));
  return y;
}

/// A folder for the files of one test.
class TableFolder {
 public:
  TableFolder()
      : path_(std::filesystem::temp_directory_path() / ("torsor_tables_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_ / "below");
  }
  ~TableFolder() { std::filesystem::remove_all(path_); }
  TableFolder(const TableFolder&) = delete;
  TableFolder& operator=(const TableFolder&) = delete;
  std::string path() const { return path_.string(); }
  std::string scene() const { return (path_ / "scene.toml").string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }

 private:
  std::filesystem::path path_;
};

const Node empty_document{Node::Table(), {}};

/// The message for a call of table; empty if the call is valid.
std::string error_of_table(const TableFolder& folder, const std::string& call) {
  TableFiles files(folder.path(), empty_document);
  Vocabulary words{{"t"}};
  words.files = &files;
  return parse_expression(call, words).error;
}
double value_of_table(const TableFolder& folder, const std::string& call, double t) {
  TableFiles files(folder.path(), empty_document);
  Vocabulary words{{"t"}};
  words.files = &files;
  const ParsedExpression parsed = parse_expression(call, words);
  REQUIRE_MESSAGE(parsed.error.empty(), parsed.error);
  return parsed.expression.value(t);
}

}  // namespace

TEST_CASE("a table passes through its points, and is constant, periodic or without value beyond them") {
  std::vector<double> y{1, 3, 2, 2, 0, 5, 1};
  for (const Method method : methods)
    for (const Ends ends : {Ends::clamped, Ends::periodic, Ends::none}) {
      const Table table(uneven, y, method, ends);
      for (std::size_t i = 0; i < y.size(); ++i)
        CHECK(table_value(table, uneven[i]).f[0] == doctest::Approx(y[i]).epsilon(1e-13));
      CHECK(std::isnan(table_value(table, std::nan("")).f[0]));
      for (const double x : {-3.3, -0.9, 0.2, 2., 2.6, 7.7, 1000.}) {
        const double far = table_value(table, x).f[0];
        if (ends == Ends::periodic)
          CHECK(far == doctest::Approx(table_value(table, x + 7).f[0]).epsilon(1e-10));
        else if (x < -1 || x > 2.5)
          CHECK((ends == Ends::none ? std::isnan(far) : far == 1));
      }
      for (const double x : {2e15, -1e300, 1e300, infinite, -infinite})
        if (ends != Ends::clamped) CHECK(std::isnan(table_value(table, x).f[0]));
      if (ends == Ends::clamped)
        CHECK(table_value(table, -infinite).f[0] + table_value(table, infinite).f[0] == 2);
    }
}

TEST_CASE("tables of every method reproduce straight lines, and cubic tables reproduce cubic polynomials") {
  const auto line = [](double x) { return 2 - 3 * x; };
  const auto cubic = [](double x) { return ((2 * x - 1) * x + 3) * x + 0.5; };
  for (const double x : {-0.9, -0.1, 0.2, 0.9, 1.4, 2.3}) {
    for (const Method method : methods)
      CHECK(table_value(Table(uneven, mapped(uneven, line), method, Ends::none), x).f[0] ==
            doctest::Approx(line(x)).epsilon(1e-14));
    const Series3 f = table_value(Table(uneven, mapped(uneven, cubic), Method::cubic, Ends::none), x).f;
    CHECK(f[0] == doctest::Approx(cubic(x)).epsilon(1e-12));
    CHECK(f[1] == doctest::Approx((6 * x - 2) * x + 3).epsilon(1e-12));
    CHECK(f[2] == doctest::Approx(6 * x - 1).epsilon(1e-11));
    CHECK(f[3] == doctest::Approx(2).epsilon(1e-11));
  }
}

TEST_CASE("a table has as many continuous derivatives as it states") {
  const std::vector<double> y{1, 3, 2, 2, 0, 5, 1};
  for (const Method method : methods)
    for (const Ends ends : {Ends::clamped, Ends::periodic, Ends::none}) {
      const Table table(uneven, y, method, ends);
      CHECK(table.continuous_derivatives() == (ends == Ends::clamped || method == Method::linear ? 0
                                               : method == Method::akima                         ? 1
                                                                                                 : 2));
      double greatest_jump[4] = {};
      for (const double knot : uneven) {
        if (ends == Ends::none && (knot == uneven.front() || knot == uneven.back())) continue;
        const Series3 before = table_value(table, std::nextafter(knot, -infinite)).f,
                      after = table_value(table, knot).f;
        for (int k = 0; k < 4; ++k) greatest_jump[k] = test::greatest(greatest_jump[k], after[k] - before[k]);
      }
      for (int k = 0; k < 4; ++k) {
        if (k <= table.continuous_derivatives()) CHECK(greatest_jump[k] < 1e-11);
        if (k == table.continuous_derivatives() + 1) CHECK(greatest_jump[k] > 0.1);
      }
    }
}

TEST_CASE("a periodic cubic spline has order four") {
  const auto greatest_error = [](int n) {
    std::vector<double> x, y;
    for (int i = 0; i <= n; ++i) {
      x.push_back(2 * std::numbers::pi * i / n);
      y.push_back(i == n ? y[0] : std::exp(std::sin(x.back())));
    }
    const Table table(x, y, Method::cubic, Ends::periodic);
    double greatest = 0;
    for (int i = 0; i < 1000; ++i) {
      const double at = 0.0314 * i;  // five periods
      greatest = test::greatest(greatest, table_value(table, at).f[0] - std::exp(std::sin(at)));
    }
    return greatest;
  };
  CHECK(std::log2(greatest_error(40) / greatest_error(80)) == doctest::Approx(4).epsilon(0.05));
}

TEST_CASE("a table with kinks has one switching function, and continues on a frozen side") {
  const std::vector<double> y{1, 3, 2, 2, 0, 5, 1};
  for (const Method method : methods)
    for (const Ends ends : {Ends::clamped, Ends::periodic, Ends::none}) {
      const Table table(uneven, y, method, ends);
      CHECK(table.has_kinks() == (method == Method::linear || ends == Ends::clamped));
      if (!table.has_kinks()) continue;
      int changes = 0, last = 0;
      for (double x = -9.9993; x < 10; x += 0.001) {
        const TableValue here = table_value(table, x);
        const int side = here.switching >= 0 ? 1 : -1;
        if (last != 0 && side != last) ++changes;
        last = side;
        if (!std::isnan(here.f[0])) CHECK(table_value(table, x, side).f.c == here.f.c);
      }
      CHECK(changes == (ends == Ends::periodic     ? 33
                        : method == Method::linear ? 7
                                                   : 2));  // kinks in (-10, 10)
      for (const double knot : {uneven.front(), uneven.back()}) {
        if (ends == Ends::none) break;
        const double before = std::nextafter(knot, -infinite);
        const int side = table_value(table, knot).switching >= 0 ? 1 : -1;
        CHECK((table_value(table, before).switching >= 0 ? 1 : -1) == -side);
        // With the side before the knot, the same polynomial continues beyond the knot, and vice versa.
        const Series3 here = table_value(table, before, -side).f,
                      beyond = table_value(table, knot + 0.1, -side).f;
        CHECK(here.at(knot + 0.1 - before) == doctest::Approx(beyond[0]).epsilon(1e-12));
        const Series3 after = table_value(table, knot, side).f, back = table_value(table, knot - 0.1, side).f;
        CHECK(after.at(-0.1) == doctest::Approx(back[0]).epsilon(1e-12));
      }
    }
}

TEST_CASE("units of tables have their factors and dimensions") {
  CHECK(si_unit("kN*m") == SiUnit{1e3, {2, 1, -2, 0}});
  CHECK(si_unit("J") == si_unit("kg*m^2/s^2"));
  CHECK(si_unit("J") == si_unit("N*m/rad"));
  CHECK(si_unit("V") == si_unit("W/A"));
  CHECK(si_unit("1/s^-2") == SiUnit{1, {0, 0, 2, 0}});
  CHECK(si_unit("Pa/m/s") == SiUnit{1, {-2, 1, -3, 0}});
  CHECK(si_unit("km^3/s^2") == SiUnit{1e9, {3, 0, -2, 0}});
  for (const char* none : {"", "m^", "m^x", "m^2.5", "m^1e1", "m^200", "m*", "/s", "lbf", "m s"}) {
    CAPTURE(std::string(none));
    CHECK_FALSE(si_unit(none));
  }
}

TEST_CASE("formulas read columns of files, with their units") {
  const TableFolder folder;
  folder.write("motor.csv", "t [ms],torque [kN*m], speed\r\n0,1,10\r\n1000,3,20\r\n\r\n3000,-1,30\r\n");
  folder.write("below/run.csv",
               "t,body.top.x,energy\n# format: torsor\n# unit: s,mm,J\n0,1,5\n1,2,6\n# end: 1\n");
  CHECK(value_of_table(folder, "table(\"motor.csv\", \"torque\", t)", 0.5) == 2000);
  CHECK(value_of_table(folder, "1 + 2*table('motor.csv', 'speed', 2*t)*t", 1) == 51);
  CHECK(value_of_table(folder, "table('motor.csv', 'torque [kN*m]', t, 'linear', 'clamped')", 9) == -1000);
  CHECK(value_of_table(folder, "table('below/run.csv', 'body.top.x', t)", 0.5) == doctest::Approx(0.0015));
  folder.write("same_name.csv", "t [ms],t\n0,1\n1000,3\n");
  CHECK(value_of_table(folder, "table('same_name.csv', 't', t)", 0.5) == 2);
  folder.write("spaces.csv", "t,a\n#unit: s, mm\n0,1\n1,2\n");
  CHECK(value_of_table(folder, "table('spaces.csv', 'a', t)", 0.5) == doctest::Approx(0.0015));
  CHECK(value_of_table(folder, "table('below/../below/run.csv', 'energy', t, 'none')", 0.5) == 5.5);
  CHECK(std::isnan(value_of_table(folder, "table('below/run.csv', 'energy', t, 'none')", 2)));
  CHECK(value_of_table(folder, "table('motor.csv', 'speed', table('below/run.csv', 'energy', t) - 5)", 0.5) ==
        15);

  TableFiles files(folder.path(), empty_document);
  std::vector<std::string> measured;
  Vocabulary words{{"t"}};
  words.files = &files, words.measured = &measured;
  words.definitions = {{"a", parse_expression("table('motor.csv', 'speed', t)", words).expression}};
  const Expression f =
      parse_expression("min(table('motor.csv', 'torque', t), 2*a) + abs(a)", words).expression;
  CHECK(f.tables().size() == 3);
  CHECK(f.kinks() == 5);
  CHECK(f.value(1) == 60);
  CHECK(f.scaled(2).value(1) == 120);
  CHECK(files.texts().size() == 1);
  CHECK_FALSE(f.is_constant());
  CHECK(f.degree(0, 1) == Expression::Degree::higher);
  CHECK(f.degree(1, 2) == Expression::Degree::none);
}

TEST_CASE("a wrong table gets a message with file, line and column") {
  const TableFolder folder;
  const std::pair<std::string, const char*> wrong[] = {
      {"", "x.csv:1:1: the file is empty; it needs a line with the names of its columns"},
      {"t\n1\n", "x.csv:1:1: the file has one column; it needs an abscissa and a value, separated by commas"},
      {"t,b\n0,1\n1,2\n", "x.csv:1:1: no column \"a\" after the first"},
      {"a,b\n0,1\n1,2\n", "x.csv:1:1: no column \"a\" after the first"},
      {"t,a,a [m]\n0,1,2\n", "x.csv:1:5: two columns are named \"a\""},
      {"t,a [lbf]\n0,1\n", "x.csv:1:6: unknown unit \"lbf\""},
      {"t,a\n# unit: s,lbf\n0,1\n", "x.csv:2:11: unknown unit \"lbf\""},
      {"t,a\n# unit: s\n0,1\n", "x.csv:2:1: the number of units is 1, and the number of columns is 2"},
      {"t,a [mm]\n#unit:s,m\n0,1\n1,2\n",
       "x.csv:2:9: the unit \"m\" contradicts the unit that this column has above"},
      {"t,a [m]\n#unit:s,s\n0,1\n1,2\n",
       "x.csv:2:9: the unit \"s\" contradicts the unit that this column has above"},
      {"t,a [N*m/s]\n#unit:s,N*s/m\n0,1\n1,2\n",
       "x.csv:2:9: the unit \"N*s/m\" contradicts the unit that this column has above"},
      {"t,a\n0,1\n1,2,3\n", "x.csv:3:1: the number of values is 3, and the first line names 2 columns"},
      {"t,a\n0,1\n1, 2x\n", "x.csv:3:4: \"2x\" is not a finite number"},
      {"t,a\n0,1\n1,\n", "x.csv:3:3: \"\" is not a finite number"},
      {"t,a\n0,1\n1,inf\n", "x.csv:3:3: \"inf\" is not a finite number"},
      {"t,a\n0,1\n1,+-2\n", "x.csv:3:3: \"+-2\" is not a finite number"},
      {"t,a\n0,1e-400\n1,2\n", "x.csv:2:3: \"1e-400\" is outside the range of floating-point numbers"},
      {"t,a\n0,1\n1,2\n1,3\n", "x.csv:4:1: the first column must increase, but 1 follows 1"},
      {"t,a\n0,1\n", "x.csv: the number of rows is 1; the interpolation needs at least 2"},
      {"t,a\n0,1e308\n1e-10,-1e308\n", "x.csv: the abscissae or the slopes of \"a\" are not finite"},
      {"t,a\n-1.7e308,1\n1.7e308,2\n", "x.csv: the abscissae or the slopes of \"a\" are not finite"},
      {"t,a\n0,\xff\n", "x.csv: the text is not UTF-8"},
      {std::string("t,a\n0,\0\n", 8), "x.csv: the text contains a NUL byte"}};
  for (const auto& [text, message] : wrong) {
    CAPTURE(text);
    folder.write("x.csv", text);
    CHECK(error_of_table(folder, "table('x.csv', 'a', t)") == message);
  }
  folder.write("x.csv", "t,a\n0,1\n1,2\n2,2\n");
  const auto refused = [&](const std::string& rest) {
    return error_of_table(folder, "table('x.csv'" + rest);
  };
  CHECK(refused(", 'a', t, 'cubic')") ==
        "x.csv: the number of rows is 3; the interpolation needs at least 4");
  CHECK(refused(", 'a', t, 'periodic')") ==
        "x.csv: the first and the last value of a periodic table must be equal, got 1 and 2");
  const std::string options =
      "table takes \"linear\", \"akima\" or \"cubic\", and \"clamped\", \"periodic\" or \"none\", after x, "
      "got ";
  CHECK(refused(", 'a', t, 'spline')") == options + "\"spline\"");
  CHECK(refused(", 'a', t, 'linear', 'cubic')") == options + "\"cubic\"");
  CHECK(refused(", t)") == "expected a text in quotes at character 15");
  CHECK(refused(", 'a')") == "expected ',' at character 19");
  CHECK(error_of_table(folder, "table('Größe.csv', )") ==
        "expected a text in quotes at character 19");  // characters, not bytes
  CHECK(error_of_table(folder, "table('x.csv', 'aa', t)") ==
        "x.csv:1:1: no column \"aa\" after the first; did you mean \"a\"?");
  const auto file = [&](const std::string& name) {
    return error_of_table(folder, "table('" + name + "', 'a', t)");
  };
  CHECK(file("y.csv") == "y.csv: cannot be read: No such file or directory");
  CHECK(file("below") == "below: is a directory, not a table");
  for (const char* name : {"/etc/passwd", "../x.csv", "below/../../x.csv", "..", ""})
    CHECK(file(name) ==
          "\"" + std::string(name) +
              "\" is not a file in the folder of the scene or below; give a path relative to this folder");
  CHECK(parse_expression("table('x.csv', 'a', t)", "t").error == "this formula cannot use a table");
}

// If each column split the whole file into cells, this test would take minutes.
TEST_CASE(
    "the columns of a file are read at a cost of their own numbers, and blank lines count in messages") {
  constexpr int columns = 2000, rows = 800;
  std::string names = "t", text;
  for (int k = 0; k < columns; ++k) names += ",c" + std::to_string(k);
  for (int i = 0; i < rows; ++i) {
    text += (i % 100 == 0 ? "\r\n# a comment\n" : "\n") + std::to_string(i);
    for (int k = 0; k < columns; ++k) text += k % 2 == 0 ? ", 0" : ",1 ";
  }
  const TableFolder folder;
  folder.write("wide.csv", names + text);
  folder.write("blank.csv", "t,a\n0,1\n\n \r\n1,x\n");
  TableFiles files(folder.path(), empty_document);
  std::string why;
  for (int k = 0; k < columns; ++k) {
    const auto table = files.table("wide.csv", "c" + std::to_string(k), {}, why);
    REQUIRE_MESSAGE(table, why);
    CHECK(table_value(*table, 3.5).f[0] == k % 2);
  }
  CHECK_FALSE(files.table("blank.csv", "a", {}, why));
  CHECK(why == "blank.csv:5:3: \"x\" is not a finite number");
}

TEST_CASE("the resolved scene contains the tables that it uses, and then needs no files") {
  const std::string table = "t,\"a\\b\"\t,a\n0,1,2\n1,2,4\n2,2,2\n3,0,2\n";
  std::string resolved;
  const std::string text =
      "[definitions]\npush = \"table('motor.csv', 'a', t, 'cubic', 'periodic') N\"\n[run]\nend = "
      "1\n[[body]]\n"
      "name = \"top\"\nmass = 1\ninertia = [1, 1, 1]\n[[force]]\nname = \"push\"\nkind = \"body-force\"\n"
      "body = \"top\"\nforce = [\"2*push\", 0, 0]\n";
  const auto force = [](const Scene& scene) {
    return std::get<BodyForce>(scene.mechanism.forces[0].law).force[0](0.3);
  };
  double given = 0;
  {
    const TableFolder folder;
    folder.write("motor.csv", table);
    const Scene scene = parse_scene(text, folder.scene());
    given = force(scene);
    resolved = scene.resolved;
    CHECK(test::complaints(text).find("motor.csv: cannot be read") != std::string::npos);
  }
  const Scene again = test::parsed(resolved);
  CHECK(again.resolved == resolved);
  CHECK(force(again) == given);
  CHECK(given > 4);
  CHECK(test::complaints(text + "[files]\n\"motor.csv\" = \"t,a\\n0,x\\n\"\n")
            .find("motor.csv:2:3: \"x\" is not a finite number") != std::string::npos);
  CHECK(test::complaints(text + "[files]\n\"motor.csv\" = 3\n")
            .ends_with("scene:15:15: error: \"motor.csv\" of [files] must be a string, got an integer"));
}

TEST_CASE(
    "a source reads a table once, and its scenes then need neither the file nor the folder of the program") {
  const std::string text = test::with_top(
      "[[force]]\nname = \"push\"\nkind = \"body-force\"\nbody = \"top\"\n"
      "force = [\"table('motor.csv', 'a', t)\", 0, 0]\n");
  const std::filesystem::path before = std::filesystem::current_path();
  const TableFolder folder;
  std::filesystem::current_path(folder.path());
  const SceneSource source(text, "scene.toml");
  const SceneSource other(text, "scene.toml", source.folder(), {{"motor.csv", "t,a\n0,5\n1,5\n"}});
  std::filesystem::current_path(before);
  const auto force = [](const SceneSource& from, const Overrides& overrides = {}) {
    const double t = 0.5;
    const auto law = std::get<BodyForce>(from.scene(overrides).mechanism.forces[0].law);
    return law.force[0].of_state()->function(&t, nullptr, nullptr);
  };
  folder.write("motor.csv", "t,a\n0,x\n1,x\n");
  CHECK_THROWS_AS(source.scene(), SceneError);  // a text that is not a table is not kept
  folder.write("motor.csv", "t,a\n0,1\n1,1\n");
  CHECK(force(source, {{"files", "{\"motor.csv\" = \"t,a\\n0,3\\n1,3\\n\"}"}}) == 3);
  CHECK(source.tables().empty());
  CHECK(force(source) == 1);
  folder.write("motor.csv", "t,a\n0,2\n1,2\n");
  CHECK(force(source) == 1);
  CHECK(force(source, {{"body.top.mass", "3"}}) == 1);
  CHECK(source.tables().at("motor.csv") == "t,a\n0,1\n1,1\n");
  CHECK(force(other) == 5);
  CHECK(std::filesystem::equivalent(source.folder(), folder.path()));
}

}  // namespace torsor::scene
