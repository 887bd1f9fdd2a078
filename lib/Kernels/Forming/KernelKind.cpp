// What a kernel is, from its ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/KernelKind.h"

using namespace mlir;
using namespace mp;

/// [4x8] over dimension 1 is rows, over dimension 0 columns, as [2x4x8] over dimension 1 is in each of two matrices;
/// whatever else is left to one block.
static KernelKind getReductionKind(Operation *op) {
  RankedTensorType input = typeOf(op->getOperand(0)), result = typeOf(op->getResult(0));
  if (result.getRank() == 0 && input.getNumElements() <= kMostSerialElements)
    return KernelKind::Serial;
  SmallVector<int64_t> dimensions = cast<KernelOpInterface>(op).getReducedDimensions();
  int64_t rank = input.getRank(), count = dimensions.size();
  if (count == 1 && dimensions.front() == rank - 1)
    return KernelKind::Row;
  // Dimensions that follow each other, with others behind them.
  bool isColumns = count > 0 && dimensions.back() < rank - 1 &&
                   llvm::equal(dimensions, llvm::seq<int64_t>(dimensions.front(), dimensions.front() + count));
  // Column kernels reduce floats to the same type; an argmax of integers may have one type, too.
  bool isFloatReduction = isa<FloatType>(input.getElementType()) && input.getElementType() == result.getElementType();
  return isColumns && isFloatReduction ? KernelKind::Column : KernelKind::Serial;
}

KernelKind mp::getKindAlone(Operation *op) {
  switch (roleOf(op)) {
  case KernelRole::Contraction:
  case KernelRole::Tile:   // of a product, whose kernel it is in
  case KernelRole::Unpack: // the same
    return KernelKind::Contraction;
  case KernelRole::Pack:
    return KernelKind::Pack;
  case KernelRole::Attention:
    return KernelKind::Attention;
  case KernelRole::Map:
    // An optimizer's op stays a map even on a scalar parameter: serial kernels do not update in place.
    return op->getNumResults() == 1 && isScalar(op->getResult(0)) ? KernelKind::Serial : KernelKind::Map;
  case KernelRole::Movement:
    return KernelKind::Map;
  case KernelRole::Row:
    return getReductionKind(op);
  case KernelRole::Partial:
    return KernelKind::Partial;
  case KernelRole::Serial:
  case KernelRole::Constant:
  case KernelRole::Composite:
  case KernelRole::None:
    return KernelKind::Serial;
  }
  llvm_unreachable("unknown role");
}

KernelKind mp::getKernelKind(KernelOp kernel) {
  // Roots speak for the kernel; ops that are prologue or epilogue anywhere do not.
  auto isRoot = [](Operation &op) {
    return !llvm::is_contained(
        {KernelRole::Map, KernelRole::Movement, KernelRole::Constant, KernelRole::Tile, KernelRole::Unpack},
        roleOf(&op));
  };
  std::optional<KernelKind> common;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (!isRoot(op))
      continue;
    KernelKind kind = getKindAlone(&op);
    if (common && kind != *common)
      return KernelKind::Serial;
    common = kind;
  }
  // What makes values and packs them is a map.
  if (common == KernelKind::Pack && kernel.getNumResults() > 1)
    return KernelKind::Map;
  if (common)
    return *common;
  bool onlyScalars = llvm::all_of(kernel.getBody().front().without_terminator(),
                                  [](Operation &op) { return getKindAlone(&op) == KernelKind::Serial; });
  return onlyScalars ? KernelKind::Serial : KernelKind::Map;
}
