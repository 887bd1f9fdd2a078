// How the register tiles of a CPU read their operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/RegisterTiles.h"
#include "mp/IR/TileRegisters.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mp;

/// Neighbours in k that an instruction multiplies at once.
static int64_t unitOf(ContractionScheduleAttr schedule) {
  return schedule.getInstruction() == TileInstruction::Fma ? 1 : 2;
}

int64_t mp::depthGranule(ContractionScheduleAttr schedule) {
  return schedule.getInstruction() == TileInstruction::Amx ? kTileDepth : unitOf(schedule);
}

ArrayRef<PartProduct> mp::productsOfParts(ContractionScheduleAttr schedule) {
  // By the sum of the numbers; a part of lhs stays in its registers where the next product has it, too.
  static constexpr PartProduct kProducts[] = {{2, 2}, {1, 2}, {2, 1}, {2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}};
  return ArrayRef(kProducts).take_back(schedule.getProducts());
}

static PanelsAttr makePanels(ContractionScheduleAttr schedule, int64_t rows, bool isDepthInner) {
  const int64_t unit = unitOf(schedule);
  const auto depth = static_cast<int64_t>(llvm::alignTo(schedule.getBlockK(), depthGranule(schedule)));
  return PanelsAttr::get(schedule.getContext(), rows, depth, unit, isDepthInner, schedule.getParts());
}

PanelsAttr mp::lhsPanels(const Contraction &product, ContractionScheduleAttr schedule) {
  // A row of a tile register is a row of k.
  const bool isDepthInner = product.lhsMap.isAlongDepth() || schedule.getInstruction() == TileInstruction::Amx;
  return makePanels(schedule, schedule.getTileM(), isDepthInner);
}
PanelsAttr mp::rhsPanels(ContractionScheduleAttr schedule) { return makePanels(schedule, schedule.getTileN(), false); }

bool mp::mayReadInMemory(const Contraction &product, Value lhs, TileInstruction instruction, int64_t products) {
  return instruction == TileInstruction::Amx && products == 1 && isa<BlockArgument>(lhs) &&
         cast<RankedTensorType>(lhs.getType()).getElementType() == product.element && product.lhsMap.isMatrix() &&
         product.lhsMap.isAlongDepth() && product.k % kTileDepth == 0;
}

Type mp::packedElement(const Contraction &product, ContractionScheduleAttr schedule) {
  if (schedule.getParts() > 1)
    return BFloat16Type::get(schedule.getContext());
  if (unitOf(schedule) > 1)
    return product.element;
  // Sums of f16 are f32 in registers.
  return product.acc.isF16() ? Float32Type::get(product.acc.getContext()) : product.acc;
}
