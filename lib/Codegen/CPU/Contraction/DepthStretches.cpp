// Panels of pixels of k, packed from rows that a block keeps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/DepthStretches.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mp;

DepthStretches::DepthStretches(CPUFunction &f, Elements &values, Value images, const IndexMap &map,
                               const PixelRows &rows, int64_t chunk, int64_t columns, const PanelOrder &order,
                               int64_t vector)
    : f(f), b(f.b), rows(rows), chunk(chunk), columns(columns), vector(vector), order(order),
      words(f, values, images, map, rows, chunk, order.word, vector),
      packed(f.allocate(order.word, llvm::divideCeil(columns, order.rows) * order.wordsOfPanel() + vector)) {}

SmallVector<DepthStretches::Stretch> DepthStretches::stretchesOf(int64_t panel, Value line) {
  SmallVector<Stretch> stretches;
  const int64_t first = panel * order.rows, end = std::min(first + order.rows, columns);
  for (int64_t from = first, to = 0; from < end; from = to) {
    to = std::min<int64_t>(llvm::alignTo(from + 1, rows.together), end);
    stretches.push_back({words.at(f.div(line, order.unit), f.i64(from)), from - first, to - from});
  }
  return stretches;
}

void DepthStretches::copyPair(ArrayRef<Stretch> stretches, Value pair, Value target) {
  const Type lanes = withLanes(order.word, vector);
  for (const Stretch &own : stretches)
    for (int64_t done = 0; done < own.count; done += vector) {
      Value from = f.add(f.mul(pair, words.step()), f.i64(done));
      Value loaded = LLVM::LoadOp::create(b, lanes, f.offset(own.source, order.word, from), 4);
      Value to = f.add(f.mul(pair, order.rows), f.i64(own.column + done));
      LLVM::StoreOp::create(b, loaded, f.offset(target, order.word, to), 4);
    }
}

/// Panel after panel and pair after pair, each from its first column to its last: what is written behind that is the
/// next pair's, the next panel's, or nobody's.
LogicalResult DepthStretches::emit(Value first) {
  if (failed(words.emit(first)))
    return failure();
  Value zero = f.i64(0);
  for (int64_t panel = 0; panel * order.rows < columns; ++panel) {
    Value ofPanel = f.offset(packed, order.word, panel * order.wordsOfPanel());
    (void)f.forEach(zero, f.i64(chunk), rows.columns, [&](Value line) {
      const SmallVector<Stretch> stretches = stretchesOf(panel, line);
      Value target = f.offset(ofPanel, order.word, f.mul(f.div(line, order.unit), order.rows));
      return f.forEach(zero, f.i64(words.unitsOfRow()), 1, [&](Value pair) {
        copyPair(stretches, pair, target);
        return success();
      });
    });
  }
  return success();
}
