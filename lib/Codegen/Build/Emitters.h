// The emitter of each kind of kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_BUILD_EMITTERS_H
#define MP_LIB_CODEGEN_BUILD_EMITTERS_H

#include "mp/IR/MP.h"

namespace mp {

/// Emits the body of `f` and gives the number of blocks.
template <typename Function> using Emitter = mlir::FailureOr<int64_t> (*)(Function &f);

/// `emit` for a kernel with its kind of schedule; an error for one with another schedule of that kind.
template <auto emit> struct EmitterOf;
template <typename Function, typename Schedule, mlir::FailureOr<int64_t> (*emit)(Function &, Schedule)>
struct EmitterOf<emit> {
  static mlir::FailureOr<int64_t> run(Function &f) {
    mlir::Attribute schedule = f.kernel.getScheduleAttr();
    if (auto own = llvm::dyn_cast<Schedule>(schedule))
      return emit(f, own);
    return f.kernel.emitOpError("has a schedule of another target: ") << schedule;
  }
};

/// Runs the emitter of the kernel's schedule; `emitters` has one for each kind, in the order of the kinds.
template <typename Function>
mlir::FailureOr<int64_t> emitKernel(Function &f,
                                    const Emitter<Function> (&emitters)[getMaxEnumValForKernelKind() + 1]) {
  std::optional<ScheduleInterface> schedule = f.kernel.getSchedule();
  if (!schedule)
    return f.kernel.emitOpError("has no schedule; run mp-schedule-kernels first");
  return emitters[static_cast<size_t>(schedule->getKind())](f);
}

} // namespace mp

#endif // MP_LIB_CODEGEN_BUILD_EMITTERS_H
