// The processors that code is made for, as data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Hardware/CPULevels.h"

#include <algorithm>

using namespace mp;

static constexpr std::string_view kSSE2[] = {"sse2"};
static constexpr std::string_view kAVX2[] = {"avx2", "f16c", "fma"};
static constexpr std::string_view kAVX512[] = {"avx512bw", "avx512dq", "avx512f", "avx512vl", "avx2", "f16c", "fma"};
static constexpr std::string_view kAVX512BF16[] = {"avx512bf16", "avx512bw", "avx512dq", "avx512f",
                                                   "avx512vl",   "avx2",     "f16c",     "fma"};
static constexpr std::string_view kAMXBF16[] = {"amx-bf16", "amx-tile", "avx512bf16", "avx512bw", "avx512dq",
                                                "avx512f",  "avx512vl", "avx2",       "f16c",     "fma"};
static constexpr std::string_view kAMXFP16[] = {"amx-bf16", "amx-fp16", "amx-tile", "avx512bf16",
                                                "avx512bw", "avx512dq", "avx512f",  "avx512vl",
                                                "avx2",     "f16c",     "fma"};

// Accumulators, one row of the right operand and one broadcast of the left fit 16 registers, 32 with AVX-512. A tile
// one vector wide serves matrices with few columns, one of three those whose columns are three rows of something: the
// taps of a filter of 3 x 3, of 16 channels and more.
static constexpr RegisterTile kSSE2Tiles[] = {{4, 8}, {8, 4}};
static constexpr RegisterTile kAVX2Tiles[] = {{6, 16}, {12, 8}};
static constexpr RegisterTile kAVX512Tiles[] = {{14, 32}, {28, 16}, {9, 48}};
// Of eight registers four hold sums, the others a column of lhs and a tile of rhs, or one of each; fewer where a
// product has few rows or columns.
static constexpr RegisterTile kAMXTiles[] = {{32, 32}, {16, 64}, {64, 16}, {48, 16},
                                             {16, 48}, {32, 16}, {16, 32}, {16, 16}};

// Rates of cores of 2023: two multiply-adds a cycle in each lane at 3.3 GHz where there is FMA, one of each otherwise.
// A triad streams 15 GB/s from memory and copies run at 100 GB/s within the second-level cache. What has no arithmetic
// units (f16, bf16) computes in f32 and pays for conversions: in a product as its operands are packed.
// clang-format off
static constexpr CPULevel kLevels[] = {
    // features, bits, registers, fma, convertsHalf, dotsBF16, tilesBF16, tilesF16
    //   tiles, tiles of units, contraction rates, map rates, memory, cache bandwidth, cache, launch, block
    {{kSSE2, 128, 16, false, false},
     {kSSE2Tiles, {}, {20e9, 20e9, 25e9, 12e9}, {3e9, 4e9, 12e9, 6e9}, 15e9, 50e9, 1 << 20, 1e-6, 2e-7},
     "sse2"},
    {{kAVX2, 256, 16, true, true},
     {kAVX2Tiles, {}, {97e9, 90e9, 100e9, 50e9}, {20e9, 20e9, 25e9, 12e9}, 15e9, 80e9, 1 << 20, 1e-6, 2e-7},
     "avx2"},
    {{kAVX512, 512, 32, true, true},
     {kAVX512Tiles, {}, {195e9, 195e9, 200e9, 100e9}, {40e9, 40e9, 50e9, 25e9}, 15e9, 100e9, 2 << 20, 1e-6, 2e-7},
     "avx512"},
    // Dot products of bf16 are twice as fast as f32 on Zen 4 and 5, half as fast on Sapphire Rapids.
    {{kAVX512BF16, 512, 32, true, true, true},
     {kAVX512Tiles, {}, {195e9, 360e9, 200e9, 100e9}, {40e9, 40e9, 50e9, 25e9}, 15e9, 100e9, 1 << 20, 1e-6, 2e-7},
     "avx512bf16",
     "AMD"},
    // Xeons from Sapphire Rapids on: AMX at 2.4 TFLOP/s a core on random data, 1.4 in large products that PyTorch computes.
    // f16 is split into two bf16, three products: 390 to 454 GFLOP/s.
    {{kAMXBF16, 512, 32, true, true, false, true},
     {kAVX512Tiles, kAMXTiles, {400e9, 2000e9, 200e9, 100e9}, {40e9, 40e9, 50e9, 25e9}, 15e9, 100e9, 2 << 20, 1e-6, 2e-7},
     "amx-bf16"},
    {{kAMXFP16, 512, 32, true, true, false, true, true},
     {kAVX512Tiles, kAMXTiles, {2000e9, 2000e9, 200e9, 100e9}, {40e9, 40e9, 50e9, 25e9}, 15e9, 100e9, 2 << 20, 1e-6, 2e-7},
     "amx-fp16"},
};
// clang-format on

std::span<const CPULevel> mp::allCPULevels() { return kLevels; }

const CPULevel *mp::findCPULevel(std::string_view name) {
  const CPULevel *found = std::ranges::find(kLevels, name, &CPULevel::name);
  return found == std::end(kLevels) ? nullptr : found;
}

const CPULevel &mp::highestCPULevel(const std::function<bool(std::string_view feature)> &has, std::string_view maker) {
  const CPULevel *highest = kLevels;
  for (const CPULevel &level : kLevels) {
    const bool isTaken = maker.empty() || level.maker.empty() || level.maker == maker;
    if (isTaken && std::ranges::all_of(level.features, has))
      highest = &level;
  }
  return *highest;
}

const CPULevel &mp::simulatorLevel() {
  static constexpr const CPULevel &kLevel = *std::ranges::find(kLevels, std::string_view("avx2"), &CPULevel::name);
  static_assert(kLevel.fma && kLevel.convertsHalf);
  return kLevel;
}

std::string mp::cpuLevelNames(std::string_view separator) {
  std::string names;
  for (const CPULevel &level : kLevels)
    names += std::string(names.empty() ? "" : separator).append(level.name);
  return names;
}
