// Images whose pixels come of windows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_MAP_PIXELNEST_H
#define MP_LIB_CODEGEN_CPU_MAP_PIXELNEST_H

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Emit/Nests.h"

namespace mp {

/// A nest of images, line by line. Where windows have all of their pixels, which is known for whole lines and for their
/// columns from one to another, several pixels are computed at once: they share taps, and pixels that they read. The
/// others are computed one by one and ask for each.
class PixelNest {
public:
  /// The nest as images [N, spatial..., C], if windows make any of it.
  static std::optional<PixelNest> find(KernelFunction &f, const Nest &nest);

  int64_t channels() const { return shape.back(); }

  /// Blocks of about `block` elements have a multiple of so many: whole lines, or whole pixels where a line is longer.
  int64_t granule(int64_t block) const { return lineElements() <= block ? lineElements() : channels(); }

  /// Elements [from, to) of a block of `size`, `vector` channels at once.
  llvm::LogicalResult emit(CPUFunction &f, NestBody &body, Elements &values, int64_t vector, mlir::Value from,
                           mlir::Value to, int64_t size) const;

private:
  /// `count` neighbours on a line, from `column` on.
  llvm::LogicalResult emitPixels(CPUFunction &f, NestBody &body, Elements &values, int64_t vector, mlir::Value line,
                                 mlir::Value column, int64_t count, WindowsKnown windows) const;

  int64_t columns() const { return shape[shape.size() - 2]; }
  int64_t lineElements() const { return columns() * channels(); }
  /// How many pixels are computed at once.
  int64_t countTogether() const;
  /// Whether all windows of a line are inside along the other dimensions; null for certainly.
  mlir::Value isInner(KernelFunction &f, mlir::Value line) const;

  llvm::ArrayRef<int64_t> shape;
  PixelRanges inner;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_MAP_PIXELNEST_H
