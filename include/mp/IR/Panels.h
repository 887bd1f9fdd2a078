// Operands of products, packed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_PANELS_H
#define MP_IR_PANELS_H

#include "mp/IR/TileRegisters.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <cstdint>

namespace mp {

/// The k of which parts of elements lie side by side: those of one tile register.
inline constexpr int64_t kDepthOfParts = kTileDepth;

/// The most rows of a panel, and the most of k, so that no count of elements overflows.
inline constexpr int64_t kMostOfPanel = 1 << 20;

/// `batch` matrices of `rows` x `k`, packed as #mp.panels says.
struct PackedMatrix {
  int64_t batch, rows, k;
  int64_t panelRows, depth, unit; ///< of a panel
  bool isDepthInner;
  int64_t parts = 1; ///< of each element

  int64_t chunks() const { return llvm::divideCeil(k, depth); }
  int64_t panels() const { return llvm::divideCeil(rows, panelRows); }
  int64_t panelElements() const { return panelRows * depth * parts; }
  llvm::SmallVector<int64_t, 4> shape() const { return {batch, chunks(), panels(), panelElements()}; }

  /// Where the packed matrices have a part of element (row, column of k) of matrix `number`.
  int64_t indexOf(int64_t number, int64_t row, int64_t column, int64_t part = 0) const {
    const int64_t chunk = column / depth, inDepth = column % depth, inRows = row % panelRows;
    const int64_t run = parts == 1 ? depth : kDepthOfParts; // of k, without parts between
    const int64_t step = (inDepth / run * parts + part) * (run / unit) + inDepth % run / unit;
    const int64_t word = isDepthInner ? inRows * (depth / unit * parts) + step : step * panelRows + inRows;
    const int64_t panel = (number * chunks() + chunk) * panels() + row / panelRows;
    return panel * panelElements() + word * unit + inDepth % unit;
  }
};

} // namespace mp

#endif // MP_IR_PANELS_H
