// Each map op on one value of each operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How generated code keeps a value of an element type in registers and in memory, and what each map op does to it: one
// definition for scalars and vectors, for every emitter. f16 and bf16 are in registers the f32 they widen to; the op
// computes there and rounds once to its type, so a value in a register is always one that its type has.

#ifndef MP_LIB_CODEGEN_FORMS_SCALARS_H
#define MP_LIB_CODEGEN_FORMS_SCALARS_H

#include "Codegen/Forms/Lanes.h"
#include "mp/IR/Forms.h"
#include "mp/IR/MP.h"

#include <optional>

namespace mp {

/// The type that holds values of `element` in registers: f32 for f16 and bf16, i8 for ui8, else itself.
mlir::Type registerType(mlir::Type element);

/// The type that stores values of `element` in memory: i8 for i1 and ui8, i16 for bf16, else itself. LLVM has no bf16
/// of one lane on CPUs, and makes a call of a rounding to it where it finds that all lanes are equal.
mlir::Type memoryType(mlir::Type element);
/// The bytes of one value of `element` in memory.
unsigned memoryBytes(mlir::Type element);

/// The float that `value`, in a register as its type or more exactly (f32 or f64), rounds to in `element`, in a
/// register.
mlir::Value roundTo(LaneBuilder &b, mlir::Value value, mlir::Type element);

/// From memory type to register type, and back. Neither rounds.
mlir::Value toRegister(LaneBuilder &b, mlir::Value value, mlir::Type element);
mlir::Value toMemory(LaneBuilder &b, mlir::Value value, mlir::Type element);

/// mp.cast on values in registers.
mlir::Value castValue(LaneBuilder &b, mlir::Value value, mlir::Type from, mlir::Type to);

/// `attribute`'s one value, as `width` lanes of its register type.
mlir::Value registerConstant(LaneBuilder &b, mlir::DenseElementsAttr splat, int64_t width);

/// What an op computes once for all elements, by its ScalarPartsInterface; values of one lane.
using ScalarParts = llvm::SmallVector<mlir::Value, 4>;

/// The results of an op, of their register types, or an error.
using FormResult = mlir::FailureOr<llvm::SmallVector<mlir::Value>>;

/// What is known of windows at a pixel: whether they have all of their pixels along the last spatial dimension, and
/// along the others.
struct WindowsKnown {
  bool column = false, line = false;
};

/// Where operands and positions come from when an op's scalar form is built.
struct ScalarOperands {
  /// Of register types; of operands that are read whole the address of their memory; null for others that are not read
  /// at each element.
  llvm::SmallVector<mlir::Value> values;
  int64_t width = 1;                          ///< lanes of each
  bool areNeighbours = true;                  ///< whether lanes are next to one another in row-major order
  llvm::function_ref<mlir::Value()> position; ///< i64 lanes: the row-major index of each lane's element
  /// The row, and the column in it, that the first lane's element has in rows of so many.
  llvm::function_ref<std::pair<mlir::Value, mlir::Value>(int64_t)> inRowsOf;
  /// Such a row by so many rows of a matrix, and what is left.
  llvm::function_ref<std::pair<mlir::Value, mlir::Value>(mlir::Value row, int64_t rows)> inMatricesOf;
  /// Of an operand that is read whole, in registers, as many neighbours as there are lanes: from element
  /// `(row + steps) * unit + column` on, where the column is a multiple of the number of lanes. Rows that differ in
  /// `steps` alone share an address.
  llvm::function_ref<mlir::Value(unsigned operand, mlir::Value row, int64_t steps, int64_t unit, mlir::Value column)>
      load;
  /// Of an operand that is read whole, in one lane and in a register, the element at `index`.
  llvm::function_ref<mlir::Value(unsigned operand, mlir::Value index)> loadOne;
  /// Of the row, as a pixel, where the emitter asks for pixels whose windows are inside of the image apart from others.
  std::optional<WindowsKnown> windows;
  int64_t joined = 1;                ///< so many matrices are built at once, from this row's on: a result for each
  llvm::ArrayRef<mlir::Value> parts; ///< what ScalarPartsInterface made
};

/// Whether a map or movement reads this operand at each element: not where it reads its shape alone, nor where it reads
/// it whole, nor where scalar parts are made of it.
bool readsPerElement(mlir::OpOperand &operand);

/// 1 in lanes whose float, of its register type, is infinite or NaN; i32.
mlir::Value isNonfinite(LaneBuilder &b, mlir::Value x);

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_SCALARS_H
