// Compiles what an elementary function's builder builds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_CODEGEN_LANEFUNCTION_H
#define MP_TEST_CODEGEN_LANEFUNCTION_H

#include "Codegen/Forms/Lanes.h"
#include "mp/Codegen/Lower/Native/HostLevel.h"

#include <vector>

namespace mp::test {

/// A function of f32 in `width` lanes, compiled for `target` and loaded.
class LaneFunction {
public:
  using Builder = mlir::Value (*)(LaneBuilder &b, mlir::Value x);

  LaneFunction(Builder builder, int64_t width, const CPULevel &target = hostLevel());
  ~LaneFunction();
  LaneFunction(const LaneFunction &) = delete;

  /// The function of `inputs`, of which there are a multiple of `width`.
  std::vector<float> operator()(const std::vector<float> &inputs) const;

private:
  using Function = void (*)(const float *input, float *output);

  int64_t width;
  int file = -1;
  void *library = nullptr;
  Function function = nullptr;
};

} // namespace mp::test

#endif // MP_TEST_CODEGEN_LANEFUNCTION_H
