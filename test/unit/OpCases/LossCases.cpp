// Uses of losses that are means of a term of each element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpCases/LossCases.h"

#include <optional>

using namespace mp;

/// A loss of a prediction and a target, in rows that may have weights.
static void addLoss(std::vector<OpCase> &cases, const std::string &op, const std::string &clause,
                    const std::string &name, std::vector<Operand> operands, const std::optional<std::string> &weights,
                    bool large) {
  if (weights)
    operands.push_back({*weights + "$A", Fill::Positive});
  cases.push_back({op,
                   name,
                   operands,
                   {"$A"},
                   op + " %0, %1 " + (weights ? "weights %2 : {2} " : "") + clause + ": {0}, {1} -> {r}",
                   large});
}

static void addOfClasses(std::vector<OpCase> &cases) {
  struct Loss {
    std::string op;
    Fill rows;
    std::string labels; // the type of a class, or of a probability
    std::string clause;
    Fill target = Fill::Positive;
  };
  const std::string smoothed = "{label_smoothing = 0.25 : f64} ", ignoring = "{ignore_label = 3 : i64} ";
  const Loss losses[] = {
      {"mp.cross_entropy", Fill::Fraction, "i32", ""},
      {"mp.cross_entropy", Fill::Fraction, "ui8", smoothed},
      {"mp.cross_entropy", Fill::Fraction, "i64", ignoring},
      {"mp.cross_entropy", Fill::Fraction, "$T", ""},
      {"mp.cross_entropy", Fill::Fraction, "$A", smoothed},
      {"mp.nll_loss", Fill::Signed, "i32", ""},
      {"mp.nll_loss", Fill::Signed, "ui8", ""},
      {"mp.nll_loss", Fill::Signed, "i64", ignoring},
      {"mp.kl_div", Fill::Signed, "$T", ""},
      {"mp.kl_div", Fill::Signed, "$T", "", Fill::Signed},
      {"mp.softmax_cross_entropy", Fill::Signed, "$T", ""},
      {"mp.softmax_cross_entropy", Fill::Signed, "$A", smoothed},
  };
  for (const Loss &loss : losses) {
    const bool isSoft = loss.labels.starts_with("$");
    const std::string with = ", " + loss.labels + (loss.clause.empty() ? "" : ", " + loss.clause) +
                             (loss.target == Fill::Signed ? ", some below 0" : "");
    auto add = [&](const std::string &name, const std::string &rows, const std::string &classes, bool weighted,
                   bool large = false) {
      addLoss(cases, loss.op, loss.clause, name + with,
              {{rows + classes + "$T", loss.rows},
               {rows + (isSoft ? classes : "") + loss.labels, isSoft ? loss.target : Fill::Labels}},
              weighted ? std::optional(rows) : std::nullopt, large);
    };
    add("rows", "4x", "5x", false);
    add("rows, weights", "4x", "5x", true);
    add("one row", "", "7x", false);
    add("rank 3", "2x3x", "5x", true);
    add("large", "67x", "131x", true, true);
  }
}

void mp::addLosses(std::vector<OpCase> &cases) {
  addOfClasses(cases);
  struct Loss {
    std::string op, clause;
    Fill prediction, target;
  };
  const Loss losses[] = {
      {"mp.mse_loss", "", Fill::Signed, Fill::Signed},
      {"mp.l1_loss", "", Fill::Separated, Fill::Separated},
      {"mp.huber_loss", "", Fill::Separated, Fill::Separated},
      {"mp.huber_loss", "{delta = 0.3 : f64} ", Fill::Separated, Fill::Separated},
      {"mp.sigmoid_cross_entropy", "", Fill::Signed, Fill::Positive},
      {"mp.binary_cross_entropy", "", Fill::Positive, Fill::Positive},
  };
  for (const Loss &loss : losses) {
    const std::string with = loss.clause.empty() ? "" : ", " + loss.clause;
    auto add = [&](const std::string &name, const std::string &rows, const std::string &columns, bool weighted,
                   bool large = false) {
      const std::string type = rows + "x" + columns + "$T";
      addLoss(cases, loss.op, loss.clause, name + with, {{type, loss.prediction}, {type, loss.target}},
              weighted ? std::optional(rows + "x") : std::nullopt, large);
    };
    add("matrix", "4", "3x", false);
    add("matrix, weights", "4", "3x", true);
    add("list", "5", "", false);
    add("list, weights", "5", "", true);
    add("one", "1", "1x", false);
    add("rank 3", "2", "3x2x", true);
    add("large", "67", "131x", true, true);
  }
}
