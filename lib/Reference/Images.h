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

  /// The tap by which the result reads the pixel of the image, none where it does not.
  std::optional<int64_t> tapBetween(int64_t result, int64_t image) const {
    int64_t tap = 0, stride = 1;
    for (const Window &window : llvm::reverse(windows)) {
      const int64_t first = result % window.output * window.stride - window.low, from = image % window.input - first;
      if (from < 0 || from % window.dilation != 0 || from / window.dilation >= window.filter)
        return std::nullopt;
      tap += from / window.dilation * stride;
      stride *= window.filter;
      result /= window.output;
      image /= window.input;
    }
    return tap;
  }

  /// Calls `visit(pixel, tap)` for the pixels of the image that the window of a result has, in row-major order.
  template <typename Visit> void forEachPixel(int64_t result, Visit visit) const {
    for (int64_t tap = 0; taps <= imagePixels && tap < taps; ++tap)
      if (std::optional<int64_t> image = readBy(result, tap))
        visit(*image, tap);
    for (int64_t image = 0; taps > imagePixels && image < imagePixels; ++image)
      if (std::optional<int64_t> tap = tapBetween(result, image))
        visit(image, *tap);
  }

  /// Calls `visit(result)` for the results whose windows have a pixel of the image, in row-major order.
  template <typename Visit> void forEachReader(int64_t image, Visit visit) const {
    // A later tap is that of an earlier window.
    for (int64_t tap = taps; taps <= resultPixels && tap-- > 0;)
      if (std::optional<int64_t> result = readerOf(image, tap))
        visit(*result);
    for (int64_t result = 0; taps > resultPixels && result < resultPixels; ++result)
      if (tapBetween(result, image))
        visit(result);
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
