// Where an op stands, for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_PLACE_H
#define MP_ANALYSIS_PLACE_H

#include "mlir/IR/Location.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

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

} // namespace mp

#endif // MP_ANALYSIS_PLACE_H
