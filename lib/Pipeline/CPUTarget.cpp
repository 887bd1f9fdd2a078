// Programs as native code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Targets.h"

#include "mlir/IR/Remarks.h"

#include "mp/Analysis/CostModel.h"
#include "mp/Codegen/Lower/Native/HostLevel.h"

using namespace mlir;

namespace mp {

namespace {

class CPUTarget final : public CodeTarget {
public:
  CPUTarget() : CodeTarget(targets::cpu) {}

  std::string getMachine(const CompileOptions &options) const override { return std::string(levelOf(options).name); }

  LogicalResult checkUnits(ModuleOp module, const CompileOptions &options) const override {
    if (const std::string refusal = options.cpus.empty() ? describeHostRefusal() : ""; !refusal.empty())
      remark::missed(module.getLoc(), remark::RemarkOpts::name("RefusedLevel").category("codegen")) << refusal;
    return success();
  }

protected:
  std::vector<std::string> getFeatures(const CompileOptions &options) const override {
    const CPULevel &level = codeLevelOf(options);
    return {level.features.begin(), level.features.end()};
  }

  FailureOr<CompiledCode> compile(ArrayRef<KernelOp> kernels, const CompileOptions &options,
                                  const CodegenOptions &codegen) const override {
    return compileKernels(kernels, codeLevelOf(options), codegen);
  }

  double modelSeconds(KernelOp kernel, const CompileOptions &options) const override {
    return estimateSeconds(countWork(kernel), levelOf(options));
  }

private:
  /// Of one variant: this machine's where none is named.
  static const CPULevel &levelOf(const CompileOptions &options) {
    return options.cpus.empty() ? hostLevel() : *findCPULevel(options.cpus.front());
  }
  /// What the code may use, where it is another level than the schedules are for.
  static const CPULevel &codeLevelOf(const CompileOptions &options) {
    return options.emulateTiles ? hostVectorLevel() : levelOf(options);
  }
};

} // namespace

const Target &cpuTarget() {
  static const CPUTarget target;
  return target;
}

} // namespace mp
