// Kernels as PTX text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/PTXCompiler.h"

#include "Codegen/Lower/PTX/PTX.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace mp;
using namespace mp::test;

namespace {

const std::string kAdd = "%0 = mp.add %a0, %a1 : tensor<4096xf32>, tensor<4096xf32> -> tensor<4096xf32>\n";

std::string addText(const std::string &schedule) {
  return mapText({"tensor<4096xf32>", "tensor<4096xf32>"}, {"tensor<4096xf32>"}, kAdd, "%0", schedule);
}

/// One kernel of one input and one result.
std::string kernelText(const std::string &input, const std::string &result, const std::string &schedule,
                       const std::string &body) {
  return "func.func @f(%a: " + input + ") -> " + result + " {\n%z = mp.kernel \"k\" (%x = %a) schedule(" + schedule +
         ") : (" + input + ") -> " + result + " {\n" + body + " : " + input + " -> " + result +
         "\nmp.yield %0 : " + result + "\n}\nreturn %z : " + result + "\n}\n";
}

std::string softmaxText(const std::string &type, const std::string &schedule) {
  return "func.func @f(%a: " + type + ") -> " + type + " {\n%z = mp.kernel \"k\" (%x = %a) schedule(" + schedule +
         ") : (" + type + ") -> " + type + " {\n%0 = mp.softmax %x : " + type + "\nmp.yield %0 : " + type +
         "\n}\nreturn %z : " + type + "\n}\n";
}

} // namespace

TEST(PTX, AMapReadsAndWritesSixteenBytesAtOnce) {
  PTXCompiler compiler(addText("block = 1024, vector = 4, threads = 256"), "sm_80");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.code->kernels[0].grid, 4);
  EXPECT_EQ(compiler.code->kernels[0].threads, 256);
  EXPECT_EQ(compiler.count("ld.global.v4"), 2) << compiler.text;
  EXPECT_EQ(compiler.count("st.global.v4"), 1) << compiler.text;
  EXPECT_EQ(compiler.count("setp"), 0) << "a full block tests nothing\n" << compiler.text;
  EXPECT_NE(compiler.text.find(".maxntid 256, 1, 1"), std::string::npos) << compiler.text;
  EXPECT_NE(compiler.text.find(".minnctapersm 1"), std::string::npos) << compiler.text;
}

TEST(PTX, EveryChipOfTheTableHasCode) {
  for (const Chip &chip : allChips()) {
    PTXCompiler compiler(addText("block = 1000, vector = 4, threads = 128"), std::string(chip.name));
    ASSERT_TRUE(compiler.ok()) << compiler.errors;
    EXPECT_NE(compiler.text.find(".target " + std::string(chip.name)), std::string::npos) << compiler.text;
    EXPECT_EQ(compiler.assemble(), "") << compiler.text;
  }
}

// A warp reads and writes 128 bytes of a row at once; shared memory stands between, with one barrier.
TEST(PTX, AMapThatTransposesMovesWholeLines) {
  struct Case {
    const char *type, *moved, *stored;
    int64_t vector, steps;
  };
  for (const Case &c : {Case{"f32", "b32", "b32", 1, 4}, Case{"f16", "v2.b16", "b16", 2, 8}}) {
    const std::string from = "tensor<512x1024x" + std::string(c.type) + ">",
                      to = "tensor<1024x512x" + std::string(c.type) + ">";
    const int64_t tile = 32 * c.vector;
    PTXCompiler compiler(kernelText(from, to,
                                    "#mp.map<block = " + std::to_string(tile * tile) +
                                        ", vector = " + std::to_string(c.vector) +
                                        ", threads = 256, tile = " + std::to_string(tile) + ">",
                                    "%0 = mp.transpose %x permutation [1, 0]"),
                         "sm_80");
    ASSERT_TRUE(compiler.ok()) << compiler.errors;
    EXPECT_EQ(compiler.code->kernels[0].grid, 512 * 1024 / (tile * tile));
    EXPECT_EQ(compiler.count("ld.global." + std::string(c.moved)), c.steps) << compiler.text;
    EXPECT_EQ(compiler.count("st.global." + std::string(c.moved)), c.steps) << compiler.text;
    EXPECT_EQ(compiler.count("st.shared." + std::string(c.stored)), c.steps * c.vector) << compiler.text;
    EXPECT_EQ(compiler.count("ld.shared." + std::string(c.stored)), c.steps * c.vector) << compiler.text;
    EXPECT_EQ(compiler.count("bar.sync") + compiler.count("barrier.sync"), 1) << compiler.text;
    EXPECT_EQ(compiler.count("setp"), 0) << "whole tiles test nothing\n" << compiler.text;
    EXPECT_EQ(compiler.count(".local"), 0) << compiler.text;
    EXPECT_EQ(compiler.assemble(), "");
  }
}

