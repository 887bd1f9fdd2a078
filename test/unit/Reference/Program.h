// mp text made ready to evaluate.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_REFERENCE_PROGRAM_H
#define MP_TEST_REFERENCE_PROGRAM_H

#include "mp/Reference/Evaluator.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace mp {

/// A module parsed from text, in a context of its own that keeps the errors it was told.
class Program {
public:
  explicit Program(const std::string &text);

  /// The function of this name; null if parsing failed or there is none.
  mlir::func::FuncOp func(llvm::StringRef name = "f");

  bool isParsed() const { return static_cast<bool>(module); }
  mlir::MLIRContext *getContext() { return &context; }
  mlir::ModuleOp getModule() { return *module; }

  /// Everything emitted so far, a line each.
  const std::string &errors() const { return text; }

private:
  mlir::MLIRContext context;
  std::string text;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The results of the function `f(SIGNATURE) BODY`; a test failure and no result if it does not
/// parse or evaluate. run("(%x: tensor<2xf32>) -> tensor<2xf32>", "%r = mp.relu %x :
/// tensor<2xf32>\n return %r : tensor<2xf32>", {x})
std::vector<Tensor> run(const std::string &signature, const std::string &body, llvm::ArrayRef<Tensor> arguments,
                        const EvaluatorOptions &options = {});

Tensor reals(ElementType element, std::vector<int64_t> shape, const std::vector<double> &values);
Tensor integers(ElementType element, std::vector<int64_t> shape, const std::vector<int64_t> &values);

} // namespace mp

#endif // MP_TEST_REFERENCE_PROGRAM_H
