// Where an op stands, for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/Place.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <nlohmann/json.hpp>

using namespace mlir;

namespace mp {

Place::Place(Location location) {
  location->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part); named && name.empty())
      name = named.getName().str();
    if (auto position = dyn_cast<FileLineColLoc>(part); position && line == 0) {
      line = position.getLine();
      column = position.getColumn();
    }
    return WalkResult::advance();
  });
}

std::string Place::text() const {
  if (line == 0)
    return name;
  return (name.empty() ? "" : name + " ") + std::to_string(line) + ":" + std::to_string(column);
}

void Place::addTo(nlohmann::ordered_json &row) const {
  if (!name.empty())
    row["name"] = name;
  if (line != 0) {
    row["line"] = line;
    row["column"] = column;
  }
}

} // namespace mp
