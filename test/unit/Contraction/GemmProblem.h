// Matrix products to compare with sums in f64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_CONTRACTION_GEMMPROBLEM_H
#define MP_TEST_CONTRACTION_GEMMPROBLEM_H

#include "Contraction/SimulatedKernel.h"

#include "mp/Hardware/CPULevels.h"
#include "mp/Numerics/Float.h"

#include <iosfwd>

namespace mp::test {

/// What happens to the product in its kernel.
enum class After {
  Nothing,
  Bias,         ///< a bias of the operands' type
  BiasReluCast, ///< the same, relu, and a second result: that in f32
  Residual,     ///< a tensor of the result's shape is added
  Scale,        ///< multiplied by a scalar that comes from memory
  Dropout,      ///< a quarter of the elements becomes 0
  ReluGradient, ///< 0 where a tensor of the result's shape is not positive
};
inline constexpr int kAfters = 7;

/// One kernel with a product of [m x k] x [k x n].
struct GemmProblem {
  std::string chip;     ///< or a level of CPU features
  std::string schedule; ///< "block_m = 64, ..."
  int64_t m, n, k;
  std::string type = "f16";
  bool transposeLhs = false, transposeRhs = false;
  int64_t batch = 0; ///< 0 for none
  bool sharesRhs = false;
  After after = After::Nothing;
  bool castsOperands = false; ///< they come as f32 (f32: times 0.5) and are computed on the way
  int64_t depth = 0;          ///< of k in a part, for mp.matmul_parts; 0 for one sum
  std::string acc = "f32";    ///< f64 for f64 whatever it says
  bool storesNarrow = false;  ///< sums of parts are stored in the operands' type

  /// The ops on inputs %x, %y and %w, which have types of their own, and what they give.
  struct Ops {
    std::string inputs[3], body;
    std::vector<std::string> values, types;
  };
  /// `schedule` stands on the product where it is not in a kernel that has it.
  Ops operations(bool saysSchedule) const;

  bool isOfCPU() const { return findCPULevel(chip); }
  /// A function with one kernel.
  std::string text() const;
  /// The bytes of its results on normal values: on the simulated device, or on this processor.
  ErrorOr<std::vector<Bytes>> run(const SIMTOptions &options = {}, bool reportAccesses = false) const;
  /// Runs it on normal values and says what is wrong with the results; nothing if all are within the bound.
  std::string check(const SIMTOptions &options, bool reportAccesses = false) const;

  int64_t batches() const { return batch ? batch : 1; }
  int64_t parts() const { return depth ? (k + depth - 1) / depth : 1; }
};

std::ostream &operator<<(std::ostream &out, const GemmProblem &problem);

} // namespace mp::test

#endif // MP_TEST_CONTRACTION_GEMMPROBLEM_H
