// Kernels to the code of one target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Build/Backend.h"

#include "Codegen/Build/CompileCache.h"
#include "Codegen/Emit/ExpandRows.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <atomic>
#include <mutex>

using namespace mlir;
using namespace mp;

/// What a kernel computes, without what it is called and where it comes from.
static std::string contentOf(KernelOp kernel) {
  std::string content;
  llvm::raw_string_ostream out(content);
  out << kernel.getScheduleAttr() << kernel.getGuardAttr() << kernel->getResultTypes();
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

namespace {

/// A kernel that differs from all before it in more than its name.
struct UniqueKernel {
  std::string content;
  CompiledKernel launch;
  std::unique_ptr<TranslatedModule> module; ///< null where the cache had its code
  KernelCode text;
};

/// The kernels of one compilation.
class Compilation {
public:
  Compilation(const Backend &backend, const CodegenOptions &options, MLIRContext *context)
      : backend(backend), options(options), context(context),
        // What is kept has neither texts nor the remarks of its emitter.
        cache(options.keepText || context->getRemarkEngine() ? "" : options.cacheDirectory, backend.target) {}

  LogicalResult add(KernelOp kernel);
  LogicalResult compile(Location loc);
  FailureOr<CompiledCode> link(Location loc);

private:
  LogicalResult translate(KernelOp kernel, UniqueKernel &unique);

  const Backend &backend;
  const CodegenOptions &options;
  MLIRContext *context;
  CompileCache cache;
  std::vector<UniqueKernel> unique;
  llvm::StringMap<size_t> known; // by content
  llvm::StringSet<> symbols;
  std::vector<size_t> uniqueOf; // of each kernel
};

} // namespace

LogicalResult Compilation::add(KernelOp kernel) {
  std::string content = contentOf(kernel);
  auto [entry, isNew] = known.try_emplace(content, unique.size());
  uniqueOf.push_back(entry->second);
  if (!isNew)
    return success();
  UniqueKernel &added = unique.emplace_back();
  added.content = std::move(content);
  added.launch.symbol = makeSymbol(kernel.getKernelName(), symbols);
  std::optional<CachedKernel> cached = cache.find(added.content, added.launch.symbol);
  if (!cached)
    return translate(kernel, added);
  added.launch = std::move(cached->launch);
  added.text.code = std::move(cached->code);
  return success();
}

LogicalResult Compilation::translate(KernelOp kernel, UniqueKernel &added) {
  ScopedDiagnosticHandler naming(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      diagnostic.attachNote(kernel.getLoc()) << "in kernel '" << kernel.getKernelName() << "'";
    return failure();
  });
  OwningOpRef<KernelOp> expanded = expandRows(kernel);
  added.module = backend.translate(expanded ? *expanded : kernel, added.launch);
  return success(added.module != nullptr);
}

/// One warning of a process that kernels are not kept: all of them fail for the same reason.
static void warnOnce(MLIRContext *context, const Status &status) {
  static std::atomic_flag isSaid;
  if (!isSaid.test_and_set())
    emitWarning(UnknownLoc::get(context))
        << "compiled kernels are not kept: " << status.message()
        << "; HALFSTEP_COMPILE_CACHE=DIR names another folder, HALFSTEP_COMPILE_CACHE=off none";
}

LogicalResult Compilation::compile(Location loc) {
  std::mutex telling;
  size_t done = 0;
  const size_t toCompile = llvm::count_if(unique, [](const UniqueKernel &kernel) { return kernel.module != nullptr; });
  // Each module has its own LLVM context.
  LogicalResult compiled = failableParallelForEach(context, unique, [&](UniqueKernel &kernel) -> LogicalResult {
    if (!kernel.module)
      return success();
    llvm::Expected<KernelCode> text = backend.compile(*kernel.module);
    if (!text)
      return emitError(loc, llvm::toString(text.takeError()));
    kernel.text = std::move(*text);
    Status stored = cache.store(kernel.content, kernel.launch.symbol, {kernel.launch, kernel.text.code});
    if (!stored.ok())
      warnOnce(loc->getContext(), stored);
    if (options.onProgress) {
      std::lock_guard<std::mutex> one(telling);
      options.onProgress(++done, toCompile);
    }
    return success();
  });
  cache.prune();
  return compiled;
}

FailureOr<CompiledCode> Compilation::link(Location loc) {
  CompiledCode code;
  SmallVector<StringRef> codes;
  for (UniqueKernel &kernel : unique) {
    codes.push_back(kernel.text.code);
    code.llvm += kernel.text.llvm;
    code.assembly += kernel.text.assembly;
  }
  llvm::Expected<std::vector<std::byte>> library = backend.link(codes);
  if (!library)
    return emitError(loc, llvm::toString(library.takeError()));
  code.library = std::move(*library);
  for (size_t index : uniqueOf)
    code.kernels.push_back(unique[index].launch);
  return code;
}

FailureOr<CompiledCode> mp::compileWith(const Backend &backend, ArrayRef<KernelOp> kernels,
                                        const CodegenOptions &options) {
  if (kernels.empty())
    return CompiledCode();
  KernelOp first = kernels.front();
  loadEmittedDialects(first->getContext());
  Compilation compilation(backend, options, first->getContext());
  for (KernelOp kernel : kernels)
    if (failed(compilation.add(kernel)))
      return failure();
  if (failed(compilation.compile(first.getLoc())))
    return failure();
  return compilation.link(first.getLoc());
}