TEST(PTX, RefusesABlockThatIsNoWholeNumberOfWarps) {
  PTXCompiler compiler(addText("block = 1024, vector = 4, threads = 100"), "sm_80");
  EXPECT_FALSE(compiler.ok());
  EXPECT_NE(compiler.errors.find("has 100 threads in a block; a GPU takes a multiple of 32 up to 1024"),
            std::string::npos)
      << compiler.errors;
}

TEST(PTX, BfloatIsRoundedByTheInstructionWhereThereIsOne) {
  const std::string text =
      mapText({"tensor<4096xf32>"}, {"tensor<4096xbf16>"}, "%0 = mp.cast %a0 : tensor<4096xf32> -> tensor<4096xbf16>\n",
              "%0", "block = 2048, vector = 8, threads = 256");
  PTXCompiler ampere(text, "sm_80"), turing(text, "sm_75");
  ASSERT_TRUE(ampere.ok() && turing.ok()) << ampere.errors << turing.errors;
  EXPECT_EQ(ampere.count("cvt.rn.bf16x2.f32"), 4) << ampere.text;
  EXPECT_EQ(turing.count("bf16"), 0) << turing.text;
  EXPECT_EQ(ampere.count("st.global.v4"), 1) << ampere.text;
  EXPECT_EQ(ampere.assemble(), "");
  EXPECT_EQ(turing.assemble(), "");
}

TEST(PTX, RowsAreReducedByShuffles) {
  PTXCompiler compiler(
      softmaxText("tensor<64x1024xf16>", "#mp.row<rows = 8, vector = 8, threads = 256, threads_per_row = 32>"),
      "sm_80");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.code->kernels[0].grid, 8);
  EXPECT_EQ(compiler.code->kernels[0].sharedBytes, 0);
  EXPECT_EQ(compiler.count("shfl.sync.bfly"), 10) << compiler.text;
  EXPECT_EQ(compiler.count("bar.sync"), 0) << compiler.text;
  EXPECT_GE(compiler.count("ld.global.v4"), 1) << compiler.text;
  EXPECT_EQ(compiler.count("ld.global.b16"), 0) << compiler.text;
  EXPECT_EQ(compiler.count(".local"), 0) << compiler.text;
  EXPECT_EQ(compiler.assemble(), "");
}

TEST(PTX, LongRowsAreReducedByTheWholeBlock) {
  PTXCompiler compiler(
      softmaxText("tensor<4x50257xf32>", "#mp.row<rows = 1, vector = 4, threads = 512, threads_per_row = 512>"),
      "sm_80");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.code->kernels[0].grid, 4);
  EXPECT_EQ(compiler.code->kernels[0].sharedBytes, 16 * 8);
  EXPECT_EQ(compiler.count("shfl.sync.bfly"), 10) << compiler.text;
  EXPECT_EQ(compiler.count("bar.sync") + compiler.count("barrier.sync"), 4) << compiler.text;
  EXPECT_EQ(compiler.assemble(), "");
}

