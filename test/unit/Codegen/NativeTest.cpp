// The shared object as a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/Native/Native.h"
#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include "llvm/Object/ELFObjectFile.h"
#include <gtest/gtest.h>

#include <bit>

using namespace mp;
using namespace mp::test;

/// A module with one kernel that calls for exp, casts to every type, and copies: all that could want a library.
static std::string demandingText() {
  const std::string x = "tensor<300xf32>";
  std::string body, yields;
  std::vector<std::string> results;
  for (const char *type : {"f16", "bf16", "f64", "i32", "i64", "ui8", "i1"}) {
    const std::string result = std::string("tensor<300x") + type + ">";
    body += std::string("%") + type + " = mp.cast %e : " + x + " -> " + result + "\n";
    yields += std::string(yields.empty() ? "%" : ", %") + type;
    results.push_back(result);
  }
  return mapText({x}, results, "%e = mp.exp %a0 : " + x + "\n" + body, yields, "block = 128, vector = 4");
}

TEST(Native, HasNoUndefinedSymbolsAndExportsKernelsOnly) {
  for (const CPULevel &target : allCPULevels()) {
    KernelRunner kernel(demandingText(), target);
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    const llvm::StringRef bytes(reinterpret_cast<const char *>(kernel.code->library.data()),
                                kernel.code->library.size());
    auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kernels.so"));
    ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
    auto *elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(object->get());
    ASSERT_NE(elf, nullptr);
    std::vector<std::string> names;
    for (const auto &symbol : elf->getDynamicSymbolIterators()) {
      EXPECT_FALSE(llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined);
      names.push_back(llvm::cantFail(symbol.getName()).str());
    }
    EXPECT_EQ(names, std::vector<std::string>{"mp_k"}) << target.name;
  }
}

TEST(Native, CompilesEqualKernelsOnce) {
  const auto kernel = [](const std::string &result, const std::string &name, const std::string &op) {
    return result + " = mp.kernel \"" + name +
           "\" (%x = %a) schedule(#mp.map<block = 8, vector = 8>) : (tensor<8xf32>) -> " + "tensor<8xf32> { %y = mp." +
           op + " %x : tensor<8xf32>\n mp.yield %y : tensor<8xf32> }\n";
  };
  KernelRunner runner("func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {\n" + kernel("%0", "first one", "relu") +
                      kernel("%1", "second", "relu") + kernel("%2", "first.one", "sqrt") +
                      "return %1 : tensor<8xf32> }");
  ASSERT_TRUE(runner.ok()) << runner.errors;
  const auto &kernels = runner.code->kernels;
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].symbol, kernels[1].symbol);
  EXPECT_NE(kernels[0].symbol, kernels[2].symbol);
}

TEST(Native, KeepsTextThatSaysWhichRegisters) {
  const char *registers[] = {"%xmm", "%ymm", "%zmm"};
  for (const CPULevel &target : allCPULevels()) {
    const std::string x = "tensor<1024xf32>";
    KernelRunner kernel(mapText({x, x}, {x}, "%0 = mp.add %a0, %a1 : " + x + ", " + x + " -> " + x + "\n", "%0",
                                "block = 1024, vector = " + std::to_string(target.lanes())),
                        target, /*keepText=*/true);
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    const auto width = static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(target.lanes() / 4)));
    ASSERT_LT(width, std::size(registers));
    EXPECT_NE(kernel.code->assembly.find(registers[width]), std::string::npos) << target.name;
    if (width + 1 < std::size(registers)) {
      EXPECT_EQ(kernel.code->assembly.find(registers[width + 1]), std::string::npos) << target.name;
    }
    EXPECT_NE(kernel.code->llvm.find("fadd <" + std::to_string(target.lanes()) + " x float>"), std::string::npos);
  }
}

// lld ends a process on such errors when it is a program.
TEST(Native, GoesOnAfterObjectsThatCannotBeLinked) {
  KernelRunner kernel(demandingText(), hostLevel());
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const std::string whole(reinterpret_cast<const char *>(kernel.code->library.data()), kernel.code->library.size());
  for (size_t at = 0; at < 64; ++at) {
    std::string damaged = whole;
    damaged.replace(at, std::min<size_t>(8, 64 - at), std::string(std::min<size_t>(8, 64 - at), '\xff'));
    // Some bytes of a header nobody reads.
    if (llvm::Expected<std::vector<std::byte>> linked = linkObjects({damaged}); !linked) {
      const std::string message = llvm::toString(linked.takeError());
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      EXPECT_TRUE(message.starts_with("LLVM's linker")) << message;
      EXPECT_FALSE(message.ends_with("start this program again")) << at << ' ' << message;
    }
  }
  KernelRunner after(demandingText(), hostLevel());
  EXPECT_TRUE(after.ok()) << after.errors;
}
