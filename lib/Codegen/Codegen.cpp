//===- Codegen.cpp - kernels to native code -----------------------------------------------------------------===//

#include "mp/Codegen/Codegen.h"

#include "Codegen/CPU/KernelFunction.h"
#include "Codegen/CPU/Native.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mp;

void mp::registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertFuncToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

static void loadDialects(MLIRContext *context) {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

static FailureOr<int64_t> emitBody(KernelFunction &f) {
  std::optional<Attribute> schedule = f.kernel.getSchedule();
  if (!schedule)
    return f.kernel.emitOpError("has no schedule: run mp-schedule first");
  return llvm::TypeSwitch<Attribute, FailureOr<int64_t>>(*schedule)
      .Case([&](ContractionScheduleAttr attr) { return emitContraction(f, attr); })
      .Case([&](MapScheduleAttr attr) { return emitMap(f, attr); })
      .Case([&](RowScheduleAttr attr) { return emitRow(f, attr); })
      .Case([&](ColumnScheduleAttr attr) { return emitColumn(f, attr); })
      .Case([&](PartialScheduleAttr attr) { return emitPartial(f, attr); })
      .Case([&](SerialScheduleAttr attr) { return emitSerial(f, attr); })
      .Default([&](Attribute other) { return f.kernel.emitOpError("has a schedule without emitter: ") << other; });
}

/// Emits, lowers and translates one kernel. Errors on the way get a note that names it.
static std::unique_ptr<NativeModule> prepareKernel(KernelOp kernel, const TargetInfo &target,
                                                   CompiledKernel &compiled) {
  ScopedDiagnosticHandler naming(kernel.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      diagnostic.attachNote(kernel.getLoc()) << "in kernel '" << kernel.getKernelName() << "'";
    return failure();
  });
  KernelFunction f(kernel, compiled.symbol, target);
  FailureOr<int64_t> grid = emitBody(f);
  if (failed(grid) || failed(lowerToLLVM(*f.module, target)))
    return nullptr;
  compiled.grid = *grid;
  compiled.scratchBytes = f.scratchBytes;
  return translateToNative(*f.module, kernel.getKernelName());
}

FailureOr<CompiledCode> mp::compileKernels(ArrayRef<KernelOp> kernels, const TargetInfo &target,
                                           const CodegenOptions &options) {
  CompiledCode code;
  if (kernels.empty())
    return code;
  KernelOp first = kernels.front();
  MLIRContext *context = first->getContext();
  loadDialects(context);

  SmallVector<std::unique_ptr<NativeModule>> modules;
  llvm::StringMap<CompiledKernel> known;
  llvm::StringSet<> symbols;
  for (KernelOp kernel : kernels) {
    auto [entry, isNew] = known.try_emplace(contentOf(kernel));
    if (isNew) {
      entry->second.symbol = makeSymbol(kernel.getKernelName(), symbols);
      modules.push_back(prepareKernel(kernel, target, entry->second));
      if (!modules.back())
        return failure();
    }
    code.kernels.push_back(entry->second);
  }
  modules.push_back(makeMemoryFunctions());

  // Each module has its own LLVM context.
  LogicalResult compiled = failableParallelForEach(context, modules, [&](std::unique_ptr<NativeModule> &native) {
    llvm::Error error = compileNative(*native, target, options.keepText);
    return error ? LogicalResult(emitError(first.getLoc(), llvm::toString(std::move(error)))) : success();
  });
  if (failed(compiled))
    return failure();

  SmallVector<StringRef> objects;
  for (auto &native : modules) {
    objects.push_back(StringRef(native->object.data(), native->object.size()));
    code.llvm += native->llvmText;
    code.assembly += native->assembly;
  }
  llvm::Expected<std::vector<std::byte>> library = linkObjects(objects);
  if (!library)
    return emitError(first.getLoc(), llvm::toString(library.takeError()));
  code.library = std::move(*library);
  return code;
}
