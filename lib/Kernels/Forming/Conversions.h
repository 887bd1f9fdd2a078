// What makes a tensor of one that is given.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_CONVERSIONS_H
#define MP_LIB_KERNELS_FORMING_CONVERSIONS_H

#include "mlir/IR/Builders.h"

namespace mp {

/// Elementwise ops that make a value of one tensor, beside scalars, that lies in memory before the program runs, in
/// whatever shape.
struct Conversion {
  llvm::SmallVector<mlir::Operation *> ops; ///< from the last to the first
  mlir::Value given;

  /// Whether zeros are made of zeros.
  bool keepsZeros() const;
  /// What the same ops make of `other` in the place of the given tensor.
  mlir::Value convert(mlir::OpBuilder &b, mlir::Value other) const;
};

/// How `value` is made of a given tensor: by no op if it is one; null if there is no such tensor.
std::optional<Conversion> findConversion(mlir::Value value);

/// The given floats of which `value` is a cast, or null.
mlir::Value getCastFloats(mlir::Value value);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_CONVERSIONS_H
