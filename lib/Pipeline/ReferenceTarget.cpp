// Programs as text for the evaluator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Targets.h"

using namespace mlir;

namespace mp {

using namespace executable;

/// The program alone, as the evaluator parses it.
/// The text of a program as a function of the program's name, whatever the model's function is called.
static std::vector<std::byte> printProgram(func::FuncOp func) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OwningOpRef<func::FuncOp> named(func.clone());
  named->setName(stringifyProgramKind(*getProgramKind(func)));
  named.get()->print(os, OpPrintingFlags().useLocalScope());
  os << '\n';
  auto *bytes = reinterpret_cast<const std::byte *>(text.data());
  return {bytes, bytes + text.size()};
}

/// One buffer for each argument, then for each result. A next state lies where the state does: both buffers are
/// ReadWrite, which says that the launch reads before it writes.
static std::vector<Buffer> signatureBuffers(const VariantT &variant, const JobBuilder &builder) {
  llvm::StringSet<> updated;
  for (const auto &result : variant.results)
    if (result->kind == ResultKind::Next)
      updated.insert(result->name);
  std::vector<Buffer> buffers;
  auto add = [&](const auto &value, bool isState, Space space, uint32_t index, Access access) {
    bool inPlace = isState && updated.contains(value.name);
    BufferSlice slice(isState ? Space::State : space, isState ? builder.stateIndex(value.name) : index, 0,
                      *byteCount(*value.type));
    buffers.emplace_back(slice, inPlace ? Access::ReadWrite : access);
  };
  for (auto [index, argument] : llvm::enumerate(variant.arguments))
    add(*argument, argument->kind == ArgumentKind::State, Space::Argument, index, Access::Read);
  for (auto [index, result] : llvm::enumerate(variant.results))
    add(*result, result->kind == ResultKind::Next, Space::Result, index, Access::Write);
  return buffers;
}

static LogicalResult addVariant(func::FuncOp func, const Target &target, JobBuilder &builder) {
  FailureOr<VariantT *> variant = builder.addVariant(func, target.getName());
  if (failed(variant))
    return failure();
  LaunchT launch;
  launch.kernel = launch.symbol = stringifyProgramKind(*getProgramKind(func)).str();
  launch.blob = builder.addBlob(target.getCodeKind(), printProgram(func));
  launch.grid = 1;
  launch.buffers = signatureBuffers(**variant, builder);
  auto command = std::make_unique<CommandT>();
  command->what.Set(std::move(launch));
  (*variant)->commands.push_back(std::move(command));
  return success();
}

namespace {

/// The evaluator runs programs as the optimizer stage leaves them.
class ReferenceTarget final : public Target {
public:
  ReferenceTarget() : Target(targets::reference) {}

  Stage getLastPasses() const override { return Stage::Optimizer; }
  bool makesText() const override { return false; }

  LogicalResult emit(ArrayRef<func::FuncOp> programs, const CompileOptions &options, JobBuilder &builder,
                     Compilation &result) const override {
    for (func::FuncOp func : programs)
      if (failed(addVariant(func, *this, builder)))
        return failure();
    return success();
  }
};

} // namespace

const Target &referenceTarget() {
  static const ReferenceTarget target;
  return target;
}

} // namespace mp
