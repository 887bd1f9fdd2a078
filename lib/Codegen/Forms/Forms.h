// What ops compute, attached to the dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms of a family of ops are the overloads of `form` in one struct. They are found by the dialect's list of ops:
// whoever adds a form adds nothing else here.

#ifndef MP_LIB_CODEGEN_FORMS_FORMS_H
#define MP_LIB_CODEGEN_FORMS_FORMS_H

#include "Codegen/Forms/Scalars.h"

namespace mp {

/// What all families have: where they build and of what.
struct ScalarForms {
  LaneBuilder &b;
  const ScalarOperands &in;

  mlir::Value operand(unsigned index) const { return in.values[index]; }
  static mlir::Type elementOf(mlir::Value tensor) {
    return mlir::cast<mlir::RankedTensorType>(tensor.getType()).getElementType();
  }
  static mlir::Type resultElement(mlir::Operation *op) { return elementOf(op->getResult(0)); }

  /// The one result, as it is.
  static FormResult exact(mlir::Value value) { return llvm::SmallVector<mlir::Value>{value}; }
  /// The one result, a float, rounded to its type once.
  FormResult rounded(mlir::Operation *op, mlir::Value value) const {
    return exact(roundTo(b, value, resultElement(op)));
  }
};

/// The scalar form of `Op` by the overload that `Family` has for it.
template <typename Family, typename Op>
struct ScalarModel : ScalarFormInterface::ExternalModel<ScalarModel<Family, Op>, Op> {
  FormResult buildElement(mlir::Operation *op, LaneBuilder &b, const ScalarOperands &in) const {
    return Family{{b, in}}.form(mlir::cast<Op>(op));
  }
  std::optional<Sizes> getOperandStrides(mlir::Operation *op, mlir::OpOperand &operand) const {
    if constexpr (requires(Op typed) { Family::strides(typed); })
      return Family::strides(mlir::cast<Op>(op));
    else
      return broadcastStrides(operand);
  }
  int64_t getRun(mlir::Operation *op) const {
    if constexpr (requires(Op typed) { Family::run(typed); })
      return Family::run(mlir::cast<Op>(op));
    else
      return 0;
  }
};

/// What emitters may know of `Op`, where `Family` says it.
template <typename Family, typename Op>
struct WindowModel : WindowFormInterface::ExternalModel<WindowModel<Family, Op>, Op> {
  PixelRanges getInnerPixels(mlir::Operation *op) const {
    if constexpr (requires(Op typed) { Family::innerPixels(typed); })
      return Family::innerPixels(mlir::cast<Op>(op));
    else
      return {};
  }
  int64_t countJoined(mlir::Operation *op, int64_t most) const {
    if constexpr (requires(Op typed) { Family::countJoined(typed, most); })
      return Family::countJoined(mlir::cast<Op>(op), most);
    else
      return 1;
  }
};

namespace detail {
template <typename Family, typename... Ops> void attachForms(mlir::MLIRContext *context) {
  auto attach = [&]<typename Op>(Op *) {
    if constexpr (requires(Family family, Op op) { family.form(op); })
      Op::template attachInterface<ScalarModel<Family, Op>>(*context);
    if constexpr (requires(Op op) { Family::innerPixels(op); } || requires(Op op) { Family::countJoined(op, 1); })
      Op::template attachInterface<WindowModel<Family, Op>>(*context);
  };
  (attach(static_cast<Ops *>(nullptr)), ...);
}
} // namespace detail

/// Attaches the forms that `Family` has.
template <typename Family> void attachForms(mlir::MLIRContext *context) {
  detail::attachForms<Family,
#define GET_OP_LIST
#include "mp/IR/MPOps.cpp.inc"
                      >(context);
}

void attachElementwiseForms(mlir::MLIRContext *context);
void attachDropoutForms(mlir::MLIRContext *context);
void attachOptimizerForms(mlir::MLIRContext *context);
void attachIndexingForms(mlir::MLIRContext *context);
void attachDepthwiseForms(mlir::MLIRContext *context);
void attachPoolingForms(mlir::MLIRContext *context);
void attachTopKForms(mlir::MLIRContext *context);
void attachLossScalingForms(mlir::MLIRContext *context);
void attachMomentForms(mlir::MLIRContext *context);
void attachReductionForms(mlir::MLIRContext *context);
void attachResampleForms(mlir::MLIRContext *context);
void attachRowForms(mlir::MLIRContext *context);

/// Everything that this folder attaches, once the dialect is loaded.
void registerForms(mlir::DialectRegistry &registry);

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_FORMS_H
