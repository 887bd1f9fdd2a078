// Where an op stands, for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_MP_RUN_PLACE_H
#define MP_TOOLS_MP_RUN_PLACE_H

#include "mlir/IR/Location.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace mp {

/// Where an op stands: the name that it has there, if any, and line and column.
struct Place {
  std::string name;
  unsigned line = 0, column = 0;

  explicit Place(mlir::Location location);

  /// "energy 5:8", or what there is of it.
  std::string text() const;
  /// Adds `name`, `line` and `column`, as far as they are known.
  void addTo(nlohmann::ordered_json &row) const;
};

using Rows = std::vector<std::vector<std::string>>;

/// Columns as wide as their widest entry; the last is not padded.
void printTable(std::ostream &os, const Rows &rows);

} // namespace mp

#endif // MP_TOOLS_MP_RUN_PLACE_H
