// One scalar, or a vector of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated code works on values of one or several lanes: `f32` is one lane, `vector<8xf32>` eight. What is built here
// does the same to each lane and gives the same bits at every width.

#ifndef MP_LIB_CODEGEN_FORMS_LANES_H
#define MP_LIB_CODEGEN_FORMS_LANES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mp {

using LaneBuilder = mlir::ImplicitLocOpBuilder;

/// `element` for one lane, else a vector of `width` of them.
mlir::Type withLanes(mlir::Type element, int64_t width);

/// The number of lanes of a scalar or vector type.
int64_t laneCount(mlir::Type type);

/// The type of each lane.
mlir::Type laneType(mlir::Type type);

/// A float type's integer of the same width, with the same lanes.
mlir::Type integerTwin(mlir::Type type);

/// The constant nearest to `value` in every lane of `type`, a float.
mlir::Value floatConstant(LaneBuilder &b, mlir::Type type, double value);

/// The constant in every lane of `type`, an integer; `value` is taken modulo 2^n.
mlir::Value intConstant(LaneBuilder &b, mlir::Type type, int64_t value);

/// The float with these bits in every lane of `type`.
mlir::Value bitsConstant(LaneBuilder &b, mlir::Type type, uint64_t bits);

/// `scalar` in each of `width` lanes.
mlir::Value splat(LaneBuilder &b, mlir::Value scalar, int64_t width);

/// 0, 1, ... in the lanes of `type`, an integer.
mlir::Value laneNumbers(LaneBuilder &b, mlir::Type type);

/// Rows of `width` lanes each become columns: result[j][i] = rows[i][j]. There are as many rows as lanes, a power of
/// two.
llvm::SmallVector<mlir::Value> transposeLanes(LaneBuilder &b, mlir::ValueRange rows);

/// `value`, of which LLVM does not know where it comes from. It is in a register that fits `constraints` of inline
/// assembly, as output and input.
mlir::Value hidden(LaneBuilder &b, mlir::Value value, llvm::StringRef constraints);

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_LANES_H
