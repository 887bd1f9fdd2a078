// Launch plans as commands of the executable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Targets.h"

using namespace mlir;

namespace mp {

using namespace executable;

static Space translate(PlannedSlice::Space space) {
  switch (space) {
  case PlannedSlice::Space::Arena:
    return Space::Arena;
  case PlannedSlice::Space::State:
    return Space::State;
  case PlannedSlice::Space::Argument:
    return Space::Argument;
  case PlannedSlice::Space::Result:
    return Space::Result;
  case PlannedSlice::Space::Constant:
    return Space::Constant;
  }
  llvm_unreachable("unknown space");
}

static Access translate(BufferAccess access) {
  switch (access) {
  case BufferAccess::Read:
    return Access::Read;
  case BufferAccess::Write:
    return Access::Write;
  case BufferAccess::ReadWrite:
    return Access::ReadWrite;
  }
  llvm_unreachable("unknown access");
}

namespace {

/// Turns launch plans into commands of the executable.
class CommandWriter {
public:
  CommandWriter(const JobBuilder &builder, uint32_t blob, ArrayRef<CompiledKernel> &code,
                std::vector<std::unique_ptr<CommandT>> &commands)
      : builder(builder), blob(blob), code(code), commands(commands) {}

  void operator()(const LaunchCommand &command) {
    const CompiledKernel &compiled = code.consume_front();
    LaunchT launch;
    launch.kernel = KernelOp(command.kernel).getKernelName().str();
    launch.symbol = compiled.symbol;
    launch.blob = blob;
    launch.grid = compiled.grid;
    launch.scratch_bytes = compiled.scratchBytes;
    launch.threads = compiled.threads;
    launch.shared_bytes = compiled.sharedBytes;
    launch.buffers_in_memory = compiled.buffersInMemory;
    launch.flops = command.operations;
    launch.bytes = command.bytes;
    for (const LaunchBuffer &buffer : command.buffers)
      launch.buffers.emplace_back(slice(buffer.slice), translate(buffer.access));
    add(std::move(launch));
  }

  void operator()(const CopyCommand &command) {
    CopyT copy;
    copy.source = std::make_unique<BufferSlice>(slice(command.source));
    copy.destination = std::make_unique<BufferSlice>(slice(command.destination));
    add(std::move(copy));
  }

  void operator()(const FillCommand &command) {
    FillT fill;
    fill.destination = std::make_unique<BufferSlice>(slice(command.destination));
    fill.pattern = command.pattern;
    fill.pattern_bytes = command.patternBytes;
    add(std::move(fill));
  }

private:
  BufferSlice slice(const PlannedSlice &slice) const {
    bool isState = slice.space == PlannedSlice::Space::State;
    return BufferSlice(translate(slice.space), isState ? builder.stateIndex(slice.state) : slice.index, slice.offset,
                       slice.bytes);
  }

  template <typename Table> void add(Table table) {
    auto command = std::make_unique<CommandT>();
    command->what.Set(std::move(table));
    commands.push_back(std::move(command));
  }

  const JobBuilder &builder;
  uint32_t blob;
  ArrayRef<CompiledKernel> &code; // of the kernels that are still to come
  std::vector<std::unique_ptr<CommandT>> &commands;
};

} // namespace

SmallVector<KernelOp> kernelsOf(ArrayRef<LaunchPlan> plans) {
  SmallVector<KernelOp> kernels;
  for (const LaunchPlan &plan : plans)
    for (const PlanCommand &command : plan.commands)
      if (auto *launch = std::get_if<LaunchCommand>(&command))
        kernels.push_back(launch->kernel);
  return kernels;
}

FailureOr<SmallVector<LaunchPlan>> planPrograms(ArrayRef<func::FuncOp> programs) {
  SmallVector<LaunchPlan> plans;
  for (func::FuncOp func : programs) {
    FailureOr<LaunchPlan> plan = buildLaunchPlan(func);
    if (failed(plan))
      return failure();
    plans.push_back(std::move(*plan));
  }
  return plans;
}

void addCommands(const LaunchPlan &plan, uint32_t blob, ArrayRef<CompiledKernel> &code, JobBuilder &builder,
                 VariantT &variant) {
  CommandWriter writer(builder, blob, code, variant.commands);
  for (const PlanCommand &command : plan.commands)
    std::visit(writer, command);
}

} // namespace mp
