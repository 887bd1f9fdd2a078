// How much padding a window needs, and how many of them an image has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_IR_WINDOWS_H
#define MP_LIB_IR_WINDOWS_H

#include "IR/Sizes.h"

#include "mp/IR/Faults.h"
#include "mp/IR/WindowSpan.h"

#include "llvm/Support/CheckedArithmetic.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace mp {

/// Low and high padding with which a result has ceil(image / stride) pixels, the odd one high; none where that is 2^63
/// or more. 32 pixels, span 3, stride 2: (0, 1).
inline std::optional<std::pair<int64_t, int64_t>> padToSame(int64_t image, int64_t span, int64_t stride) {
  const int64_t result = image / stride + (image % stride != 0);
  const std::optional<int64_t> end = spanOfResults(result, stride, span);
  if (!end)
    return std::nullopt;
  const int64_t total = std::max<int64_t>(0, *end - image);
  return std::pair(total / 2, total - total / 2);
}

/// The numbers of the constraints that ops over windows share: of their attributes, of sizes, of padded pixels.
struct WindowConstraints {
  unsigned numbers, sizes, padded;
};
inline constexpr WindowConstraints kOfConvolution = {5, 6, 9}, kOfPooling = {3, 4, 7};

/// Begins an error that is of the constraint of this number.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic(unsigned constraint)>;

/// `values`, the attribute `name`, are `count` numbers of at least `least`.
inline llvm::LogicalResult checkNumbers(EmitError error, const WindowConstraints &of, llvm::StringRef name,
                                        llvm::ArrayRef<int64_t> values, size_t count, size_t dimensions,
                                        int64_t least) {
  if (values.size() != count)
    return error(of.numbers) << name << " has " << values.size() << " numbers, expected " << count << " for "
                             << dimensions << " spatial dimensions";
  for (int64_t value : values)
    if (value < least)
      return error(of.numbers) << name << " is at least " << least << ", found " << value;
  return mlir::success();
}

/// One spatial dimension: pixels of an image with its padding, and the pixels that a window takes of them.
struct WindowSizes {
  int64_t image, taps, stride, low, high, dilation;
};

/// How many windows there are in spatial dimension `dimension` of an `image` under `taps`, which are a `tapsName`.
inline mlir::FailureOr<int64_t> countWindows(EmitError error, const WindowConstraints &of, const WindowSizes &sizes,
                                             size_t dimension, llvm::ArrayRef<int64_t> image, llvm::StringRef tapsName,
                                             llvm::ArrayRef<int64_t> taps) {
  if (sizes.image < 1 || sizes.taps < 1)
    return error(of.sizes) << "spatial sizes are at least 1, found "
                           << (sizes.image < 1 ? llvm::StringRef("image") : tapsName) << " "
                           << describe(sizes.image < 1 ? image : taps);
  std::optional<int64_t> span = spanOfTaps(sizes.taps, sizes.dilation);
  std::optional<int64_t> padded = llvm::checkedAdd(sizes.image, sizes.low);
  padded = padded ? llvm::checkedAdd(*padded, sizes.high) : std::nullopt;
  if (!span || !padded)
    return error(of.padded) << "has 2^63 padded pixels or more in a dimension: image " << describe(image) << ", "
                            << tapsName << " " << describe(taps) << "; take less padding or smaller dilations";
  if (*span > *padded)
    return about(
        error(of.sizes) << "a window spans " << *span << " pixels in spatial dimension " << dimension
                        << ", where the image has " << *padded
                        << " with its padding: the result would be empty; take a smaller window, or more padding",
        faultOf(FaultCode::WindowTooLarge));
  return (*padded - *span) / sizes.stride + 1;
}

} // namespace mp

#endif // MP_LIB_IR_WINDOWS_H