TEST(PTX, ColumnsReadWholeLines) {
  PTXCompiler compiler(kernelText("tensor<8192x512xf16>", "tensor<512xf16>",
                                  "#mp.column<columns = 64, vector = 8, threads = 256>",
                                  "%0 = mp.reduce_sum %x dimensions [0]"),
                       "sm_75");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.code->kernels[0].grid, 8);
  // Lines of a warp are combined by shuffles: a vector of each column is left of each warp, and one barrier.
  EXPECT_EQ(compiler.code->kernels[0].sharedBytes, 256 / 32 * 64 * 4);
  EXPECT_EQ(compiler.count("bar.sync"), 1) << compiler.text;
  EXPECT_EQ(compiler.count("shfl.sync.bfly"), 2 * 8) << compiler.text;
  EXPECT_EQ(compiler.count("ld.global.v4"), 8) << "eight rows are under way\n" << compiler.text;
  EXPECT_EQ(compiler.count("ld.global.b16"), 0) << compiler.text;
  EXPECT_EQ(compiler.assemble(), "");
}

TEST(PTX, ColumnsOfANarrowMatrixAreTheBlocksThreads) {
  PTXCompiler compiler(kernelText("tensor<16x900x32xf16>", "tensor<16x32xf16>",
                                  "#mp.column<columns = 64, vector = 8, threads = 256>",
                                  "%0 = mp.reduce_sum %x dimensions [1]"),
                       "sm_90");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.code->kernels[0].grid, 16);
  // 64 lines of four threads: 14 rows of each, and one more of the first four.
  EXPECT_EQ(compiler.count("ld.global.v4"), 8 + 6 + 1) << compiler.text;
  EXPECT_EQ(compiler.assemble(), "");
}

TEST(PTX, PartialResultsAreOnePerBlock) {
  PTXCompiler compiler(kernelText("tensor<1000x1000xf32>", "tensor<16xf32>",
                                  "#mp.partial<block = 65536, vector = 4, threads = 256>",
                                  "%0 = mp.sum_squares_blocks %x {block = 65536 : i64}"),
                       "sm_90");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.code->kernels[0].grid, 16);
  EXPECT_GE(compiler.count("ld.global.v4"), 1) << compiler.text;
  EXPECT_EQ(compiler.assemble(), "");
}

TEST(PTX, ASerialKernelIsOneBlock) {
  PTXCompiler compiler(kernelText("tensor<8192xf32>", "tensor<f32>", "#mp.serial<vector = 4, threads = 1024>",
                                  "%0 = mp.reduce_mean %x dimensions [0]"),
                       "sm_70");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.code->kernels[0].grid, 1);
  EXPECT_EQ(compiler.code->kernels[0].threads, 1024);
  EXPECT_EQ(compiler.assemble(), "");
}

TEST(PTX, FlagsOfAllTensorsAreCombinedOnce) {
  const std::string two = "tensor<2xi32>", many = "tensor<600xi32>";
  PTXCompiler compiler(
      "func.func @f(%a: " + two + ", %b: " + many + ") -> tensor<i32> {\n" +
          "%z = mp.kernel \"k\" (%x = %a, %y = %b) schedule(#mp.serial<vector = 4, threads = 256>) : (" + two + ", " +
          many + ") -> tensor<i32> {\n%0 = mp.first_bad %x, %y, %x : " + two + ", " + many + ", " + two +
          "\nmp.yield %0 : tensor<i32>\n}\nreturn %z : tensor<i32>\n}\n",
      "sm_80");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.count("shfl.sync.bfly"), 5) << compiler.text;
  EXPECT_EQ(compiler.assemble(), "");
}

// A word takes sixteen calls of Philox, so that no thread has two.
TEST(PTX, AWordOfAMaskIsAThreads) {
  PTXCompiler compiler(mapText({"tensor<2xi64>"}, {"tensor<4000000xi64>"},
                               "%0 = mp.dropout_mask %a0 {rate = 0.5, stream = 1} : tensor<4000000xi64>\n", "%0",
                               "block = 2048, vector = 8, threads = 256"),
                       "sm_80");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.code->kernels[0].grid, 15625);
  EXPECT_EQ(compiler.assemble(), "");
}

