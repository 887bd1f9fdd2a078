// Panels of pixels that all rows of taps share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a filter is a product whose k are pixels. Seen by a row of taps below the first, the k of an image
// are the same elements as those of the first, some rows of pixels later. So panels of one row of taps, which have the
// rows of pixels below the last of k, too, are panels of every row: those of a unit's registers begin further along k.
//
//   3 x 3 taps, an image of 2 rows of 4 pixels      k:   0 1 2 3  4 5 6 7
//   panel, for each tap of a row and its channels        a a a a  b b b b  c c c c  d d d d     rows of the image
//   of the first row of taps                             a a a a  b b b b
//   of the second, and of the third                               b b b b  c c c c,  c c c c  d d d d
//
// Under a stride of rows the taps see rows of the image of several kinds, each of which has panels of its own. What a
// register has of two images, which have rows between them here, is copied for each row of taps.
//
// A word has a pair of pixels. Where a row has an odd number of them, the pairs of every other row of taps begin with
// the second pixel of those of the first: a second set of panels has these, made of the words of the first.
//
//   rows of 3 pixels, one image of 2 rows   a a a b b b c c c . . .
//   the first set                           aa ab bb cc c. ..          of the first row of taps and the third
//   the second                               aa bb bc cc .. ..         of the second

#ifndef MP_ANALYSIS_TAPPANELS_H
#define MP_ANALYSIS_TAPPANELS_H

#include "mp/IR/TileRegisters.h"

#include <cstdint>

namespace mp {

struct TapPanels {
  int64_t tapRows, tapStep, rowStep; ///< rows of taps; rows of the image from one to the next, and from pixel to pixel
  int64_t columns;                   ///< of a row of taps: taps with their channels
  int64_t images, rows, width;       ///< of pixels of the result, in each image
  bool startsWithImages;             ///< whether parts of k do

  /// The kinds of rows of the image.
  int64_t kinds() const {
    const int64_t all = (tapRows - 1) * tapStep + 1;
    return tapStep % rowStep == 0 ? 1 : rowStep < all ? rowStep : all;
  }
  /// Whether words of panels are pairs that lie otherwise for some rows of taps, which have a second set.
  bool hasOddPairs() const {
    bool isOdd = false;
    for (int64_t row = 1; row < tapRows; ++row)
      isOdd |= pixelsBefore(row) % 2 != 0;
    return isOdd;
  }
  /// Pixels of panels before those that a row of taps has for the first k.
  int64_t pixelsBefore(int64_t row) const { return row * tapStep / rowStep * width; }
  int64_t sets() const { return hasOddPairs() ? 2 : 1; }
  /// Rows of pixels of one kind that panels have below the last of k: those that the last row of taps sees, and one
  /// more where the pairs of the next image would lie otherwise.
  int64_t rowsBelow() const {
    const int64_t seen = (tapRows - 1) * tapStep / rowStep;
    return seen + seen * width % 2;
  }
  /// Pixels of an image: of k, and those that panels have besides.
  int64_t pixels() const { return rows * width; }
  int64_t pixelsBelow() const { return rowsBelow() * width; }
  /// The most images that so many of k are of.
  int64_t mostImages(int64_t count) const {
    if (startsWithImages && (pixels() % count == 0 || count % pixels() == 0))
      return count / pixels() > 1 ? count / pixels() : 1;
    const int64_t most = (count + pixels() - 2) / pixels() + 1;
    return most < images ? most : images;
  }
  /// The most that panels have of k for so many: whole pairs.
  int64_t depthFor(int64_t count) const { return count + count % 2 + mostImages(count) * pixelsBelow(); }
  /// Whether blocks may have so many columns, in tiles of these: as many of each row of taps.
  bool mayHaveColumns(int64_t blockColumns, int64_t tileColumns) const {
    return blockColumns % (tapRows * tileColumns) == 0 && columns % (blockColumns / tapRows) == 0;
  }
  /// Whether a unit's register may have pixels of two images.
  bool meetsImages() const { return pixels() % kTileDepth != 0; }
  /// Whether a pair may.
  bool pairsMeetImages() const { return pixels() % 2 != 0; }
};

} // namespace mp

#endif // MP_ANALYSIS_TAPPANELS_H
