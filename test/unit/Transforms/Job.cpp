// A training job run by the evaluator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Job.h"

#include "mp/IR/Program.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mp;

Job::Job(const std::string &model, CompileOptions options) : context(mlir::MLIRContext::Threading::DISABLED) {
  context.loadDialect<MPDialect, mlir::func::FuncDialect>();
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return llvm::success();
  });
  module = mlir::parseSourceString<mlir::ModuleOp>(model, mlir::ParserConfig(&context));
  if (!module) {
    ADD_FAILURE() << errors;
    return;
  }
  mlir::PassManager manager(&context);
  options.compileTo = Stage::Optimizer;
  buildPipeline(manager, options);
  if (failed(manager.run(*module))) {
    ADD_FAILURE() << errors;
    return;
  }
  for (auto program : module->getOps<mlir::func::FuncOp>())
    addInitialState(program);
  derive();
}

void Job::addInitialState(mlir::func::FuncOp program) {
  for (mlir::BlockArgument argument : program.getArguments()) {
    unsigned index = argument.getArgNumber();
    ArgumentRole role = getArgumentRole(program, index);
    if (!isState(role))
      continue;
    Tensor tensor = Tensor::zeros(*tensorTypeOf(argument.getType()));
    double value = 0;
    mlir::Attribute initializer = program.getArgAttr(index, names::initializer);
    if (auto constant = llvm::dyn_cast_or_null<ConstantInitializerAttr>(initializer))
      value = constant.getValue().getValueAsDouble();
    else if (llvm::isa_and_nonnull<OnesAttr>(initializer))
      value = 1;
    auto elements = static_cast<size_t>(tensor.size());
    tensor = isFloat(tensor.type.element)
                 ? Tensor::ofReals(tensor.type, std::vector<double>(elements, value))
                 : Tensor::ofIntegers(tensor.type, std::vector<int64_t>(elements, static_cast<int64_t>(value)));
    state.emplace(getArgumentName(program, index).str(), tensor);
  }
}

void Job::derive() {
  if (module && !getPrograms(*module, ProgramKind::Derive).empty())
    run(ProgramKind::Derive, {});
}

TensorMap Job::run(ProgramKind kind, const TensorMap &inputs) {
  llvm::SmallVector<mlir::func::FuncOp> programs;
  if (module)
    programs = getPrograms(*module, kind);
  if (programs.size() != 1) {
    ADD_FAILURE() << programs.size() << " programs of kind " << stringifyProgramKind(kind).str();
    return {};
  }
  mlir::func::FuncOp program = programs.front();
  std::vector<Tensor> arguments;
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    std::string name = getArgumentName(program, i).str();
    auto input = inputs.find(name);
    arguments.push_back(input != inputs.end() ? input->second : state.at(name));
  }
  llvm::FailureOr<std::vector<Tensor>> results = evaluate(program, arguments);
  if (failed(results)) {
    ADD_FAILURE() << errors;
    return {};
  }
  TensorMap others;
  for (unsigned i = 0; i < program.getNumResults(); ++i) {
    std::string name = getResultName(program, i).str();
    bool isNext = getResultRole(program, i) == ResultRole::Next;
    (isNext ? state : others)[name] = (*results)[i];
  }
  return others;
}

Tensor mp::floats(std::vector<int64_t> shape, const std::vector<double> &values) {
  executable::TensorTypeT type;
  type.element = ElementType::F32;
  type.shape = std::move(shape);
  return Tensor::ofReals(type, values);
}

Tensor mp::integers(ElementType element, std::vector<int64_t> shape, const std::vector<int64_t> &values) {
  executable::TensorTypeT type;
  type.element = element;
  type.shape = std::move(shape);
  return Tensor::ofIntegers(type, values);
}
