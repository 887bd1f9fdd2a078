// What processors can do, as data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/HardwareTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace mp;

// Accumulators, one row of the right operand and one broadcast of the left fit 16 registers, 32 with AVX-512. A tile
// one vector wide serves matrices with few columns.
static constexpr RegisterTile kSSE2Tiles[] = {{4, 8}, {8, 4}};
static constexpr RegisterTile kAVX2Tiles[] = {{6, 16}, {12, 8}};
static constexpr RegisterTile kAVX512Tiles[] = {{14, 32}, {28, 16}};

// Rates of cores of 2023: two multiply-adds a cycle in each lane at 3.3 GHz where there is FMA, one of each otherwise.
// A triad streams 15 GB/s from memory and copies run at 100 GB/s within the second-level cache. What has no arithmetic
// units (f16, bf16) computes in f32 and pays for conversions.
static const Hardware kTable[] = {
    {"cpu", "sse2", 4, kSSE2Tiles, {20e9, 20e9, 25e9, 12e9}, {3e9, 4e9, 12e9, 6e9}, 15e9, 50e9, 1 << 20, 1e-6, 2e-7},
    {"cpu",
     "avx2",
     8,
     kAVX2Tiles,
     {90e9, 90e9, 100e9, 50e9},
     {20e9, 20e9, 25e9, 12e9},
     15e9,
     80e9,
     1 << 20,
     1e-6,
     2e-7},
    {"cpu",
     "avx512",
     16,
     kAVX512Tiles,
     {180e9, 180e9, 200e9, 100e9},
     {40e9, 40e9, 50e9, 25e9},
     15e9,
     100e9,
     2 << 20,
     1e-6,
     2e-7},
};

llvm::ArrayRef<Hardware> mp::getHardwareTable() { return kTable; }

const Hardware *mp::findHardware(llvm::StringRef target, llvm::StringRef level) {
  const Hardware *found =
      llvm::find_if(kTable, [&](const Hardware &row) { return row.target == target && row.level == level; });
  return found == std::end(kTable) ? nullptr : found;
}
