// The blocks of a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/Blocks.h"

#include "Codegen/CPU/Contraction/ScheduledPixels.h"

using namespace mlir;
using namespace mp;

/// What of rhs is read by all rows of blocks before what comes next: a part of a third-level cache that others use,
/// too.
static constexpr int64_t kBytesTogether = 4 << 20;

Sizing::Sizing(const Product &product, ContractionScheduleAttr schedule)
    : Product(schedule.getTransposed() ? product.transposed() : product), tileM(schedule.getTileM()),
      tileN(schedule.getTileN()), isTransposed(schedule.getTransposed()) {
  // No block is larger than the product, rounded up to whole tiles.
  blockM = std::min(schedule.getBlockM(), std::max<int64_t>(llvm::alignTo(m, tileM), tileM));
  blockN = std::min(schedule.getBlockN(), std::max<int64_t>(llvm::alignTo(n, tileN), tileN));
  blockK = std::min(schedule.getBlockK(), std::max<int64_t>(depth, 1));
  columnRun = columnStep = blockN;
  if (const std::optional<TapPanels> panels = tapPanelsOf(product, schedule); panels && blockN < n)
    columnRun = blockN / panels->tapRows, columnStep = panels->columns;
}

/// Columns of blocks whose rows follow one another, before those of the next.
static int64_t columnsTogether(const Sizing &s) {
  const int64_t bytes =
      s.blockN * std::max<int64_t>(s.depth, 1) * llvm::divideCeil(s.element.getIntOrFloatBitWidth(), 8);
  return std::clamp<int64_t>(kBytesTogether / bytes, 1, s.blocksN());
}

BlockPlace::BlockPlace(CPUFunction &f, const Sizing &s, Value block) {
  const int64_t blocksM = s.blocksM(), blocksN = s.blocksN();
  const bool isOne = s.parts * s.batch == 1;
  outer = isOne ? f.i64(0) : f.div(block, blocksN * blocksM);
  Value number = isOne ? block : f.rem(block, blocksN * blocksM);

  const int64_t together = columnsTogether(s);
  Value before = f.mul(f.div(number, together * blocksM), together), inside = f.rem(number, together * blocksM);
  if (blocksN % together == 0) {
    blockRow = f.div(inside, together);
    blockColumn = f.add(before, f.rem(inside, together));
  } else {
    Value here = f.min(f.sub(f.i64(blocksN), before), f.i64(together));
    blockRow = arith::DivUIOp::create(f.b, inside, here);
    blockColumn = f.add(before, arith::RemUIOp::create(f.b, inside, here));
  }
  firstColumn = f.mul(blockColumn, s.columnRun);
  firstRow = f.mul(blockRow, s.blockM);
  rows = f.min(f.sub(f.i64(s.m), firstRow), f.i64(s.blockM));
  columns = f.min(f.sub(f.i64(s.n), firstColumn), f.i64(s.blockN));
  if (s.columnRun == s.blockN)
    return;
  columns = f.i64(s.blockN);
  columnRun = s.columnRun, columnStep = s.columnStep;
}

Value BlockPlace::columnAt(CPUFunction &f, Value column) const {
  if (columnRun == 0)
    return f.add(firstColumn, column);
  Value inRun = f.add(firstColumn, f.rem(column, columnRun));
  return f.add(inRun, f.mul(f.div(column, columnRun), columnStep));
}
