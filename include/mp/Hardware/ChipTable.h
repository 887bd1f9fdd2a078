// What GPUs can do, as data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_HARDWARE_CHIPTABLE_H
#define MP_HARDWARE_CHIPTABLE_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mp {

/// What some chips have an instruction or a unit for and others lack. LLVM aborts where it is asked for an instruction
/// that the chip lacks, so that who emits one asks Chip::has first.
enum class ChipFeature : unsigned {
  Wmma,          ///< wmma m16n16k16, f16
  MmaM16N8K8,    ///< mma.sync m16n8k8, f16
  LdMatrix,      ///< ldmatrix
  MmaM16N8K16,   ///< mma.sync m16n8k16, f16
  BF16,          ///< bf16 in mma.sync and f32 to bf16 by cvt.rn
  TF32,          ///< tf32 in mma.sync m16n8k8
  CpAsync,       ///< cp.async and its groups
  StMatrix,      ///< stmatrix
  AsyncBarriers, ///< mbarrier.try_wait, clusters, tensor copies (TMA)
  Wgmma,         ///< wgmma.mma_async and setmaxnreg
};

/// The rates of matrix units of one whole GPU by one instruction, dense, in operations per second; a multiply and an
/// add are two. 0 is no unit.
struct MatrixRates {
  double f16;       ///< f16 into f32
  double f16Narrow; ///< f16 into f16
  double bf16;      ///< bf16 into f32
  double tf32;
};

/// What code is made for, named as LLVM and ptxas name it. Every GPU of a family runs that code.
struct ChipFamily {
  std::string_view name; ///< "sm_80"
  unsigned major, minor;
  /// The PTX version that code for it is written in, the lowest that has what kernels use: 71 is 7.1.
  unsigned ptxVersion;
  /// Bits by ChipFeature.
  unsigned features;
  /// Bytes of shared memory: of one block (with the opt-in that large ones need), and of a multiprocessor.
  int64_t sharedBytesPerBlock, sharedBytesPerMultiprocessor;
  /// Threads and blocks that a multiprocessor holds at once.
  int64_t threadsPerMultiprocessor, blocksPerMultiprocessor;
};

/// What code is scheduled for: a product of a family.
struct GPU {
  std::string_view gpu; ///< "A100"
  int64_t multiprocessors;
  /// Ticks per second at which the rates hold.
  double clock;
  /// By wmma on sm_70 and mma.sync on all others, which are the instructions of our kernels. Those of a warp group
  /// (wgmma, tcgen05) have rates of their own.
  MatrixRates mma;
  /// Plain arithmetic, operations per second.
  double f32, f64;
  /// Bytes per second from memory, and bytes of the last-level cache.
  double memoryBandwidth;
  int64_t cacheBytes;
};

/// A GPU and its family: a row of the table.
struct Chip : ChipFamily, GPU {
  // The same for all chips in the table.
  static constexpr int64_t kWarp = 32;
  static constexpr int64_t kThreadsPerBlock = 1024;
  static constexpr int64_t kRegistersPerMultiprocessor = 65536;
  static constexpr int64_t kRegistersPerThread = 255;
  /// Bytes of one access of a thread, at most.
  static constexpr int64_t kAccessBytes = 16;
  /// Seconds between two kernels of a graph, and of a kernel's ramp.
  static constexpr double kLaunchSeconds = 0.7e-6 + 1.5e-6;

  bool has(ChipFeature feature) const { return (features >> static_cast<unsigned>(feature)) & 1; }
  /// "7.5".
  std::string capability() const { return std::to_string(major) + "." + std::to_string(minor); }
};

/// Every family, the oldest first, each with the GPU that code for it is scheduled for where none is named.
std::span<const Chip> allChips();

/// Every GPU of the table, families and defaults in the order of allChips().
std::span<const Chip> allGPUs();

/// The row of that name, or null: "sm_86" is the default GPU of sm_86, "A40" that one, in letters of either case.
const Chip *findChip(std::string_view name);

/// The names of all families.
std::string chipNames(std::string_view separator = ", ");

/// Why `name` is no chip that code can be made for, and what to use: below 7.0, or not in the table.
std::string explainUnknownChip(std::string_view name);

} // namespace mp

#endif // MP_HARDWARE_CHIPTABLE_H
