// mp text made ready to evaluate.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Program.h"

#include "mp/IR/MP.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mp;

Program::Program(const std::string &source) : context(mlir::MLIRContext::Threading::DISABLED) {
  context.loadDialect<MPDialect, mlir::func::FuncDialect>();
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
    text += diagnostic.str() + "\n";
    return llvm::success();
  });
  module = mlir::parseSourceString<mlir::ModuleOp>(source, mlir::ParserConfig(&context));
}

mlir::func::FuncOp Program::func(llvm::StringRef name) {
  return module ? module->lookupSymbol<mlir::func::FuncOp>(name) : nullptr;
}

std::vector<Tensor> mp::run(const std::string &signature, const std::string &body, llvm::ArrayRef<Tensor> arguments,
                            const EvaluatorOptions &options) {
  Program program("func.func @f" + signature + " {\n" + body + "\n}");
  if (!program.func()) {
    ADD_FAILURE() << program.errors() << body;
    return {};
  }
  llvm::FailureOr<std::vector<Tensor>> results = evaluate(program.func(), arguments, options);
  if (failed(results)) {
    ADD_FAILURE() << program.errors() << body;
    return {};
  }
  return std::move(*results);
}

Tensor mp::reals(ElementType element, std::vector<int64_t> shape, const std::vector<double> &values) {
  return Tensor::ofReals(makeType(element, std::move(shape)), values);
}

Tensor mp::integers(ElementType element, std::vector<int64_t> shape, const std::vector<int64_t> &values) {
  return Tensor::ofIntegers(makeType(element, std::move(shape)), values);
}
