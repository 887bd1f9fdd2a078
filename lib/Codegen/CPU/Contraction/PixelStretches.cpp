// Pixels that are packed from rows that a block keeps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/PixelStretches.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mp;

PixelStretches::PixelStretches(CPUFunction &f, Elements &values, Value images, const IndexMap &map,
                               const PixelRows &rows, int64_t pixels, int64_t atOnce, int64_t depth,
                               const PanelOrder &order, int64_t vector)
    : f(f), b(f.b), rows(rows), atOnce(atOnce), depth(depth), rowOfPanel(order.depth), widest(order.unit * vector),
      pixels(f, values, images, map, rows, pixels, order.word, vector),
      packed(f.allocate(b.getI16Type(), atOnce * rowOfPanel + widest)) {}

LogicalResult PixelStretches::pack(Value row) {
  return f.forEach(f.i64(0), f.i64(atOnce), 1, [&](Value index) {
    copyPixel(pixels.at(f.add(row, index)), f.offset(packed, b.getI16Type(), f.mul(index, rowOfPanel)));
    return success();
  });
}

/// Stretch after stretch, from the first k to the last, and zeros behind it.
void PixelStretches::copyPixel(Value source, Value target) {
  const Type element = b.getI16Type();
  auto lanesFor = [&](int64_t count) {
    return std::min(widest, static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(count))));
  };
  auto store = [&](Value lanes, int64_t k) {
    LLVM::StoreOp::create(b, lanes, f.offset(target, element, k), /*alignment=*/2);
  };
  int64_t filled = 0;
  for (int64_t start = 0; start < depth; start += rows.together) {
    Value stretch = f.offset(source, element, pixels.alongDepth(f.i64(start)));
    for (int64_t done = 0, lanes = 0; done < rows.together; done += lanes) {
      const int64_t left = rows.together - done;
      lanes = lanesFor(left);
      Value loaded = LLVM::LoadOp::create(b, withLanes(element, lanes), f.offset(stretch, element, done), 2);
      // Behind the last there is nothing that may stay.
      if (lanes > left && start + rows.together == depth) {
        SmallVector<bool> isOwn(lanes);
        std::fill_n(isOwn.begin(), left, true);
        auto mask = DenseElementsAttr::get(VectorType::get(lanes, b.getI1Type()), isOwn);
        Value nothing = arith::ConstantOp::create(b, b.getZeroAttr(loaded.getType()));
        loaded = arith::SelectOp::create(b, arith::ConstantOp::create(b, mask), loaded, nothing);
      }
      store(loaded, start + done);
      filled = start + done + lanes;
    }
  }
  for (int64_t lanes = 0; filled < rowOfPanel; filled += lanes) {
    lanes = lanesFor(rowOfPanel - filled);
    store(arith::ConstantOp::create(b, b.getZeroAttr(withLanes(element, lanes))), filled);
  }
}
