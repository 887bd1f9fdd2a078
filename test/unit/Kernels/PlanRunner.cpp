// Programs compiled to kernels, and run by the evaluator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/PlanRunner.h"

#include "mp/IR/Program.h"
#include "mp/Kernels/Passes.h"
#include "mp/Reference/Evaluator.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

using namespace mlir;
using namespace mp;
using namespace mp::executable;
using namespace mp::test;

test::CompiledProgram::CompiledProgram(const std::string &text) : context(MLIRContext::Threading::DISABLED) {
  static const bool registered = [] {
    registerKernelsPasses();
    registerCSEPass();
    return true;
  }();
  (void)registered;
  context.loadDialect<MPDialect, func::FuncDialect>();
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
    ADD_FAILURE() << diagnostic.str();
    return success();
  });
  module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
}

bool test::CompiledProgram::run(const std::string &passes) {
  PassManager manager(&context);
  return succeeded(parsePassPipeline("func.func(" + passes + ")", manager)) && succeeded(manager.run(*module));
}

std::string test::CompiledProgram::print() {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os);
  return text;
}

llvm::FailureOr<LaunchPlan> test::planOf(func::FuncOp func) {
  return buildLaunchPlan(func, [=](llvm::StringRef state) { return findState(func, state).getArgNumber(); });
}

std::vector<Tensor> test::randomArguments(func::FuncOp func, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Tensor> arguments;
  for (Type type : func.getArgumentTypes()) {
    TensorTypeT tensorType = *tensorTypeOf(type);
    int64_t elements = cast<RankedTensorType>(type).getNumElements();
    if (isFloat(tensorType.element)) {
      std::vector<double> values(elements);
      for (double &value : values)
        value = static_cast<double>(random() % 4001) / 1000 - 2;
      arguments.push_back(Tensor::ofReals(tensorType, values));
      continue;
    }
    std::vector<int64_t> values(elements);
    for (int64_t &value : values)
      value = random() % 10;
    arguments.push_back(Tensor::ofIntegers(tensorType, values));
  }
  return arguments;
}

namespace {

class Memory {
public:
  Memory(const LaunchPlan &plan, func::FuncOp func, const std::vector<Tensor> &arguments)
      : arena(plan.arenaBytes, kPoison), constants(plan.constants) {
    for (unsigned i = 0; i < func.getNumArguments(); ++i) {
      ArgumentRole role = getArgumentRole(func, i);
      if (isState(role))
        states[i] = arguments[i].bytes;
      inputs.push_back(arguments[i].bytes);
    }
    for (Type type : func.getResultTypes())
      results.emplace_back(Tensor::zeros(*tensorTypeOf(type)).bytes.size(), kPoison);
  }

  std::byte *at(const BufferSlice &slice) {
    std::vector<std::byte> &space = spaceOf(slice);
    EXPECT_LE(slice.offset() + slice.bytes(), space.size());
    return space.data() + slice.offset();
  }

  std::vector<std::byte> result(func::FuncOp func, unsigned index) {
    if (getResultRole(func, index) == ResultRole::Next)
      return states.at(findState(func, getResultName(func, index)).getArgNumber());
    return results[index];
  }

private:
  static constexpr std::byte kPoison = std::byte(0xCD);

  std::vector<std::byte> &spaceOf(const BufferSlice &slice) {
    switch (slice.space()) {
    case Space::Arena:
      return arena;
    case Space::State:
      return states.at(slice.index());
    case Space::Argument:
      return inputs.at(slice.index());
    case Space::Result:
      return results.at(slice.index());
    case Space::Constant:
      return constants;
    }
    llvm_unreachable("unknown space");
  }

  std::vector<std::byte> arena, constants;
  std::map<uint32_t, std::vector<std::byte>> states; // by the number of the argument
  std::vector<std::vector<std::byte>> inputs, results;
};

/// The results of one kernel, by the evaluator.
std::vector<Tensor> evaluateKernel(KernelOp kernel, const std::vector<Tensor> &inputs) {
  OpBuilder builder(kernel.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  builder.setInsertionPointToStart(module->getBody());
  auto type = builder.getFunctionType(kernel.getInputs().getTypes(), kernel.getResultTypes());
  auto func = func::FuncOp::create(builder, kernel.getLoc(), "kernel", type);
  builder.setInsertionPointToStart(func.addEntryBlock());
  Operation *clone = builder.clone(*kernel);
  clone->setOperands(func.getArguments());
  func::ReturnOp::create(builder, kernel.getLoc(), clone->getResults());
  llvm::FailureOr<std::vector<Tensor>> results = evaluate(func, inputs);
  EXPECT_TRUE(succeeded(results));
  return succeeded(results) ? *results : std::vector<Tensor>();
}

} // namespace

std::vector<std::vector<std::byte>> test::runPlan(const LaunchPlan &plan, func::FuncOp func,
                                                  const std::vector<Tensor> &arguments) {
  Memory memory(plan, func, arguments);
  const KernelOp *next = plan.kernels.data();
  for (const auto &command : plan.commands) {
    if (const CopyT *copy = command->what.AsCopy()) {
      std::memmove(memory.at(*copy->destination), memory.at(*copy->source), copy->source->bytes());
      continue;
    }
    if (const FillT *fill = command->what.AsFill()) {
      for (uint64_t i = 0; i < fill->destination->bytes(); i += fill->pattern_bytes)
        std::memcpy(memory.at(*fill->destination) + i, &fill->pattern, fill->pattern_bytes);
      continue;
    }
    const LaunchT &launch = *command->what.AsLaunch();
    KernelOp kernel = *next++;
    std::vector<Tensor> inputs;
    for (auto [index, type] : llvm::enumerate(kernel.getInputs().getTypes())) {
      Tensor input = Tensor::zeros(*tensorTypeOf(type));
      std::memcpy(input.bytes.data(), memory.at(launch.buffers[index].slice()), input.bytes.size());
      inputs.push_back(std::move(input));
    }
    for (auto [index, result] : llvm::enumerate(evaluateKernel(kernel, inputs)))
      std::memcpy(memory.at(launch.buffers[inputs.size() + index].slice()), result.bytes.data(), result.bytes.size());
  }
  std::vector<std::vector<std::byte>> results;
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    results.push_back(memory.result(func, i));
  return results;
}
