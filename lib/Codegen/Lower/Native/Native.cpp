// From LLVM IR to an object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/Native/Native.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace mlir;
using namespace mp;

static constexpr StringRef kTriple = "x86_64-unknown-linux-gnu";

NativeArithmetic mp::nativeArithmetic(const CPULevel &target) {
  return {target.convertsHalf, /*bfloatConversion=*/false, target.fma};
}

// Optimizing and compiling

/// "+avx2,+fma", as LLVM takes it.
static std::string featureString(const CPULevel &level) {
  std::string text;
  for (std::string_view feature : level.features)
    text += (text.empty() ? "+" : ",+") + std::string(feature);
  return text;
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const CPULevel &target) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  std::string message;
  const llvm::Triple triple(kTriple);
  const llvm::Target *registered = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!registered)
    return llvm::createStringError(message);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(
      registered->createTargetMachine(triple, "x86-64", featureString(target), options, llvm::Reloc::PIC_));
}

/// The symbols that an object needs from elsewhere, but for the memory functions that are linked to all code.
static llvm::Error checkUndefined(StringRef kernel, StringRef code) {
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(code, kernel));
  if (!object)
    return object.takeError();
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined))
      continue;
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    const bool known = name->empty() || *name == "memcpy" || *name == "memmove" || *name == "memset" ||
                       *name == "_GLOBAL_OFFSET_TABLE_";
    if (!known)
      return llvm::createStringError("kernel '" + kernel.str() + "' needs the symbol '" + name->str() +
                                     "', which no generated code may");
  }
  return llvm::Error::success();
}

llvm::Expected<KernelCode> mp::compileNative(TranslatedModule &native, const CPULevel &target, bool keepText) {
  auto machine = createMachine(target);
  if (!machine)
    return machine.takeError();
  llvm::Module &module = *native.module;
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-features", featureString(target));
      function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
      function.addFnAttr("no-builtins");
      function.addFnAttr(llvm::Attribute::NoUnwind);
    }
  optimize(module, **machine);

  KernelCode result;
  if (keepText) {
    result.llvm = printIR(module);
    // Emitting changes the module, so text is made from a copy of it.
    llvm::SMDiagnostic diagnostic;
    auto copy = llvm::parseAssemblyString(result.llvm, diagnostic, *native.context);
    llvm::SmallVector<char, 0> assembly;
    if (llvm::Error error = emitFile(*copy, **machine, assembly, llvm::CodeGenFileType::AssemblyFile))
      return error;
    result.assembly = std::string(assembly.data(), assembly.size());
  }
  llvm::SmallVector<char, 0> object;
  if (llvm::Error error = emitFile(module, **machine, object, llvm::CodeGenFileType::ObjectFile))
    return error;
  result.code = std::string(object.data(), object.size());
  if (llvm::Error error = checkUndefined(native.kernel, result.code))
    return error;
  return result;
}

// The memory functions

// LLVM calls these for copies and fills that it finds too long to unroll; kernels do neither, so bytes one by one do.
static constexpr StringRef kMemoryFunctions = R"(
define hidden ptr @memcpy(ptr %to, ptr %from, i64 %size) "no-builtins" {
  %result = tail call ptr @memmove(ptr %to, ptr %from, i64 %size)
  ret ptr %result
}
define hidden ptr @memmove(ptr %to, ptr %from, i64 %size) "no-builtins" {
entry:
  %forward = icmp ult ptr %to, %from
  %step = select i1 %forward, i64 1, i64 -1
  %last = sub i64 %size, 1
  %first = select i1 %forward, i64 0, i64 %last
  br label %head
head:
  %left = phi i64 [ %size, %entry ], [ %left.next, %body ]
  %at = phi i64 [ %first, %entry ], [ %at.next, %body ]
  %done = icmp eq i64 %left, 0
  br i1 %done, label %exit, label %body
body:
  %source = getelementptr i8, ptr %from, i64 %at
  %byte = load volatile i8, ptr %source
  %target = getelementptr i8, ptr %to, i64 %at
  store volatile i8 %byte, ptr %target
  %left.next = sub i64 %left, 1
  %at.next = add i64 %at, %step
  br label %head
exit:
  ret ptr %to
}
define hidden ptr @memset(ptr %to, i32 %value, i64 %size) "no-builtins" {
entry:
  %byte = trunc i32 %value to i8
  br label %head
head:
  %at = phi i64 [ 0, %entry ], [ %at.next, %body ]
  %done = icmp eq i64 %at, %size
  br i1 %done, label %exit, label %body
body:
  %target = getelementptr i8, ptr %to, i64 %at
  store volatile i8 %byte, ptr %target
  %at.next = add i64 %at, 1
  br label %head
exit:
  ret ptr %to
}
)";

llvm::Expected<std::vector<std::byte>> mp::linkNative(ArrayRef<StringRef> objects, const CPULevel &target) {
  TranslatedModule memory;
  memory.kernel = "memory functions";
  memory.context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  memory.module = llvm::parseAssemblyString(kMemoryFunctions, diagnostic, *memory.context);
  assert(memory.module && "the text above is LLVM IR");
  llvm::Expected<KernelCode> code = compileNative(memory, target, /*keepText=*/false);
  if (!code)
    return code.takeError();
  SmallVector<StringRef> all(objects);
  all.push_back(code->code);
  return linkObjects(all);
}
