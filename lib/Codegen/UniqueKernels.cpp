//===- UniqueKernels.cpp - equal kernels once, each with a symbol ----------------------------------------===//

#include "Codegen/UniqueKernels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mp;

/// What a kernel computes, without what it is called and where it comes from.
static std::string contentOf(KernelOp kernel) {
  std::string content;
  llvm::raw_string_ostream out(content);
  out << kernel.getScheduleAttr() << kernel->getResultTypes();
  OpPrintingFlags flags;
  flags.printGenericOpForm().useLocalScope();
  Block &body = kernel.getBody().front();
  // Printed as a copy: numbers of values start anew in an op that stands alone.
  OwningOpRef<ModuleOp> alone = ModuleOp::create(UnknownLoc::get(kernel.getContext()));
  OpBuilder builder = OpBuilder::atBlockEnd(alone->getBody());
  SmallVector<Type> inputTypes(body.getArgumentTypes());
  auto function = func::FuncOp::create(builder, builder.getUnknownLoc(), "kernel",
                                       builder.getFunctionType(inputTypes, kernel->getResultTypes()));
  IRMapping mapping;
  kernel.getBody().cloneInto(&function.getBody(), mapping);
  alone->print(out, flags);
  return content;
}

/// `name` as a symbol that none of `taken` is.
static std::string makeSymbol(StringRef name, llvm::StringSet<> &taken) {
  std::string base = "mp_";
  for (char c : name)
    base += llvm::isAlnum(c) ? c : '_';
  std::string symbol = base;
  for (unsigned suffix = 1; !taken.insert(symbol).second; ++suffix)
    symbol = base + "_" + std::to_string(suffix);
  return symbol;
}

FailureOr<std::vector<CompiledKernel>>
mp::forUniqueKernels(ArrayRef<KernelOp> kernels, function_ref<LogicalResult(KernelOp, CompiledKernel &)> prepare) {
  std::vector<CompiledKernel> all;
  llvm::StringMap<CompiledKernel> known;
  llvm::StringSet<> symbols;
  for (KernelOp kernel : kernels) {
    auto [entry, isNew] = known.try_emplace(contentOf(kernel));
    if (isNew) {
      ScopedDiagnosticHandler naming(kernel.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          diagnostic.attachNote(kernel.getLoc()) << "in kernel '" << kernel.getKernelName() << "'";
        return failure();
      });
      entry->second.symbol = makeSymbol(kernel.getKernelName(), symbols);
      if (failed(prepare(kernel, entry->second)))
        return failure();
    }
    all.push_back(entry->second);
  }
  return all;
}
