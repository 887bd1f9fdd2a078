//===- PTXTest.cpp - kernels as PTX text --------------------------------------------------------------===//

#include "PTXCompiler.h"

#include <gtest/gtest.h>

using namespace mp;
using namespace mp::test;

namespace {

const std::string kAdd = "%0 = mp.add %a0, %a1 : tensor<4096xf32>, tensor<4096xf32> -> tensor<4096xf32>\n";

std::string addText(const std::string &schedule) {
  return mapText({"tensor<4096xf32>", "tensor<4096xf32>"}, {"tensor<4096xf32>"}, kAdd, "%0", schedule);
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
    PTXCompiler compiler(addText("block = 1000, vector = 4, threads = 128"), chip.name.str());
    ASSERT_TRUE(compiler.ok()) << compiler.errors;
    EXPECT_NE(compiler.text.find(".target " + chip.name.str()), std::string::npos) << compiler.text;
    EXPECT_EQ(compiler.assemble(), "") << compiler.text;
  }
}

TEST(PTX, RefusesABlockThatIsNoWholeNumberOfWarps) {
  PTXCompiler compiler(addText("block = 1024, vector = 4, threads = 100"), "sm_80");
  EXPECT_FALSE(compiler.ok());
  EXPECT_NE(compiler.errors.find("has 100 threads in a block; a GPU takes a multiple of 32 up to 1024"),
            std::string::npos)
      << compiler.errors;
}
