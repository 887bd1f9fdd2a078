// Which values carry the loss scale.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gradient that was scaled is S times what it would be with scale 1; the product of two is S * S times as large, and
// unscaling divides by S. Whether every value that reaches an optimizer has the power 0 is decided here, from types of
// ops alone and before anything runs.

#ifndef MP_ANALYSIS_SCALEDNESS_H
#define MP_ANALYSIS_SCALEDNESS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"

namespace mp {

/// How a value depends on the loss scale. A lattice of height 3: zero < one power of one scale < mixed.
class Scaledness {
public:
  /// 0, which is 0 times any power.
  static Scaledness zero() { return {Kind::Zero, 0, 0}; }
  /// Does not depend on a scale.
  static Scaledness plain() { return {Kind::Power, 0, 0}; }
  /// Carries `scale`, a number that stands for one value, to a power other than 0.
  static Scaledness power(unsigned scale, int power) { return {Kind::Power, power == 0 ? 0 : scale, power}; }
  /// Depends on a scale in another way than by a factor, or on several.
  static Scaledness mixed() { return {Kind::Mixed, 0, 0}; }

  bool isZero() const { return kind == Kind::Zero; }
  bool isMixed() const { return kind == Kind::Mixed; }
  bool isPlain() const { return kind == Kind::Zero || (kind == Kind::Power && exponent == 0); }
  /// The power of the scale; 0 for zero and mixed.
  int getPower() const { return exponent; }
  unsigned getScale() const { return scale; }

  /// Of a sum, a choice, or a value that comes from either of two ops.
  // S * a + S * b -> S; S * a + b -> mixed; S * a + 0 -> S.
  Scaledness join(Scaledness other) const;
  /// Of a product. S * a times S * b -> S^2.
  Scaledness times(Scaledness other) const;
  /// Of a quotient. S * a over S -> plain.
  Scaledness over(Scaledness other) const;

  bool operator==(const Scaledness &) const = default;

private:
  enum class Kind { Zero, Power, Mixed };
  Scaledness(Kind kind, unsigned scale, int exponent) : kind(kind), scale(scale), exponent(exponent) {}

  Kind kind;
  unsigned scale;
  int exponent;
};

/// `zero`, `plain`, `scaled`, `scaled^2`, `unscaled too often` or `mixed`, for diagnostics.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Scaledness &scaledness);

/// The scaledness of every value of one function, in one pass over its ops. A scale is the second operand of
/// `mp.scale_loss` and `mp.unscale`, or the state "loss_scale"; an argument with `mp.scaled` carries that state.
class ScalednessAnalysis {
public:
  explicit ScalednessAnalysis(mlir::func::FuncOp func);

  Scaledness of(mlir::Value value) const;

private:
  void visitBlock(mlir::Block &block);
  void visitOp(mlir::Operation *op);
  void visitRegions(mlir::Operation *op);
  Scaledness ofScale(mlir::Value scale);
  /// Joins `scaledness` into what is known; returns whether that changed it.
  bool update(mlir::Value value, Scaledness scaledness);

  llvm::DenseMap<mlir::Value, Scaledness> known;
  llvm::DenseMap<mlir::Value, unsigned> scales;
};

} // namespace mp

#endif // MP_ANALYSIS_SCALEDNESS_H
