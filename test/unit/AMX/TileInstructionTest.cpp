// Instructions of AMX, from bytes that an assembler gave.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AMX/TileInstruction.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace mp::test;

namespace {

constexpr int kRAX = 0, kRDX = 2, kRSP = 4, kRBP = 5, kRSI = 6, kRDI = 7, kR8 = 8, kR9 = 9, kR10 = 10, kR12 = 12,
              kR13 = 13, kR14 = 14, kR15 = 15;
constexpr int kNone = TileAddress::kNone, kNextInstruction = TileAddress::kNextInstruction;

struct Example {
  std::string assembly;
  std::vector<uint8_t> code;
  TileInstruction expected;
};

} // namespace

static std::vector<Example> examples() {
  using enum TileOperation;
  return {
      {"ldtilecfg (%rax)", {0xc4, 0xe2, 0x78, 0x49, 0x00}, {Configure, 5, 0, 0, 0, {kRAX}}},
      {"ldtilecfg -64(%rsp)",
       {0xc4, 0xe2, 0x78, 0x49, 0x44, 0x24, 0xc0},
       {Configure, 7, 0, 0, 0, {kRSP, kNone, 1, -64}}},
      {"ldtilecfg 1024(%r12)",
       {0xc4, 0xc2, 0x78, 0x49, 0x84, 0x24, 0x00, 0x04, 0x00, 0x00},
       {Configure, 10, 0, 0, 0, {kR12, kNone, 1, 1024}}},
      {"ldtilecfg 256(%rip)",
       {0xc4, 0xe2, 0x78, 0x49, 0x05, 0x00, 0x01, 0x00, 0x00},
       {Configure, 9, 0, 0, 0, {kNextInstruction, kNone, 1, 256}}},
      {"ldtilecfg 8(%r8,%r9,4)", {0xc4, 0x82, 0x78, 0x49, 0x44, 0x88, 0x08}, {Configure, 7, 0, 0, 0, {kR8, kR9, 4, 8}}},
      {"tilerelease", {0xc4, 0xe2, 0x78, 0x49, 0xc0}, {Release, 5, 0, 0, 0, {}}},
      {"tilezero %tmm7", {0xc4, 0xe2, 0x7b, 0x49, 0xf8}, {Zero, 5, 7, 0, 0, {}}},
      {"tileloadd (%rdi,%rsi), %tmm3", {0xc4, 0xe2, 0x7b, 0x4b, 0x1c, 0x37}, {Load, 6, 3, 0, 0, {kRDI, kRSI}}},
      {"tileloadd 64(%r13,%r14,2), %tmm0",
       {0xc4, 0x82, 0x7b, 0x4b, 0x44, 0x75, 0x40},
       {Load, 7, 0, 0, 0, {kR13, kR14, 2, 64}}},
      {"tileloadd -4096(%rbp,%r10,8), %tmm6",
       {0xc4, 0xa2, 0x7b, 0x4b, 0xb4, 0xd5, 0x00, 0xf0, 0xff, 0xff},
       {Load, 10, 6, 0, 0, {kRBP, kR10, 8, -4096}}},
      {"tileloadd 4096(,%rdx), %tmm1",
       {0xc4, 0xe2, 0x7b, 0x4b, 0x0c, 0x15, 0x00, 0x10, 0x00, 0x00},
       {Load, 10, 1, 0, 0, {kNone, kRDX, 1, 4096}}},
      {"tileloadd (%r12), %tmm2", {0xc4, 0xc2, 0x7b, 0x4b, 0x14, 0x24}, {Load, 6, 2, 0, 0, {kR12}}},
      {"tilestored %tmm5, (%rsp,%r15)", {0xc4, 0xa2, 0x7a, 0x4b, 0x2c, 0x3c}, {Store, 6, 5, 0, 0, {kRSP, kR15}}},
      {"tdpbf16ps %tmm4, %tmm5, %tmm6", {0xc4, 0xe2, 0x5a, 0x5c, 0xf5}, {MultiplyBF16, 5, 6, 5, 4, {}}},
      {"tdpfp16ps %tmm1, %tmm2, %tmm7", {0xc4, 0xe2, 0x73, 0x5c, 0xfa}, {MultiplyF16, 5, 7, 2, 1, {}}},
  };
}

TEST(TileInstruction, IsWhatTheAssemblerMeant) {
  for (const Example &example : examples()) {
    SCOPED_TRACE(example.assembly);
    const auto decoded = decodeTileInstruction(example.code.data());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(example.assembly.substr(0, example.assembly.find(' ')), nameOf(decoded->operation));
    EXPECT_EQ(decoded->operation, example.expected.operation);
    EXPECT_EQ(decoded->bytes, example.code.size());
    EXPECT_EQ(decoded->bytes, example.expected.bytes);
    EXPECT_EQ(decoded->tile, example.expected.tile);
    EXPECT_EQ(decoded->lhs, example.expected.lhs);
    EXPECT_EQ(decoded->rhs, example.expected.rhs);
    EXPECT_EQ(decoded->address.base, example.expected.address.base);
    EXPECT_EQ(decoded->address.index, example.expected.address.index);
    EXPECT_EQ(decoded->address.scale, example.expected.address.scale);
    EXPECT_EQ(decoded->address.displacement, example.expected.address.displacement);
  }
}

TEST(TileInstruction, IsNothingElse) {
  const std::pair<const char *, std::vector<uint8_t>> others[] = {
      {"ud2", {0x0f, 0x0b}},
      {"vpermd, of the same prefix", {0xc4, 0xe2, 0x6d, 0x36, 0xd9}},
      {"tdpbssd", {0xc4, 0xe2, 0x73, 0x5e, 0xfa}},
      {"sttilecfg", {0xc4, 0xe2, 0x79, 0x49, 0x00}},
      {"tileloaddt1", {0xc4, 0xe2, 0x79, 0x4b, 0x1c, 0x37}},
      {"tileloadd of an address without index and scale", {0xc4, 0xe2, 0x7b, 0x4b, 0x18}},
      {"tileloadd that names a third register", {0xc4, 0xe2, 0x73, 0x4b, 0x1c, 0x37}},
      {"tileloadd in 64 bits", {0xc4, 0xe2, 0xfb, 0x4b, 0x1c, 0x37}},
      {"tileloadd of 256 bits", {0xc4, 0xe2, 0x7f, 0x4b, 0x1c, 0x37}},
      {"tilezero of the register 15", {0xc4, 0x62, 0x7b, 0x49, 0xf8}},
      {"tdpbf16ps of a register above 7", {0xc4, 0xe2, 0x1a, 0x5c, 0xf5}},
      {"tdpbf16ps of memory", {0xc4, 0xe2, 0x5a, 0x5c, 0x30}},
      {"tilerelease with a register", {0xc4, 0xe2, 0x78, 0x49, 0xc8}},
  };
  for (const auto &[what, code] : others)
    EXPECT_FALSE(decodeTileInstruction(code.data())) << what;
}
