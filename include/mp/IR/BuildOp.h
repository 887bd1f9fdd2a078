// Ops made by their name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_BUILDOP_H
#define MP_IR_BUILDOP_H

#include "mlir/IR/Builders.h"

#include <array>
#include <variant>

namespace mp {

/// The element types that tensors have, each at the number that it has in mp-c/Runtime.h.
std::array<mlir::Type, 8> elementTypes(mlir::MLIRContext *context);

/// An attribute by its name. Its value becomes what the op's definition asks for: a number an integer or a float, a
/// truth a unit or a bool, a type the element type, a text the word of an enumeration, or "same" and "valid" of
/// padding, one number also a list of one, a list of numbers, a tensor. monostate is a value that is none of these.
struct NamedValue {
  llvm::StringRef name;
  std::variant<std::monostate, bool, int64_t, double, llvm::StringRef, llvm::SmallVector<int64_t>, mlir::Type,
               mlir::ElementsAttr>
      value;
};

/// Makes the op of dialect mp that is called `name` ("mp.matmul"), verified. Operands are in the order of its
/// definition; null stands for an optional one that is left out, and may be left out itself where none comes behind it.
/// What the op's text may leave out may be left out of `attributes`, too: strides, padding, dilations and groups of
/// windows, the type of sums. Attributes with a dialect's prefix ("mp.listed_as") are added as they are.
///
/// Result types are what InferTypeOpInterface gives. Where they do not follow from operands and attributes, `stated`
/// says them: a tensor type, or an element type alone where the shape follows, as of mp.cast; it is null elsewhere.
///
/// Fails with an error at `location`, which says what it is about (mp/IR/Faults.h).
mlir::FailureOr<mlir::Operation *> buildOp(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                           mlir::ValueRange operands, llvm::ArrayRef<NamedValue> attributes,
                                           mlir::Type stated);

} // namespace mp

#endif // MP_IR_BUILDOP_H
