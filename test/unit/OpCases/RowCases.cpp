// Uses of ops over whole rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/RowCases.h"

using namespace mp;

using Cases = std::vector<OpCase>;

static void addSoftmax(Cases &cases) {
  auto unary = [&](std::string name, std::string type, bool large = false) {
    cases.push_back({"mp.softmax", name, {{type}}, {type}, "mp.softmax %0 : {0}", large});
    cases.push_back({"mp.log_softmax", name, {{type}}, {type}, "mp.log_softmax %0 : {0}", large});
    cases.push_back(
        {"mp.softmax_grad", name, {{type, Fill::Positive}, {type}}, {type}, "mp.softmax_grad %0, %1 : {0}", large});
  };
  unary("matrix", "3x7x$T");
  unary("rank 1", "5x$T");
  unary("rank 3", "2x3x5x$T");
  unary("one column", "3x1x$T");
  unary("large", "67x131x$T", true);
  unary("wide", "37x200x$T", true);
  auto loss = [&](std::string name, std::string rows, std::string label, bool weighted, bool large = false,
                  std::string columns = "6x", std::string clause = "") {
    std::vector<Operand> operands = {{rows + columns + "$T"}, {rows + label, Fill::Labels}};
    if (weighted)
      operands.push_back({rows + "$A", Fill::Positive});
    cases.push_back({"mp.softmax_cross_entropy",
                     name,
                     operands,
                     {"$A"},
                     std::string("mp.softmax_cross_entropy %0, %1 ") + (weighted ? "weights %2 : {2} " : "") + clause +
                         ": {0}, {1} -> {r}",
                     large});
    operands.insert(operands.begin() + 2, {"$A", Fill::Positive});
    cases.push_back({"mp.softmax_cross_entropy_grad",
                     name,
                     operands,
                     {rows + columns + "$T"},
                     std::string("mp.softmax_cross_entropy_grad %0, %1, %2 ") + (weighted ? "weights %3 : {3} " : "") +
                         clause + ": {0}, {1}, {2}",
                     large});
    if (weighted || clause.find("ignore") != std::string::npos)
      return;
    cases.push_back({"mp.softmax_cross_entropy_rows",
                     name,
                     {operands[0], operands[1]},
                     {rows + "$A"},
                     "mp.softmax_cross_entropy_rows %0, %1 " + clause + ": {0}, {1} -> {r}",
                     large});
    cases.push_back({"mp.softmax_cross_entropy_grad_rows",
                     name,
                     {operands[0], operands[1], {rows + "$A"}},
                     {rows + columns + "$T"},
                     "mp.softmax_cross_entropy_grad_rows %0, %1, %2 " + clause + ": {0}, {1}, {2} -> {r}",
                     large});
  };
  loss("ui8 labels", "4x", "ui8", false);
  loss("i32 labels", "4x", "i32", false);
  loss("i64 labels, weights", "4x", "i64", true);
  loss("rank 3", "2x3x", "i32", true);
  loss("one row", "1x", "i32", false);
  loss("large", "131x", "ui8", true, true);
  loss("wide", "37x", "i32", false, true, "200x");
  const std::string smoothed = "{label_smoothing = 0.1 : f64} ", ignoring = "{ignore_label = 2 : i64} ";
  loss("smoothing", "4x", "ui8", false, false, "6x", smoothed);
  loss("smoothing, weights", "4x", "i32", true, false, "6x", smoothed);
  loss("smoothing, large", "131x", "ui8", false, true, "200x", smoothed);
  loss("a label ignored", "7x", "ui8", false, false, "6x", ignoring);
  loss("a label ignored, weights", "2x3x", "i64", true, false, "6x", ignoring);
  loss("a label ignored, smoothing", "7x", "i32", true, false, "6x",
       "{ignore_label = 2 : i64, label_smoothing = 0.3 : f64} ");
}

static void addNorms(Cases &cases) {
  auto norm = [&](std::string name, std::string rows, std::string columns, std::string epsilon = "",
                  bool large = false) {
    const std::string type = rows + columns + "$T", column = rows + "1x$A";
    const Operand parameter{columns + "$A"};
    cases.push_back({"mp.layer_norm",
                     name,
                     {{type}, parameter, parameter},
                     {type},
                     "mp.layer_norm %0, %1, %2 " + epsilon + ": {0}, {1}",
                     large});
    cases.push_back(
        {"mp.rms_norm", name, {{type}, parameter}, {type}, "mp.rms_norm %0, %1 " + epsilon + ": {0}, {1}", large});
    if (epsilon.find("0.0 ") == std::string::npos) {
      cases.push_back({"mp.l2_normalize", name, {{type}}, {type}, "mp.l2_normalize %0 " + epsilon + ": {0}", large});
      cases.push_back({"mp.cosine_similarity",
                       name,
                       {{type}, {type}},
                       {rows + "$T"},
                       "mp.cosine_similarity %0, %1 " + epsilon + ": {0}, {1} -> {r}",
                       large});
    }
    cases.push_back({"mp.layer_norm_statistics",
                     name,
                     {{type}},
                     {column, column},
                     "mp.layer_norm_statistics %0 " + epsilon + ": {0} -> {r}, {r}",
                     large});
    cases.push_back({"mp.layer_norm_grad",
                     name,
                     {{type}, parameter, {column}, {column, Fill::Positive}, {type}},
                     {type},
                     "mp.layer_norm_grad %0, %1, %2, %3, %4 : {0}, {1}, {2}",
                     large});
  };
  norm("matrix", "3x", "7x");
  norm("rank 1", "", "5x");
  norm("rank 3", "2x3x", "5x");
  norm("one column", "3x", "1x");
  norm("as many rows as columns", "6x", "6x");
  // Epsilon shows, and whether it is under the root.
  norm("large epsilon", "3x", "7x", "{epsilon = 0.75 : f64} ");
  norm("no epsilon", "3x", "7x", "{epsilon = 0.0 : f64} ");
  cases.push_back({"mp.l2_normalize",
                   "shorter than epsilon",
                   {{"3x2x$T"}},
                   {"3x2x$T"},
                   "mp.l2_normalize %0 {epsilon = 4.0 : f64} : {0}"});
  norm("large", "67x", "131x", "", true);
  norm("wide", "37x", "200x", "", true);
}

void mp::addRows(Cases &cases) {
  addSoftmax(cases);
  addNorms(cases);
}
