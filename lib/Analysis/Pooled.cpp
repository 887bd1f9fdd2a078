// Products whose results are pooled where they are made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/Pooled.h"

#include "mp/Analysis/ProductRows.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mp;

PooledPixels mp::pixelsOfWindows(ArrayRef<Window> windows) {
  PooledPixels image = {1, 1};
  for (const Window &window : windows) {
    image.image *= window.input;
    image.result *= window.output;
  }
  const Window &lines = windows.front();
  const int64_t span = (lines.filter - 1) * lines.dilation + 1;
  if (lines.low != 0 || lines.stride != span || lines.input % span != 0)
    return image;
  return {image.image / lines.input * span, image.result / lines.output};
}

std::optional<Pooled> mp::findPooled(KernelOp kernel) {
  Pooled pooled = {};
  DenseSet<Value> behind;
  Block &body = kernel.getBody().front();
  for (Operation &op : body.without_terminator()) {
    auto pooling = dyn_cast<PoolingOpInterface>(op);
    if (pooling && pooled.op)
      return std::nullopt;
    if (pooling)
      pooled.op = pooling;
    if (pooling || llvm::any_of(op.getOperands(), [&](Value value) { return behind.contains(value); }))
      behind.insert(op.result_begin(), op.result_end());
  }
  if (!pooled.op)
    return std::nullopt;
  pooled.pixels = pixelsOfWindows(pooled.op.getWindows());
  for (auto [number, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (behind.contains(value))
      pooled.results.push_back(number);
  return pooled;
}

std::optional<Pooled> mp::findPooledWithin(KernelOp kernel) {
  std::optional<Pooled> pooled = findPooled(kernel);
  return pooled && !isa<BlockArgument>(pooled->image()) ? pooled : std::nullopt;
}

bool mp::mayPoolInBlocks(const Contraction &product, ContractionScheduleAttr schedule, const Pooled &pooled) {
  return areRowsOfOneMatrix(product) && !schedule.getTransposed() && shapeOf(pooled.image()).back() == product.n &&
         schedule.getBlockN() >= product.n &&
         (schedule.getBlockM() % pooled.pixels.image == 0 || schedule.getBlockM() >= product.m);
}
