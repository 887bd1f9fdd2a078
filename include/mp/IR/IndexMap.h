// Where an operand's elements lie, as seen by a contraction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction knows three numbers of each operand's element: the batch, the row (that of the result for lhs, its
// column for rhs), and k. A map splits each into digits, as a count of seconds splits into hours, minutes and seconds,
// and sums up what the digits add to the index of each of the operand's dimensions:
//
//   matrix [m x k]       row: (i)         k: (l)           index = i, l
//   its transpose        row: (i)         k: (l)           index = l, i
//   image [N, H, W, C]   row: (n, p, q)   k: (r, s, c)     index = n, p * stride + r * dilation - low, ..., c
//   its data gradient    row: (n, h, w)   k: (r, s, o)     index = n, (h + low - r * dilation) / stride, ..., o
//
// Where an index is no whole number, or beyond the dimension, there is no element: a product adds nothing there.

#ifndef MP_IR_INDEXMAP_H
#define MP_IR_INDEXMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace mp {

struct IndexMap {
  /// A dimension of the operand, which lies row-major: its index is what the digits add, plus `shift`, by `divisor`.
  struct Dimension {
    int64_t size;
    int64_t shift = 0, divisor = 1;

    bool operator==(const Dimension &) const = default;
  };
  /// A digit: one of `size` values, each of which moves `dimension` by `factor`.
  struct Digit {
    int64_t size;
    unsigned dimension;
    int64_t factor = 1;

    bool operator==(const Digit &) const = default;
  };
  using Digits = llvm::SmallVector<Digit, 4>;

  llvm::SmallVector<Dimension, 4> dimensions;
  /// Of each number, outermost first. An operand without digits of the batch serves every batch.
  Digits batch, row, depth;

  /// Matrices [rows x depth], or [depth x rows] where they lie transposed; one of them for each batch, or one for all.
  static IndexMap ofMatrix(int64_t batch, int64_t rows, int64_t depth, bool isTransposed, bool isShared = false);

  /// Filters [K, taps..., C] as a convolution reads them: rows K, of each the taps with their channels; or
  /// `isTransposed`, as its data gradient does: rows C, of each the taps, the last one first, with their filters.
  static IndexMap ofFilters(llvm::ArrayRef<int64_t> shape, bool isTransposed);

  bool operator==(const IndexMap &) const = default;

  /// The element of the operand, counted row-major, or none. Each number is below the product of its digits.
  std::optional<int64_t> find(int64_t batchNumber, int64_t rowNumber, int64_t k) const;

  /// Whether neighbours in memory are neighbours in k; otherwise they are neighbours among rows.
  bool isAlongDepth() const;
  /// So many neighbours, from a multiple of that, lie side by side in memory, at a multiple of that, or are all
  /// missing. 1 where nothing is known, 0 for a dimension without elements.
  int64_t getRun() const;
  /// Whether it is one whole matrix for each batch or for all: each number has one digit at most, and no edge is near.
  bool isMatrix() const;
  /// Whether the index of a dimension is one of its elements, whatever the digits.
  bool isCertain(unsigned dimension) const;

  /// The same map in the fewest dimensions and digits: an image under a filter of 1 x 1 is a matrix.
  void simplify();
  /// The same map where pixels that follow each other are one dimension with their channels, if a number walks both as
  /// one: a row of the filter is then one digit, of which some may be missing.
  void joinPixels();
};

} // namespace mp

#endif // MP_IR_INDEXMAP_H