// Of four tensors of f32 a thread reads 64 bytes at once: more would be registers that other threads lack.
TEST(PTX, AnOptimizerStepIsSixteenBytesAtATime) {
  const std::string t = "tensor<4194304xf32>", s = "tensor<f32>", i = "tensor<i64>";
  PTXCompiler compiler(mapText({t, t, t, t, s, i, "tensor<i32>"}, {t, t, t, "tensor<4194304xf16>"},
                               "%p, %m, %v = mp.adam %a0, %a1, %a2, %a3, %a4, %a5 guard %a6 : " + t +
                                   "\n%h = mp.cast %p : " + t + " -> tensor<4194304xf16>\n",
                               "%p, %m, %v, %h", "block = 2048, vector = 8, threads = 256"),
                       "sm_80");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.code->kernels[0].grid, 4096);
  EXPECT_EQ(compiler.count("ld.global.v4"), 4) << compiler.text;
  EXPECT_EQ(compiler.count("st.global.v4"), 3) << compiler.text;
  EXPECT_EQ(compiler.count("fma.rn.f32"), 0) << "an optimizer rounds each operation\n" << compiler.text;
  EXPECT_EQ(compiler.count("approx"), 0) << compiler.text;
  EXPECT_EQ(compiler.assemble(), "");
}

TEST(PTX, FewUpdatesAreOneElementAThread) {
  const std::string t = "tensor<65536xf32>", s = "tensor<f32>", i = "tensor<i64>";
  PTXCompiler compiler(mapText({t, t, t, t, s, i, "tensor<i32>"}, {t, t, t},
                               "%p, %m, %v = mp.adam %a0, %a1, %a2, %a3, %a4, %a5 guard %a6 : " + t + "\n",
                               "%p, %m, %v", "block = 1024, vector = 4, threads = 256"),
                       "sm_80");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.code->kernels[0].grid, 256);
  EXPECT_EQ(compiler.count("sqrt.rn.f32"), 1) << compiler.text;
  EXPECT_EQ(compiler.assemble(), "");
}

// What the text calls must be in it: nothing is linked.
TEST(PTX, ACallOfWhatIsNotThereIsAnError) {
  TranslatedModule module;
  module.kernel = "k";
  module.context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  module.module = llvm::parseAssemblyString("declare float @expf(float)\n"
                                            "define ptx_kernel void @k(ptr addrspace(1) %p) {\n"
                                            "  %x = load float, ptr addrspace(1) %p\n"
                                            "  %y = call float @expf(float %x)\n"
                                            "  store float %y, ptr addrspace(1) %p\n  ret void\n}\n",
                                            diagnostic, *module.context);
  ASSERT_NE(module.module, nullptr) << diagnostic.getMessage().str();
  EXPECT_EQ(llvm::toString(compilePTX(module, *findChip("sm_80"), /*keepText=*/false).takeError()),
            "kernel 'k' calls the function 'expf', which no generated code may");
}

TEST(PTX, SeveralKernelsAreOneText) {
  const std::string type = "tensor<4x5000xf32>",
                    schedule = "#mp.row<rows = 1, vector = 4, threads = 256, threads_per_row = 256>";
  const std::string call = " = mp.kernel \"k\" (%x = %a) schedule(" + schedule + ") : (" + type + ") -> ";
  PTXCompiler compiler("func.func @f(%a: " + type + ") -> (" + type + ", tensor<4xf32>) {\n%z" + call + type +
                           " {\n%0 = mp.softmax %x : " + type + "\nmp.yield %0 : " + type + "\n}\n%m" + call +
                           "tensor<4xf32> {\n%0 = mp.reduce_max %x dimensions [1] : " + type +
                           " -> tensor<4xf32>\nmp.yield %0 : tensor<4xf32>\n}\nreturn %z, %m : " + type +
                           ", tensor<4xf32>\n}\n",
                       "sm_86");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.count(".visible .entry"), 2) << compiler.text;
  EXPECT_EQ(compiler.count(".version"), 1) << compiler.text;
  EXPECT_EQ(compiler.count(".extern .shared"), 1) << compiler.text;
  EXPECT_EQ(compiler.assemble(), "");
}
