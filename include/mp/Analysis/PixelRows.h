// Rows of pixels as tiles read them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product whose lhs is an image need not copy the image once for each tap of the filter. A block that computes whole
// rows of the result's pixels keeps the rows of the image that their taps reach, with zeros where those are beyond its
// edges. The rows of a tile are then pixels that lie one behind the other, of each of which it takes a channel, or 32
// of them by a unit's register, for every tap from another place.
//
//   a conv of 3 x 3 with padding 1, 2 rows of 4 pixels of the result    . zeros, x pixels: 4 rows of 6
//     . . . . . .
//     . x x x x .
//     . x x x x .
//     . x x x x .

#ifndef MP_ANALYSIS_PIXELROWS_H
#define MP_ANALYSIS_PIXELROWS_H

#include <algorithm>
#include <cstdint>

namespace mp {

struct PixelRows {
  int64_t images, rows, columns;  ///< of the result: of pixels, in each image
  int64_t height, width;          ///< of the image that is read, in rows and in elements
  int64_t rowStep, columnStep;    ///< there, from a pixel of the result to the next: rows, elements
  int64_t firstRow, firstElement; ///< there, which the taps of the first pixel reach: below 0 is padding
  int64_t tapRows, tapElements;   ///< which the taps of one pixel span
  int64_t together;               ///< neighbours in k, from a multiple of that, whose elements lie side by side
  int64_t rowsOfTaps = 1;         ///< that k goes through, one after the other
  int64_t tapStep = 1;            ///< rows of the image from one of them to the next
  double partWithPixels = 1;      ///< of all products, where rows of taps that have no pixels are left out

  /// Whether some row of taps has no pixels for some row of the result.
  bool missesTaps() const { return firstRow < 0 || (rows - 1) * rowStep + firstRow + tapRows > height; }
  /// The rows of taps that have pixels for a row of the result, from one to behind the last.
  int64_t fromTaps(int64_t row) const { return std::min(tapsBefore(row, 0), rowsOfTaps); }
  int64_t toTaps(int64_t row) const { return std::clamp(tapsBefore(row, height), fromTaps(row), rowsOfTaps); }

  /// How many of them a loop's code takes at once: whole units, a part of those that lie side by side.
  int64_t neighbours(int64_t unit) const {
    constexpr int64_t kMost = 12;
    int64_t count = std::max<int64_t>(std::min(together, kMost) / unit, 1) * unit;
    while (together % count != 0)
      count -= unit;
    return count;
  }
  /// Rows of an image that so many rows of pixels need.
  int64_t rowsFor(int64_t count) const { return (count - 1) * rowStep + tapRows; }
  /// Those that a block of so many rows of lhs keeps: whole rows of pixels of one image, or whole images; 0 where it is
  /// neither, or blocks of its size are not.
  int64_t keptRows(int64_t blockRows) const {
    const int64_t pixels = rows * columns;
    if (blockRows % pixels == 0 && images % (blockRows / pixels) == 0)
      return blockRows / pixels * rowsFor(rows);
    return blockRows % columns == 0 && rows % (blockRows / columns) == 0 ? rowsFor(blockRows / columns) : 0;
  }
  /// The elements of each.
  int64_t keptWidth() const { return (columns - 1) * columnStep + tapElements; }
  /// The elements of a row of the image that are kept, from one to behind the last.
  int64_t fromElement() const { return std::max<int64_t>(firstElement, 0); }
  int64_t toElement() const { return std::min(firstElement + keptWidth(), width); }
  /// Whether `tileRows` rows in so many registers lie so, each of those in one row of pixels.
  bool fillTile(int64_t tileRows, int64_t registers) const {
    return tileRows % registers == 0 && columns % (tileRows / registers) == 0;
  }
  /// The rows of a tile or a unit's register, `most` at most: so many that a row of the result is whole multiples of.
  int64_t tileRows(int64_t most) const {
    while (columns % most != 0)
      --most;
    return most;
  }

private:
  /// Rows of taps that lie above a row of the image, for a row of the result.
  int64_t tapsBefore(int64_t row, int64_t rowOfImage) const {
    const int64_t distance = rowOfImage - (row * rowStep + firstRow);
    return distance <= 0 ? 0 : (distance + tapStep - 1) / tapStep;
  }
};

/// Whether tiles may have these columns where pixels are k: in each tile they lie side by side, or there is one tile,
/// whose vectors are of few rows of taps each.
inline bool mayHaveColumns(const PixelRows &rows, int64_t columns, int64_t tileColumns, int64_t vector) {
  return rows.together % tileColumns == 0 || (columns <= tileColumns && 2 * rows.together > vector);
}

} // namespace mp

#endif // MP_ANALYSIS_PIXELROWS_H
