// The processors that code is made for, as data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_HARDWARE_CPULEVELS_H
#define MP_HARDWARE_CPULEVELS_H

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace mp {

/// The float types that arithmetic has a rate in. Integers are counted as F32.
enum class ArithmeticType { F16, BF16, F32, F64 };

/// Register tile of a contraction: rows and columns of f32 accumulators that stay in registers, of vectors or of AMX.
struct RegisterTile {
  int64_t rows, columns;
};

/// What code for a level may use.
struct CPUFeatures {
  /// The features that a machine must have to run the code, as LLVM names them.
  std::span<const std::string_view> features;
  /// Bits of a vector register, and how many there are.
  int64_t vectorBits, vectorRegisters;
  /// Whether there is a fused multiply-add, and conversions between f16 and f32.
  bool fma, convertsHalf;
  /// Whether there are dot products of pairs of bf16, and tiles of bf16 and of f16 (AMX).
  bool dotsBF16 = false, tilesBF16 = false, tilesF16 = false;

  /// f32 lanes of a vector register.
  int64_t lanes() const { return vectorBits / 32; }
};

/// What schedules are chosen by. All rates are of one core.
struct CPURates {
  /// Tiles that fit the registers, the one for large matrices first; of vectors, and of the units of tiles.
  std::span<const RegisterTile> tiles, unitTiles;
  /// Operations per second by ArithmeticType in a contraction; a multiply and an add are two.
  std::array<double, 4> contractionRates;
  /// Operations per second by ArithmeticType in all other kernels, which convert as they load and store.
  std::array<double, 4> mapRates;
  /// Bytes per second from and to memory, and within the second-level cache.
  double memoryBandwidth, cacheBandwidth;
  /// Bytes of the second-level cache.
  int64_t cacheBytes;
  /// Seconds to start a kernel, and a block of one.
  double launchSeconds, blockSeconds;
};

/// One level of CPU features, a row of the table.
struct CPULevel : CPUFeatures, CPURates {
  /// As `--target=cpu:NAME` says it: "avx2".
  std::string_view name;
  /// The maker whose processors it is taken on where no level is named, empty for all: elsewhere its rates do not hold.
  std::string_view maker = "";
};

/// All levels, from the lowest.
std::span<const CPULevel> allCPULevels();

/// The level of that name, or null.
const CPULevel *findCPULevel(std::string_view name);

/// The highest level all of whose features `has`, of those that are taken on a processor of `maker`, of all where none
/// is said; the lowest where it has those of none.
const CPULevel &highestCPULevel(const std::function<bool(std::string_view feature)> &has, std::string_view maker = "");

/// The level that code of the simulated GPU is compiled for, on any machine: it has fma and conversions of f16.
const CPULevel &simulatorLevel();

/// The names of all levels.
std::string cpuLevelNames(std::string_view separator = ", ");

} // namespace mp

#endif // MP_HARDWARE_CPULEVELS_H
