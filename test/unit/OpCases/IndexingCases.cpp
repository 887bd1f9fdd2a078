// Uses of what chooses elements by where they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/IndexingCases.h"

using namespace mp;

using Cases = std::vector<OpCase>;

static void addMoves(Cases &cases) {
  for (std::string type : {"$T", "i32", "i64", "ui8", "i1"}) {
    const Fill fill = type == "i1" ? Fill::Flags : Fill::Signed;
    auto move = [&](std::string op, std::string name, std::string from, std::string to, std::string clause) {
      cases.push_back(
          {op, name + ", " + type, {{from + type, fill}}, {to + type}, op + " %0 " + clause + " : {0} -> {r}"});
    };
    move("mp.slice", "rows", "5x7x", "2x7x", "[2:4, :]");
    move("mp.slice", "columns", "5x7x", "5x3x", "[:, 1:4]");
    move("mp.slice", "steps", "5x7x", "3x3x", "[::2, 1:7:2]");
    move("mp.slice", "middle", "3x8x16x", "3x4x16x", "[:, 3:7, :]");
    move("mp.slice", "a multiple of lanes", "3x64x", "3x32x", "[:, 16:48]");
    move("mp.slice", "all dimensions", "4x5x6x", "2x2x2x", "[1:3, 2:4, 3:5]");
    move("mp.slice", "steps of one element", "5x1x", "1x1x", "[4:, ::3]");
    move("mp.flip", "rows", "5x7x", "5x7x", "dimensions [0]");
    move("mp.flip", "columns", "5x7x", "5x7x", "dimensions [1]");
    move("mp.flip", "outer and inner", "2x3x16x", "2x3x16x", "dimensions [0, 2]");
    move("mp.flip", "none", "5x7x", "5x7x", "dimensions []");
    auto concat = [&](std::string name, std::vector<std::string> shapes, std::string to, std::string dimension) {
      OpCase use{"mp.concat", name + ", " + type, {}, {to + type}, "mp.concat "};
      std::string types;
      for (size_t i = 0; i < shapes.size(); ++i) {
        const std::string separator = i == 0 ? "" : ", ", number = std::to_string(i);
        use.operands.push_back({shapes[i] + type, fill});
        use.text += separator + "%" + number;
        types += separator + "{" + number + "}";
      }
      use.text += " dimension " + dimension + " : " + types + " -> {r}";
      cases.push_back(use);
    };
    concat("one", {"3x5x"}, "3x5x", "0");
    concat("rows", {"2x5x", "3x5x"}, "5x5x", "0");
    concat("columns", {"3x2x", "3x5x", "3x1x"}, "3x8x", "1");
    concat("lanes", {"3x16x", "3x32x"}, "3x48x", "1");
    concat("middle", {"2x3x4x", "2x1x4x"}, "2x4x4x", "1");
    concat("nothing", {"3x0x", "3x5x"}, "3x5x", "1");
    concat("many columns", {"3x2x", "3x1x", "3x5x", "3x0x", "3x1x", "3x3x", "3x4x"}, "3x16x", "1");
    concat("many of lanes", {"2x1x16x", "2x2x16x", "2x1x16x", "2x1x16x", "2x3x16x", "2x1x16x"}, "2x9x16x", "1");
    auto split = [&](std::string name, std::string from, std::vector<std::string> to, std::string clause) {
      OpCase use{"mp.split", name + ", " + type, {{from + type, fill}}, {}, "mp.split %0 " + clause + " : {0} -> {r}"};
      for (size_t i = 0; i < to.size(); ++i) {
        use.results.push_back(to[i] + type);
        if (i != 0)
          use.text += ", tensor<" + to[i] + type + ">";
      }
      cases.push_back(use);
    };
    split("one", "3x5x", {"3x5x"}, "sizes [5] dimension 1");
    split("rows", "5x5x", {"2x5x", "3x5x"}, "sizes [2, 3] dimension 0");
    split("columns, and none", "3x8x", {"3x2x", "3x0x", "3x6x"}, "sizes [2, 0, 6] dimension 1");
    split("lanes", "2x3x48x", {"2x3x16x", "2x3x32x"}, "sizes [16, 32] dimension 2");
    move("mp.tile", "once", "5x7x", "5x7x", "repeats [1, 1]");
    move("mp.tile", "rows", "3x5x", "9x5x", "repeats [3, 1]");
    move("mp.tile", "columns", "3x16x", "3x48x", "repeats [1, 3]");
    move("mp.tile", "both", "2x3x4x", "4x3x12x", "repeats [2, 1, 3]");
    auto triangle = [&](std::string op, std::string shape, std::string diagonal) {
      const std::string clause = diagonal == "0" ? "" : "{diagonal = " + diagonal + " : i64} ";
      cases.push_back({op,
                       diagonal + " of " + shape + type,
                       {{shape + type, fill}},
                       {shape + type},
                       op + " %0 " + clause + ": {0}"});
    };
    for (std::string op : {"mp.tril", "mp.triu"}) {
      triangle(op, "4x4x", "0");
      triangle(op, "3x5x", "1");
      triangle(op, "2x5x3x", "-2");
      triangle(op, "2x3x", "9223372036854775807");
      triangle(op, "2x3x", "-9223372036854775808");
    }
  }
}

