// Products whose operand is an image, by schedules that pack it and that read it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_CODEGEN_PIXELS_H
#define MP_TEST_CODEGEN_PIXELS_H

#include "AMX/TileUnit.h"
#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <limits>
#include <span>

namespace mp::test {

inline constexpr const char *kConv = "mp.conv", *kGradient = "mp.conv_transpose", *kFilterGrad = "mp.conv_filter_grad",
                            *kInParts = "mp.conv_filter_grad_parts";

/// A convolution, its sizes with "x" behind each, and the blocks and tiles that read its pixels.
struct Pixels {
  const char *name, *op, *lhs, *filter, *result, *windows;
  int64_t lhsSize, filterSize;
  const char *blocks;
  const char *front = "";   ///< an op in front of the pixels
  bool hasInfinity = false; ///< the first and the last element of lhs
  const char *sums = "f32"; ///< their type

  std::string text(const std::string &schedule, const std::string &type) const {
    const std::string x = std::string("tensor<") + lhs + type + ">", w = std::string("tensor<") + filter + type + ">",
                      y = std::string("tensor<") + result + type + ">";
    return "func.func @f(%x: " + x + ", %w: " + w + ") -> " + y + " {\n %z = mp.kernel \"k\" (%a = %x, %b = %w) " +
           "schedule(#mp.contraction<" + schedule + ">) : (" + x + ", " + w + ") -> " + y + " {\n" +
           (*front ? " %i = " + std::string(front) + " %a : " + x + "\n" : "") + " %0 = " + op +
           (*front ? " %i, %b" : " %a, %b") + (op == kInParts ? " depth 32" : "") + " acc " + sums + " " + windows +
           " : " + x + ", " + w + " -> " + y + "\n mp.yield %0 : " + y + "\n }\n return %z : " + y + "\n}\n";
  }
};

/// The results of a kernel with this schedule; none where it was refused.
inline std::vector<Buffer> runPixels(const Pixels &p, const std::string &schedule, const CPULevel &level,
                                     const std::string &type) {
  KernelRunner kernel(p.text(schedule, type), level);
  EXPECT_TRUE(kernel.ok()) << p.name << ": " << kernel.errors;
  if (!kernel.ok())
    return {};
  auto encodedAs = [&](const std::vector<float> &values) {
    return type == "f32" ? Buffer::of(values) : Buffer::of(encoded(values, type == "bf16" ? encodeBF16 : encodeF16));
  };
  std::vector<float> lhs = randomFloats(p.lhsSize, 1);
  if (p.hasInfinity)
    lhs.back() = lhs.front() = std::numeric_limits<float>::infinity();
  return kernel.run({encodedAs(lhs), encodedAs(randomFloats(p.filterSize, 2))}, /*backwards=*/true);
}

/// Compares with a schedule that packs. `more` is what both have.
inline void checkBits(std::span<const Pixels> cases, const std::string &packed, const CPULevel &level, const char *type,
                      const std::string &more, const std::string &reads = ", read_lhs = true") {
  for (const Pixels &p : cases) {
    const auto expected = runPixels(p, packed + more, level, type),
               read = runPixels(p, p.blocks + more + reads, level, type);
    ASSERT_FALSE(expected.empty() || read.empty());
    EXPECT_EQ(expected[0].bytes, read[0].bytes) << p.name;
  }
}

inline constexpr const char *kPackedTiles = "block_m = 32, block_n = 32, block_k = 32, tile_m = 32, tile_n = 32",
                            *kPackedVectors = "block_m = 8, block_n = 16, block_k = 32, tile_m = 4, tile_n = 8",
                            *kTiles = ", vector = 16, instruction = amx", *kReadsRhs = ", read_rhs = true";

/// The same of all that fma multiplies: f32, and what is widened for it.
inline void checkInVectors(std::span<const Pixels> cases, const char *reads) {
  for (const char *type : {"f32", "f16", "bf16"})
    checkBits(cases, kPackedVectors, hostVectorLevel(), type, ", vector = 4", reads);
}

/// The same of bf16 and of f16, by whatever runs tiles.
inline void checkOnTheUnit(std::span<const Pixels> cases, const char *reads) {
  bool isRun = false;
  for (auto [name, type] : {std::pair("amx-bf16", "bf16"), std::pair("amx-fp16", "f16")})
    if (const TileUnit unit(*findCPULevel(name)); unit.isThere()) {
      checkBits(cases, kPackedTiles, *findCPULevel(name), type, kTiles, reads);
      isRun = true;
    }
  if (!isRun)
    GTEST_SKIP() << "this processor lacks what code around tiles needs: avx512bf16";
}

} // namespace mp::test

#endif // MP_TEST_CODEGEN_PIXELS_H
