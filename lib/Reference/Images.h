// Images under windows, pixel by pixel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pixels of an image, taps of a window and pixels of a result are counted in row-major order, whatever the number of
// spatial dimensions.

#ifndef MP_LIB_REFERENCE_IMAGES_H
#define MP_LIB_REFERENCE_IMAGES_H

#include "Reference/Indexing.h"
#include "mp/IR/Convolution.h"

#include <optional>

namespace mp {

/// Which pixel of a result reads which pixel of an image through which tap.
class Windows {
public:
  explicit Windows(llvm::ArrayRef<Window> all) : windows(all) {
    for (const Window &window : windows) {
      imagePixels *= window.input;
      taps *= window.filter;
      resultPixels *= window.output;
    }
  }

  int64_t countImagePixels() const { return imagePixels; }
  int64_t countTaps() const { return taps; }
  int64_t countResultPixels() const { return resultPixels; }

  /// The pixel of the image, none where that is padding.
  std::optional<int64_t> readBy(int64_t result, int64_t tap) const {
    int64_t image = 0, stride = 1;
    for (const Window &window : llvm::reverse(windows)) {
      const int64_t p = result % window.output, r = tap % window.filter;
      const int64_t h = p * window.stride - window.low + r * window.dilation;
      if (h < 0 || h >= window.input)
        return std::nullopt;
      image += h * stride;
      stride *= window.input;
      result /= window.output;
      tap /= window.filter;
    }
    return image;
  }

  /// The pixel of the result, none where none reads `image` through `tap`.
  std::optional<int64_t> readerOf(int64_t image, int64_t tap) const {
    int64_t result = 0, stride = 1;
    for (const Window &window : llvm::reverse(windows)) {
      const int64_t h = image % window.input, r = tap % window.filter;
      const int64_t first = h + window.low - r * window.dilation; // p * stride
      if (first < 0 || first % window.stride != 0 || first / window.stride >= window.output)
        return std::nullopt;
      result += first / window.stride * stride;
      stride *= window.output;
      image /= window.input;
      tap /= window.filter;
    }
    return result;
  }

private:
  llvm::SmallVector<Window, 3> windows;
  int64_t imagePixels = 1, taps = 1, resultPixels = 1;
};

/// [rows, pixels, channels], as images are, and filters with taps for pixels.
class Images {
public:
  Images(const Tensor &tensor, int64_t pixels)
      : values(tensor.reals()), pixels(pixels), channels(tensor.type.shape.back()) {}

  double at(int64_t row, int64_t pixel, int64_t channel) const {
    return values[(row * pixels + pixel) * channels + channel];
  }

private:
  std::vector<double> values;
  int64_t pixels, channels;
};

} // namespace mp

#endif // MP_LIB_REFERENCE_IMAGES_H
