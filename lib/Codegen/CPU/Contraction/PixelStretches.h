// Pixels that are packed from rows that a block keeps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELSTRETCHES_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELSTRETCHES_H

#include "Codegen/CPU/Contraction/Pixels.h"

namespace mp {

/// The rows of an image that a block reads, and panels of them: where a row of taps is no whole registers, tiles cannot
/// read it where it is kept, but it is copied from there without asking whether it is there, in vectors that may be
/// longer: what they write behind it is overwritten by what comes next, or is 0.
class PixelStretches {
public:
  /// Of images that `map` walks as Pixels have it, for panels of rows of all of `depth` of k.
  PixelStretches(CPUFunction &f, Elements &values, mlir::Value images, const IndexMap &map, const PixelRows &rows,
                 int64_t pixels, int64_t depth, const PanelOrder &order, int64_t vector);

  /// Copies what the pixels from `first` need, and packs it.
  llvm::LogicalResult emit(mlir::Value first);
  mlir::Value panels() const { return packed; }

private:
  void copyPixel(mlir::Value source, mlir::Value target);

  CPUFunction &f;
  LaneBuilder &b;
  const PixelRows rows;
  const int64_t pixelsOfBlock, depth, rowOfPanel; ///< of elements: k, and what a panel has of it
  const int64_t widest;                           ///< of what moves at once
  Pixels pixels;
  mlir::Value packed;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELSTRETCHES_H
