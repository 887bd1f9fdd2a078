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
  /// Of images that `map` walks as Pixels have it, for panels of rows of all of `depth` of k, `atOnce` of the block's
  /// `pixels` at a time.
  PixelStretches(CPUFunction &f, Elements &values, mlir::Value images, const IndexMap &map, const PixelRows &rows,
                 int64_t pixels, int64_t atOnce, int64_t depth, const PanelOrder &order, int64_t vector);

  /// Copies the rows that the pixels from `first` need.
  llvm::LogicalResult emit(mlir::Value first) { return pixels.emit(first); }
  /// Packs the block's pixels from `row`, in the place of those before.
  llvm::LogicalResult pack(mlir::Value row);
  mlir::Value panels() const { return packed; }

private:
  void copyPixel(mlir::Value source, mlir::Value target);

  CPUFunction &f;
  LaneBuilder &b;
  const PixelRows rows;
  const int64_t atOnce, depth, rowOfPanel; ///< of elements: k, and what a panel has of it
  const int64_t widest;                    ///< of what moves at once
  Pixels pixels;
  mlir::Value packed;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELSTRETCHES_H
