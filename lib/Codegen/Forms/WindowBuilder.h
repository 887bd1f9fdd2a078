// Windows over images, channel by channel: lanes are neighbouring channels of one pixel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_FORMS_WINDOWBUILDER_H
#define MP_LIB_CODEGEN_FORMS_WINDOWBUILDER_H

#include "Codegen/Forms/Indices.h"
#include "Codegen/Forms/Scalars.h"

namespace mp {

/// Coordinates of a pixel, and whether an image has it: null for certainly.
struct Pixel {
  llvm::SmallVector<mlir::Value, 3> at;
  mlir::Value isInside;

  void require(LaneBuilder &b, mlir::Value condition) {
    isInside = isInside ? b.createOrFold<mlir::arith::AndIOp>(isInside, condition) : condition;
  }
};

/// The results whose windows have every pixel, as WindowFormInterface asks for them.
PixelRanges innerResults(llvm::ArrayRef<Window> windows);
/// The pixels that no window lacks, with windows that have every pixel.
PixelRanges innerPixels(llvm::ArrayRef<Window> windows);
/// Whether a pixel may be of several windows.
bool doOverlap(llvm::ArrayRef<Window> windows);

/// Builds what the form of an op needs to know about the windows that its lanes are in.
class WindowBuilder {
public:
  WindowBuilder(LaneBuilder &b, const ScalarOperands &in, llvm::ArrayRef<Window> windows, int64_t channels);

  /// The pixel of these lanes, of images or results: `sizeOf` is a member of Window.
  Pixel here(int64_t Window::*sizeOf);
  /// The row of a result's pixels, without their last coordinate, and the taps of these lanes, whose rows are [images,
  /// taps, rows]: as many as are built at once.
  std::pair<Pixel, llvm::SmallVector<llvm::SmallVector<mlir::Value, 3>>> hereUnderTaps();
  /// The pixel of the image that window `of` takes by a tap; one of the image that is near where it has none, which
  /// the image may be known to have.
  Pixel readBy(const Pixel &of, llvm::ArrayRef<mlir::Value> taps, bool isKnownInside = false);
  /// The first column of a row of the result by which a tap reads a pixel of the image, and the one behind the last:
  /// the same where it reads none.
  std::pair<mlir::Value, mlir::Value> columnsReadBy(const Pixel &row, llvm::ArrayRef<mlir::Value> taps);
  /// Lanes of operand `operand` at a pixel of this image, which exists.
  mlir::Value load(unsigned operand, const Pixel &pixel, int64_t Window::*sizeOf);
  /// Number of a tap in row-major order, i64.
  mlir::Value numberOf(llvm::ArrayRef<mlir::Value> taps);
  llvm::SmallVector<int64_t, 3> countTaps() const {
    return llvm::map_to_vector<3>(windows, [](const Window &window) { return window.filter; });
  }
  /// The first tap along dimension `i` by which the window at coordinate `at` may read a pixel of the image.
  mlir::Value firstTap(size_t i, mlir::Value at);

  /// Calls `body` with the coordinates of each of a grid of these sizes, in row-major order, and with what it made
  /// last.
  using GridBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(WindowBuilder &, llvm::ArrayRef<mlir::Value>,
                                                                     mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> forGrid(llvm::ArrayRef<int64_t> sizes, mlir::ValueRange start, GridBody body);

  /// Calls `body` with the taps by which window `of` may read the image, in row-major order, with the pixel of each,
  /// and with what it made last.
  using TapBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(WindowBuilder &, llvm::ArrayRef<mlir::Value>,
                                                                    const Pixel &, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> forTaps(const Pixel &of, mlir::ValueRange start, TapBody body);

  /// Calls `body` with each `step`th number from `first` to below `limit`, and with what it made last.
  using RangeBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> forRange(mlir::Value first, mlir::Value limit, int64_t step, mlir::ValueRange start,
                                          RangeBody body);

  /// Folds what `step` makes of a sum so far and of one window that has this pixel, by its result's pixel and its tap,
  /// over all of them, from `start`; windows in row-major order.
  using WindowStep =
      llvm::function_ref<mlir::Value(WindowBuilder &, const Pixel &, llvm::ArrayRef<mlir::Value>, mlir::Value)>;
  mlir::Value forWindows(mlir::Value start, WindowStep step);

  /// What `build` makes of the window that has result `of`: by code that knows that the image has every pixel of it,
  /// where that is so, and else by code that asks for each.
  mlir::Value whereWithin(const Pixel &of, llvm::function_ref<mlir::Value(WindowBuilder &)> build);

  /// Whether every pixel that is read along dimension `i` is known to be there.
  bool isKnown(size_t i) const { return i + 1 == windows.size() ? known.column : known.line; }

  LaneBuilder &b;
  const ScalarOperands &in;
  const Indices index;
  const llvm::ArrayRef<Window> windows;
  const int64_t channels;
  mlir::Value channel;

private:
  /// Coordinates in the last of what `number` counts, which loses them.
  llvm::SmallVector<mlir::Value, 3> takeFrom(mlir::Value &number, llvm::ArrayRef<Window> of, int64_t Window::*sizeOf);
  /// The coordinate of the pixel that a tap of a result's window reads.
  mlir::Value pixelOf(const Window &window, mlir::Value result, mlir::Value tap);

  mlir::Value row, image;
  WindowsKnown known;
  int64_t mostUnrolled; ///< steps of a loop
};

/// condition ? x : y in each lane.
inline mlir::Value selectLanes(LaneBuilder &b, mlir::Value condition, mlir::Value x, mlir::Value y) {
  return b.createOrFold<mlir::arith::SelectOp>(condition, x, y);
}

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_WINDOWBUILDER_H
