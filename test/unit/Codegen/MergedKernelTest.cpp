// Code of kernels of many roots.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of any number of roots assemble for every chip, and their code does not grow with those that are alike.

#include "Codegen/PTXCompiler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

using namespace mp;
using namespace mp::test;

namespace {

/// Builds the text of one kernel.
struct KernelText {
  std::string name, schedule, body;
  std::vector<std::string> inputs, yields, results;

  /// A block argument of this type.
  std::string input(const std::string &type) {
    inputs.push_back(type);
    return "%a" + std::to_string(inputs.size() - 1);
  }
  void yield(const std::string &value, const std::string &type) {
    yields.push_back(value);
    results.push_back(type);
  }

  std::string function() const {
    std::string arguments, bindings, types = llvm::join(results, ", "), returned;
    for (size_t index = 0; index < inputs.size(); ++index) {
      const std::string number = std::to_string(index), comma = index ? ", " : "";
      arguments += comma + "%i" + number + ": " + inputs[index];
      bindings += comma + "%a" + number + " = %i" + number;
    }
    for (size_t index = 0; index < results.size(); ++index)
      returned += (index ? ", %z#" : "%z#") + std::to_string(index);
    return "func.func @" + name + "(" + arguments + ") -> (" + types + ") {\n%z:" + std::to_string(results.size()) +
           " = mp.kernel \"" + name + "\" (" + bindings + ") schedule(#mp." + schedule + ") : (" +
           llvm::join(inputs, ", ") + ") -> (" + types + ") {\n" + body + "mp.yield " + llvm::join(yields, ", ") +
           " : " + types + "\n}\nreturn " + returned + " : " + types + "\n}\n";
  }
};

std::string vectorOf(int size) { return "tensor<" + std::to_string(size) + "xf32>"; }

/// Sizes of which no two neighbours are equal; the same multiples of all, however many there are.
int sizeOf(int root) { return 8 + root % 20 * 24; }

KernelText columns(int roots) {
  KernelText k{"columns", "column<columns = 32, vector = 4, threads = 256>", "", {}, {}, {}};
  for (int root = 0; root < roots; ++root) {
    const std::string r = "%r" + std::to_string(root), to = vectorOf(sizeOf(root)),
                      from = "tensor<128x" + std::to_string(sizeOf(root)) + "xf32>";
    k.body += r + " = mp.reduce_sum " + k.input(from) + " dimensions [0] : " + from + " -> " + to + "\n";
    k.yield(r, to);
  }
  return k;
}

/// No two alike: each root has its own number of rows.
KernelText loneColumns(int roots) {
  KernelText k{"lone", "column<columns = 32, vector = 1, threads = 256>", "", {}, {}, {}};
  for (int root = 0; root < roots; ++root) {
    const std::string r = "%r" + std::to_string(root), to = vectorOf(5),
                      from = "tensor<" + std::to_string(9 + root) + "x5xf32>";
    k.body += r + " = mp.reduce_sum " + k.input(from) + " dimensions [0] : " + from + " -> " + to + "\n";
    k.yield(r, to);
  }
  return k;
}

KernelText partial(int roots) {
  KernelText k{"partial", "partial<block = 4096, vector = 4, threads = 256>", "", {}, {}, {}};
  for (int root = 0; root < roots; ++root) {
    const std::string r = "%r" + std::to_string(root), from = vectorOf(sizeOf(root) * 200),
                      to = "tensor<" + std::to_string((sizeOf(root) * 200 + 4095) / 4096) + "xi32>";
    k.body += r + " = mp.nonfinite_blocks " + k.input(from) + " {block = 4096 : i64} : " + from + " -> " + to + "\n";
    k.yield(r, to);
  }
  return k;
}

/// Adam, with a copy of the weight in f16.
KernelText updates(int roots) {
  KernelText k{"updates", "map<block = 2048, vector = 8, threads = 256>", "", {}, {}, {}};
  const std::string rate = k.input("tensor<f32>"), step = k.input("tensor<i64>"), bad = k.input("tensor<i32>");
  for (int root = 0; root < roots; ++root) {
    const std::string n = std::to_string(root), type = vectorOf(sizeOf(root)),
                      half = "tensor<" + std::to_string(sizeOf(root)) + "xf16>";
    std::string operands;
    for (int part = 0; part < 4; ++part)
      operands += k.input(type) + ", ";
    k.body += "%p" + n + ", %m" + n + ", %v" + n + " = mp.adam " + operands + rate + ", " + step + " guard " + bad +
              " : " + type + "\n%h" + n + " = mp.cast %p" + n + " : " + type + " -> " + half + "\n";
    for (const char *part : {"%p", "%m", "%v"})
      k.yield(part + n, type);
    k.yield("%h" + n, half);
  }
  return k;
}

/// Of one shape: each is a root of its own all the same.
KernelText maps(int roots) {
  KernelText k{"maps", "map<block = 1024, vector = 4, threads = 256>", "", {}, {}, {}};
  const std::string type = "tensor<8x8xf32>", scale = k.input("tensor<f32>");
  for (int root = 0; root < roots; ++root) {
    const std::string r = "%r" + std::to_string(root);
    k.body += r + " = mp.mul " + k.input(type) + ", " + scale + " : " + type + ", tensor<f32> -> " + type + "\n";
    k.yield(r, type);
  }
  return k;
}

/// Of one tensor, with the columns of each root apart.
KernelText rows(int roots) {
  KernelText k{"rows", "row<rows = 1, vector = 4, threads = 256, threads_per_row = 256>", "", {}, {}, {}};
  const std::string type = "tensor<64x4096xf32>", of = "tensor<64xf32>", x = k.input(type);
  for (int root = 0; root < roots; ++root) {
    const std::string n = std::to_string(root);
    k.body += "%s" + n + " = mp.mul " + x + ", " + k.input("tensor<f32>") + " : " + type + ", tensor<f32> -> " + type +
              "\n%r" + n + " = mp.reduce_sum %s" + n + " dimensions [1] : " + type + " -> " + of + "\n";
    k.yield("%r" + n, of);
  }
  return k;
}

KernelText serial(int roots) {
  KernelText k{"serial", "serial<vector = 4, threads = 1024>", "", {}, {}, {}};
  const std::string type = "tensor<8xi32>";
  std::vector<std::string> flags, types;
  for (int root = 0; root < roots; ++root) {
    flags.push_back(k.input(type));
    types.push_back(type);
  }
  k.body = "%bad = mp.first_bad " + llvm::join(flags, ", ") + " : " + llvm::join(types, ", ") + "\n";
  k.yield("%bad", "tensor<i32>");
  return k;
}

using Make = KernelText (*)(int roots);
constexpr Make kTabled[] = {columns, partial, updates, maps, serial};

/// Instructions of a text: lines that end in a semicolon and declare nothing.
int countInstructions(const std::string &text) {
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  return static_cast<int>(llvm::count_if(lines, [](llvm::StringRef line) {
    line = line.trim();
    return line.ends_with(";") && !line.starts_with(".");
  }));
}

} // namespace

