// Products whose results are pooled where they are made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/Pooled.h"

#include "mp/Analysis/ProductRows.h"
#include "mp/IR/ProductTiles.h"
#include "mp/IR/WindowSpan.h"

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
  const int64_t span = spanOf(lines);
  if (lines.low != 0 || lines.stride != span || lines.input % span != 0)
    return image;
  return {image.image / lines.input * span, image.result / lines.output};
}

bool PooledPixels::areWholeIn(int64_t blockRows, int64_t blockColumns, int64_t rows, int64_t columns) const {
  return blockColumns >= columns && (blockRows >= rows || (image > 0 && blockRows % image == 0));
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

bool mp::mayPoolResult(const Contraction &product, Value image) {
  return areRowsOfOneMatrix(product) && shapeOf(image).back() == product.n;
}

bool mp::mayPoolInBlocks(const Contraction &product, ContractionScheduleAttr schedule, const Pooled &pooled) {
  return mayPoolResult(product, pooled.image()) && !schedule.getTransposed() &&
         pooled.pixels.areWholeIn(schedule.getBlockM(), schedule.getBlockN(), product.m, product.n);
}

// Rows by window

static SmallVector<Window, 3> windowsOf(const Pooled &pooled) {
  PoolingOpInterface op = pooled.op;
  return op.getWindows();
}

/// Whether a pixel of the image is in one window, or in none, and each window has all of its pixels.
static bool isApart(const Window &window) {
  return window.low == 0 && window.dilation == 1 && window.stride == window.filter &&
         window.output * window.stride <= window.input;
}

std::optional<Contraction::Class> mp::findRowsByWindow(const Contraction &product, const Pooled &pooled) {
  const SmallVector<Window, 3> windows = windowsOf(pooled);
  const IndexMap::Digits &pixels = product.lhsMap.row;
  if (product.m == 0 || !llvm::all_of(windows, isApart) || pixels.size() != windows.size() + 1)
    return std::nullopt;
  for (auto [digit, window] : llvm::zip_equal(ArrayRef(pixels).drop_front(), windows))
    if (digit.size != window.input)
      return std::nullopt;
  Contraction::Class byWindow = {pixels.front().size, product.k, product.lhsMap, product.rhsMap, {}};
  // Images, then windows, then the pixels of one.
  IndexMap::Digits outer = {pixels.front()}, inner, outerRows, innerRows;
  int64_t apart = product.m / pixels.front().size;
  outerRows.push_back({pixels.front().size, 0, apart});
  for (auto [digit, window] : llvm::zip_equal(ArrayRef(pixels).drop_front(), windows)) {
    apart /= window.input;
    byWindow.m *= window.output * window.filter;
    outer.push_back({window.output, digit.dimension, digit.factor * window.stride});
    inner.push_back({window.filter, digit.dimension, digit.factor});
    outerRows.push_back({window.output, 0, apart * window.stride});
    innerRows.push_back({window.filter, 0, apart});
  }
  outer.append(inner);
  outerRows.append(innerRows);
  byWindow.lhsMap.row = std::move(outer);
  byWindow.rows.dimensions.push_back({product.m});
  byWindow.rows.row = std::move(outerRows);
  return byWindow;
}

int64_t mp::countPixels(const Pooled &pooled) {
  int64_t pixels = 1;
  for (const Window &window : windowsOf(pooled))
    pixels *= window.filter;
  return pixels;
}

bool mp::mayPoolInBlocks(const Contraction &product, MmaScheduleAttr schedule, const Pooled &pooled) {
  // Rows of a warp that pass through shared memory at once.
  constexpr int64_t kRowsAtOnce = 16;
  const Type image = elementOf(pooled.image());
  // Values pass through shared memory in the place of sums, whose type is theirs or holds them.
  const bool isKept = image == product.acc || (product.acc.isF32() && (image.isF16() || image.isBF16()));
  return mayPoolResult(product, pooled.image()) && schedule.getSplitK() == 1 && isKept &&
         isa<WinnerInterface>(*pooled.op) && kRowsAtOnce % countPixels(pooled) == 0 &&
         findRowsByWindow(product, pooled).has_value();
}
