// What autocast made of a program, for who asks why.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_PRECISIONREPORT_H
#define MP_ANALYSIS_PRECISIONREPORT_H

#include "mp/Analysis/PrecisionSummary.h"

#include "mlir/IR/Location.h"

#include <string>
#include <vector>

namespace mp {

/// One op whose precision is a choice, in the order of the program.
struct ExplainedOp {
  mlir::Location location;
  std::string name;     ///< "mp.matmul"
  std::string type;     ///< in which it computes: "f16"; of one that stays as written, its own
  std::string sums;     ///< of a contraction: the type of its sums, else empty
  std::string category; ///< "allow"
  std::string reason;   ///< "allow (deny=mp.add)", "clear, follows mp.matmul; mp.matmul: allow"
};

/// One parameter: the element type that holds it, and those in which ops read it, "f16" or "f16, f32".
struct ExplainedParameter {
  std::string name, shape, stored, computed;
};

/// One op in which rows of the batch meet: a row of its result depends on several.
struct ExplainedRows {
  mlir::Location location;
  std::string name;
  bool isWeighed; ///< it takes weights for the rows, so that a batch may be filled up
};

/// One function.
struct ExplainedFunction {
  std::string name;
  std::vector<ExplainedOp> ops;
  std::vector<ExplainedParameter> parameters;
  std::vector<ExplainedRows> rowsMeet;
  PrecisionSummary summary;
};

using PrecisionReport = std::vector<ExplainedFunction>;

} // namespace mp

#endif // MP_ANALYSIS_PRECISIONREPORT_H