TEST(MergedKernel, OfTwoHundredRootsAssemblesForEveryChip) {
  for (const Chip &chip : allChips()) {
    std::string text;
    for (Make make : kTabled)
      text += make(200).function();
    PTXCompiler compiler(text, std::string(chip.name));
    ASSERT_TRUE(compiler.ok()) << compiler.errors;
    EXPECT_EQ(compiler.assemble(), "") << chip.name;
  }
}

// Bodies side by side hold nothing for one another.
TEST(MergedKernel, OfRootsOfWhichNoTwoAreAlikeSpillsNothing) {
  PTXCompiler compiler(loneColumns(100).function(), "sm_70");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_EQ(compiler.assemble(), "");
}

// A block runs one root: its shared memory is that of the largest. A row is a block's with all of its roots, of which
// up to four are summed at once.
TEST(MergedKernel, SharesItsMemoryAmongRoots) {
  struct Case {
    Make make;
    int64_t bytes;
    int atOnce = 1;
  };
  const Case cases[] = {{columns, 256 / 32 * 32 * 4}, {updates, 16}, {partial, 64}, {rows, 64, 4}};
  for (auto [make, bytesOfOne, atOnce] : cases)
    for (int roots : {2, 7, 30, 200}) {
      const int64_t bytes = bytesOfOne * std::min(roots, atOnce);
      PTXCompiler compiler(make(roots).function(), "sm_75");
      ASSERT_TRUE(compiler.ok()) << compiler.errors;
      EXPECT_EQ(compiler.code->kernels[0].sharedBytes, bytes) << roots << " " << make(1).name;
    }
}

TEST(MergedKernel, HasOneBodyForRootsThatAreAlike) {
  for (Make make : kTabled) {
    PTXCompiler few(make(80).function(), "sm_80"), many(make(200).function(), "sm_80");
    ASSERT_TRUE(few.ok() && many.ok()) << few.errors << many.errors;
    SCOPED_TRACE(make(1).name);
    EXPECT_TRUE(few.code->kernels[0].buffersInMemory && many.code->kernels[0].buffersInMemory);
    EXPECT_EQ(many.count(".param .u64"), 1);
    // Of the first blocks that a row is found by, those that are constants are one instruction or two each.
    EXPECT_LE(countInstructions(many.text), countInstructions(few.text) + 64);
    EXPECT_LT(countInstructions(many.text), 1500);
  }
}

TEST(MergedKernel, OfFewRootsHasParameters) {
  PTXCompiler compiler(updates(7).function(), "sm_80");
  ASSERT_TRUE(compiler.ok()) << compiler.errors;
  EXPECT_FALSE(compiler.code->kernels[0].buffersInMemory);
  EXPECT_EQ(compiler.count(".param .u64"), 3 + 7 * 8);
}
