// Programs run step after step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/TrainingJob.h"

#include "mp/IR/Program.h"
#include "mp/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <gtest/gtest.h>

using namespace mp;

static double initialValue(mlir::Attribute initializer) {
  if (auto constant = mlir::dyn_cast<ConstantInitializerAttr>(initializer))
    return constant.getValue().getValueAsDouble();
  return mlir::isa<OnesAttr>(initializer) ? 1 : 0;
}

TrainingJob::TrainingJob(const std::string &model, const std::string &pipeline)
    : program(std::make_unique<Program>(model)) {
  static const bool registered = (registerTransformsPasses(), true);
  (void)registered;
  mlir::PassManager passes(program->getContext());
  std::string text;
  llvm::raw_string_ostream errors(text);
  if (!program->isParsed() || failed(mlir::parsePassPipeline(pipeline, passes, errors)) ||
      failed(passes.run(program->getModule()))) {
    ADD_FAILURE() << text << program->errors();
    return;
  }
  for (auto func : program->getModule().getOps<mlir::func::FuncOp>())
    initialize(func);
  ready = true;
}

void TrainingJob::initialize(mlir::func::FuncOp func) {
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    const ArgumentRole role = getArgumentRole(func, i);
    if (!isState(role))
      continue;
    Tensor value = Tensor::zeros(*tensorTypeOf(func.getArgumentTypes()[i]));
    if (mlir::Attribute initializer = func.getArgAttr(i, names::initializer)) {
      const double initial = initialValue(initializer);
      value = isFloat(value.type.element) ? Tensor::ofReals(value.type, std::vector<double>(value.size(), initial))
                                          : Tensor::ofIntegers(value.type, std::vector<int64_t>(value.size(), initial));
    } else {
      value = Tensor::ofIntegers(value.type, {5, 0});
    }
    state.try_emplace(getArgumentName(func, i).str(), std::move(value));
  }
}

TrainingJob::Values TrainingJob::run(const std::string &name, const Values &inputs) {
  mlir::func::FuncOp func = program->func(name);
  if (!func) {
    ADD_FAILURE() << "no program " << name;
    return {};
  }
  std::vector<Tensor> arguments;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    const std::string argument = getArgumentName(func, i).str();
    const Values &source = inputs.contains(argument) ? inputs : state;
    if (!source.contains(argument)) {
      ADD_FAILURE() << "nothing given for " << argument;
      return {};
    }
    arguments.push_back(source.at(argument));
  }
  llvm::FailureOr<std::vector<Tensor>> results = evaluate(func, arguments);
  if (failed(results)) {
    ADD_FAILURE() << program->errors();
    return {};
  }
  Values others;
  for (unsigned i = 0; i < results->size(); ++i)
    (getResultRole(func, i) == ResultRole::Next ? state : others)[getResultName(func, i).str()] = (*results)[i];
  return others;
}

double mp::numberIn(const Tensor &tensor) { return elementAt(tensor, 0); }