static void addPads(Cases &cases) {
  auto pad = [&](std::string name, std::string from, std::string to, std::string clause, bool large = false) {
    cases.push_back({"mp.pad", name, {{from + "$T"}}, {to + "$T"}, "mp.pad %0 " + clause + " : {0} -> {r}", large});
  };
  pad("rows", "3x5x", "6x5x", "low [1, 0] high [2, 0]");
  pad("columns", "3x5x", "3x8x", "low [0, 1] high [0, 2]");
  pad("lanes", "3x16x", "3x64x", "low [0, 16] high [0, 32]");
  pad("between", "3x5x", "5x13x", "low [0, 0] high [0, 0] interior [1, 2]");
  pad("between, and around", "3x5x", "8x16x", "low [1, 2] high [2, 1] interior [1, 2]");
  pad("between one", "1x5x", "1x5x", "low [0, 0] high [0, 0] interior [3, 0]");
  pad("middle", "2x3x16x", "2x6x16x", "low [0, 1, 0] high [0, 2, 0]");
  pad("a value", "3x5x", "4x7x", "low [1, 1] high [0, 1] value 0.1");
  pad("a value that f16 does not have", "3x5x", "4x5x", "low [1, 0] high [0, 0] value 65519.999999",
      true); // too large for differences
  pad("of nothing", "0x5x", "2x5x", "low [1, 0] high [1, 0] value -1.5");
  pad("large", "37x203x", "41x209x", "low [3, 2] high [1, 4]", true);
}

