// Training images, changed anew in each epoch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_DATA_AUGMENTATION_H
#define MP_TRAINING_DATA_AUGMENTATION_H

#include "mp/Training/Data/Dataset.h"

#include <span>
#include <string_view>

namespace mp {

/// How training images are changed. What happens to one is a pure function of (seed, epoch, its row in the data set):
/// no device, thread, batch size or resume changes a bit of it.
struct Augmentation {
  bool flip = false;  ///< mirror left and right, every second image
  int64_t crop = 0;   ///< pad with so many zeros on each side, and cut the image's size out at a random place
  int64_t cutout = 0; ///< zeros in a square of that side, as far as it is in the image, around a random pixel

  /// Whether anything is changed.
  bool any() const { return flip || crop || cutout; }

  bool operator==(const Augmentation &) const = default;
};

/// Reads "flip,crop:4,cutout:8": any of the three, in any order.
ErrorOr<Augmentation> parseAugmentation(std::string_view text);

/// The inverse, in that order; empty where nothing is changed.
std::string formatAugmentation(const Augmentation &augmentation);

/// Checks that rows of the data are images [y, x] or [y, x, colour] that the sizes fit.
Status checkAugmentation(const Augmentation &augmentation, const Dataset &data);

/// Writes row `row` of the data to `image`, which has its size: first mirrored, then cropped, then with its square of
/// zeros. Random numbers are Philox bits of step `epoch`; randomBits(seed, epoch, stream, 4 * row + k) with
///
///   stream 2^32 - 3   k = 0: mirrored where the top bit is 1   k = 1, 2: y and x of the crop, in 0 .. 2 * crop
///   stream 2^32 - 4   k = 0, 1: y and x of the square's pixel, which is element side / 2 of its side
///
/// A number in 0 .. n-1 is the upper half of the product of the bits and n.
void augmentRow(const Augmentation &augmentation, const Dataset &data, uint64_t seed, uint64_t epoch, uint64_t row,
                std::span<std::byte> image);

} // namespace mp

#endif // MP_TRAINING_DATA_AUGMENTATION_H
