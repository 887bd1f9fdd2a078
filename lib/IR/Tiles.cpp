// How many tiles cover a tensor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Tiles.h"

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mp;

int64_t mp::countBlocks(int64_t size, int64_t block) { return static_cast<int64_t>(llvm::divideCeil(size, block)); }

int64_t mp::countParts(int64_t k, int64_t depth) { return std::max<int64_t>(countBlocks(k, depth), 1); }

int64_t mp::countTiles(llvm::ArrayRef<int64_t> shape, int64_t rows, int64_t columns) {
  const int64_t matrices = mlir::ShapedType::getNumElements(shape.drop_back(2));
  return matrices * countBlocks(shape[shape.size() - 2], rows) * countBlocks(shape.back(), columns);
}