static void addLookups(Cases &cases) {
  auto lookup = [&](std::string name, std::string table, std::string indices, std::string slices, std::string dimension,
                    bool large = false) {
    for (std::string index : {"i32", "i64", "ui8"}) {
      const Operand of{indices + index, Fill::Labels};
      const std::string own = name + ", " + index;
      cases.push_back({"mp.gather",
                       own,
                       {{table + "$T"}, of},
                       {slices + "$T"},
                       "mp.gather %0, %1 dimension " + dimension + " : {0}, {1} -> {r}",
                       large});
      cases.push_back({"mp.scatter_add",
                       own,
                       {{table + "$T"}, of, {slices + "$T"}},
                       {table + "$T"},
                       "mp.scatter_add %0, %1, %2 dimension " + dimension + " : {0}, {1}, {2} -> {r}",
                       large});
    }
  };
  lookup("rows", "5x3x", "4x", "4x3x", "0");
  lookup("rows of lanes", "5x16x", "2x3x", "2x3x16x", "0");
  lookup("columns", "3x5x", "4x", "3x4x", "1");
  lookup("middle", "2x5x3x", "2x2x", "2x2x2x3x", "1");
  lookup("one index", "5x3x", "", "3x", "0");
  lookup("many", "5x40x", "200x", "200x40x", "0", true);
  lookup("some that are not there", "3x4x", "9x", "9x4x", "0", true);
  lookup("no index", "5x3x", "0x", "0x3x", "0", true);
  lookup("of nothing", "0x3x", "2x", "2x3x", "0", true);
  for (std::string type : {"i32", "i64", "ui8", "i1"})
    cases.push_back({"mp.gather",
                     type + ", some that are not there",
                     {{"3x4x" + type, type == "i1" ? Fill::Flags : Fill::Signed}, {"9xi32"}},
                     {"9x4x" + type},
                     "mp.gather %0, %1 dimension 0 : {0}, {1} -> {r}"});
  auto elements = [&](std::string name, std::string input, std::string indices, std::string dimension,
                      bool large = false) {
    for (std::string index : {"i32", "i64", "ui8"}) {
      const Operand of{indices + index, Fill::Labels};
      cases.push_back({"mp.gather_elements",
                       name + ", " + index,
                       {{input + "$T"}, of},
                       {indices + "$T"},
                       "mp.gather_elements %0, %1 dimension " + dimension + " : {0}, {1} -> {r}",
                       large});
      cases.push_back({"mp.scatter_add_elements",
                       name + ", " + index,
                       {{input + "$T"}, of, {indices + "$T"}},
                       {input + "$T"},
                       "mp.scatter_add_elements %0, %1, %2 dimension " + dimension + " : {0}, {1}, {2} -> {r}",
                       large});
      cases.push_back({"mp.scatter_elements",
                       name + ", " + index,
                       {{input + "$T"}, of, {indices + "$T"}},
                       {input + "$T"},
                       "mp.scatter_elements %0, %1, %2 dimension " + dimension + " : {0}, {1}, {2} -> {r}",
                       large});
    }
  };
  elements("of rows", "5x3x", "4x3x", "0");
  elements("of columns", "3x5x", "3x2x", "1");
  elements("of a line", "7x", "4x", "0");
  elements("in the middle", "2x5x3x", "2x6x3x", "1");
  elements("of lanes", "5x16x", "3x16x", "0");
  elements("many", "9x40x", "50x40x", "0", true);
  elements("some that are not there", "3x4x", "3x9x", "1", true);
  elements("no index", "5x3x", "0x3x", "0", true);
  elements("of nothing", "0x3x", "2x3x", "0", true);
  for (std::string type : {"i32", "i64", "ui8", "i1"}) {
    const Fill fill = type == "i1" ? Fill::Flags : Fill::Signed;
    cases.push_back({"mp.gather_elements",
                     type + ", some that are not there",
                     {{"3x4x" + type, fill}, {"9x4xi32"}},
                     {"9x4x" + type},
                     "mp.gather_elements %0, %1 dimension 0 : {0}, {1} -> {r}"});
    for (std::string dimension : {"0", "1"}) {
      const std::string places = dimension == "0" ? "9x4x" : "3x9x";
      cases.push_back({"mp.scatter_elements",
                       type + ", some that are not there, along " + dimension,
                       {{"3x4x" + type, fill}, {places + "i32"}, {places + type, fill}},
                       {"3x4x" + type},
                       "mp.scatter_elements %0, %1, %2 dimension " + dimension + " : {0}, {1}, {2} -> {r}"});
    }
  }
  for (std::string label : {"i32", "i64", "ui8"})
    for (std::string type : {"$T", "i32", "i64", "ui8", "i1"}) {
      auto encode = [&](std::string shape, std::string classes) {
        cases.push_back({"mp.one_hot",
                         label + " to " + classes + type,
                         {{shape + label, Fill::Labels}},
                         {shape + classes + type},
                         "mp.one_hot %0 : {0} -> {r}"});
      };
      encode("7x", "5x");
      encode("2x3x", "3x");
      encode("", "16x");
    }
}

static void addTopK(Cases &cases) {
  auto largest = [&](std::string rows, std::string columns, std::string k, std::string type, Fill fill,
                     bool large = false) {
    const std::string name = k + " of " + rows + columns + type, chosen = rows + k + "x";
    cases.push_back({"mp.top_k",
                     name,
                     {{rows + columns + "x" + type, fill}},
                     {chosen + type, chosen + "i32"},
                     "mp.top_k %0 k " + k + " : {0} -> {r}, tensor<" + chosen + "i32>",
                     large});
    if (type == "$T")
      cases.push_back({"mp.top_k_grad",
                       name,
                       {{chosen + "i32", Fill::Labels}, {chosen + type}},
                       {rows + columns + "x" + type},
                       "mp.top_k_grad %0, %1 : {0}, {1} -> {r}",
                       large});
  };
  for (std::string k : {"1", "3", "5"})
    largest("4x", "5", k, "$T", Fill::Separated);
  largest("", "7", "2", "$T", Fill::Separated);
  largest("2x3x", "8", "8", "$T", Fill::Separated);
  largest("19x", "67", "5", "$T", Fill::Signed, true);
  for (std::string type : {"i32", "i64", "ui8"})
    largest("3x", "9", "9", type, Fill::Signed); // some are equal
}

void mp::addIndexing(Cases &cases) {
  addMoves(cases);
  addPads(cases);
  addLookups(cases);
  addTopK(cases);
}
