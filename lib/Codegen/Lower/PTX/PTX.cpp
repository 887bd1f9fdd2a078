// From LLVM IR to PTX text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/PTX/PTX.h"

#include "Codegen/NVVM/GPUFunction.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace mlir;
using namespace mp;

NativeArithmetic mp::nativeArithmetic(const Chip &chip) {
  return {/*halfConversions=*/true, chip.has(ChipFeature::BF16), /*fma=*/true};
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const Chip &chip) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string message;
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *registered = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!registered)
    return llvm::createStringError(message);
  // Each operation is rounded as the IR says: nothing is contracted, divisions and roots are exact.
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(registered->createTargetMachine(
      triple, chip.name, "+ptx" + std::to_string(chip.ptxVersion), options, std::nullopt));
}

/// Globals but shared memory get the kernel's name: several kernels stand in one text.
static void nameGlobals(TranslatedModule &module) {
  StringRef function;
  for (const llvm::Function &candidate : *module.module)
    if (!candidate.isDeclaration())
      function = candidate.getName();
  unsigned number = 0;
  for (llvm::GlobalVariable &global : module.module->globals())
    if (global.getName() != kSharedMemory)
      global.setName(function + "_data" + Twine(number++));
}

/// Names after `.extern .func`: what the code calls and does not hold.
static llvm::Error checkFunctions(StringRef kernel, StringRef text) {
  const size_t found = text.find(".extern .func");
  if (found == StringRef::npos)
    return llvm::Error::success();
  // `.extern .func (.param .b32 func_retval0) expf` or `.extern .func f`.
  StringRef rest = text.substr(found + StringRef(".extern .func").size()).ltrim();
  if (rest.starts_with("("))
    rest = rest.split(')').second.ltrim();
  StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.'; });
  return llvm::createStringError("kernel '" + kernel.str() + "' calls the function '" + name.str() +
                                 "', which no generated code may");
}

llvm::Expected<KernelCode> mp::compilePTX(TranslatedModule &module, const Chip &chip, bool keepText) {
  auto machine = createMachine(chip);
  if (!machine)
    return machine.takeError();
  for (llvm::Function &function : *module.module)
    if (!function.isDeclaration()) {
      function.addFnAttr("no-builtins");
      function.addFnAttr(llvm::Attribute::NoUnwind);
    }
  optimize(*module.module, **machine);
  nameGlobals(module);
  KernelCode result;
  if (keepText)
    result.llvm = printIR(*module.module);
  llvm::SmallVector<char, 0> text;
  if (llvm::Error error = emitFile(*module.module, **machine, text, llvm::CodeGenFileType::AssemblyFile))
    return error;
  result.code = std::string(text.data(), text.size());
  if (llvm::Error error = checkFunctions(module.kernel, result.code))
    return error;
  return result;
}

std::string mp::joinPTX(ArrayRef<StringRef> texts) {
  constexpr StringLiteral kLastOfHeader(".address_size 64\n"), kExtern(".extern .shared");
  std::string joined;
  llvm::StringSet<> externs;
  for (StringRef text : texts) {
    const size_t end = text.find(kLastOfHeader) + kLastOfHeader.size();
    if (joined.empty())
      joined += text.take_front(end);
    SmallVector<StringRef> lines;
    text.drop_front(end).split(lines, '\n');
    for (StringRef line : lines)
      if (!line.starts_with(kExtern) || externs.insert(line).second)
        joined += (line + "\n").str();
  }
  return joined;
}
