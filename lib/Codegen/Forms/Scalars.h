// Each map op on one value of each operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How generated code keeps a value of an element type in registers and in memory, and what each map op does to it: one
// definition for scalars and vectors, for every emitter. f16 and bf16 are in registers the f32 they widen to; the op
// computes there and rounds once to its type, so a value in a register is always one that its type has.

#ifndef MP_LIB_CODEGEN_FORMS_SCALARS_H
#define MP_LIB_CODEGEN_FORMS_SCALARS_H

#include "Codegen/Forms/Lanes.h"
#include "mp/IR/MP.h"

namespace mp {

/// The type that holds values of `element` in registers: f32 for f16 and bf16, i8 for ui8, else itself.
mlir::Type registerType(mlir::Type element);

/// The type that stores values of `element` in memory: i8 for i1 and ui8, i16 for bf16, else itself. LLVM has no bf16
/// of one lane on CPUs, and makes a call of a rounding to it where it finds that all lanes are equal.
mlir::Type memoryType(mlir::Type element);

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

/// What an op computes from scalars alone, once for all elements: the bias corrections of Adam, the counter and key of
/// a dropout. Values of one lane.
using ScalarParts = llvm::SmallVector<mlir::Value, 4>;

/// Where operands and positions come from when an op's scalar form is built.
struct ScalarOperands {
  llvm::SmallVector<mlir::Value> values;      ///< of register types; null for operands that are not read per element
  int64_t width = 1;                          ///< lanes of each
  llvm::function_ref<mlir::Value()> position; ///< i64 lanes: the row-major index of each lane's element
  llvm::ArrayRef<mlir::Value> parts;          ///< what buildScalarParts made
};

/// Whether an op is a map: Scalars has a form for it, or emits an error that names it.
bool isMap(mlir::Operation *op);

/// Whether the op reads this operand at each element. It does not read the shape operand of `like`, nor the generator
/// of a dropout, whose parts have it.
bool readsPerElement(mlir::OpOperand &operand);

/// The operands that the op's scalar parts are made of; none where it has no parts.
llvm::SmallVector<mlir::Value, 2> scalarPartOperands(mlir::Operation *op);

/// Whether scalar parts cost so much that no two threads of a block should build the same: the powers of Adam do.
bool hasCostlyParts(mlir::Operation *op);

/// Builds the op's scalar parts. `load` gives element `index` of an operand that does not depend on the element.
mlir::FailureOr<ScalarParts>
buildScalarParts(LaneBuilder &b, mlir::Operation *op,
                 llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value operand, int64_t index)> load);

/// Builds the op's results, in registers, from its operands. Emits an error naming the op if it has no form on this
/// element type (exp and log of f64).
mlir::FailureOr<llvm::SmallVector<mlir::Value>> buildScalarForm(LaneBuilder &b, mlir::Operation *op,
                                                                const ScalarOperands &operands);

/// exp and log of a float in registers. Emits an error at `op` for f64.
mlir::FailureOr<mlir::Value> buildElementary(LaneBuilder &b, mlir::Operation *op, llvm::StringRef name, mlir::Value x);

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_SCALARS_H
