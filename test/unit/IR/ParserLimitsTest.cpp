// What counts as a level of nesting, and which arrays are refused.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/ParserLimits.h"

#include "gtest/gtest.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

using namespace mp;

namespace {

std::string repeat(unsigned count, const std::string &text) {
  std::string result;
  for (unsigned i = 0; i < count; ++i)
    result += text;
  return result;
}

bool isTooDeep(const std::string &text) { return findParserLimit(text).has_value(); }

TEST(Nesting, TheLimitIsTheLastLevelAccepted) {
  for (const char *bracket : {"(", "[", "{", "<"}) {
    EXPECT_FALSE(isTooDeep(repeat(kMaxNesting, bracket)));
    EXPECT_TRUE(isTooDeep(repeat(kMaxNesting + 1, bracket)));
  }
}

TEST(Nesting, ReadsNothingBehindTheText) {
  const std::string text = "#a = [1] // c\nf(\"x\\\"\" -> <a>) \"\\\\\"  @b !c<d> - 1";
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *mapped = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  char *end = static_cast<char *>(mapped) + page;
  ASSERT_EQ(mprotect(end, page, PROT_NONE), 0);
  for (size_t length = 0; length <= text.size(); ++length) {
    std::memcpy(end - length, text.data(), length);
    EXPECT_FALSE(findParserLimit(llvm::StringRef(end - length, length)));
  }
  munmap(mapped, 2 * page);
}

TEST(Nesting, SaysWhere) {
  std::string text = "module {}\n  " + repeat(kMaxNesting + 1, "[");
  std::optional<ParserLimit> found = findParserLimit(text);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 2u);
  EXPECT_EQ(found->column, 259u);
  EXPECT_EQ(found->message, "nested more than 256 levels deep");
}

TEST(Nesting, WhatIsClosedIsLeft) {
  EXPECT_FALSE(isTooDeep(repeat(10000, "[{(<i32>)}]\n")));
  EXPECT_FALSE(isTooDeep(repeat(10000, ")]}>")));
}

TEST(Nesting, StringsAndCommentsHoldNoBrackets) {
  EXPECT_FALSE(isTooDeep("\"" + repeat(1000, "[") + "\""));
  EXPECT_FALSE(isTooDeep("\"\\\"" + repeat(1000, "[") + "\""));
  EXPECT_FALSE(isTooDeep("// " + repeat(1000, "[")));
  EXPECT_TRUE(isTooDeep("// comment\n" + repeat(1000, "[")));
  EXPECT_TRUE(isTooDeep("\"string\"" + repeat(1000, "[")));
  EXPECT_TRUE(isTooDeep("\"\\\\\"" + repeat(1000, "[")));
}

TEST(Nesting, AnArrowClosesNothing) {
  EXPECT_TRUE(isTooDeep(repeat(1000, "tuple<() -> ")));
  EXPECT_FALSE(isTooDeep(repeat(1000, "() -> () ")));
}

TEST(Nesting, AComparisonIsNoBracket) {
  // `>=` does not close the `[`; `<=` is closed with the bracket around it.
  EXPECT_TRUE(isTooDeep(repeat(1000, "[(d0 >= 0)")));
  EXPECT_FALSE(isTooDeep(repeat(1000, "(d0 <= 0)")));
}

TEST(Nesting, OperatorsOfOneExpressionAreLevels) {
  EXPECT_TRUE(isTooDeep("(d0) -> (" + repeat(1000, "- ") + "d0)"));
  EXPECT_TRUE(isTooDeep("(d0) -> (" + repeat(1000, "d0 mod 2 + ") + "d0)"));
  EXPECT_TRUE(isTooDeep("(d0) -> (d0" + repeat(1000, " floordiv 2") + ")"));
  EXPECT_FALSE(isTooDeep("[" + repeat(1000, "-1, ") + "-1]"));
  EXPECT_FALSE(isTooDeep(repeat(1000, "%model = mp.floordiv_mod %mod\n")));
}

TEST(Nesting, AnAliasIsAsDeepAsWhatItStandsFor) {
  std::string chain = "#a0 = [1]\n";
  for (unsigned i = 0; i < 1000; ++i)
    chain += "#a" + std::to_string(i + 1) + " = [#a" + std::to_string(i) + "]\n";
  EXPECT_TRUE(isTooDeep(chain));
  EXPECT_FALSE(isTooDeep("#a = " + repeat(200, "[") + repeat(200, "]") + "\n" + repeat(1000, "#a ")));
  EXPECT_TRUE(isTooDeep("!a = " + repeat(200, "tuple<") + repeat(200, ">") + "\n" + repeat(100, "tuple<") + "!a"));
}

/// Of `array<index>`, at which MLIR's parser crashes, however it is written; all else is the parser's to refuse.
TEST(ParserLimits, ArraysOfIndicesAreRefused) {
  for (const std::string &text :
       {std::string("array<index: 2>"), std::string("array<index>"), std::string("array < index: 1>"),
        std::string("array\n<// i64\n index: 1>"), std::string("array<\0index: 1>", 16),
        std::string("{a=array<index:2>}"), std::string("!t = index\n#a = array<!t: 2>"),
        std::string("array<!builtin.index: 2>")}) {
    std::optional<ParserLimit> found = findParserLimit(text);
    ASSERT_TRUE(found) << text;
    EXPECT_TRUE(llvm::StringRef(found->message).ends_with(", expected integers or floats by name, as in array<i64: 1>"))
        << found->message;
  }
  std::optional<ParserLimit> found = findParserLimit("module {}\n  #a = array<index: 2>");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 2u);
  EXPECT_EQ(found->column, 14u);
  EXPECT_EQ(found->message, "elements of an array are index, expected integers or floats by name, as in array<i64: 1>");
  for (const char *text : {"array<i64: 2>", "array<i32>", "\"array<index: 2>\"", "// array<index: 2>",
                           "tensor<2xindex>", "dense<1> : tensor<2xindex>", "my.array<index: 2>", "!array<index>",
                           "array, <index>", "array = index", "array<indexed>", "array<i64 : 1>, index"})
    EXPECT_FALSE(findParserLimit(text)) << text;
}

TEST(Nesting, BytecodeIsNotText) { EXPECT_FALSE(isTooDeep("ML\xefR" + repeat(1000, "["))); }

} // namespace
