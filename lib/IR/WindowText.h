// The text of windows over images: strides, padding and what else an op has in its braces.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `{window = [2, 2], strides = [1, 1], padding = same} : types`: the types come first in what it means, for `padding =
// same` depends on them, so that no declarative format can say it.

#ifndef MP_LIB_IR_WINDOWTEXT_H
#define MP_LIB_IR_WINDOWTEXT_H

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace mp {

/// The sizes between the first and the last of a tensor's, or none.
llvm::ArrayRef<int64_t> spatialSizes(mlir::Type type);

/// What stands in the braces, until the types are known.
class WindowText {
public:
  using Sizes = llvm::SmallVector<int64_t>;

  /// Attributes of these `names` may stand there, of window, strides, padding, dilations, groups and count_padding, and
  /// others with a dot in theirs.
  WindowText(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes, llvm::ArrayRef<llvm::StringLiteral> names)
      : parser(parser), attributes(attributes), names(names) {}

  mlir::ParseResult parse();

  /// The window that was written; null where none was.
  const Sizes *getWindow() const { return sizesOf("window"); }

  /// Adds all attributes: what was written, and for what was not, no padding and ones, but for strides those of the
  /// window if there is one. `taps` are the pixels of a window, with the sizes of the image.
  mlir::ParseResult resolve(llvm::ArrayRef<int64_t> image, llvm::ArrayRef<int64_t> taps);

private:
  mlir::ParseResult parseEntry();
  mlir::ParseResult parseNumbers(llvm::StringRef name, llvm::StringRef expected, Sizes &numbers);
  mlir::ParseResult parsePadding();
  mlir::ParseResult parseFlag(llvm::StringRef name);
  mlir::ParseResult padToSame(llvm::ArrayRef<int64_t> image, llvm::ArrayRef<int64_t> taps,
                              llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> dilations, Sizes &padding);
  bool has(llvm::StringRef name) const { return llvm::is_contained(names, name); }
  const Sizes *sizesOf(llvm::StringRef name) const {
    auto found = sizes.find(name);
    return found == sizes.end() ? nullptr : &found->second;
  }

  mlir::OpAsmParser &parser;
  mlir::NamedAttrList &attributes;
  llvm::ArrayRef<llvm::StringLiteral> names;
  llvm::StringMap<Sizes> sizes; ///< by name, as they were written
  llvm::StringMap<bool> written;
  int64_t groups = 1;
  std::optional<bool> countsPadding;
  bool isSame = false;
  llvm::SMLoc start, paddingLocation;
};

/// `{strides = [1, 1], ...}`: the attributes of these names, and all that are no part of the op's definition.
void printWindows(mlir::OpAsmPrinter &printer, mlir::Operation *op, llvm::ArrayRef<llvm::StringLiteral> names);

} // namespace mp

#endif // MP_LIB_IR_WINDOWTEXT_H
