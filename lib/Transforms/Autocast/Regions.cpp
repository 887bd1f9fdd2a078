// Where autocast is on, and with which type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Autocast/Regions.h"
#include "Transforms/Autocast/ProgramGraph.h"

#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

/// What the region says about the ops in it.
static RegionSetting settingOf(AutocastOp region) {
  std::optional<Type> type = region.getType();
  return {region.getEnabled(), region.getEnabled() && type ? precisionOf(*type) : std::nullopt};
}

/// Whether the same holds where there is no region. A type that is stated is not left to the cost.
static bool isAsOutside(const RegionSetting &setting, const PrecisionPolicy &policy, bool byCost) {
  if (!setting.isEnabled)
    return !policy.lowType() && !policy.decidesByCost();
  return !setting.low || (setting.low == policy.lowType() && !byCost);
}

RegionSettings mp::inlineRegions(FunctionOpInterface function, const PrecisionPolicy &policy, bool byCost) {
  RegionSettings settings;
  SmallVector<AutocastOp> regions; // inner before outer
  function.walk([&](AutocastOp region) { regions.push_back(region); });
  for (AutocastOp region : regions) {
    const RegionSetting setting = settingOf(region);
    // Ops of regions inside this one are here already, with their own setting.
    region.getBody().walk([&](Operation *op) { settings.try_emplace(op, setting); });
    Operation *yield = region.getBody().front().getTerminator();
    region->replaceAllUsesWith(yield->getOperands());
    settings.erase(yield);
    yield->erase();
    Block *block = region->getBlock();
    block->getOperations().splice(region->getIterator(), region.getBody().front().getOperations());
    settings.erase(region);
    region->erase();
  }
  llvm::SmallVector<Operation *> same;
  for (auto &[op, setting] : settings)
    if (isAsOutside(setting, policy, byCost))
      same.push_back(op);
  for (Operation *op : same)
    settings.erase(op);
  return settings;
}
