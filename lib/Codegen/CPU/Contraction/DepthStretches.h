// Panels of pixels of k, packed from rows that a block keeps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_DEPTHSTRETCHES_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_DEPTHSTRETCHES_H

#include "Codegen/CPU/Contraction/Pixels.h"

namespace mp {

/// The same as PixelStretches where pixels are k and taps columns: a row of taps is no whole registers, but lies side
/// by side in the words that a block keeps of pairs of pixels. It is copied from there in vectors that may be longer:
/// what they write behind it is overwritten by what comes next, or is of no column.
class DepthStretches {
public:
  /// Of images that `map` walks as PixelWords have it, for panels of all `columns` over chunks of so many of k.
  DepthStretches(CPUFunction &f, Elements &values, mlir::Value images, const IndexMap &map, const PixelRows &rows,
                 int64_t chunk, int64_t columns, const PanelOrder &order, int64_t vector);

  /// Copies what the pixels from `first` need, and packs it.
  llvm::LogicalResult emit(mlir::Value first);
  mlir::Value panels() const { return packed; }

private:
  /// Words of a panel that lie side by side for every pair of a row of pixels.
  struct Stretch {
    mlir::Value source; ///< of the row's first pair
    int64_t column, count;
  };
  llvm::SmallVector<Stretch> stretchesOf(int64_t panel, mlir::Value line);
  void copyPair(llvm::ArrayRef<Stretch> stretches, mlir::Value pair, mlir::Value target);

  CPUFunction &f;
  LaneBuilder &b;
  const PixelRows rows;
  const int64_t chunk, columns, vector;
  const PanelOrder order;
  PixelWords words;
  mlir::Value packed;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_DEPTHSTRETCHES_H
